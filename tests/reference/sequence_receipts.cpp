// SPDX-License-Identifier: MIT
// Receipts of the ops on sequences against their executed witness.
#include <doctest/doctest.h>

#include <numeric>

#include <ridgepoint/ops/all.hpp>
#include <ridgepoint/reference/embedding.hpp>
#include <ridgepoint/reference/gru.hpp>
#include <ridgepoint/reference/lstm.hpp>
#include <ridgepoint/reference/rnn.hpp>

#include "support/receipt_proof.hpp"

namespace rp = ridgepoint;
using rp::index_t;
using witness::counting;
using witness::draw;
using witness::prove;
using witness::role;
using witness::store;

namespace {

constexpr index_t index_bytes = sizeof(std::int32_t);

void prove_embedding(draw d) {
  const index_t tokens = d.extent(0, 8), vocabulary = tokens + d.extent(1, 4), width = d.extent(1, 5);
  std::vector<std::int32_t> ids(static_cast<std::size_t>(vocabulary));  // all different: each row is read once
  std::iota(ids.begin(), ids.end(), 0);
  std::reverse(ids.begin(), ids.end());
  const auto id_bytes = static_cast<std::uint64_t>(tokens * index_bytes);
  {
    store o(2);
    prove(rp::embedding_args<counting>{.tokens = tokens,
                                       .vocabulary = vocabulary,
                                       .width = width,
                                       .ids = ids.data(),
                                       .table = o.add(vocabulary * width, role::weights),
                                       .y = o.add(tokens * width)},
          {.inputs = id_bytes});
  }
  store o(3);
  for (std::int32_t& id : ids) id = static_cast<std::int32_t>(d.extent(0, vocabulary - 1));
  prove(rp::embedding_backward_args<counting>{.tokens = tokens,
                                              .vocabulary = vocabulary,
                                              .width = width,
                                              .ids = ids.data(),
                                              .dy = o.add(tokens * width),
                                              .dtable = o.add(vocabulary * width)},
        {.inputs = id_bytes});
}

void prove_sequence_ops(int first, int shapes) {
  witness::prove_all(first, shapes, prove_embedding);
  witness::prove_others(first, shapes, rp::sequence_ops<counting>{});
}

}  // namespace

TEST_CASE("receipts of sequence ops are what the definitions execute, on 250 random shapes per op") {
  prove_sequence_ops(0, 250);
}
TEST_CASE("receipts of sequence ops are what the definitions execute, on 5000 random shapes per op" *
          doctest::test_suite("slow")) {
  prove_sequence_ops(250, 5000);
}
