// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <numbers>
#include <span>
#include <vector>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Number of inputs that feed one output of a parameter, and of outputs that one input feeds.
struct fan {
  index_t in = 1, out = 1;
};

/// Draws the initial values of a parameter, one by one or all at once. They are drawn on the host, from a separate
/// stream for every parameter, so every backend starts from the same bits.
class initialiser {
 public:
  using each = double (*)(random_stream&, fan);
  using all = void (*)(random_stream&, fan, std::span<double>);

  template <class F>
    requires std::convertible_to<F, each>
  constexpr initialiser(F draw) noexcept : each_(draw) {}
  template <class F>
    requires std::convertible_to<F, all>
  constexpr initialiser(F draw) noexcept : all_(draw) {}

  void operator()(random_stream& random, fan f, std::span<double> values) const {
    if (all_ != nullptr) return all_(random, f, values);
    for (double& value : values) value = each_(random, f);
  }

 private:
  each each_ = nullptr;
  all all_ = nullptr;
};

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

/// Normal with this deviation (Box-Muller), for custom initialisers.
[[nodiscard]] inline double normal(random_stream& random, double deviation) {
  const double radius = std::sqrt(-2.0 * std::log1p(-random.uniform()));  // uniform() is below 1
  return deviation * radius * std::cos(2 * std::numbers::pi * random.uniform());
}
/// Normal truncated to two deviations: values outside are redrawn.
/// Example: static double initial(rp::random_stream& random, rp::fan) { return nn::truncated_normal(random, 0.1); }
[[nodiscard]] inline double truncated_normal(random_stream& random, double deviation) {
  double value = normal(random, deviation);
  while (std::abs(value) > 2 * deviation) value = normal(random, deviation);
  return value;
}

/// Truncated normal of variance 1 / in, the default of TensorFlow's variance_scaling_initializer: keeps the variance of
/// signals through a linear layer.
[[nodiscard]] inline double variance_scaling(random_stream& random, fan f) {
  constexpr double truncated_deviation = 0.87962566103423978;  // deviation of a unit normal after truncation
  return truncated_normal(random, std::sqrt(1.0 / static_cast<double>(f.in)) / truncated_deviation);
}

/// Normal with deviation √(2 / in): keeps the variance of signals through layers with ReLU.
[[nodiscard]] inline double he_normal(random_stream& random, fan f) {
  return normal(random, std::sqrt(2.0 / static_cast<double>(f.in)));
}
/// Normal with deviation √(2 / out): keeps the variance of gradients on the way back through layers with ReLU.
[[nodiscard]] inline double he_normal_out(random_stream& random, fan f) {
  return normal(random, std::sqrt(2.0 / static_cast<double>(f.out)));
}

/// Matrices (in, out) with orthonormal rows, or columns if these are fewer, times a gain: repeated multiplication keeps
/// the norm. Uniform among all such matrices: the Q of a normal one whose R has a positive diagonal, by Gram-Schmidt,
/// with each vector orthogonalised twice. `values` may hold several matrices, one after another.
/// Example: static void initial(rp::random_stream& random, rp::fan f, std::span<double> values) {
///            nn::orthogonal_with_gain(random, f, values, 0.5);
///          }
inline void orthogonal_with_gain(random_stream& random, fan f, std::span<double> values, double gain) {
  const auto rows = static_cast<std::size_t>(f.in), cols = static_cast<std::size_t>(f.out), size = rows * cols;
  const std::size_t count = (std::min)(rows, cols), length = (std::max)(rows, cols);
  std::vector<double> q(size);  // one vector after another
  for (std::size_t first = 0; size > 0 && first + size <= values.size(); first += size) {
    for (std::size_t i = 0; i < count; ++i) {
      double* const v = q.data() + i * length;
      const auto multiply = [&](double factor) {
        for (std::size_t j = 0; j < length; ++j) v[j] *= factor;
      };
      const auto product = [&](const double* u) {
        double sum = 0;
        for (std::size_t j = 0; j < length; ++j) sum += u[j] * v[j];
        return sum;
      };
      for (std::size_t j = 0; j < length; ++j) v[j] = normal(random, 1);
      for (int time = 0; time < 2; ++time)
        for (std::size_t before = 0; before < i; ++before) {
          const double* const u = q.data() + before * length;
          const double along = product(u);
          for (std::size_t j = 0; j < length; ++j) v[j] -= along * u[j];
        }
      multiply(1 / std::sqrt(product(v)));
    }
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < cols; ++j)
        values[first + i * cols + j] = gain * (rows <= cols ? q[i * length + j] : q[j * length + i]);
  }
}
/// With a gain of 1: Keras' default for the recurrent weights.
inline void orthogonal(random_stream& random, fan f, std::span<double> values) {
  orthogonal_with_gain(random, f, values, 1);
}

}  // namespace nn
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
