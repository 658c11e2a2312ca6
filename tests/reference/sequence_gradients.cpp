// SPDX-License-Identifier: MIT
// Ops on sequences: checks values against explicit formulas, backward passes against finite differences in double. The
// loss is Σ weight·y + Σ weight·last.
#include <doctest/doctest.h>

#include <ridgepoint/reference/embedding.hpp>
#include <ridgepoint/reference/recurrent.hpp>

#include "support/gradient.hpp"
#include "support/near.hpp"
#include "support/random_tensor.hpp"

namespace rp = ridgepoint;
using rp::index_t;
using rp::reference;
using rp::tensor;

namespace {

/// Recurrent layer of 3 steps, 2 samples, 4 features and 3 units with all optional operands.
struct layer {
  static constexpr index_t t = 3, n = 2, in = 4, u = 3;
  index_t gates;
  bool time_major;
  tensor<double> x, wx, wh, bias, h0, y, last, dy, dlast, dx, dwx, dwh, db, dh0;

  layer(index_t gates_, bool time_major_)
      : gates(gates_),
        time_major(time_major_),
        x(random_tensor({t * n, in}, 1, -1, 1)),
        wx(random_tensor({in, gates * u}, 2, -1, 1)),
        wh(random_tensor({u, gates * u}, 3, -1, 1)),
        bias(random_tensor({gates * u}, 4, -1, 1)),
        h0(random_tensor({n, u}, 5, -1, 1)),
        y({t * n, u}),
        last({n, u}),
        dy(random_tensor({t * n, u}, 6)),
        dlast(random_tensor({n, u}, 7)),
        dx({t * n, in}),
        dwx({in, gates * u}),
        dwh({u, gates * u}),
        db({gates * u}),
        dh0({n, u}) {}

