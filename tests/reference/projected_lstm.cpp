// SPDX-License-Identifier: MIT
// LSTM with a projected state: checks explicit values, gradients against finite differences in double, and equality
// with the LSTM for an identity projection. The loss is Σ weight·y + Σ weight·last + Σ weight·last_c.
#include <ridgepoint/reference/recurrent.hpp>

#include <doctest/doctest.h>

#include "support/gradient.hpp"
#include "support/near.hpp"
#include "support/random_tensor.hpp"

namespace rp = ridgepoint;
using rp::index_t;
using rp::reference;
using rp::tensor;

namespace {

/// Layer of 4 steps, 3 samples, 4 features and 5 units, with all optional operands.
struct projected_layer {
  static constexpr index_t t = 4, n = 3, in = 4, u = 5;
  index_t p;
  bool time_major = true;
  std::vector<std::int32_t> mask = {};  // in the order of the sequences; empty: no mask
  rp::activation gate = rp::activation::sigmoid;
  tensor<double> x = random_tensor({t * n, in}, 1, -1, 1), wx = random_tensor({in, 4 * u}, 2, -1, 1),
                 wh = random_tensor({p, 4 * u}, 3, -1, 1), wp = random_tensor({u, p}, 4, -1, 1),
                 bias = random_tensor({4 * u}, 5, -1, 1), h0 = random_tensor({n, p}, 6, -1, 1),
                 c0 = random_tensor({n, u}, 7, -1, 1), dy = random_tensor({t * n, p}, 8),
                 dlast = random_tensor({n, p}, 9), dlast_c = random_tensor({n, u}, 10);
  tensor<double> y{{t * n, p}}, last{{n, p}}, c{{t * n, u}}, gates{{t * n, 4 * u}}, h{{t * n, u}}, last_c{{n, u}},
      dx{{t * n, in}}, dwx{{in, 4 * u}}, dwh{{p, 4 * u}}, dwp{{u, p}}, db{{4 * u}}, dh0{{n, p}}, dc0{{n, u}};

