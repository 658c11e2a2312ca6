// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include <ridgepoint/cpu/conv2d.hpp>

#include "support/conv2d_agreement.hpp"
#include "support/cpu_copies.hpp"
#include "support/run_prepared.hpp"

/// Compares the passes of a convolution on the CPU with their definitions.
namespace conv2d_passes {

using namespace agreement;

/// The CPU with prepared calls (support/run_prepared.hpp), with a constant filter on demand.
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

/// Algorithms that compute every shape.
inline constexpr ridgepoint::conv_algorithm direct[] = {
    ridgepoint::conv_algorithm::segments, ridgepoint::conv_algorithm::patches, ridgepoint::conv_algorithm::joined,
    ridgepoint::conv_algorithm::dots};

/// agree_on_passes_of() on the CPU.
template <class T, class On = decltype(on_cpu)>
void agree_on_passes(const ridgepoint::conv2d_geometry& g, epilogue after = {}, const On& on_it = on_cpu,
                     std::span<const ridgepoint::conv_algorithm> algorithms = direct) {
  agree_on_passes_of<T>(on_it, g, after, algorithms);
}

}  // namespace conv2d_passes
