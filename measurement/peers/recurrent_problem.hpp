// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/core/random.hpp>
#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/reference/recurrent.hpp>

#include "prepared_task.hpp"

namespace peer {

/// Pass of a recurrent layer over a sequence that starts at zero, from the words "lstm f32 backward 20 64 256 512":
/// steps, batch, input width, units. `inference` computes y only, `forward` also the values that `backward` reads,
/// `backward` all gradients.
struct recurrent_pass {
  using index_t = ridgepoint::index_t;

  std::string op, which;
  ridgepoint::recurrent_geometry g;

  /// Pointers to the operands. Weights and dw: input weights first, then recurrent weights.
  struct memory {
    float *x, *w, *bias, *recurrent_bias, *y, *c, *gates, *dy, *dx, *dw, *db, *drecurrent_bias;
  };

  /// Throws: not_available for other words; shape_error if they do not fit.
  explicit recurrent_pass(const words& w) {
    if (!names(w) || w.size() != 7 || w[1] != "f32") throw not_available("not a recurrent layer of f32");
    op = w[0], which = w[2];
    if (which != "inference" && which != "forward" && which != "backward")
      throw not_available("no such pass: " + which);
    const auto at = [&](std::size_t i) { return static_cast<index_t>(std::stol(w[i])); };
    const index_t gates = op == "lstm"  ? ridgepoint::lstm_gates
                          : op == "rnn" ? ridgepoint::rnn_gates
                                        : ridgepoint::gru_gates;
    g = {.steps = at(3), .n = at(4), .in = at(5), .units = at(6), .gates = gates};
    ridgepoint::detail::check_recurrent_extents(op, g);
  }
  [[nodiscard]] static bool names(const words& w) {
    return !w.empty() && (w[0] == "lstm" || w[0] == "rnn" || w[0] == "gru_reset_after" || w[0] == "gru_reset_before");
  }
  [[nodiscard]] ridgepoint::gru_reset reset() const {
    return op == "gru_reset_after" ? ridgepoint::gru_reset::after : ridgepoint::gru_reset::before;
  }
  /// Returns the number of values saved for the backward pass per unit and step, in addition to y and c.
  [[nodiscard]] index_t kept() const {
    return op == "lstm" ? 4 : op == "rnn" ? 0 : ridgepoint::gru_args<float>::saved(reset());
  }

  /// Calls f(args of a forward pass), with or without the values that the backward pass reads.
  template <class F>
  decltype(auto) with_forward_args(const memory& m, F&& f) const {
    namespace rp = ridgepoint;
    const bool keeps = which != "inference";
    const rp::recurrent<float> all{.x = rp::sequence_view<const float>::time_major(m.x, g.steps, g.n, g.in),
                                   .wx = m.w,
                                   .wh = m.w + g.input_weights(),
                                   .bias = m.bias,
                                   .y = rp::sequence_view<float>::time_major(m.y, g.steps, g.n, g.units)};
    if (op == "lstm")
      return f(rp::lstm_args<float>{.operands = all, .c = keeps ? m.c : nullptr, .gates = keeps ? m.gates : nullptr});
    if (op == "rnn") return f(rp::rnn_args<float>{.operands = all});
    return f(rp::gru_args<float>{.operands = all,
                                 .reset = reset(),
                                 .recurrent_bias = recurrent(m.recurrent_bias),
                                 .gates = keeps ? m.gates : nullptr});
  }
  /// Calls f(args of the pass).
  template <class F>
  decltype(auto) with_args(const memory& m, F&& f) const {
    namespace rp = ridgepoint;
    if (which != "backward") return with_forward_args(m, f);
    const rp::recurrent_backward<float> all{
        .x = rp::sequence_view<const float>::time_major(m.x, g.steps, g.n, g.in),
        .wx = m.w,
        .wh = m.w + g.input_weights(),
        .y = rp::sequence_view<const float>::time_major(m.y, g.steps, g.n, g.units),
        .dy = rp::sequence_view<const float>::time_major(m.dy, g.steps, g.n, g.units),
        .dx = rp::sequence_view<float>::time_major(m.dx, g.steps, g.n, g.in),
        .dwx = m.dw,
        .dwh = m.dw + g.input_weights(),
        .db = m.db};
    if (op == "lstm") return f(rp::lstm_backward_args<float>{.operands = all, .c = m.c, .gates = m.gates});
    if (op == "rnn") return f(rp::rnn_backward_args<float>{.operands = all});
    return f(rp::gru_backward_args<float>{
        .operands = all, .reset = reset(), .gates = m.gates, .drecurrent_bias = recurrent(m.drecurrent_bias)});
  }
  [[nodiscard]] ridgepoint::work receipt() const {
    float some = 0;  // placeholder for memory
    const memory m{&some, &some, &some, &some, &some, &some, &some, &some, &some, &some, &some, &some};
    return with_args(m, [](const auto& args) { return ridgepoint::receipt(args); });
  }

