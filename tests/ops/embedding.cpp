// SPDX-License-Identifier: MIT
#include <ridgepoint/ops/embedding.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <ridgepoint/reference/embedding.hpp>

#include "support/random_tensor.hpp"

namespace rp = ridgepoint;

TEST_CASE("embedding of tensors equals that of plain operands for any rank of the rows") {
  const std::vector<std::int32_t> ids{2, 0, 2, 1, 2, 3};
  const auto table = random_tensor({4, 3}, 1), dy = random_tensor({2, 3, 3}, 2);
  rp::tensor<double> y({2, 3, 3}), flat({6, 3}), dtable({4, 3}), expected({4, 3});
  CHECK(rp::embedding(rp::reference, ids, table, y) ==
        rp::run(
            rp::reference,
            rp::embedding_args<double>{
                .tokens = 6, .vocabulary = 4, .width = 3, .ids = ids.data(), .table = table.data(), .y = flat.data()}));
  CHECK(std::equal(y.begin(), y.end(), flat.begin()));
  CHECK(rp::embedding_backward(rp::reference, ids, dy, dtable) ==
        rp::run(rp::reference, rp::embedding_backward_args<double>{.tokens = 6,
                                                                   .vocabulary = 4,
                                                                   .width = 3,
                                                                   .ids = ids.data(),
                                                                   .dy = dy.data(),
                                                                   .dtable = expected.data()}));
  CHECK(std::equal(dtable.begin(), dtable.end(), expected.begin()));

  std::vector<std::int32_t> rows(6);
  rp::tensor<double> sums({2, 3, 3});
  CHECK(rp::embedding_rows(rp::reference, ids, dy, 4, rows, sums) ==
        receipt(rp::embedding_rows_args<double>{.tokens = 6, .width = 3}));
  CHECK(rows == std::vector<std::int32_t>{0, 1, 2, 3, -1, -1});
  CHECK(std::equal(dtable.begin(), dtable.end(), sums.begin()));
  CHECK_THROWS_WITH_AS(rp::embedding_rows(rp::reference, ids, dy, 4, std::span(rows).first(5), sums),
                       "embedding_rows: rows has 5 elements; must have 6", rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::embedding_rows(rp::reference, std::span(ids).first(5), dy, 4, rows, sums),
                       "embedding_rows: dy is 2x3x3, sums is 2x3x3; must be 5 tokens by one width", rp::shape_error);

  rp::tensor<double> wide({6, 4});
  CHECK_THROWS_WITH_AS(rp::embedding(rp::reference, ids, table, wide),
                       "embedding: y is 6x4; must be 6 tokens by the table width, 3", rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::embedding(rp::reference, std::span(ids).first(5), table, y),
                       "embedding: y is 2x3x3; must be 5 tokens by the table width, 3", rp::shape_error);
  const rp::matrix_view<const double> narrow(table.data(), 4, 2, 3);
  CHECK_THROWS_WITH_AS(rp::embedding(rp::reference, ids, narrow, rp::matrix_view<double>(y.data(), 6, 2)),
                       doctest::Contains("embedding: the table is 4x2"), rp::shape_error);
}
