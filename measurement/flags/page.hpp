// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exact_filter.hpp"
#include "flag_set.hpp"
#include "results.hpp"
#include "shell_word.hpp"

namespace measurement {

/// Set of flags as shown on a page.
struct page_set {
  flag_set set;
  std::string compiler = {};  // its version line
  std::string command = {};   // shell line that builds (if it was built here) and runs the program
  std::string failure = {};   // why it has no rows
  bool has_program = false, flushes_denormals = false;
  double compile_s = 0;
  std::uint64_t code_bytes = 0;
  std::optional<build_roof> roof = {};
};

/// Contents of a page of `ridgepoint flags`.
struct flags_page {
  std::string title, base, control;  // control: name of the base compared with itself
  double gate = 0.02;
  std::vector<page_set> sets = {};   // the base first
  std::vector<flags_row> rows = {};  // rows of a benchmark are adjacent
  std::vector<std::string> summary = {}, doubts = {};
  std::vector<std::pair<std::string, std::string>> circumstances = {};

  /// Returns the sets compared with the base, in the order of the ladder, the base first.
  [[nodiscard]] std::vector<std::string> contenders() const {
    std::vector<std::string> names{control};
    for (const page_set& s : sets)
      if (s.set.name != base) names.push_back(s.set.name);
    return names;
  }
  /// Finds a set; null if there is no such set. The control is the base.
  [[nodiscard]] const page_set* find(std::string_view name) const {
    const std::string_view wanted = name == control ? std::string_view(base) : name;
    const auto at = std::ranges::find(sets, wanted, [](const page_set& s) -> std::string_view { return s.set.name; });
    return at == sets.end() ? nullptr : &*at;
  }
};

/// Rows of one benchmark, one for each set that has a result.
struct page_benchmark {
  std::size_t number = 0;  // among all, from 0
  std::string kind = {};   // "definition" or "kernels"; "": not part of a pair
  std::span<const flags_row> rows = {};

  [[nodiscard]] const std::string& name() const { return rows[0].compared.name; }
  /// Returns the row of a set, or null.
  [[nodiscard]] const flags_row* of(std::string_view set) const {
    const auto at = std::ranges::find(rows, set, [](const flags_row& r) -> std::string_view { return r.set; });
    return at == rows.end() ? nullptr : &*at;
  }
};

/// Benchmarks drawn with one axis: "gemm/256x256x256" of …/definition and …/kernels, or a single benchmark.
struct page_group {
  std::string name;
  std::vector<page_benchmark> benchmarks;
};

/// Returns the groups in the order of the rows; they refer to the rows.
inline std::vector<page_group> grouped(std::span<const flags_row> rows) {
  std::vector<page_group> groups;
  std::size_t number = 0;
  for (std::size_t first = 0, end = 0; first < rows.size(); first = end) {
    const std::string& name = rows[first].compared.name;
    for (end = first; end < rows.size() && rows[end].compared.name == name;) ++end;
    page_benchmark one{.number = number++, .kind = {}, .rows = rows.subspan(first, end - first)};
    std::string stem = name;
    for (const char* kind : {"definition", "kernels"})
      if (name.ends_with(std::string("/") + kind)) {
        one.kind = kind;
        stem.resize(name.size() - one.kind.size() - 1);
      }
    const bool joins = !one.kind.empty() && !groups.empty() && groups.back().name == stem &&
                       groups.back().benchmarks[0].kind == "definition" && one.kind == "kernels";
    if (!joins) groups.push_back({.name = stem, .benchmarks = {}});
    groups.back().benchmarks.push_back(one);
  }
  return groups;
}

/// Returns a shell line that runs one benchmark of a set's program. The second of two benchmarks with one name is
/// called "x #2" and runs together with the first.
inline std::string reproducer(const page_set& set, std::string_view benchmark) {
  const std::size_t mark = benchmark.rfind(" #");
  const std::string_view number = mark == std::string_view::npos ? "" : benchmark.substr(mark + 2);
  const bool is_another = !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
  if (is_another) benchmark = benchmark.substr(0, mark);
  return set.command + ' ' + shell_word(exact_filter(benchmark));
}

}  // namespace measurement
