// SPDX-License-Identifier: MIT
#include <ridgepoint/ops/gru.hpp>
#include <ridgepoint/ops/lstm.hpp>
#include <ridgepoint/ops/rnn.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <ridgepoint/reference/all.hpp>

#include "support/random_tensor.hpp"

namespace rp = ridgepoint;

namespace {

constexpr rp::index_t t = 3, n = 2, in = 5, u = 4;

template <class T>
bool equal(const rp::tensor<T>& a, const rp::tensor<T>& b) {
  return a.shape() == b.shape() && std::equal(a.begin(), a.end(), b.begin());
}

/// Tensors of a layer with a given number of gates, and the same operands as pointers.
struct layer {
  rp::index_t gates;
  rp::tensor<double> x = random_tensor({t, n, in}, 1), wx = random_tensor({in, gates*u}, 2),
                     wh = random_tensor({u, gates*u}, 3), bias = random_tensor({gates * u}, 4),
                     h0 = random_tensor({n, u}, 5), dy = random_tensor({t, n, u}, 6), dlast = random_tensor({n, u}, 7);
  rp::tensor<double> y{{t, n, u}}, last{{n, u}}, dwx{{in, gates*u}}, dwh{{u, gates*u}}, dx{{t, n, in}}, db{{gates * u}},
      dh0{{n, u}};

  [[nodiscard]] rp::recurrent<double> forward() {
    return {.x = rp::sequence_view<const double>::time_major(x.data(), t, n, in),
            .wx = wx.data(),
            .wh = wh.data(),
            .bias = bias.data(),
            .h0 = h0.data(),
            .y = rp::sequence_view<double>::time_major(y.data(), t, n, u),
            .last = last.data()};
  }
  [[nodiscard]] rp::recurrent_backward<double> backward() {
    return {.x = rp::sequence_view<const double>::time_major(x.data(), t, n, in),
            .wx = wx.data(),
            .wh = wh.data(),
            .h0 = h0.data(),
            .y = rp::sequence_view<const double>::time_major(y.data(), t, n, u),
            .dy = rp::sequence_view<const double>::time_major(dy.data(), t, n, u),
            .dlast = dlast.data(),
            .dx = rp::sequence_view<double>::time_major(dx.data(), t, n, in),
            .dwx = dwx.data(),
            .dwh = dwh.data(),
            .db = db.data(),
            .dh0 = dh0.data()};
  }
  void same_forward(const layer& other) const { CHECK((equal(y, other.y) && equal(last, other.last))); }
  void same_backward(const layer& other) const {
    CHECK((equal(dwx, other.dwx) && equal(dwh, other.dwh) && equal(dx, other.dx) && equal(db, other.db) &&
           equal(dh0, other.dh0)));
  }
};

}  // namespace

TEST_CASE("rnn of tensors equals that of plain operands") {
  layer a{1}, b{1};
  const auto act = rp::activation::sigmoid;
  CHECK(rp::rnn(rp::reference, a.x, a.wx, a.wh, a.bias, a.y, {.h0 = a.h0, .last = a.last, .act = act}) ==
        rp::run(rp::reference, rp::rnn_args<double>{.operands = b.forward(), .act = act}));
  a.same_forward(b);
  CHECK(rp::rnn_backward(rp::reference, a.x, a.wx, a.wh, a.y, a.dy, a.dwx, a.dwh,
                         {.h0 = a.h0, .dlast = a.dlast, .dx = a.dx, .db = a.db, .dh0 = a.dh0, .act = act}) ==
        rp::run(rp::reference, rp::rnn_backward_args<double>{.operands = b.backward(), .act = act}));
  a.same_backward(b);
}

TEST_CASE("lstm of tensors equals that of plain operands") {
  layer a{4}, b{4};
  const auto c0 = random_tensor({n, u}, 8);
  rp::tensor<double> c({t, n, u}), gates({t, n, 4 * u}), dc0({n, u}), c_b = c, gates_b = gates, dc0_b = dc0;
  CHECK(rp::lstm(rp::reference, a.x, a.wx, a.wh, a.bias, a.y,
                 {.h0 = a.h0, .c0 = c0, .last = a.last, .c = c, .gates = gates}) ==
        rp::run(
            rp::reference,
            rp::lstm_args<double>{.operands = b.forward(), .c0 = c0.data(), .c = c_b.data(), .gates = gates_b.data()}));
  a.same_forward(b);
  CHECK((equal(c, c_b) && equal(gates, gates_b)));
  CHECK(rp::lstm_backward(rp::reference, a.x, a.wx, a.wh, a.y, c, gates, a.dy, a.dwx, a.dwh,
                          {.h0 = a.h0, .c0 = c0, .dlast = a.dlast, .dx = a.dx, .db = a.db, .dh0 = a.dh0, .dc0 = dc0}) ==
        rp::run(rp::reference, rp::lstm_backward_args<double>{.operands = b.backward(),
                                                              .c0 = c0.data(),
                                                              .c = c_b.data(),
                                                              .gates = gates_b.data(),
                                                              .dc0 = dc0_b.data()}));
  a.same_backward(b);
  CHECK(equal(dc0, dc0_b));
}

