// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/roofline/format.hpp>

#include "row_findings.hpp"

namespace measurement {

/// Number, or verdict on bits and guarantees.
enum class cell_state { number, good, other, lost };

/// One accuracy finding of a row: a cell of the strip below its ladder, and of tables.
struct accuracy_cell {
  std::string of;     // one of accuracy_names
  std::string text;   // short form: "3.86", "=", "≠", "kept", "lost", "-"
  std::string words;  // long form, for the tooltip
  cell_state state = cell_state::number;
  double shade = 0;  // of a number: from 0 (best) to 1 (worst)
};

/// Accuracy findings, in the order of the strip.
inline constexpr std::string_view accuracy_names[] = {"ulp max", "gradient", "bits", "NaN", "subnormals", "loss"};

namespace detail {

/// Formats a number as "3.86", "0.012", "1.2k" or "2e-7".
inline std::string short_number(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "NaN" : "inf";
  const double size = std::abs(value);
  if (value == 0 || (size >= 1e-2 && size < 1000)) return ridgepoint::figures(value, size < 1 ? 2 : 3);
  std::string text;
  if (size >= 1000 && size < 1e12) {
    text = ridgepoint::quantity(value, "", 2);
    std::erase(text, ' ');
    return text;
  }
  char digits[32];
  text.assign(digits, std::to_chars(digits, digits + sizeof digits, value, std::chars_format::scientific, 0).ptr);
  const std::size_t exponent = text.find('e') + 1;
  if (text[exponent] == '+') text.erase(exponent, 1);
  const std::size_t zero = text.find_first_of("0123456789", exponent);
  if (text[zero] == '0') text.erase(zero, 1);
  return text;
}

/// Returns the position of a value from `best` (0) to `worst` (1) on a logarithmic scale; 1 if it is not finite.
inline double shade_of(double value, double best, double worst) {
  if (!std::isfinite(value)) return 1;
  return value > best ? std::min(1.0, std::log(value / best) / std::log(worst / best)) : 0;
}

inline accuracy_cell number_cell(std::string_view of, double value, double best, double worst, std::string words) {
  const bool is_one = std::isfinite(value);
  return {.of = std::string(of),
          .text = short_number(value),
          .words = std::move(words),
          .state = is_one ? cell_state::number : cell_state::lost,
          .shade = shade_of(std::abs(value), best, worst)};
}

/// Returns the cell of a guarantee: kept, lost by these flags, or not kept by the base either.
inline accuracy_cell promise_cell(const accuracy& a, const char* of, double kept) {
  const bool lost = std::ranges::find(a.lost, of) != a.lost.end();
  const std::string name = of;
  if (lost)
    return {.of = name, .text = "lost", .words = name + " lost, which the base keeps", .state = cell_state::lost};
  if (kept != 0) return {.of = name, .text = "kept", .words = name + " kept", .state = cell_state::good};
  return {.of = name, .text = "-", .words = name + " not kept, nor by the base", .state = cell_state::good};
}

}  // namespace detail

/// Returns the findings of a row in the order of accuracy_names; empty if the benchmark reports none.
inline std::vector<accuracy_cell> accuracy_cells(const accuracy& a) {
  using ridgepoint::concat, ridgepoint::figures;
  std::vector<accuracy_cell> cells;
  const row_findings& found = a.found;
  if (found.ulp_max) {
    std::string words = concat("at most ", figures(*found.ulp_max), " ulp from the exact result");
    if (found.ulp_mean) words += concat(", ", figures(*found.ulp_mean), " on average");
    cells.push_back(detail::number_cell("ulp max", *found.ulp_max, 0.5, 1000, std::move(words)));
  }
  if (found.gradient_error)
    cells.push_back(detail::number_cell("gradient", *found.gradient_error, 1e-8, 1,
                                        concat("error of the gradient: ", figures(*found.gradient_error))));
  if (a.same_bits)
    cells.push_back({.of = "bits",
                     .text = *a.same_bits ? "=" : "≠",
                     .words = *a.same_bits ? "same bits as the base" : "other bits than the base",
                     .state = *a.same_bits ? cell_state::good : cell_state::other});
  if (found.nan_kept) cells.push_back(detail::promise_cell(a, "NaN", *found.nan_kept));
  if (found.subnormals_kept) cells.push_back(detail::promise_cell(a, "subnormals", *found.subnormals_kept));
  if (a.loss_drift)
    cells.push_back(
        detail::number_cell("loss", *a.loss_drift, 1e-8, 1,
                            concat("loss differs from the base's by ", figures(100 * *a.loss_drift), " %")));
  return cells;
}

}  // namespace measurement