  template <class T>
  [[nodiscard]] rp::sequence_view<T> sequence(T* data, index_t width) const {
    return time_major ? rp::sequence_view<T>::time_major(data, t, n, width)
                      : rp::sequence_view<T>::sample_major(data, t, n, width);
  }
  [[nodiscard]] rp::sequence_mask steps_that_count() const {
    return mask.empty() ? rp::sequence_mask{} : sequence(mask.data(), 1);
  }
  [[nodiscard]] rp::projected_lstm_args<double> forward() {
    return {.operands = {.x = sequence<const double>(x.data(), in),
                         .wx = wx.data(),
                         .wh = wh.data(),
                         .bias = bias.data(),
                         .h0 = h0.data(),
                         .y = sequence(y.data(), p),
                         .last = last.data(),
                         .mask = steps_that_count()},
            .units = u,
            .wp = wp.data(),
            .c0 = c0.data(),
            .c = c.data(),
            .gates = gates.data(),
            .h = h.data(),
            .last_c = last_c.data(),
            .gate = gate};
  }
  [[nodiscard]] rp::projected_lstm_backward_args<double> backward() {
    return {.operands = {.x = sequence<const double>(x.data(), in),
                         .wx = wx.data(),
                         .wh = wh.data(),
                         .h0 = h0.data(),
                         .y = sequence<const double>(y.data(), p),
                         .dy = sequence<const double>(dy.data(), p),
                         .dlast = dlast.data(),
                         .dx = sequence(dx.data(), in),
                         .dwx = dwx.data(),
                         .dwh = dwh.data(),
                         .db = db.data(),
                         .dh0 = dh0.data(),
                         .mask = steps_that_count()},
            .units = u,
            .wp = wp.data(),
            .c0 = c0.data(),
            .c = c.data(),
            .gates = gates.data(),
            .h = h.data(),
            .dwp = dwp.data(),
            .dc0 = dc0.data(),
            .dlast_c = dlast_c.data(),
            .gate = gate};
  }
  void check_gradients() {
    const auto loss = [&] {
      rp::run(reference, forward());
      return dot(dy, y) + dot(dlast, last) + dot(dlast_c, last_c);
    };
    static_cast<void>(loss());
    rp::run(reference, backward());
    check_gradient(x.values(), dx.values(), loss);
    check_gradient(wx.values(), dwx.values(), loss);
    check_gradient(wh.values(), dwh.values(), loss);
    check_gradient(wp.values(), dwp.values(), loss);
    check_gradient(bias.values(), db.values(), loss);
    check_gradient(h0.values(), dh0.values(), loss);
    check_gradient(c0.values(), dc0.values(), loss);
  }
};

bool same_values(const tensor<double>& a, const tensor<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace

TEST_CASE("two units projected to one value, two steps, written out") {
  const double x[] = {0.5, -1}, h0[] = {0.25}, c0[] = {-0.5, 0.125}, wp[] = {0.7, -0.4};
  const double wx[] = {0.3, -0.7, 1.1, 0.9, 0.2, 0.6, -0.1, 0.8}, wh[] = {-0.2, 0.4, 0.8, -1.3, 0.5, -0.6, 0.1, 0.3},
               bias[] = {0.1, 0.2, -0.3, 0.05, 0, 0.4, -0.2, 0.6};
  double y[2], last[1];
  rp::run(reference,
          rp::projected_lstm_args<double>{.operands = {.x = rp::sequence_view<const double>::time_major(x, 2, 1, 1),
                                                       .wx = wx,
                                                       .wh = wh,
                                                       .bias = bias,
                                                       .h0 = h0,
                                                       .y = rp::sequence_view<double>::time_major(y, 2, 1, 1),
                                                       .last = last},
                                          .units = 2,
                                          .wp = wp,
                                          .c0 = c0});
  const auto logistic = [](double v) { return 1 / (1 + std::exp(-v)); };
  double r = h0[0], c[] = {c0[0], c0[1]};
  for (int t = 0; t < 2; ++t) {
    double next = 0;
    for (int j = 0; j < 2; ++j) {
      const auto gate = [&](int k) { return x[t] * wx[2 * k + j] + r * wh[2 * k + j] + bias[2 * k + j]; };
      c[j] = logistic(gate(1)) * c[j] + logistic(gate(0)) * std::tanh(gate(2));
      next += logistic(gate(3)) * std::tanh(c[j]) * wp[j];
    }
    r = next;
    CHECK(y[t] == near(r, 1e-14));
  }
  CHECK(last[0] == y[1]);
}

TEST_CASE("a projected lstm: all gradients, in both orders of memory, narrower and wider than its units") {
  for (const bool time_major : {true, false})
    for (const index_t p : {1, 3, 7}) projected_layer{.p = p, .time_major = time_major}.check_gradients();
}

TEST_CASE("a projected lstm that skips steps: all gradients, and an unchanged state") {
  for (const auto gate : {rp::activation::sigmoid, rp::activation::hard_sigmoid}) {
    projected_layer l{.p = 2, .mask = {1, 0, 1, 0, 0, 1, 1, 0, 1, 0, 1, 1}, .gate = gate};
    l.check_gradients();
    for (index_t t = 0; t < l.t; ++t)
      for (index_t i = 0; i < l.n; ++i) {
        if (l.mask[static_cast<std::size_t>(t * l.n + i)] != 0) continue;
        const index_t row = t * l.n + i;
        for (index_t j = 0; j < l.p; ++j)
          CHECK(l.y[row * l.p + j] == (t == 0 ? l.h0[i * l.p + j] : l.y[(row - l.n) * l.p + j]));
        for (index_t j = 0; j < l.in; ++j) CHECK(l.dx[row * l.in + j] == 0);
        for (index_t j = 0; j < l.u; ++j) CHECK(l.h[row * l.u + j] == 0);
      }
  }
}

TEST_CASE("an identity projection equals an lstm") {
  projected_layer a{.p = projected_layer::u}, b{.p = projected_layer::u};
  for (index_t i = 0; i < a.u; ++i)
    for (index_t j = 0; j < a.u; ++j) a.wp[i * a.u + j] = i == j ? 1 : 0;
  rp::run(reference, a.forward());
  rp::run(reference, a.backward());
  const auto f = b.forward();
  rp::run(reference,
          rp::lstm_args<double>{.operands = f.operands, .c0 = f.c0, .c = f.c, .gates = f.gates, .last_c = f.last_c});
  const auto d = b.backward();
  rp::run(reference,
          rp::lstm_backward_args<double>{
              .operands = d.operands, .c0 = d.c0, .c = d.c, .gates = d.gates, .dc0 = d.dc0, .dlast_c = d.dlast_c});
  CHECK((same_values(a.y, b.y) && same_values(a.last, b.last) && same_values(a.last_c, b.last_c)));
  CHECK((same_values(a.h, a.y) && same_values(a.c, b.c) && same_values(a.gates, b.gates)));
  CHECK((same_values(a.dx, b.dx) && same_values(a.dwx, b.dwx) && same_values(a.dwh, b.dwh)));
  CHECK((same_values(a.db, b.db) && same_values(a.dh0, b.dh0) && same_values(a.dc0, b.dc0)));
}

TEST_CASE("the receipt of a projected lstm counts its products") {
  projected_layer l{.p = 3};
  const auto work = rp::run(reference, l.forward());
  CHECK(work.matrix_flop == 2 * 4 * 3 * 5 * (4 * (4 + 3) + 3));
  CHECK(to_string(l.forward().geometry()) == "4x3x4 -> 5 -> 3");
}