  template <class T>
  [[nodiscard]] rp::sequence_view<T> sequence(T* data, index_t width) const {
    return time_major ? rp::sequence_view<T>::time_major(data, t, n, width)
                      : rp::sequence_view<T>::sample_major(data, t, n, width);
  }
  [[nodiscard]] rp::recurrent<double> forward() {
    return {.x = sequence<const double>(x.data(), in),
            .wx = wx.data(),
            .wh = wh.data(),
            .bias = bias.data(),
            .h0 = h0.data(),
            .y = sequence(y.data(), u),
            .last = last.data()};
  }
  [[nodiscard]] rp::recurrent_backward<double> backward() {
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
            .dh0 = dh0.data()};
  }
  [[nodiscard]] double value() const { return dot(dy, y) + dot(dlast, last); }
  template <class Loss>
  void check_gradients(const Loss& loss) {
    check_gradient(x.values(), dx.values(), loss);
    check_gradient(wx.values(), dwx.values(), loss);
    check_gradient(wh.values(), dwh.values(), loss);
    check_gradient(bias.values(), db.values(), loss);
    check_gradient(h0.values(), dh0.values(), loss);
  }
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

TEST_CASE("one unit, one feature, two steps, written out") {
  const double x[] = {0.5, -1}, h0[] = {0.25}, c0[] = {-0.5};
  double y[2], last[1];
  const rp::recurrent<double> operands{.x = rp::sequence_view<const double>::time_major(x, 2, 1, 1),
                                       .h0 = h0,
                                       .y = rp::sequence_view<double>::time_major(y, 2, 1, 1),
                                       .last = last};
  const double wx[] = {0.3, -0.7, 1.1, 0.9}, wh[] = {-0.2, 0.4, 0.8, -1.3}, bias[] = {0.1, 0.2, -0.3, 0.05};
  auto o = operands;
  o.wx = wx, o.wh = wh, o.bias = bias;
  rp::run(reference, rp::rnn_args<double>{.operands = o});
  double h = std::tanh(0.5 * 0.3 + 0.25 * -0.2 + 0.1);
  CHECK(y[0] == near(h, 1e-14));
  CHECK(last[0] == near(std::tanh(-1 * 0.3 + h * -0.2 + 0.1), 1e-14));

  rp::run(reference, rp::lstm_args<double>{.operands = o, .c0 = c0});
  h = h0[0];
  double c = c0[0];
  for (int t = 0; t < 2; ++t) {
    const auto gate = [&](int k) { return x[t] * wx[k] + h * wh[k] + bias[k]; };
    c = sigmoid(gate(1)) * c + sigmoid(gate(0)) * std::tanh(gate(2));
    h = sigmoid(gate(3)) * std::tanh(c);
    CHECK(y[t] == near(h, 1e-14));
  }

  for (const auto reset : {rp::gru_reset::before, rp::gru_reset::after}) {
    const double rb[] = {0.2, -0.1, 0.4};
    const bool after = reset == rp::gru_reset::after;
    rp::run(reference, rp::gru_args<double>{.operands = o, .reset = reset, .recurrent_bias = after ? rb : nullptr});
    h = h0[0];
    for (int t = 0; t < 2; ++t) {
      const double r = sigmoid(x[t] * wx[0] + h * wh[0] + bias[0] + (after ? rb[0] : 0));
      const double z = sigmoid(x[t] * wx[1] + h * wh[1] + bias[1] + (after ? rb[1] : 0));
      const double back = after ? r * (h * wh[2] + rb[2]) : r * h * wh[2];
      h = (1 - z) * std::tanh(x[t] * wx[2] + bias[2] + back) + z * h;
      CHECK(y[t] == near(h, 1e-14));
    }
  }
}

TEST_CASE("rnn: all gradients, in both orders of memory") {
  for (const bool time_major : {true, false})
    for (const auto act : {rp::activation::none, rp::activation::sigmoid, rp::activation::tanh}) {
      layer l(1, time_major);
      const auto loss = [&] {
        rp::run(reference, rp::rnn_args<double>{.operands = l.forward(), .act = act});
        return l.value();
      };
      static_cast<void>(loss());
      rp::run(reference, rp::rnn_backward_args<double>{.operands = l.backward(), .act = act});
      l.check_gradients(loss);
    }
}

TEST_CASE("lstm: all gradients, in both orders of memory") {
  for (const bool time_major : {true, false}) {
    layer l(4, time_major);
    auto c0 = random_tensor({l.n, l.u}, 8);
    tensor<double> c({l.t * l.n, l.u}), gates({l.t * l.n, 4 * l.u}), dc0({l.n, l.u});
    const auto loss = [&] {
      rp::run(reference,
              rp::lstm_args<double>{.operands = l.forward(), .c0 = c0.data(), .c = c.data(), .gates = gates.data()});
      return l.value();
    };
    static_cast<void>(loss());
    rp::run(reference,
            rp::lstm_backward_args<double>{
                .operands = l.backward(), .c0 = c0.data(), .c = c.data(), .gates = gates.data(), .dc0 = dc0.data()});
    l.check_gradients(loss);
    check_gradient(c0.values(), dc0.values(), loss);
  }
}

TEST_CASE("gru: all gradients, reset before and after, in both orders of memory") {
  for (const bool time_major : {true, false})
    for (const auto reset : {rp::gru_reset::before, rp::gru_reset::after}) {
      layer l(3, time_major);
      const bool after = reset == rp::gru_reset::after;
      auto rb = random_tensor({3 * l.u}, 9, -1, 1);
      tensor<double> gates({l.t * l.n, rp::gru_args<double>::saved(reset) * l.u}), drb({3 * l.u});
      const auto loss = [&] {
        rp::run(reference, rp::gru_args<double>{.operands = l.forward(),
                                                .reset = reset,
                                                .recurrent_bias = after ? rb.data() : nullptr,
                                                .gates = gates.data()});
        return l.value();
      };
      static_cast<void>(loss());
      rp::run(reference, rp::gru_backward_args<double>{.operands = l.backward(),
                                                       .reset = reset,
                                                       .gates = gates.data(),
                                                       .drecurrent_bias = after ? drb.data() : nullptr});
      l.check_gradients(loss);
      if (after) check_gradient(rb.values(), drb.values(), loss);
    }
}

TEST_CASE("a sequence read and written in reverse equals its reversed copy") {
  constexpr index_t t = 4, n = 2, in = 3, u = 2;
  const auto wx = random_tensor({in, 4 * u}, 1), wh = random_tensor({u, 4 * u}, 2);
  const auto x = random_tensor({t, n, in}, 3), dy = random_tensor({t, n, u}, 4);
  const auto turned = [](const tensor<double>& v) {
    tensor<double> copy(v.shape());
    const index_t each = v.size() / t;
    for (index_t s = 0; s < t; ++s) std::copy_n(v.data() + s * each, each, copy.data() + (t - 1 - s) * each);
    return copy;
  };
  struct result {
    tensor<double> y{{t, n, u}}, c{{t, n, u}}, gates{{t, n, 4 * u}}, dx{{t, n, in}}, dwx{{in, 4 * u}}, dwh{{u, 4 * u}};
  };
  const auto lstm = [&](const tensor<double>& of_x, const tensor<double>& of_dy, bool backwards) {
    result r;
    const auto sequence = [&]<class T>(T* data, index_t width) {
      const auto v = rp::sequence_view<T>::time_major(data, t, n, width);
      return backwards ? v.reversed() : v;
    };
    rp::run(reference, rp::lstm_args<double>{.operands = {.x = sequence(of_x.data(), in),
                                                          .wx = wx.data(),
                                                          .wh = wh.data(),
                                                          .y = sequence(r.y.data(), u)},
                                             .c = r.c.data(),
                                             .gates = r.gates.data()});
    rp::run(reference, rp::lstm_backward_args<double>{.operands = {.x = sequence(of_x.data(), in),
                                                                   .wx = wx.data(),
                                                                   .wh = wh.data(),
                                                                   .y = sequence(std::as_const(r.y).data(), u),
                                                                   .dy = sequence(of_dy.data(), u),
                                                                   .dx = sequence(r.dx.data(), in),
                                                                   .dwx = r.dwx.data(),
                                                                   .dwh = r.dwh.data()},
                                                      .c = r.c.data(),
                                                      .gates = r.gates.data()});
    return r;
  };
  const result back = lstm(x, dy, true), copy = lstm(turned(x), turned(dy), false);
  const auto same = [](const tensor<double>& a, const tensor<double>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  };
  CHECK(same(back.y, turned(copy.y)));
  CHECK(same(back.dx, turned(copy.dx)));
  CHECK((same(back.dwx, copy.dwx) && same(back.dwh, copy.dwh) && same(back.gates, copy.gates)));
}

TEST_CASE("embedding: rows of the table, and the sum of the gradients of each row") {
  const std::int32_t ids[] = {2, 0, 2, 1, 2};
  auto table = random_tensor({4, 3}, 10);
  const auto weight = random_tensor({5, 3}, 11);
  tensor<double> y({5, 3}), dtable({4, 3});
  const auto loss = [&] {
    rp::run(reference, rp::embedding_args<double>{
                           .tokens = 5, .vocabulary = 4, .width = 3, .ids = ids, .table = table.data(), .y = y.data()});
    return dot(weight, y);
  };
  rp::run(reference,
          rp::embedding_backward_args<double>{
              .tokens = 5, .vocabulary = 4, .width = 3, .ids = ids, .dy = weight.data(), .dtable = dtable.data()});
  check_gradient(table.values(), dtable.values(), loss);
  for (index_t j = 0; j < 3; ++j) CHECK(dtable[9 + j] == 0);  // row 3 is not used
}
