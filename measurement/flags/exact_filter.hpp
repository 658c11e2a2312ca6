// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace measurement {

/// A regular expression, POSIX extended, in which nothing else may be escaped, that finds the benchmarks of these names
/// and no others.
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

/// The option of Google Benchmark that runs the benchmark of this name and no other.
inline std::string exact_filter(std::string_view benchmark) {
  return "--benchmark_filter=" + exact_expression({std::string(benchmark)});
}

}  // namespace measurement
