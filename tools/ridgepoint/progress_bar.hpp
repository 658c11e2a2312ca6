// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace tool {

/// A progress line on stderr with the remaining time; silent unless stderr is a terminal.
class progress_bar {
 public:
  explicit progress_bar(std::string what);
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;
  ~progress_bar();  // clears the line

  /// Shows `done` of `total`; the first call starts the clock. `note` is shown after the bar.
  void show(std::int64_t done, std::int64_t total, std::string_view note = {});

 private:
  using clock = std::chrono::steady_clock;
  std::string what_;
  bool terminal_;
  std::int64_t first_ = -1;
  clock::time_point started_{}, shown_{};
};

/// "8 s", "3 min 20 s", "1 h 05 min".
[[nodiscard]] std::string duration_text(double seconds);

}  // namespace tool
