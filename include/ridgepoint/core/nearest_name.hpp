// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/core/error.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace detail {

[[nodiscard]] constexpr char lower_case(char c) noexcept {
  return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Returns the edit distance of two names: letters inserted, removed, replaced, or swapped with the next. Case is
/// ignored.
[[nodiscard]] inline std::size_t edits_between(std::string_view a, std::string_view b) {
  const auto same = [&](std::size_t i, std::size_t j) { return lower_case(a[i - 1]) == lower_case(b[j - 1]); };
  std::vector<std::vector<std::size_t>> edits(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      std::size_t& least = edits[i][j];
      if (i == 0 || j == 0) {
        least = i + j;
        continue;
      }
      least = (std::min)({edits[i - 1][j] + 1, edits[i][j - 1] + 1, edits[i - 1][j - 1] + (same(i, j) ? 0 : 1)});
      if (i > 1 && j > 1 && same(i, j - 1) && same(i - 1, j)) least = (std::min)(least, edits[i - 2][j - 2] + 1);
    }
  return edits[a.size()][b.size()];
}

}  // namespace detail

/// Returns true if two names are equal, ignoring the case of the letters A to Z.
/// Example: same_name("MNIST-MLP", "mnist-mlp")
[[nodiscard]] constexpr bool same_name(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (detail::lower_case(a[i]) != detail::lower_case(b[i])) return false;
  return true;
}

/// Returns the end of a message about an unknown name: " (did you mean mnist-mlp?)". Empty if no known name is near:
/// one letter in three may differ.
/// Example: concat("no network is called ", name, did_you_mean(name, {"mnist-mlp", "mnist-cnn"}))
[[nodiscard]] inline std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& known) {
  constexpr std::size_t longest = 64;  // a longer text is not a misspelt name
  if (name.empty() || name.size() > longest) return "";
  std::string_view nearest;
  std::size_t least = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string_view one : known) {
    if (one.size() > longest) continue;
    if (const std::size_t edits = detail::edits_between(name, one); edits < least) nearest = one, least = edits;
  }
  return nearest.empty() ? "" : concat(" (did you mean ", nearest, "?)");
}

/// Returns the elements of a list, or their names, between commas: "k80, p100, v100".
template <class Range>
[[nodiscard]] std::string names_of(const Range& all) {
  std::string names;
  for (const auto& one : all) {
    if (!names.empty()) names += ", ";
    if constexpr (requires { one.name; }) names += concat(one.name);
    else names += concat(one);
  }
  return names;
}

/// Finds the element with this name, ignoring case; `what` starts the error message.
/// Throws: value_error with the known names if the name is unknown.
/// Example: find_named(published_machines(), "v100", "machine: no machine")
template <class Range>
[[nodiscard]] const auto& find_named(const Range& all, std::string_view name, std::string_view what) {
  for (const auto& one : all)
    if (same_name(one.name, name)) return one;
  std::vector<std::string_view> known;
  known.reserve(std::size(all));
  for (const auto& one : all) known.emplace_back(one.name);
  throw value_error(concat(what, " is called ", name, "; must be one of ", names_of(all), did_you_mean(name, known)));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
