// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace measurement {

/// The option of Google Benchmark that runs the benchmark of this name and no other: a regular expression, POSIX
/// extended, in which nothing else may be escaped.
inline std::string exact_filter(std::string_view benchmark) {
  std::string filter = "--benchmark_filter=^";
  for (const char c : benchmark) {
    if (std::string_view(R"(.[\()*+?{|^$)").find(c) != std::string_view::npos) filter += '\\';
    filter += c;
  }
  return filter + '$';
}

}  // namespace measurement
