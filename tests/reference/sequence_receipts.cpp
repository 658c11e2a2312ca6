// SPDX-License-Identifier: MIT
// Checks receipts of the ops on sequences against counted execution.
#include <doctest/doctest.h>

#include <numeric>

#include <ridgepoint/ops/all.hpp>
#include <ridgepoint/reference/attention.hpp>
#include <ridgepoint/reference/elementwise.hpp>
#include <ridgepoint/reference/embedding.hpp>
#include <ridgepoint/reference/recurrent.hpp>

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

void prove_embedding_rows(draw d) {
  const index_t tokens = d.extent(0, 9), vocabulary = d.extent(1, 12), width = d.extent(1, 5);
  std::vector<std::int32_t> ids(static_cast<std::size_t>(tokens)), rows(ids.size());
  for (std::int32_t& id : ids) id = static_cast<std::int32_t>(d.extent(0, vocabulary - 1));
  const auto id_bytes = static_cast<std::uint64_t>(tokens * index_bytes);
  store o(6);
  prove(rp::embedding_rows_args<counting>{.tokens = tokens,
                                          .vocabulary = vocabulary,
                                          .width = width,
                                          .ids = ids.data(),
                                          .dy = o.add(tokens * width),
                                          .rows = rows.data(),
                                          .sums = o.add(tokens * width)},
        {.inputs = id_bytes, .outputs = id_bytes});
}

/// Attention whose samples have all keys, since the receipt counts missing keys. More or fewer queries than keys; q, k
/// and v separate or interleaved.
void prove_attention(draw d) {
  const index_t n = d.extent(0, 2), queries = d.extent(0, 5), heads = d.extent(1, 2), width = d.extent(1, 3),
                row = heads * width;
  const bool packed = d.coin(), causal = d.coin(), kept = d.coin();
  const index_t keys = packed ? queries : d.extent(0, 6);
  const std::vector<std::int32_t> all(static_cast<std::size_t>(n), static_cast<std::int32_t>(keys));
  const std::int32_t* const lengths = d.coin() ? all.data() : nullptr;
  const witness::uncounted extra{.inputs = lengths == nullptr ? 0 : static_cast<std::uint64_t>(n * index_bytes)};
  store o(6);
  const auto three = [&]<class T>(std::type_identity<T>) {
    const std::array<index_t, 4> of_queries{n, queries, heads, width}, of_keys{n, keys, heads, width};
    using view = rp::heads_view<T>;
    if (!packed)
      return std::array{view(o.add(n * queries * row), of_queries), view(o.add(n * keys * row), of_keys),
                        view(o.add(n * keys * row), of_keys)};
    T* const data = o.add(3 * n * queries * row);
    const std::array<index_t, 4> strides{3 * queries * row, 3 * row, width, 1};
    return std::array{view(data, of_queries, strides), view(data + row, of_keys, strides),
                      view(data + 2 * row, of_keys, strides)};
  };
  const auto [q, k, v] = three(std::type_identity<const counting>{});
  const rp::attention_args<counting> forward{.options = {.causal = causal},
                                             .q = q,
                                             .k = k,
                                             .v = v,
                                             .lengths = lengths,
                                             .y = {o.add(n * queries * row), q.extents},
                                             .log_sums = kept ? o.add(n * heads * queries) : nullptr};
  prove(forward, extra);
  o = store(7);
  const auto [q2, k2, v2] = three(std::type_identity<const counting>{});
  const auto [dq, dk, dv] = three(std::type_identity<counting>{});
  prove(rp::attention_backward_args<counting>{.options = forward.options,
                                              .q = q2,
                                              .k = k2,
                                              .v = v2,
                                              .lengths = lengths,
                                              .y = {o.add(n * queries * row), q.extents},
                                              .log_sums = o.add(n * heads * queries),
                                              .dy = {o.add(n * queries * row), q.extents},
                                              .dq = dq,
                                              .dk = dk,
                                              .dv = dv},
        extra);
}

/// Checks dropout with one mask for all steps of a sample.
void prove_dropout(draw d) {
  const index_t samples = d.extent(0, 3), steps = d.extent(2, 5), width = d.extent(1, 9),
                size = samples * steps * width;
  store o(4);
  const rp::step_state state{.step = 3};
  witness::prove_once(rp::dropout_args<counting>{
      .size = size, .x = o.add(size), .y = o.add(size), .rate = 0.5, .state = &state, .steps = steps, .width = width});
}
/// Checks a recurrent layer from the last step to the first, whose output is a half of wider rows.
void prove_backwards(draw d) {
  const index_t t = d.extent(1, 4), n = d.extent(1, 3), in = d.extent(1, 4), u = d.extent(1, 3), row = 2 * u;
  const auto sequence = [&]<class T>(T* data, index_t width, index_t stride) {
    return rp::sequence_view<T>{data, t, n, width, stride, t * stride}.reversed();
  };
  store o(5);
  const counting* const x = o.add(t * n * in);
  const counting* const wx = o.add(in * 3 * u, role::weights);
  const counting* const wh = o.add(u * 3 * u, role::weights);
  counting* const y = o.add(t * n * row);
  witness::prove_once(
      rp::gru_args<counting>{.operands = {.x = sequence(x, in, in), .wx = wx, .wh = wh, .y = sequence(y + u, u, row)}});
}

void prove_sequence_ops(int first, int shapes) {
  witness::prove_all(first, shapes, prove_embedding, prove_embedding_rows, prove_attention, prove_dropout,
                     prove_backwards);
  witness::prove_others(first, shapes, rp::sequence_ops<counting>{});
}

}  // namespace

TEST_CASE("receipts of sequence ops match the work of the definitions, on 250 random shapes per op") {
  prove_sequence_ops(0, 250);
}
TEST_CASE("receipts of sequence ops match the work of the definitions, on 800 random shapes per op" *
          doctest::test_suite("slow")) {
  prove_sequence_ops(250, 800);
}
