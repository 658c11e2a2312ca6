// SPDX-License-Identifier: MIT
#include "suite.hpp"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>

#include <ridgepoint/core/openmp_runtime.hpp>
#include <ridgepoint/core/team.hpp>
#include <ridgepoint/roofline/environment.hpp>
#include <ridgepoint/simd/cpuid.hpp>

#include "measurement/shapes.hpp"
#include "support/host.hpp"

namespace suite {
namespace {

namespace rp = ridgepoint;

int clean_threads() {
  const char* wanted = std::getenv("OMP_NUM_THREADS");
  const std::string n = wanted == nullptr ? "1" : wanted;
  for (const std::string& variable : rp::detail::steering_variables())
    unsetenv(variable.substr(0, variable.find('=')).c_str());
  for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS"}) setenv(name, n.c_str(), 1);
  const int count = std::max(1, std::atoi(n.c_str()));
  if (const rp::openmp_runtime openmp; openmp.found()) openmp.set_threads(count);  // it has already read its variables
  return count;
}

/// Returns the host whose roof applies to an implementation.
const rp::cpu& host_of(const std::string& implementation) {
  for (const auto& on : backends())
    if (on->name() == implementation) return *on;
  return *backends().back();
}

}  // namespace

int threads() {
  static const int count = clean_threads();
  return count;
}

const std::vector<std::unique_ptr<rp::cpu>>& backends() {
  static const auto all = [] {
    std::vector<std::unique_ptr<rp::cpu>> made;
    for (const ridgepoint_isa_variant* v = ridgepoint_dispatch_variants; v->isa != nullptr; ++v)
      if (rp::simd::cpu_runs(v->isa)) made.push_back(std::make_unique<rp::cpu>(threads(), v->isa));
    return made;
  }();
  return all;
}

std::vector<std::vector<std::string>> shapes(const std::string& file, const std::vector<std::string>& columns) {
  std::vector<std::vector<std::string>> rows;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "shapes";
  for (const std::string& row : measurement::read_rows(folder / file, columns)) {
    rows.emplace_back(1);
    for (const char c : row)
      if (c == ',') rows.back().emplace_back();
      else rows.back().back() += c;
  }
  return rows;
}

void add(const std::string& op, const std::string& implementation, const std::string& shape, const rp::work& receipt,
         std::function<peer::task()> prepare, const std::string& dtype) {
  const std::string name = op + '/' + implementation + '/' + shape;
  benchmark::RegisterBenchmark(name.c_str(), [=, &host = host_of(implementation)](benchmark::State& state) {
    try {
      const peer::task task = prepare();
      task.run();
      task.verify();
      bench::on_roofline(state, host, dtype, [&] {
        task.run();
        return receipt;
      });
    } catch (const std::exception& e) {
      state.SkipWithError(e.what());
    }
  })->UseRealTime();
}

}  // namespace suite
