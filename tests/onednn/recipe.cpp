// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/onednn/primitive.hpp>

namespace rp = ridgepoint;
namespace dnn = rp::onednn_detail;

TEST_CASE("steps run in order, through the recipe's own memory") {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const dnnl::stream stream(engine);
  const auto rows = dnn::layout(rp::matrix_view<const float>(nullptr, 2, 3));
  const auto columns = dnn::layout(rp::matrix_view<const float>(nullptr, 3, 2).transposed());
  dnn::recipe there_and_back(engine);
  const dnnl::memory from = there_and_back.operand(rows), to = there_and_back.operand(rows),
                     between = there_and_back.scratch(columns);
  there_and_back.then_reorder(from, between);
  there_and_back.then_reorder(between, to);
  const float x[] = {1, 2, 3, 4, 5, 6};
  float y[6] = {};
  there_and_back.run(stream, std::array<const void*, 2>{x, y});
  for (int i = 0; i < 6; ++i) CHECK(y[i] == x[i]);
}

TEST_CASE("the fastest recipe is one of the given ones") {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const dnnl::stream stream(engine);
  const auto copy = [&](int times) {
    dnn::recipe r(engine);
    const dnnl::memory from = r.operand(dnn::layout(4)), to = r.operand(dnn::layout(4));
    for (int i = 0; i < times; ++i) r.then_reorder(from, to);
    return r;
  };
  const float x[] = {1, 2, 3, 4};
  float y[4] = {};
  dnn::recipe best = dnn::fastest({copy(1), copy(50)}, stream);
  best.run(stream, std::array<const void*, 2>{x, y});
  CHECK(y[3] == 4);
}

TEST_CASE("extents of one get strides that oneDNN accepts") {
  const auto strides = [](rp::index_t rows, rp::index_t cols, rp::index_t row_stride, rp::index_t col_stride) {
    return rp::matrix_view<const float>(nullptr, rows, cols, row_stride, col_stride);
  };
  CHECK(dnn::layout(strides(1, 5, 0, 1)) == dnn::layout(strides(1, 5, 5, 1)));
  CHECK(dnn::layout(strides(5, 1, 1, 7)) == dnn::layout(strides(5, 1, 1, 5)));
  CHECK(dnn::layout(strides(1, 1, -3, 0)) == dnn::layout(strides(1, 1, 1, 1)));
}

TEST_CASE("keys with any difference are different") {
  const dnn::recipe_key a{{1, 2, 3}}, b{{1, 2, 4}};
  CHECK(a == a);
  CHECK(!(a == b));
  CHECK(dnn::recipe_hash()(a) != dnn::recipe_hash()(b));
}
