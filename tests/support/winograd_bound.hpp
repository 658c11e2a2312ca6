// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <vector>

#include <ridgepoint/kernels/conv/winograd_work.hpp>
#include <ridgepoint/ops/conv2d.hpp>

#include "support/agreement.hpp"

/// Error bounds of Winograd's algorithm, from the entries of its transforms.
namespace winograd_bound {

using namespace agreement;

/// A, G and Bᵀ of a tile, row by row, from its points: row ξ of A and of G are powers of point ξ; row ξ of Bᵀ has the
/// coefficients of the polynomial that is zero at all other finite points, with leading coefficient 1.
struct matrices {
  std::vector<std::vector<double>> a, g, b;  // [point][entry]

  template <class Tile>
  explicit matrices(Tile) {
    std::vector<double> points{0};
    for (const double p : Tile::point) points.push_back(p), points.push_back(-p);
    for (std::size_t i = 0; i <= points.size(); ++i) {
      const bool infinite = i == points.size();
      std::vector<double> polynomial{1};
      double distances = 1;
      for (std::size_t k = 0; k < points.size(); ++k) {
        if (k == i) continue;
        polynomial.insert(polynomial.begin(), 0);  // times (z − points[k])
        for (std::size_t at = 0; at + 1 < polynomial.size(); ++at) polynomial[at] -= points[k] * polynomial[at + 1];
        if (!infinite) distances *= points[i] - points[k];
      }
      polynomial.resize(Tile::edge);
      const auto powers = [&](std::size_t count, double scale) {
        std::vector<double> all(count);
        for (std::size_t e = 0; e < count; ++e)
          all[e] = infinite ? (e + 1 == count ? scale : 0) : scale * std::pow(points[i], static_cast<double>(e));
        return all;
      };
      a.push_back(powers(Tile::results, 1)), g.push_back(powers(Tile::taps, 1 / distances)), b.push_back(polynomial);
    }
  }
  /// max_i Σ_ξ |outer(ξ, i)|·‖left(ξ)‖₁·‖right(ξ)‖₁, squared: for both directions.
  [[nodiscard]] static double condition(const std::vector<std::vector<double>>& outer,
                                        const std::vector<std::vector<double>>& left,
                                        const std::vector<std::vector<double>>& right) {
    const auto norm = [](const std::vector<double>& row) {
      double sum = 0;
      for (const double x : row) sum += std::abs(x);
      return sum;
    };
    double most = 0;
    for (std::size_t i = 0; i < outer[0].size(); ++i) {
      double sum = 0;
      for (std::size_t point = 0; point < outer.size(); ++point)
        sum += std::abs(outer[point][i]) * norm(left[point]) * norm(right[point]);
      most = std::max(most, sum);
    }
    return most * most;
  }
};

/// Result of a pass: y and dx are images, dw is a filter.
enum class gives { image, filter };

/// Winograd algorithm for a convolution with a number of taps per row.
struct way {
  ridgepoint::conv_algorithm algorithm;
  index_t taps;

  template <class F>
  auto with_tile(F&& f) const {
    return ridgepoint::kernels::winograd::with_tile(results(), taps, f);
  }
  [[nodiscard]] index_t results() const { return algorithm == ridgepoint::conv_algorithm::winograd_4x4 ? 4 : 2; }
  [[nodiscard]] const char* name() const { return results() == 4 ? "winograd 4x4" : "winograd 2x2"; }
  /// K, the condition of the transforms: of Aᵀ, G and Bᵀ or, for the filter's gradient, of Gᵀ, A and Bᵀ.
  [[nodiscard]] double condition(gives what) const {
    return with_tile([&](auto tile) {
      const matrices m(tile);
      return what == gives::filter ? matrices::condition(m.g, m.a, m.b) : matrices::condition(m.a, m.g, m.b);
    });
  }
  /// |fl(y) − y| ≤ γ(n + 32)·n·K·max|x|·max|w|, both upper bounds: n products are summed, and a value passes ≤ 32 more
  /// roundings: 3 + 3 of Bᵀ, 4 + 4 of G, 6 + 6 of Aᵀ, that of 1/s², of its product, of a part of the depth and of the
  /// bias, and 2 to spare.
  [[nodiscard]] static double bound(index_t n, double condition) {
    return gamma<float>(n + 32) * static_cast<double>(n) * condition * 2 * 2;
  }
  [[nodiscard]] double bound(index_t n, gives what) const { return bound(n, condition(what)); }
};
inline constexpr way ways[] = {{ridgepoint::conv_algorithm::winograd_4x4, 3},
                               {ridgepoint::conv_algorithm::winograd_2x2, 3},
                               {ridgepoint::conv_algorithm::winograd_2x2, 5}};

}  // namespace winograd_bound