 private:
  [[nodiscard]] float* recurrent(float* bias) const { return reset() == ridgepoint::gru_reset::after ? bias : nullptr; }
};

/// Operands of a pass for `g.n` samples.
class recurrent_tensors {
 public:
  using tensor = ridgepoint::tensor<float>;

  recurrent_tensors(const recurrent_pass& of, ridgepoint::index_t samples)
      : x({of.g.steps * samples * of.g.in}),
        y({of.g.steps * samples * of.g.units}),
        c({of.op == "lstm" ? y.size() : 0}),
        gates({of.kept() * y.size()}),
        dy({of.which == "backward" ? y.size() : 0}),
        dx({of.which == "backward" ? x.size() : 0}),
        dw({of.which == "backward" ? of.g.input_weights() + of.g.recurrent_weights() : 0}),
        db({of.g.gates * of.g.units}),
        drecurrent_bias({of.g.gates * of.g.units}) {}

  tensor x, y, c, gates, dy, dx, dw, db, drecurrent_bias;
};

/// Pass with operands: x and dy from −1 to 1, weights and biases as in a new layer, ±1/√units. Only the checked
/// samples have a non-zero dy, so that they alone determine the sums over the batch.
class recurrent_problem {
 public:
  using index_t = ridgepoint::index_t;
  using tensor = ridgepoint::tensor<float>;

  explicit recurrent_problem(const words& w)
      : of(w),
        all_(of, of.g.n),
        w_(random(of.g.input_weights() + of.g.recurrent_weights(), 1, of.g.units)),
        bias_(random(of.g.gates * of.g.units, 2, of.g.units)),
        recurrent_bias_(random(of.g.gates * of.g.units, 3, of.g.units)) {
    all_.x = random(all_.x.size(), 4, 1);
    if (of.which != "backward") return;
    const tensor drawn = random(all_.dy.size(), 5, 1);
    const index_t u = of.g.units;
    for (index_t row = 0; row < of.g.steps * of.g.n; ++row)
      if (is_checked(row % of.g.n)) std::copy_n(drawn.data() + row * u, u, all_.dy.data() + row * u);
  }

  const recurrent_pass of;

  [[nodiscard]] recurrent_pass::memory memory() { return memory_of(all_); }
  /// Calls f(args of the pass).
  template <class F>
  decltype(auto) with_args(F&& f) {
    return of.with_args(memory(), f);
  }
  /// Calls f(args of the preceding forward pass).
  template <class F>
  decltype(auto) with_forward_args(F&& f) {
    return of.with_forward_args(memory(), f);
  }
  /// Declares the weights constant between calls.
  [[nodiscard]] ridgepoint::prepare_options constant_weights() const noexcept {
    return {.constant = w_.data(), .constant_bytes = static_cast<std::size_t>(w_.size()) * sizeof(float)};
  }

