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

/// Uniform in ±√(3 / in): keeps the variance of signals through a linear layer.
[[nodiscard]] inline double unit_scaling_uniform(random_stream& random, fan f) {
  const double limit = std::sqrt(3.0 / static_cast<double>(f.in));
  return random.uniform(-limit, limit);
}

/// Normal with this deviation (Box-Muller): what an initialiser of your own is made of.
[[nodiscard]] inline double normal(random_stream& random, double deviation) {
  const double radius = std::sqrt(-2.0 * std::log1p(-random.uniform()));  // uniform() is below 1
  return deviation * radius * std::cos(2 * std::numbers::pi * random.uniform());
}
/// The same without what lies beyond two deviations, which is drawn again.
/// Example: static double initial(rp::random_stream& random, rp::fan) { return nn::truncated_normal(random, 0.1); }
[[nodiscard]] inline double truncated_normal(random_stream& random, double deviation) {
  double value = normal(random, deviation);
  while (std::abs(value) > 2 * deviation) value = normal(random, deviation);
  return value;
}

/// Truncated normal of variance 1 / in, as TensorFlow's variance_scaling_initializer is by default: keeps the variance
/// of signals through a linear layer.
[[nodiscard]] inline double variance_scaling(random_stream& random, fan f) {
  constexpr double truncated_deviation = 0.87962566103423978;  // of what is left of a normal of deviation 1
  return truncated_normal(random, std::sqrt(1.0 / static_cast<double>(f.in)) / truncated_deviation);
}

/// Normal with deviation √(2 / in): keeps the variance of signals through layers with ReLU.
[[nodiscard]] inline double he_normal(random_stream& random, fan f) {
  return normal(random, std::sqrt(2.0 / static_cast<double>(f.in)));
}
/// Normal with deviation √(2 / out): the same for gradients on their way back.
[[nodiscard]] inline double he_normal_out(random_stream& random, fan f) {
  return normal(random, std::sqrt(2.0 / static_cast<double>(f.out)));
}

}  // namespace nn
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
