// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include <ridgepoint/ops/conv2d.hpp>

#include "support/agreement.hpp"

/// Compares the passes of a convolution on any backend with their definitions.
namespace conv2d_passes {

using namespace agreement;

/// The backend's own choice of algorithm.
inline constexpr ridgepoint::conv_algorithm automatic[] = {ridgepoint::conv_algorithm::automatic};

/// Work of a forward pass after the convolution.
struct epilogue {
  ridgepoint::activation act = ridgepoint::activation::none;
  bool residual = false, biased = true;
};

/// A forward pass of operands x, w, bias, residual and y in the form that agree() runs.
[[nodiscard]] inline auto forward_pass(const ridgepoint::conv2d_geometry& g, epilogue after,
                                       ridgepoint::conv_algorithm algorithm) {
  return [=](const auto& on, const auto& p, ridgepoint::step_state*) {
    using S = element_t<decltype(p)>;
    execute(on, ridgepoint::conv2d_args<S>{.geometry = g,
                                           .x = p[0],
                                           .w = p[1],
                                           .bias = after.biased ? p[2] : nullptr,
                                           .y = p[4],
                                           .act = after.act,
                                           .algorithm = algorithm,
                                           .residual = after.residual ? p[3] : nullptr,
                                           .slope = 0.125});
  };
}

/// Calls pass(algorithm) for each algorithm.
template <class Pass>
[[nodiscard]] auto by_each(std::span<const ridgepoint::conv_algorithm> algorithms, const Pass& pass) {
  std::vector<decltype(pass(algorithms[0]))> runs;
  for (const ridgepoint::conv_algorithm algorithm : algorithms) runs.push_back(pass(algorithm));
  return runs;
}

/// Compares the gradients of one convolution with their definitions, on a callable from threads to a backend.
template <class T, class On>
void agree_on_gradients_of(const On& on_it, const ridgepoint::conv2d_geometry& g,
                           std::span<const ridgepoint::conv_algorithm> algorithms = automatic) {
  const operand x = random_values<T>(g.input_size(), 1), w = random_values<T>(g.filter_size(), 2),
                dy = random_values<T>(g.output_size(), 4);
  const auto of_data = [&](ridgepoint::conv_algorithm algorithm) {
    return [&g, algorithm](const auto& on, const auto& p, ridgepoint::step_state*) {
      using S = element_t<decltype(p)>;
      execute(on, ridgepoint::conv2d_backward_data_args<S>{
                      .geometry = g, .dy = p[0], .w = p[1], .dx = p[2], .algorithm = algorithm});
    };
  };
  const auto of_weights = [&](ridgepoint::conv_algorithm algorithm) {
    return [&g, algorithm](const auto& on, const auto& p, ridgepoint::step_state*) {
      using S = element_t<decltype(p)>;
      execute(on, ridgepoint::conv2d_backward_weights_args<S>{
                      .geometry = g, .x = p[0], .dy = p[1], .dw = p[2], .db = p[3], .algorithm = algorithm});
    };
  };
  agree_all<T>(on_it, {dy, w, output(g.input_size())}, by_each(algorithms, of_data));
  agree_all<T>(on_it, {x, dy, output(g.filter_size()), output(g.f)}, by_each(algorithms, of_weights));
}

/// Compares the three passes of one convolution with their definitions, on a callable from threads to a backend, unless
/// it is a product of the unmodified image.
template <class T, class On>
void agree_on_passes_of(const On& on_it, const ridgepoint::conv2d_geometry& g, epilogue after = {},
                        std::span<const ridgepoint::conv_algorithm> algorithms = automatic) {
  const std::string what = to_string(g);
  CAPTURE(what);
  CAPTURE(g.padding.top);
  CAPTURE(g.padding.bottom);
  CAPTURE(g.padding.left);
  CAPTURE(g.padding.right);
  const operand x = random_values<T>(g.input_size(), 1), w = random_values<T>(g.filter_size(), 2),
                bias = random_values<T>(g.f, 3), residual = random_values<T>(g.output_size(), 5);
  for (const bool biased : {false, true})
    agree_all<T>(on_it, {x, w, bias, residual, output(g.output_size())},
                 by_each(algorithms, [&](ridgepoint::conv_algorithm algorithm) {
                   return forward_pass(g, {after.act, after.residual, biased}, algorithm);
                 }));
  if (after.act == ridgepoint::activation::none && !after.residual) agree_on_gradients_of<T>(on_it, g, algorithms);
}

}  // namespace conv2d_passes
