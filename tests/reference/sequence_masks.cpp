// SPDX-License-Identifier: MIT
// Recurrent layers that skip steps: skipped steps change nothing, and each sample is independent of the others.
#include <doctest/doctest.h>

#include <ridgepoint/reference/recurrent.hpp>

#include "support/gradient.hpp"
#include "support/near.hpp"
#include "support/random_tensor.hpp"

namespace rp = ridgepoint;
using rp::index_t;
using rp::reference;
using rp::tensor;

namespace {

constexpr index_t steps = 5, n = 4, in = 3, u = 2;

/// Samples with padding after them, before them, both, and none.
struct masked_layer {
  index_t gates;
  tensor<std::int32_t> mask{{steps, n}, {1, 0, 0, 1,  //
                                         5, 0, 1, 1,  //
                                         1, 1, 0, 1,  //
                                         0, 1, 1, 1,  //
                                         0, 1, 0, 1}};
  tensor<double> x, wx, wh, bias, h0, c0, y{{steps, n, u}}, last{{n, u}}, c{{steps, n, u}}, last_c{{n, u}}, saved, dy,
      dlast, dlast_c, dx{{steps, n, in}}, dwx, dwh, db, dh0{{n, u}}, dc0{{n, u}};

  explicit masked_layer(index_t gates_)
      : gates(gates_),
        x(random_tensor({steps, n, in}, 1, -1, 1)),
        wx(random_tensor({in, gates * u}, 2, -1, 1)),
        wh(random_tensor({u, gates * u}, 3, -1, 1)),
        bias(random_tensor({gates * u}, 4, -1, 1)),
        h0(random_tensor({n, u}, 5, -1, 1)),
        c0(random_tensor({n, u}, 6, -1, 1)),
        saved({steps, n, 4 * u}),
        dy(random_tensor({steps, n, u}, 7)),
        dlast(random_tensor({n, u}, 8)),
        dlast_c(random_tensor({n, u}, 9)),
        dwx({in, gates * u}),
        dwh({u, gates * u}),
        db({gates * u}) {}

  template <class T>
  static rp::sequence_view<T> sequence(T* data, index_t width) {
    return rp::sequence_view<T>::time_major(data, steps, n, width);
  }
  rp::recurrent<double> forward() {
    return {.x = sequence<const double>(x.data(), in),
            .wx = wx.data(),
            .wh = wh.data(),
            .bias = bias.data(),
            .h0 = h0.data(),
            .y = sequence(y.data(), u),
            .last = last.data(),
            .mask = sequence<const std::int32_t>(mask.data(), 1)};
  }
  rp::recurrent_backward<double> backward() {
    return {.x = sequence<const double>(x.data(), in),
            .wx = wx.data(),
            .wh = wh.data(),
            .h0 = h0.data(),
            .y = sequence<const double>(y.data(), u),
            .dy = sequence<const double>(dy.data(), u),
            .dlast = dlast.data(),
            .dx = sequence(dx.data(), in),
            .dwx = dwx.data(),
            .dwh = dwh.data(),
            .db = db.data(),
            .dh0 = dh0.data(),
            .mask = sequence<const std::int32_t>(mask.data(), 1)};
  }
  /// Checks gradients against differences. At a skipped step, y repeats the state and dx is zero.
  template <class Forward, class Backward>
  void check(const Forward& run_forward, const Backward& run_backward, bool has_c = false) {
    const auto loss = [&] {
      run_forward();
      return dot(dy, y) + dot(dlast, last) + (has_c ? dot(dlast_c, last_c) : 0);
    };
    static_cast<void>(loss());
    run_backward();
    check_gradient(x.values(), dx.values(), loss);
    check_gradient(wx.values(), dwx.values(), loss);
    check_gradient(wh.values(), dwh.values(), loss);
    check_gradient(bias.values(), db.values(), loss);
    check_gradient(h0.values(), dh0.values(), loss);
    if (has_c) check_gradient(c0.values(), dc0.values(), loss);
    for (index_t t = 0; t < steps; ++t)
      for (index_t i = 0; i < n; ++i) {
        if (mask[t * n + i] != 0) continue;
        for (index_t j = 0; j < u; ++j)
          CHECK(y[(t * n + i) * u + j] == (t == 0 ? h0[i * u + j] : y[((t - 1) * n + i) * u + j]));
        for (index_t j = 0; j < in; ++j) CHECK(dx[(t * n + i) * in + j] == 0);
      }
    for (index_t q = 0; q < n * u; ++q) CHECK(last[q] == y[(steps - 1) * n * u + q]);
  }
};

}  // namespace

