// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/core/tensor.hpp>

/// Values uniform in [low, high), a function of the seed alone.
template <class T = double>
ridgepoint::tensor<T> random_tensor(const ridgepoint::shape& extents, std::uint64_t seed, double low = -2,
                                    double high = 2) {
  ridgepoint::tensor<T> t(extents);
  ridgepoint::random_stream random(seed);
  for (T& value : t.values()) value = static_cast<T>(random.uniform(low, high));
  return t;
}

/// Σ a(i)·b(i): with a fixed a, a smooth loss of b whose gradient is a.
template <class T>
double dot(const ridgepoint::tensor<T>& a, const ridgepoint::tensor<T>& b) {
  double sum = 0;
  for (ridgepoint::index_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}
