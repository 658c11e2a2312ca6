// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// Observations of a regression: one value per row of features.
struct observations {
  std::vector<std::string> features;      // names, in the order of the columns
  std::vector<std::vector<double>> rows;  // one number per feature
  std::vector<double> values;             // one per row

  void add(std::vector<double> row, double value) {
    rows.push_back(std::move(row));
    values.push_back(value);
  }
};

/// Weight of a feature with its 95 % interval, in standard deviations of the value per standard deviation of the
/// feature. A feature that is the same in every row has weight 0.
struct regression_weight {
  std::string feature;
  double weight = 0, low = 0, high = 0;
};

/// Linear regression on standardised features.
struct regression {
  std::size_t rows = 0;
  double r2 = 0;  // share of the value's variance that the features explain
  std::vector<regression_weight> weights;

  /// Throws: value_error if there is no such feature.
  [[nodiscard]] regression_weight of(std::string_view feature) const {
    for (const regression_weight& w : weights)
      if (w.feature == feature) return w;
    throw value_error(concat("regression: has no feature \"", feature, '"'));
  }
};

/// Features of a regression: as given, or also the product of every two.
enum class regression_order { linear = 1, with_products = 2 };

namespace detail {

[[nodiscard]] inline bool varies(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(), [&](double x) { return !exactly(x, values.front()); });
}

/// Shifts and scales values that vary to mean 0 and variance 1 (of the population).
inline void standardise(std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  double mean = 0, variance = 0;
  for (const double v : values) mean += v / n;
  for (double& v : values) v -= mean, variance += v * v / n;
  for (double& v : values) v /= std::sqrt(variance);
}

/// The 97.5 % quantile of Student's t with this many degrees of freedom, by the expansion of Cornish and Fisher:
/// within 0.002 from 5 degrees on. Source: Abramowitz and Stegun, 26.7.5.
[[nodiscard]] inline double student_t975(double freedom) {
  const double z = 1.959963984540054, z2 = z * z;
  return z + z * (z2 + 1) / (4 * freedom) + z * ((5 * z2 + 16) * z2 + 3) / (96 * freedom * freedom) +
         z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * freedom * freedom * freedom);
}

/// Least squares by Householder reflections: columns (each as long as `values`) become R, `values` becomes Qᵀ·values.
/// Returns the index of a column that depends on those before it, or the number of columns.
inline std::size_t triangularise(std::vector<std::vector<double>>& columns, std::vector<double>& values) {
  const std::size_t rows = values.size();
  for (std::size_t k = 0; k < columns.size(); ++k) {
    std::vector<double>& pivot = columns[k];
    double norm2 = 0;
    for (std::size_t i = k; i < rows; ++i) norm2 += pivot[i] * pivot[i];
    if (norm2 < 1e-18 * static_cast<double>(rows)) return k;  // the column had norm √rows
    const double diagonal = pivot[k] > 0 ? -std::sqrt(norm2) : std::sqrt(norm2);
    std::vector<double> v(pivot.begin() + static_cast<std::ptrdiff_t>(k), pivot.end());
    v[0] -= diagonal;
    const double half_norm2 = norm2 - pivot[k] * diagonal;  // |v|² / 2
    const auto reflect = [&](std::vector<double>& column) {
      double dot = 0;
      for (std::size_t i = 0; i < v.size(); ++i) dot += v[i] * column[k + i];
      for (std::size_t i = 0; i < v.size(); ++i) column[k + i] -= dot / half_norm2 * v[i];
    };
    for (std::size_t j = k; j < columns.size(); ++j) reflect(columns[j]);
    reflect(values);
  }
  return columns.size();
}

}  // namespace detail

