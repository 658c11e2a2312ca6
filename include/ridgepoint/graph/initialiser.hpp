// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <numbers>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// How many inputs feed one output of a parameter, and how many outputs one input feeds.
struct fan {
  index_t in = 1, out = 1;
};

/// Draws one initial value of a parameter. Values are drawn on the host, element after element, from a stream of their
/// own for every parameter, so every backend starts from the same bits.
using initialiser = double (*)(random_stream&, fan);

namespace nn {

[[nodiscard]] inline double zeros(random_stream&, fan) { return 0; }
[[nodiscard]] inline double ones(random_stream&, fan) { return 1; }

/// Uniform in ±√(6 / (in + out)): keeps the variance of signals and gradients through linear layers.
[[nodiscard]] inline double glorot_uniform(random_stream& random, fan f) {
  const double limit = std::sqrt(6.0 / static_cast<double>(f.in + f.out));
  return random.uniform(-limit, limit);
}

/// Normal with deviation √(2 / in) (Box-Muller): keeps the variance of signals through layers with ReLU.
[[nodiscard]] inline double he_normal(random_stream& random, fan f) {
  const double radius = std::sqrt(-2.0 * std::log1p(-random.uniform()));  // uniform() is below 1
  return std::sqrt(2.0 / static_cast<double>(f.in)) * radius * std::cos(2 * std::numbers::pi * random.uniform());
}

}  // namespace nn
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
