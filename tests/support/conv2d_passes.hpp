// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>

#include <ridgepoint/cpu/conv2d.hpp>

#include "support/agreement.hpp"
#include "support/cpu_copies.hpp"
#include "support/run_prepared.hpp"

/// The passes of a convolution on the CPU beside their definitions.
namespace conv2d_passes {

using namespace agreement;

/// The CPU as prepared (support/run_prepared.hpp), the filter constant on demand.
struct as_prepared : ridgepoint::host_memory {
  tested_cpu on;
  bool constant_filter;
  as_prepared(int threads, bool constant) : on(threads), constant_filter(constant) {}

  template <class Args>
  friend void execute(const as_prepared& where, const Args& a) {
    ridgepoint::prepare_options options;
    if constexpr (requires { a.w; })
      if (where.constant_filter) options = {.constant = a.w, .constant_bytes = 1};
    const auto made = prepare(where.on, a, options);
    run_prepared(where.on, made, a);
  }
};

/// What computes every shape.
inline constexpr ridgepoint::conv_algorithm direct[] = {
    ridgepoint::conv_algorithm::segments, ridgepoint::conv_algorithm::patches, ridgepoint::conv_algorithm::joined,
    ridgepoint::conv_algorithm::dots};

/// What a forward pass does beside convolving.
struct epilogue {
  ridgepoint::activation act = ridgepoint::activation::none;
  bool residual = false, biased = true;
};

/// A forward pass of operands x, w, bias, residual and y as agree() runs it.
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

/// The three passes of one convolution against their definitions, on a callable from threads to a backend, unless it
/// is a product of the image as it lies.
template <class T, class On = decltype(on_cpu)>
void agree_on_passes(const ridgepoint::conv2d_geometry& g, epilogue after = {}, const On& on_it = on_cpu,
                     std::span<const ridgepoint::conv_algorithm> algorithms = direct) {
  const std::string what = to_string(g);
  CAPTURE(what);
  CAPTURE(g.padding.top);
  CAPTURE(g.padding.bottom);
  CAPTURE(g.padding.left);
  CAPTURE(g.padding.right);
  const operand x = random_values<T>(g.input_size(), 1), w = random_values<T>(g.filter_size(), 2),
                bias = random_values<T>(g.f, 3), dy = random_values<T>(g.output_size(), 4),
                residual = random_values<T>(g.output_size(), 5);
  for (const ridgepoint::conv_algorithm algorithm : algorithms) {
    for (const bool biased : {false, true})
      agree<T>(on_it, {x, w, bias, residual, output(g.output_size())},
               forward_pass(g, {after.act, after.residual, biased}, algorithm));
    if (after.act != ridgepoint::activation::none || after.residual) continue;
    agree<T>(on_it, {dy, w, output(g.input_size())}, [&](const auto& on, const auto& p, ridgepoint::step_state*) {
      using S = element_t<decltype(p)>;
      execute(on, ridgepoint::conv2d_backward_data_args<S>{
                      .geometry = g, .dy = p[0], .w = p[1], .dx = p[2], .algorithm = algorithm});
    });
    agree<T>(on_it, {x, dy, output(g.filter_size()), output(g.f)},
             [&](const auto& on, const auto& p, ridgepoint::step_state*) {
               using S = element_t<decltype(p)>;
               execute(on, ridgepoint::conv2d_backward_weights_args<S>{
                               .geometry = g, .x = p[0], .dy = p[1], .dw = p[2], .db = p[3], .algorithm = algorithm});
             });
  }
}

}  // namespace conv2d_passes
