// SPDX-License-Identifier: MIT
// Recurrent layers that skip steps, and stateful ones that continue from the previous batch.
#include <doctest/doctest.h>

#include <limits>

#include "slope.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

namespace {

constexpr std::int32_t wanted[] = {2, 0, 1, 1, 2};
constexpr std::int32_t padded[] = {1, 3, 0, 0,  //
                                   2, 1, 3, 2,  //
                                   0, 0, 3, 1,  //
                                   3, 0, 0, 0,  //
                                   1, 0, 2, 0};

template <class Cell>
double worst_masked_slope(const Cell& cell) {
  rp::graph net("masked");
  const rp::node ids = net.input({4}, rp::element::i32);
  const rp::node y = rp::masked(ids | nn::embedding{.vocabulary = 4, .width = 3}, ids, cell) | nn::dense{.units = 3};
  auto trainer =
      net.train<double>(rp::reference, y, nn::softmax_cross_entropy{}, nn::sgd{.learning_rate = 0}, {.batch = 5});
  return slope::worst_slope(trainer, padded, wanted);
}

}  // namespace

TEST_CASE("gradients through unmasked steps, in one direction and in both") {
  CHECK(worst_masked_slope(nn::rnn{.units = 3}) < 1e-6);
  CHECK(worst_masked_slope(nn::lstm{.units = 3}) < 1e-6);
  CHECK(worst_masked_slope(nn::lstm{.units = 3, .gate = rp::activation::hard_sigmoid}) < 1e-6);
  CHECK(worst_masked_slope(nn::lstm{.units = 3, .projection = 2}) < 1e-6);
  CHECK(worst_masked_slope(nn::gru{.units = 3, .gate = rp::activation::hard_sigmoid}) < 1e-6);
  CHECK(worst_masked_slope(nn::gru{.units = 3, .reset = rp::gru_reset::after}) < 1e-6);
  CHECK(worst_masked_slope(nn::bidirectional<nn::lstm>{.cell = {.units = 2}}) < 1e-6);
  CHECK(worst_masked_slope(nn::bidirectional<nn::lstm>{.cell = {.units = 2, .projection = 3}}) < 1e-6);
  CHECK(worst_masked_slope(nn::bidirectional<nn::gru>{.cell = {.units = 2}, .merge = rp::merge_rule::sum}) < 1e-6);
}

TEST_CASE("a padded batch in both directions equals its samples run alone") {
  const auto states_of = [](rp::index_t steps, rp::index_t batch, const std::vector<std::int32_t>& tokens) {
    rp::graph net("both");
    const rp::node ids = net.input({steps}, rp::element::i32);
    const rp::node y = rp::masked(ids | nn::embedding{.vocabulary = 9, .width = 3}, ids,
                                  nn::bidirectional<nn::lstm>{.cell = {.units = 4}});
    rp::tensor<double> states({batch, 8});
    net.compile<double>(rp::reference, y, {.batch = batch, .seed = 3}).run(tokens, states);
    return states;
  };
  const rp::tensor<double> both = states_of(5, 2, {4, 7, 2, 0, 0, 0, 0, 0, 8, 3}), first = states_of(3, 1, {4, 7, 2}),
                           second = states_of(2, 1, {8, 3});
  for (rp::index_t j = 0; j < 8; ++j) {
    CHECK(both[j] == first[j]);
    CHECK(both[8 + j] == second[j]);
  }
}

TEST_CASE("a mask has a value for each step, of i32") {
  rp::graph net("mask");
  const rp::node x = net.input({4, 3}), mask = net.input({4}, rp::element::i32),
                 short_mask = net.input({3}, rp::element::i32), numbers = net.input({4});
  CHECK(rp::masked(x, mask, nn::lstm{.units = 2}).name() == "lstm_1");
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::masked(x, short_mask, nn::lstm{.units = 2})), "lstm: mask is 3; must be 4",
                       rp::shape_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::masked(x, numbers, nn::gru{.units = 2})),
                       "gru: input_4 is of numbers; must be of i32: net.input(shape, rp::element::i32)",
                       rp::value_error);
}