/// Fits value ≈ Σ weight·feature by least squares after every feature and the value are standardised (mean 0, variance
/// 1), as ParaDnn's analysis does. The intervals assume independent errors of equal variance.
///
/// Throws: value_error if a row has another number of features, a number is not finite, all values are equal, there are
/// fewer than 5 rows more than features that vary, or a feature is a linear combination of those before it.
/// Example:
///   rp::study::observations o{.features = {"batch", "nodes"}, .rows = {}, .values = {}};
///   o.add({64, 512}, 3.1);                                        // and many more
///   const auto fit = rp::study::regress(o);                        // fit.of("batch").weight, fit.r2
[[nodiscard]] inline regression regress(const observations& o, regression_order order = regression_order::linear) {
  require<value_error>(o.rows.size() == o.values.size(), "regression: ", o.rows.size(), " rows of features for ",
                       o.values.size(), " values; must be equally many");
  const std::size_t rows = o.rows.size(), given = o.features.size();
  std::vector<std::string> names = o.features;
  std::vector<std::vector<double>> columns(given);
  for (std::size_t row = 0; row < rows; ++row) {
    require<value_error>(o.rows[row].size() == given, "regression: row ", row, " has ", o.rows[row].size(),
                         " features; must be ", given);
    for (std::size_t f = 0; f < given; ++f) columns[f].push_back(o.rows[row][f]);
    bool finite = std::isfinite(o.values[row]);
    for (const double x : o.rows[row]) finite = finite && std::isfinite(x);
    require<value_error>(finite, "regression: row ", row, " has a number that is not finite");
  }
  if (order == regression_order::with_products)
    for (std::size_t a = 0; a < given; ++a)
      for (std::size_t b = a + 1; b < given; ++b) {
        names.push_back(concat(o.features[a], "·", o.features[b]));
        columns.emplace_back(rows, 0.0);  // stays equal, and so gets weight 0, if one of the two does not vary
        if (!detail::varies(columns[a]) || !detail::varies(columns[b])) continue;
        for (std::size_t row = 0; row < rows; ++row) columns.back()[row] = columns[a][row] * columns[b][row];
      }
  std::vector<double> values = o.values;
  require<value_error>(rows > 0 && detail::varies(values), "regression: ", rows, " values, all equal; must vary");
  detail::standardise(values);
  std::vector<std::size_t> varying;  // places among the names
  std::vector<std::vector<double>> r;
  for (std::size_t f = 0; f < columns.size(); ++f) {
    if (!detail::varies(columns[f])) continue;
    detail::standardise(columns[f]);
    varying.push_back(f), r.push_back(std::move(columns[f]));
  }
  require<value_error>(rows >= r.size() + 5, "regression: ", rows, " rows for ", r.size(),
                       " features that vary; must be at least ", r.size() + 5);
  const std::size_t dependent = detail::triangularise(r, values), count = r.size();
  require<value_error>(dependent == count, "regression: ", dependent < count ? names[varying[dependent]] : "",
                       " is a linear combination of the features before it");

  double residual = 0;
  for (std::size_t i = count; i < rows; ++i) residual += values[i] * values[i];
  const double freedom = static_cast<double>(rows - count - 1), t = detail::student_t975(freedom);
  regression fit{.rows = rows, .r2 = 1 - residual / static_cast<double>(rows), .weights = {}};
  for (const std::string& name : names) fit.weights.push_back({.feature = name});
  std::vector<std::vector<double>> inverse(count, std::vector<double>(count, 0));  // of R: upper triangle
  for (std::size_t j = 0; j < count; ++j)
    for (std::size_t i = j + 1; i-- > 0;) {
      double sum = i == j ? 1 : 0;
      for (std::size_t k = i + 1; k <= j; ++k) sum -= r[k][i] * inverse[k][j];
      inverse[i][j] = sum / r[i][i];
    }
  for (std::size_t i = 0; i < count; ++i) {
    double weight = 0, variance = 0;
    for (std::size_t j = i; j < count; ++j) {
      weight += inverse[i][j] * values[j];
      variance += inverse[i][j] * inverse[i][j] * residual / freedom;
    }
    const double reach = t * std::sqrt(variance);
    regression_weight& w = fit.weights[varying[i]];
    w.weight = weight, w.low = weight - reach, w.high = weight + reach;
  }
  return fit;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study
