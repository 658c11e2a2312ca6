// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/nearest_name.hpp>
#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// Required relation between this model's number and its reference.
enum class demand {
  equal,     // the same number
  within,    // |ours / theirs − 1| ≤ limit
  points,    // |ours − theirs| ≤ limit
  at_most,   // ours ≤ limit
  at_least,  // ours ≥ limit
  none       // shown, not judged
};

/// Strength of an agreement: which part of the model was fitted to the compared data.
enum class evidence {
  hold_out,      // nothing was fitted to these data and no rule chosen on them: a prediction
  calibration,   // constants were fitted to these very rows
  definitional,  // follows from input figures
  chosen         // a rule was chosen because it fits these data
};
[[nodiscard]] constexpr std::string_view to_string(evidence e) noexcept {
  constexpr std::string_view names[] = {"hold-out", "calibration", "definitional", "chosen on this data"};
  return names[static_cast<int>(e)];
}

/// One number of the model with its published or required reference.
struct comparison {
  std::string what;
  double ours = 0, theirs = 0;  // theirs: NaN if nothing is published
  demand wanted = demand::none;
  double limit = 0;
  evidence basis = evidence::hold_out;

  /// ours / theirs − 1; NaN without a reference.
  [[nodiscard]] double error() const noexcept { return exactly(theirs, 0) ? std::nan("") : ours / theirs - 1; }
  [[nodiscard]] bool holds() const noexcept {
    switch (wanted) {
      case demand::equal:
        return exactly(ours, theirs);
      case demand::within:
        return std::abs(error()) <= limit;
      case demand::points:
        return std::abs(ours - theirs) <= limit;
      case demand::at_most:
        return ours <= limit;
      case demand::at_least:
        return ours >= limit;
      case demand::none:
        break;
    }
    return true;
  }
};

/// Result of one target.
struct target_result {
  std::vector<comparison> lines;
  std::size_t rows = 0;   // of published tables, that were compared; 0 for figures from a text
  std::string note = {};  // information needed to judge the numbers
  bool skipped = false;
  std::optional<std::size_t> differing = {};  // rows or cases that differ, if each is compared for equality

  [[nodiscard]] std::size_t judged() const noexcept {
    std::size_t count = 0;
    for (const comparison& c : lines) count += c.wanted != demand::none ? 1 : 0;
    return count;
  }
  [[nodiscard]] std::size_t judged(evidence basis) const noexcept {
    std::size_t count = 0;
    for (const comparison& c : lines) count += c.wanted != demand::none && c.basis == basis ? 1 : 0;
    return count;
  }
  [[nodiscard]] std::size_t differences() const noexcept {
    std::size_t count = 0;
    for (const comparison& c : lines) count += c.holds() ? 0U : 1U;
    return count;
  }
  [[nodiscard]] std::string verdict() const {
    return skipped ? "skipped" : differences() > 0 ? "falls short" : judged() == 0 ? "shown" : "holds";
  }
};

/// A published result that the model is compared with.
struct target {
  std::string name, title;
  std::vector<std::string> files;  // of the data directory; the target is skipped if one is missing
  std::function<target_result(const std::filesystem::path& data)> run;
  std::string study = {};  // key of the publication, "A" to "E", as `ridgepoint report` lists them; empty: another
};

/// Finds a target by name. Throws: value_error with the known names if the name is unknown.
[[nodiscard]] inline const target& find_target(const std::vector<target>& among, std::string_view name) {
  return find_named(among, name, "validate: no target");
}

/// Runs a target, or names a missing file. Throws: data_error for an invalid file.
[[nodiscard]] inline target_result evaluate(const target& t, const std::filesystem::path& data) {
  for (const std::string& file : t.files)
    if (!std::filesystem::exists(data / file)) return {.lines = {}, .note = file + " is missing", .skipped = true};
  return t.run(data);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study
