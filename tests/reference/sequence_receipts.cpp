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
    store o(1);
    prove(rp::to_indices_args<counting>{.size = tokens, .limit = 7, .x = o.add(tokens), .ids = ids.data()},
          {.outputs = id_bytes});
    std::iota(ids.begin(), ids.end(), 0);
  }
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

/// Random extents of a recurrent layer, in either memory order.
struct random_layer {
  rp::recurrent_geometry g;
  bool time_major;

  random_layer(draw& d, index_t gates)
      : g{.steps = d.extent(1, 4), .n = d.extent(0, 3), .in = d.extent(1, 4), .units = d.extent(1, 4), .gates = gates},
        time_major(d.coin()) {}
  template <class T>
  [[nodiscard]] rp::sequence_view<T> sequence(T* data, index_t width) const {
    return time_major ? rp::sequence_view<T>::time_major(data, g.steps, g.n, width)
                      : rp::sequence_view<T>::sample_major(data, g.steps, g.n, width);
  }
  [[nodiscard]] rp::recurrent<counting> forward(draw& d, store& o) const {
    const bool whole = d.coin(), last = !whole || d.coin();
    return {.x = sequence<const counting>(o.add(g.steps * g.n * g.in), g.in),
            .wx = o.add(g.input_weights(), role::weights),
            .wh = o.add(g.recurrent_weights(), role::weights),
            .bias = d.coin() ? o.add(g.gates * g.units, role::weights) : nullptr,
            .h0 = d.coin() ? o.add(g.n * g.units) : nullptr,
            .y = sequence<counting>(whole ? o.add(g.cells()) : nullptr, g.units),
            .last = last ? o.add(g.n * g.units) : nullptr};
  }
  [[nodiscard]] rp::recurrent_backward<counting> backward(draw& d, store& o) const {
    const bool whole = d.coin(), last = !whole || d.coin();
    return {.x = sequence<const counting>(o.add(g.steps * g.n * g.in), g.in),
            .wx = o.add(g.input_weights(), role::weights),
            .wh = o.add(g.recurrent_weights(), role::weights),
            .h0 = d.coin() ? o.add(g.n * g.units) : nullptr,
            .y = sequence<const counting>(o.add(g.cells()), g.units),
            .dy = sequence<const counting>(whole ? o.add(g.cells()) : nullptr, g.units),
            .dlast = last ? o.add(g.n * g.units) : nullptr,
            .dx = sequence<counting>(d.coin() ? o.add(g.steps * g.n * g.in) : nullptr, g.in),
            .dwx = o.add(g.input_weights()),
            .dwh = o.add(g.recurrent_weights()),
            .db = d.coin() ? o.add(g.gates * g.units) : nullptr,
            .dh0 = d.coin() ? o.add(g.n * g.units) : nullptr};
  }
};

void prove_rnn(draw d) {
  const random_layer l(d, 1);
  const rp::activation fusable[] = {rp::activation::none, rp::activation::relu, rp::activation::sigmoid,
                                    rp::activation::tanh};
  const rp::activation act = fusable[d.extent(0, 3)];
  {
    store o(4);
    prove(rp::rnn_args<counting>{.operands = l.forward(d, o), .act = act});
  }
  store o(5);
  prove(rp::rnn_backward_args<counting>{.operands = l.backward(d, o), .act = act});
}

void prove_lstm(draw d) {
  const random_layer l(d, 4);
  {
    store o(6);
    const bool kept = d.coin();
    prove(rp::lstm_args<counting>{.operands = l.forward(d, o),
                                  .c0 = d.coin() ? o.add(l.g.n * l.g.units) : nullptr,
                                  .c = kept ? o.add(l.g.cells()) : nullptr,
                                  .gates = kept ? o.add(4 * l.g.cells()) : nullptr});
  }
  store o(7);
  prove(rp::lstm_backward_args<counting>{.operands = l.backward(d, o),
                                         .c0 = d.coin() ? o.add(l.g.n * l.g.units) : nullptr,
                                         .c = o.add(l.g.cells()),
                                         .gates = o.add(4 * l.g.cells()),
                                         .dc0 = d.coin() ? o.add(l.g.n * l.g.units) : nullptr});
}

void prove_gru(draw d) {
  const random_layer l(d, 3);
  const auto reset = d.coin() ? rp::gru_reset::before : rp::gru_reset::after;
  const index_t saved = rp::gru_args<counting>::saved(reset) * l.g.cells();
  const bool biased = reset == rp::gru_reset::after && d.coin();
  {
    store o(8);
    prove(rp::gru_args<counting>{.operands = l.forward(d, o),
                                 .reset = reset,
                                 .recurrent_bias = biased ? o.add(3 * l.g.units, role::weights) : nullptr,
                                 .gates = d.coin() ? o.add(saved) : nullptr});
  }
  store o(9);
  prove(rp::gru_backward_args<counting>{.operands = l.backward(d, o),
                                        .reset = reset,
                                        .gates = o.add(saved),
                                        .drecurrent_bias = biased ? o.add(3 * l.g.units) : nullptr});
}

void prove_sequence_ops(int first, int shapes) {
  witness::prove_all(first, shapes, prove_embedding, prove_rnn, prove_lstm, prove_gru);
  CHECK(witness::all_proven(rp::sequence_ops<counting>{}));
}

}  // namespace

TEST_CASE("receipts of sequence ops are what the definitions execute, on 250 random shapes per op") {
  prove_sequence_ops(0, 250);
}
TEST_CASE("receipts of sequence ops are what the definitions execute, on 5000 random shapes per op" *
          doctest::test_suite("slow")) {
  prove_sequence_ops(250, 5000);
}