namespace {

/// Checks that a stateful layer on a sequence in pieces gives the same as a stateless one on the whole sequence.
template <class Cell>
void check_goes_on(Cell cell, bool sequences) {
  CAPTURE(sequences);
  constexpr rp::index_t pieces = 3, steps = 2, in = 3, units = 4, n = 2;
  cell.units = units, cell.sequences = sequences;
  const rp::index_t width = cell.output({steps, in})[-1];
  const auto compiled = [&](rp::index_t t, bool stateful) {
    rp::graph net("pieces");
    Cell own = cell;
    own.stateful = stateful;
    return net.compile<double>(rp::reference, net.input({t, in}) | own, {.batch = n, .seed = 5});
  };
  auto whole = compiled(pieces * steps, false), piece = compiled(steps, true);
  const std::vector<double> x = slope::random_values(n * pieces * steps * in, 2);
  const rp::index_t rows = sequences ? pieces * steps : 1, own_rows = sequences ? steps : 1;
  std::vector<double> y(static_cast<std::size_t>(n * rows * width)),
      got(static_cast<std::size_t>(n * own_rows * width));
  whole.run(x, y);
  for (const int time : {0, 1}) {
    CAPTURE(time);
    for (rp::index_t p = 0; p < pieces; ++p) {
      std::vector<double> some;
      for (rp::index_t i = 0; i < n; ++i) {
        const auto* const from = x.data() + (i * pieces + p) * steps * in;
        some.insert(some.end(), from, from + steps * in);
      }
      piece.run(some, got);
      if (!sequences && p + 1 < pieces) continue;
      for (rp::index_t i = 0; i < n; ++i)
        for (rp::index_t j = 0; j < own_rows * width; ++j)
          CHECK(got[static_cast<std::size_t>(i * own_rows * width + j)] ==
                y[static_cast<std::size_t>((i * rows + (sequences ? p * steps : 0)) * width + j)]);
    }
    piece.reset_state();
  }
}

}  // namespace

TEST_CASE("a sequence in pieces equals the whole one in stateful layers, until their state is reset") {
  for (const bool sequences : {true, false}) {
    check_goes_on(nn::rnn{}, sequences);
    check_goes_on(nn::lstm{}, sequences);
    check_goes_on(nn::lstm{.projection = 3}, sequences);
    check_goes_on(nn::gru{.reset = rp::gru_reset::after}, sequences);
  }
}

TEST_CASE("a stateful layer uses the state of the previous batch, without gradients through it") {
  constexpr rp::index_t n = 2, steps = 3, in = 2, units = 2;
  rp::graph net("learns");
  auto trainer = net.train<double>(
      rp::reference, net.input({steps, in}) | nn::lstm{.units = units, .sequences = true, .stateful = true}, nn::mse{},
      nn::sgd{.learning_rate = 0}, {.batch = n, .seed = 5});
  const std::vector<double> first = slope::random_values(n * steps * in, 1),
                            second = slope::random_values(n * steps * in, 2),
                            target(static_cast<std::size_t>(n * steps * units));
  trainer.step(first, target);
  trainer.step(second, target);

  const auto wx = trainer.parameter("lstm_1.wx"), wh = trainer.parameter("lstm_1.wh"),
             b = trainer.parameter("lstm_1.b");
  rp::tensor<double> y({n, steps, units}), c({steps, n, units}), gates({steps, n, 4 * units}), h({n, units}),
      last_c({n, units}), dy({n, steps, units}), dwx(wx.shape()), dwh(wh.shape());
  const auto sequence = [&](auto* data, rp::index_t width) {
    return rp::sequence_view<std::remove_pointer_t<decltype(data)>>::sample_major(data, steps, n, width);
  };
  const auto forward = [&](const std::vector<double>& x, const rp::tensor<double>* h0, const rp::tensor<double>* c0,
                           double* last, double* last_cell) {
    rp::run(rp::reference, rp::lstm_args<double>{.operands = {.x = sequence(x.data(), in),
                                                              .wx = wx.data(),
                                                              .wh = wh.data(),
                                                              .bias = b.data(),
                                                              .h0 = h0 == nullptr ? nullptr : h0->data(),
                                                              .y = sequence(y.data(), units),
                                                              .last = last},
                                                 .c0 = c0 == nullptr ? nullptr : c0->data(),
                                                 .c = c.data(),
                                                 .gates = gates.data(),
                                                 .last_c = last_cell});
  };
  forward(first, nullptr, nullptr, h.data(), last_c.data());
  forward(second, &h, &last_c, nullptr, nullptr);
  for (rp::index_t i = 0; i < y.size(); ++i) dy[i] = 2 * y[i] / static_cast<double>(y.size());
  rp::run(rp::reference, rp::lstm_backward_args<double>{.operands = {.x = sequence(second.data(), in),
                                                                     .wx = wx.data(),
                                                                     .wh = wh.data(),
                                                                     .h0 = h.data(),
                                                                     .y = sequence(std::as_const(y).data(), units),
                                                                     .dy = sequence(std::as_const(dy).data(), units),
                                                                     .dx = {},
                                                                     .dwx = dwx.data(),
                                                                     .dwh = dwh.data()},
                                                        .c0 = last_c.data(),
                                                        .c = c.data(),
                                                        .gates = gates.data()});
  const auto got_wx = trainer.gradient("lstm_1.wx"), got_wh = trainer.gradient("lstm_1.wh");
  for (rp::index_t i = 0; i < dwx.size(); ++i) CHECK(std::abs(got_wx[i] - dwx[i]) < 1e-12);
  for (rp::index_t i = 0; i < dwh.size(); ++i) CHECK(std::abs(got_wh[i] - dwh[i]) < 1e-12);
}

