// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <benchmark/benchmark.h>

/// Stores benchmark reports instead of printing them.
struct kept_runs final : benchmark::BenchmarkReporter {
  std::vector<Run> runs;
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& reported) override {
    runs.insert(runs.end(), reported.begin(), reported.end());
  }
};