  /// Throws: wrong_result unless y of the checked samples, or the gradients, are within 2⁻¹⁰ of the definition's.
  void verify() {
    const index_t n = of.g.n;
    index_t checked = 0;
    for (index_t i = 0; i < n; ++i) checked += is_checked(i) ? 1 : 0;
    recurrent_pass part = of;
    part.g.n = checked;
    recurrent_tensors want(of, checked);
    const auto gather = [&](const tensor& from, index_t width, tensor& to) {
      float* next = to.data();
      for (index_t row = 0; row < of.g.steps * n; ++row)
        if (is_checked(row % n)) next = std::copy_n(from.data() + row * width, width, next);
    };
    const auto same = [](const char* name, const tensor& got, const tensor& expected) {
      for (index_t i = 0; i < expected.size(); ++i)
        if (!(std::abs(got[i] - expected[i]) <= 0x1p-10F * std::max(1.0F, std::abs(expected[i]))))
          throw wrong_result(
              ridgepoint::concat("element ", i, " of ", name, " is ", got[i], "; must be ", expected[i]));
    };
    gather(all_.x, of.g.in, want.x);
    const auto define = [](const auto& args) { ridgepoint::run(ridgepoint::reference, args); };
    part.with_forward_args(memory_of(want), define);
    recurrent_tensors got(of, checked);
    gather(all_.y, of.g.units, got.y);
    if (of.which != "backward") return same("y", got.y, want.y);
    gather(all_.dy, of.g.units, want.dy);
    part.with_args(memory_of(want), define);
    gather(all_.dx, of.g.in, got.dx);
    same("dx", got.dx, want.dx);
    same("dw", all_.dw, want.dw);
    same("db", all_.db, want.db);
    same("drecurrent_bias", all_.drecurrent_bias, want.drecurrent_bias);
  }

 private:
  static tensor random(index_t size, std::uint64_t seed, index_t units) {
    const double most = 1 / std::sqrt(static_cast<double>(units));
    tensor values({size});
    ridgepoint::random_stream stream(seed);
    for (float& v : values.values()) v = static_cast<float>(stream.uniform(-most, most));
    return values;
  }
  /// Returns true for the last sample; for small layers also for the first and the middle one.
  [[nodiscard]] bool is_checked(index_t sample) const {
    const bool quick = of.g.macs() / of.g.n < 20'000'000;
    return sample == of.g.n - 1 || (quick && (sample == 0 || sample == of.g.n / 2));
  }
  [[nodiscard]] recurrent_pass::memory memory_of(recurrent_tensors& t) {
    return {.x = t.x.data(),
            .w = w_.data(),
            .bias = bias_.data(),
            .recurrent_bias = recurrent_bias_.data(),
            .y = t.y.data(),
            .c = t.c.data(),
            .gates = t.gates.data(),
            .dy = t.dy.data(),
            .dx = t.dx.data(),
            .dw = t.dw.data(),
            .db = t.db.data(),
            .drecurrent_bias = t.drecurrent_bias.data()};
  }

  recurrent_tensors all_;
  tensor w_, bias_, recurrent_bias_;
};

/// Returns the pass on a backend of this library, prepared with constant weights if the backend supports it.
/// Throws: not_available if the backend has no such op.
template <class Backend>
task recurrent_task(const Backend& on, const words& w) {
  namespace rp = ridgepoint;
  const auto p = std::make_shared<recurrent_problem>(w);
  task t{.work = static_cast<double>(p->of.receipt().matrix_flop), .run = {}, .verify = [p] { p->verify(); }};
  const auto has = []<class Args>(const Args&) {
    if constexpr (!rp::executes<Backend, Args>) throw not_available("it has no recurrent layers");
  };
  p->with_args(has);
  if (p->of.which == "backward")
    p->with_forward_args([&]<class Args>(const Args& args) {
      if constexpr (rp::executes<Backend, Args>) rp::run(on, args);
      else has(args);
    });
  p->with_args([&]<class Args>(const Args& args) {
    if constexpr (rp::prepares<Backend, Args>) run_prepared_call(t, on, args, p->constant_weights());
    else if constexpr (rp::executes<Backend, Args>) t.run = [&on, args] { rp::run(on, args); };
  });
  return t;
}

}  // namespace peer