TEST_CASE("rnn that skips steps: all gradients") {
  masked_layer l(1);
  l.check([&] { rp::run(reference, rp::rnn_args<double>{.operands = l.forward()}); },
          [&] { rp::run(reference, rp::rnn_backward_args<double>{.operands = l.backward()}); });
}

TEST_CASE("lstm that skips steps: all gradients, including the last cell state's, with any gates") {
  for (const auto gate : {rp::activation::sigmoid, rp::activation::hard_sigmoid}) {
    masked_layer l(4);
    l.check(
        [&] {
          rp::run(reference, rp::lstm_args<double>{.operands = l.forward(),
                                                   .c0 = l.c0.data(),
                                                   .c = l.c.data(),
                                                   .gates = l.saved.data(),
                                                   .last_c = l.last_c.data(),
                                                   .gate = gate});
        },
        [&] {
          rp::run(reference, rp::lstm_backward_args<double>{.operands = l.backward(),
                                                            .c0 = l.c0.data(),
                                                            .c = l.c.data(),
                                                            .gates = l.saved.data(),
                                                            .dc0 = l.dc0.data(),
                                                            .dlast_c = l.dlast_c.data(),
                                                            .gate = gate});
        },
        true);
    CHECK(std::equal(l.last_c.begin(), l.last_c.end(), l.c.data() + (steps - 1) * n * u));
  }
}

TEST_CASE("gru that skips steps: all gradients, reset before and after") {
  for (const auto reset : {rp::gru_reset::before, rp::gru_reset::after})
    for (const auto gate : {rp::activation::sigmoid, rp::activation::hard_sigmoid}) {
      masked_layer l(3);
      l.check(
          [&] {
            rp::run(reference, rp::gru_args<double>{
                                   .operands = l.forward(), .reset = reset, .gates = l.saved.data(), .gate = gate});
          },
          [&] {
            rp::run(reference, rp::gru_backward_args<double>{
                                   .operands = l.backward(), .reset = reset, .gates = l.saved.data(), .gate = gate});
          });
    }
}

TEST_CASE("samples of unequal lengths equal single samples, read from either end") {
  const std::int32_t lengths[] = {5, 1, 3, 2};
  for (const auto padding : {rp::padding_at::the_end, rp::padding_at::the_start})
    for (const bool backwards : {false, true}) {
      masked_layer l(4);
      rp::mask_of_lengths(lengths, masked_layer::sequence(l.mask.data(), 1), padding);
      auto all = l.forward();
      const auto turn = [&](auto v) { return backwards ? v.reversed() : v; };
      all.x = turn(all.x), all.y = turn(all.y), all.mask = turn(all.mask);
      rp::run(reference, rp::lstm_args<double>{.operands = all, .c0 = l.c0.data(), .last_c = l.last_c.data()});
      for (index_t i = 0; i < n; ++i) {
        const index_t length = lengths[i], first = padding == rp::padding_at::the_start ? steps - length : 0;
        masked_layer one(4);
        const auto alone = [&](auto v) {
          v.data += first * v.step_stride + i * v.sample_stride;
          v.steps = length, v.batch = 1;
          return turn(v);
        };
        const auto whole = one.forward();
        rp::recurrent<double> own = whole;
        own.x = alone(whole.x), own.y = alone(whole.y), own.mask = {};
        own.h0 = whole.h0 + i * u, own.last = whole.last + i * u;
        rp::run(reference, rp::lstm_args<double>{
                               .operands = own, .c0 = one.c0.data() + i * u, .last_c = one.last_c.data() + i * u});
        for (index_t j = 0; j < u; ++j) {
          CHECK(l.last[i * u + j] == one.last[i * u + j]);
          CHECK(l.last_c[i * u + j] == one.last_c[i * u + j]);
          for (index_t t = first; t < first + length; ++t)
            CHECK(l.y[(t * n + i) * u + j] == one.y[(t * n + i) * u + j]);
        }
      }
    }
}