TEST_CASE("gru of tensors equals that of plain operands") {
  for (const auto reset : {rp::gru_reset::before, rp::gru_reset::after}) {
    layer a{3}, b{3};
    const bool after = reset == rp::gru_reset::after;
    const auto rb = random_tensor({3 * u}, 9);
    rp::tensor<double> gates({t, n, rp::gru_args<double>::saved(reset) * u}), drb({3 * u}), gates_b = gates,
                                                                                            drb_b = drb;
    const rp::tensor_view<const double, 1> biased =
        after ? rp::tensor_view<const double, 1>(rb) : rp::tensor_view<const double, 1>();
    const rp::tensor_view<double, 1> dbiased = after ? rp::tensor_view<double, 1>(drb) : rp::tensor_view<double, 1>();
    CHECK(rp::gru(rp::reference, a.x, a.wx, a.wh, a.bias, a.y,
                  {.h0 = a.h0, .last = a.last, .reset = reset, .recurrent_bias = biased, .gates = gates}) ==
          rp::run(rp::reference, rp::gru_args<double>{.operands = b.forward(),
                                                      .reset = reset,
                                                      .recurrent_bias = after ? rb.data() : nullptr,
                                                      .gates = gates_b.data()}));
    a.same_forward(b);
    CHECK(rp::gru_backward(rp::reference, a.x, a.wx, a.wh, a.y, gates, a.dy, a.dwx, a.dwh,
                           {.h0 = a.h0,
                            .dlast = a.dlast,
                            .dx = a.dx,
                            .db = a.db,
                            .dh0 = a.dh0,
                            .reset = reset,
                            .drecurrent_bias = dbiased}) ==
          rp::run(rp::reference, rp::gru_backward_args<double>{.operands = b.backward(),
                                                               .reset = reset,
                                                               .gates = gates_b.data(),
                                                               .drecurrent_bias = after ? drb_b.data() : nullptr}));
    a.same_backward(b);
    CHECK(equal(drb, drb_b));
  }
}

TEST_CASE("sequences may be sample-major; unneeded outputs are views without data") {
  layer a{1}, b{1};
  rp::tensor<double> turned({n, t, in}), y({n, t, u});
  for (rp::index_t s = 0; s < t; ++s)
    for (rp::index_t i = 0; i < n; ++i)
      for (rp::index_t j = 0; j < in; ++j) turned[(i * t + s) * in + j] = a.x[(s * n + i) * in + j];
  const rp::tensor_view<const double, 3> x(turned.data(), {t, n, in}, {in, t * in, 1});
  const rp::tensor_view<double, 3> into(y.data(), {t, n, u}, {u, t * u, 1});
  rp::rnn(rp::reference, x, a.wx, a.wh, a.bias, into);
  rp::rnn(rp::reference, b.x, b.wx, b.wh, b.bias, b.y);
  for (rp::index_t s = 0; s < t; ++s)
    for (rp::index_t j = 0; j < u; ++j) CHECK(into(s, 1, j) == b.y[(s * n + 1) * u + j]);
  rp::rnn(rp::reference, b.x, b.wx, b.wh, b.bias, rp::tensor_view<double, 3>(nullptr, {t, n, u}), {.last = a.last});
  for (rp::index_t j = 0; j < n * u; ++j) CHECK(a.last[j] == b.y[(t - 1) * n * u + j]);
}

TEST_CASE("a mask selects the steps that count, in any memory order") {
  layer a{4}, b{4};
  const std::int32_t counts[] = {1, 0, 1, 1, 0, 1}, turned[] = {1, 1, 0, 0, 1, 1};
  rp::tensor<double> last_c({n, u}), last_c_b = last_c;
  rp::lstm(rp::reference, a.x, a.wx, a.wh, a.bias, a.y, {.last = a.last, .last_c = last_c, .mask = {counts, {t, n}}});
  rp::lstm(rp::reference, b.x, b.wx, b.wh, b.bias, b.y,
           {.last = b.last, .last_c = last_c_b, .mask = {turned, {t, n}, {1, t}}});
  a.same_forward(b);
  CHECK(equal(last_c, last_c_b));
  for (rp::index_t j = 0; j < u; ++j) CHECK(a.last[j] == a.y[n * u + j]);
}

TEST_CASE("mismatched extents are refused") {
  layer a{4};
  rp::tensor<double> c({t, n, u}), gates({t, n, 3 * u}), narrow({in, 4 * u - 1}), short_state({n - 1, u});
  const auto short_bias = a.db.values().first(15);
  const auto refused = [&](const rp::lstm_options<double>& options, const char* message) {
    CHECK_THROWS_WITH_AS(rp::lstm(rp::reference, a.x, a.wx, a.wh, a.bias, a.y, options), message, rp::shape_error);
  };
  refused({.c = c, .gates = gates}, "lstm: gates is 3x2x12; must be 3x2x16");
  refused({.h0 = short_state}, "lstm: h0 is 1x4; must be 2x4");
  refused({.c0 = short_state}, "lstm: c0 is 1x4; must be 2x4");
  refused({.last_c = short_state}, "lstm: last_c is 1x4; must be 2x4");
  const std::int32_t counts[2 * t] = {};
  refused({.mask = {counts, {t - 1, n}}}, "lstm: mask is 2x2x1 (steps x batch x width); must be 3x2x1");
  CHECK_THROWS_WITH_AS(rp::lstm(rp::reference, a.x, narrow, a.wh, a.bias, a.y), "lstm: wx is 5x15; must be 5x16",
                       rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::lstm(rp::reference, a.x, a.wx, a.wh, short_bias, a.y), "lstm: bias is 15; must be 16",
                       rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::lstm(rp::reference, a.x, a.wx, a.wh, a.bias, a.dx), "lstm: wx is 5x16; must be 5x20",
                       rp::shape_error);
  const rp::tensor_view<const double, 3> strided(a.x.data(), {t, n, 2}, {n * in, in, 2});
  CHECK_THROWS_WITH_AS(rp::lstm(rp::reference, strided, a.wx, a.wh, a.bias, a.y),
                       "lstm: x is 3x2x2 with an innermost stride of 2; must be 1", rp::shape_error);
}
