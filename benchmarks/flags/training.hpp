// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/softmax_cross_entropy.hpp>
#include <ridgepoint/reference/losses.hpp>

#include "findings.hpp"

namespace flags {

/// Perceptron of 784 → hidden (ReLU) → 10, trained by Adam, in the ops that a graph would call. Its images are noise
/// with a brighter patch for each class, so that the classes can be learned.
template <class T, class Backend>
class perceptron {
 public:
  static constexpr index_t batch = 16, in = 784, hidden = 64, classes = 10;
  static constexpr int steps = 20;

  explicit perceptron(const Backend& on) : on_(on) {
    for (index_t i = 0; i < batch; ++i) {
      labels_.push_back(static_cast<std::int32_t>(i % classes));
      for (index_t p = 0; p < in / classes; ++p) {
        T& pixel = x_[static_cast<std::size_t>(i * in + (i % classes) * (in / classes) + p)];
        pixel = pixel + T(1);
      }
    }
  }

  /// Runs one step on the only batch.
  void step() {
    using ridgepoint::matrix_view;
    const matrix_view<const T> x{x_.data(), batch, in};
    const matrix_view<T> h{h_.data(), batch, hidden}, dh{dh_.data(), batch, hidden}, y{y_.data(), batch, classes};
    execute(on_, ridgepoint::dense_args<T>{.x = x,
                                           .w = {w1_.w.data(), in, hidden},
                                           .bias = b1_.w.data(),
                                           .y = h,
                                           .act = ridgepoint::activation::relu});
    execute(on_, ridgepoint::dense_args<T>{.x = h, .w = {w2_.w.data(), hidden, classes}, .bias = b2_.w.data(), .y = y});
    execute(on_, ridgepoint::softmax_cross_entropy_args<T>{
                     .logits = y, .labels = labels_.data(), .dlogits = y, .state = &state_});
    execute(on_, ridgepoint::dense_backward_data_args<T>{.dy = y, .w = {w2_.w.data(), hidden, classes}, .dx = dh});
    execute(on_, ridgepoint::dense_backward_weights_args<T>{
                     .x = h, .dy = y, .dw = {w2_.g.data(), hidden, classes}, .db = b2_.g.data()});
    execute(on_,
            ridgepoint::activate_backward_args<T>{
                .f = ridgepoint::activation::relu, .size = batch * hidden, .y = h.data, .dy = dh.data, .dx = dh.data});
    execute(on_, ridgepoint::dense_backward_weights_args<T>{
                     .x = x, .dy = dh, .dw = {w1_.g.data(), in, hidden}, .db = b1_.g.data()});
    for (parameter* p : {&w1_, &b1_, &w2_, &b2_}) {
      const auto size = static_cast<index_t>(p->w.size());
      execute(
          on_,
          ridgepoint::adam_update_args<T>{
              .size = size, .w = p->w.data(), .g = p->g.data(), .m = p->m.data(), .v = p->v.data(), .state = &state_});
    }
    ++state_.step;
  }
  [[nodiscard]] double loss() const { return state_.loss; }
  /// Returns the distance of the last step's gradients from exact ones: Σ |g − exact| ÷ Σ |exact|; 2³⁰ if one is not
  /// finite.
  [[nodiscard]] double gradient_error(const perceptron<fixed_point, ridgepoint::reference_backend>& exact) const {
    fixed_point error(0), size(0);
    const auto absolute = [](fixed_point x) { return x < fixed_point(0) ? -x : x; };
    for (const auto& [mine, its] :
         {std::pair(&w1_, &exact.w1_), {&b1_, &exact.b1_}, {&w2_, &exact.w2_}, {&b2_, &exact.b2_}})
      for (std::size_t i = 0; i < its->g.size(); ++i) {
        if (!is_finite(mine->g[i])) return 0x1p30;
        error = error + absolute(exactly(mine->g[i]) - its->g[i]), size = size + absolute(its->g[i]);
      }
    return static_cast<double>(error / size);
  }
  [[nodiscard]] static constexpr std::uint64_t flop() { return 2ULL * steps * batch * (2 * in + 3 * classes) * hidden; }
  /// Returns a hash of all weights' bits.
  [[nodiscard]] double bits() const {
    digest all;
    for (const parameter* p : {&w1_, &b1_, &w2_, &b2_}) all.add(p->w);
    return all.bits();
  }

 private:
  template <class, class>
  friend class perceptron;

  struct parameter {
    std::vector<T> w, g, m, v;
    parameter(index_t size, float scale, std::uint64_t stream)
        : w(drawn<T>(size, scale, stream)), g(w.size(), T(0)), m(g), v(g) {}
  };
  const Backend& on_;
  std::vector<T> x_ = drawn<T>(batch * in, 1, 0), h_ = std::vector<T>(batch * hidden, T(0)), dh_ = h_,
                 y_ = std::vector<T>(batch * classes, T(0));
  std::vector<std::int32_t> labels_;
  parameter w1_{in * hidden, 0x1p-4F, 1}, b1_{hidden, 0, 2}, w2_{hidden * classes, 0x1p-3F, 3}, b2_{classes, 0, 4};
  ridgepoint::step_state state_{.learning_rate = 1e-3};
};

}  // namespace flags
