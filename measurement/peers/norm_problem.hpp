// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <memory>
#include <string>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/core/random.hpp>
#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/reference/normalisation.hpp>

#include "prepared_task.hpp"

namespace peer {

/// Pass of batch normalisation, whose forward pass updates moving statistics, or of layer normalisation, which stores
/// statistics in the forward pass but not for inference, from the words "batch_norm f32 backward 25088 64": rows and
/// channels.
struct norm_pass {
  ridgepoint::index_t rows = 0, channels = 0;
  std::string op, which;

  /// Memory of rows × channels, of channels, and of mean and inverse.
  struct memory {
    float *x, *y, *dx, *gamma, *beta, *mean, *inverse, *moving_mean, *moving_variance;
  };

  /// Throws: not_available for other words.
  explicit norm_pass(const words& w) {
    if (!names(w) || w.size() != 5 || w[1] != "f32") throw not_available("not a normalisation of f32");
    op = w[0], which = w[2], rows = std::stol(w[3]), channels = std::stol(w[4]);
    if (which != "forward" && which != "backward" && which != "inference")
      throw not_available("no such pass: " + which);
  }
  [[nodiscard]] static bool names(const words& w) {
    return !w.empty() && (w[0] == "batch_norm" || w[0] == "layer_norm");
  }
  /// Returns the number of means.
  [[nodiscard]] ridgepoint::index_t statistics() const { return op == "batch_norm" ? channels : rows; }

  /// Calls f(args) with these operands.
  template <class F>
  decltype(auto) with_args(const memory& m, F&& f) const {
    namespace rp = ridgepoint;
    if (op == "layer_norm" && which == "backward")
      return f(rp::layer_norm_backward_args<float>{.rows = rows,
                                                   .channels = channels,
                                                   .x = m.x,
                                                   .gamma = m.gamma,
                                                   .mean = m.mean,
                                                   .inverse = m.inverse,
                                                   .dy = m.y,
                                                   .dx = m.dx,
                                                   .dgamma = m.moving_mean,
                                                   .dbeta = m.moving_variance});
    if (op == "layer_norm")
      return f(rp::layer_norm_args<float>{.rows = rows,
                                          .channels = channels,
                                          .x = m.x,
                                          .gamma = m.gamma,
                                          .beta = m.beta,
                                          .y = m.y,
                                          .mean = which == "forward" ? m.mean : nullptr,
                                          .inverse = which == "forward" ? m.inverse : nullptr});
    if (which == "forward")
      return f(rp::batch_norm_args<float>{.rows = rows,
                                          .channels = channels,
                                          .x = m.x,
                                          .gamma = m.gamma,
                                          .beta = m.beta,
                                          .y = m.y,
                                          .mean = m.mean,
                                          .inverse = m.inverse,
                                          .moving_mean = m.moving_mean,
                                          .moving_variance = m.moving_variance});
    if (which == "backward")
      return f(rp::batch_norm_backward_args<float>{.rows = rows,
                                                   .channels = channels,
                                                   .x = m.x,
                                                   .gamma = m.gamma,
                                                   .mean = m.mean,
                                                   .inverse = m.inverse,
                                                   .dy = m.y,
                                                   .dx = m.dx,
                                                   .dgamma = m.moving_mean,
                                                   .dbeta = m.moving_variance});
    return f(rp::batch_norm_inference_args<float>{.rows = rows,
                                                  .channels = channels,
                                                  .x = m.x,
                                                  .gamma = m.gamma,
                                                  .beta = m.beta,
                                                  .mean = m.moving_mean,
                                                  .variance = m.moving_variance,
                                                  .y = m.y});
  }
  [[nodiscard]] ridgepoint::work receipt() const {
    float some = 0;  // placeholder for memory
    return with_args({&some, &some, &some, &some, &some, &some, &some, &some, &some},
                     [](const auto& args) { return ridgepoint::receipt(args); });
  }
};

/// Such a pass with operands.
class norm_problem {
 public:
  using index_t = ridgepoint::index_t;

  explicit norm_problem(const words& w)
      : of(w), x_(random(of.rows * of.channels, 1, -1, 1)), y_(random(of.rows * of.channels, 2, -1, 1)) {
    if (of.which == "backward") dx_ = ridgepoint::tensor<float>({of.rows * of.channels});
    std::uint64_t seed = 3;
    for (auto* const each : {&gamma_, &beta_, &moving_mean_, &moving_variance_})
      *each = random(of.channels, seed++, 0.5, 1.5);
    for (auto* const each : {&mean_, &inverse_}) *each = random(of.statistics(), seed++, 0.5, 1.5);
  }

  const norm_pass of;

  /// Calls f(args of the pass).
  template <class F>
  decltype(auto) with_args(F&& f) {
    return of.with_args({x_.data(), y_.data(), dx_.data(), gamma_.data(), beta_.data(), mean_.data(), inverse_.data(),
                         moving_mean_.data(), moving_variance_.data()},
                        f);
  }

  /// Throws: wrong_result unless y or dx is within 2⁻¹⁰ of the definition's: values around one, and sums over all
  /// rows.
  void verify() {
    ridgepoint::tensor<float>& result = of.which == "backward" ? dx_ : y_;
    const ridgepoint::tensor<float> got = result;
    with_args([](const auto& args) { ridgepoint::run(ridgepoint::reference, args); });
    for (index_t i = 0; i < got.size(); ++i)
      if (!(std::abs(got[i] - result[i]) <= 0x1p-10F * std::max(1.0F, std::abs(result[i]))))
        throw wrong_result(
            ridgepoint::concat("element ", i, " of the normalisation is ", got[i], "; must be ", result[i]));
  }

 private:
  static ridgepoint::tensor<float> random(index_t size, std::uint64_t seed, double low, double high) {
    ridgepoint::tensor<float> values({size});
    ridgepoint::random_stream stream(seed);
    for (float& v : values.values()) v = static_cast<float>(stream.uniform(low, high));
    return values;
  }
  ridgepoint::tensor<float> x_, y_, dx_, gamma_, beta_, mean_, inverse_, moving_mean_, moving_variance_;
};

/// Returns the pass on a backend of this library.
template <class Backend>
task norm_task(const Backend& on, const words& w) {
  const auto p = std::make_shared<norm_problem>(w);
  task t{.work = static_cast<double>(p->of.receipt().bytes.total()), .run = {}, .verify = [p] { p->verify(); }};
  p->with_args([&](const auto& args) { run_prepared_call(t, on, args); });
  return t;
}

}  // namespace peer