TEST_CASE("memory saved by recurrent layers matches the formula in docs/notation.md") {
  constexpr std::size_t n = 4, steps = 5, units = 16, value = sizeof(double), cells = n * steps * units * value;
  const auto saved = [&](const auto& cell) {
    rp::graph net("saved");
    const auto trainer =
        net.train<double>(rp::reference, net.input({steps, 8}) | cell, nn::mse{}, nn::sgd{}, {.batch = n});
    const std::size_t gradient = cell.sequences ? cells : n * units * value;  // of the loss, computed with it
    return trainer.memory().saved_bytes - gradient;
  };
  for (const bool sequences : {true, false}) {
    CAPTURE(sequences);
    CHECK(saved(nn::rnn{.units = units, .sequences = sequences}) == cells);
    CHECK(saved(nn::lstm{.units = units, .sequences = sequences}) == 6 * cells);
    CHECK(saved(nn::gru{.units = units, .sequences = sequences}) == 4 * cells);
    const auto projected = [&](bool stateful) {
      const nn::lstm cell{.units = units, .projection = 4, .sequences = sequences, .stateful = stateful};
      return saved(cell) + (sequences ? cells - cells / 4 : n * (units - 4) * value);  // of a narrower gradient
    };
    CHECK(projected(false) == 6 * cells + cells / 4);
    CHECK(projected(true) == 6 * cells + cells / 4 + n * (units + 4) * value);
    CHECK(saved(nn::gru{.units = units, .sequences = sequences, .reset = rp::gru_reset::after}) == 5 * cells);
    CHECK(saved(nn::rnn{.units = units, .sequences = sequences, .stateful = true}) == cells + n * units * value);
    CHECK(saved(nn::lstm{.units = units, .sequences = sequences, .stateful = true}) ==
          6 * cells + 2 * n * units * value);
  }
}

TEST_CASE("a batch whose loss is not finite leaves carried state unchanged") {
  constexpr rp::index_t n = 2, steps = 3, in = 2, units = 2;
  const std::vector<double> first = slope::random_values(n * steps * in, 1),
                            second = slope::random_values(n * steps * in, 2),
                            target(static_cast<std::size_t>(n * steps * units));
  std::vector<double> bad = second;
  bad[1] = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> losses;
  for (const bool fails : {false, true}) {
    rp::graph net("fails");
    auto trainer = net.train<double>(
        rp::reference, net.input({steps, in}) | nn::lstm{.units = units, .sequences = true, .stateful = true},
        nn::mse{}, nn::sgd{.learning_rate = 0}, {.batch = n, .seed = 5});
    trainer.step(first, target);
    if (fails)
      CHECK_THROWS_WITH_AS(trainer.step(bad, target), doctest::Contains("holds nan in sample 0"), rp::value_error);
    losses.push_back(trainer.step(second, target));
  }
  CHECK(losses[0] == losses[1]);
}

TEST_CASE("a bidirectional layer cannot be stateful") {
  rp::graph net("both");
  CHECK_THROWS_WITH_AS(
      static_cast<void>(net.input({3, 2}) | nn::bidirectional<nn::gru>{.cell = {.units = 2, .stateful = true}}),
      "bidirectional: its cell is stateful; must not be: the state for the backward direction would come from "
      "the "
      "next batch",
      rp::value_error);
}
