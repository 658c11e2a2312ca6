// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace measurement {

/// Returns a POSIX extended regular expression, in which only special characters may be escaped, that matches exactly
/// the benchmarks of these names.
inline std::string exact_expression(const std::vector<std::string>& benchmarks) {
  std::string all;
  for (const std::string& benchmark : benchmarks) {
    all += all.empty() ? "^" : "|^";
    for (const char c : benchmark) {
      if (std::string_view(R"(.[\()*+?{|^$)").find(c) != std::string_view::npos) all += '\\';
      all += c;
    }
    all += '$';
  }
  return all;
}

/// Returns the option of Google Benchmark that runs only the benchmark of this name.
inline std::string exact_filter(std::string_view benchmark) {
  return "--benchmark_filter=" + exact_expression({std::string(benchmark)});
}

}  // namespace measurement
