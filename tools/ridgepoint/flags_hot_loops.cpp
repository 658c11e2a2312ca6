// SPDX-License-Identifier: MIT
#include "flags_hot_loops.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>

#include <ridgepoint/core/files.hpp>

#include "found_program.hpp"
#include "interruption.hpp"
#include "measurement/flags/exact_filter.hpp"
#include "measurement/flags/program_code.hpp"
#include "progress_bar.hpp"
#include "sampled_process.hpp"

namespace tool {
namespace {

namespace rp = ridgepoint;

/// Functions where Google Benchmark's clock starts and stops.
const timed_part timed_loop{.begin = "_ZN9benchmark5State16StartKeepRunningEv",
                            .end = "_ZN9benchmark5State17FinishKeepRunningEv"};

/// The function with most samples of the program, and their number. Addresses, not offsets.
struct hot_function {
  measurement::program_code::function at;
  std::uint64_t samples = 0;
};
hot_function hottest_function(const measurement::program_code& code, const measurement::address_samples& samples) {
  std::map<std::uint64_t, hot_function> functions;
  hot_function hottest;
  for (const auto& [address, times] : samples) {
    const auto function = code.function_at(address);
    if (!function) continue;
    hot_function& one = functions[function->begin];
    one = {.at = *function, .samples = one.samples + times};
    if (one.samples > hottest.samples) hottest = one;
  }
  return hottest;
}

/// Reduces a function that is larger than this to the part around its middle sample.
void keep_to_its_middle(measurement::program_code::function& function, const measurement::address_samples& samples) {
  constexpr std::uint64_t most = 128 << 10;
  if (function.end - function.begin <= most) return;
  std::uint64_t inside = 0, before = 0, middle = function.begin;
  const auto first = samples.lower_bound(function.begin), last = samples.lower_bound(function.end);
  for (auto at = first; at != last; ++at) inside += at->second;
  for (auto at = first; at != last && 2 * before <= inside; ++at) before += at->second, middle = at->first;
  function.begin = std::max(function.begin, middle - std::min(middle, most / 2));
  function.end = std::min(function.end, function.begin + most);
}

/// Finds the hot loops of running programs with the available disassembler.
class hot_loop_finder {
 public:
  explicit hot_loop_finder(const flags_rounds_options& how) : how_(how) {
    for (const char* name : {"objdump", "llvm-objdump"})
      if (disassembler_.empty()) disassembler_ = found_program(name);
    if (disassembler_.empty()) refusal_ = "objdump is not there";
  }

  /// Returns why nothing can be found; "" if something can.
  [[nodiscard]] const std::string& refusal() const { return refusal_; }

  /// Runs one benchmark of a program.
  measurement::hot_code find(const std::filesystem::path& program, const std::string& benchmark,
                             std::optional<std::uint32_t>& mxcsr) {
    const measurement::program_code& code = code_of(program);
    if (code.functions.empty()) return {};
    const process_limits limits{.seconds = std::min(how_.limit_s, most_s), .core = how_.core};
    const process_samples found = run_sampled(
        {program.string(), measurement::exact_filter(benchmark), rp::concat("--benchmark_min_time=", least_s)},
        benchmark_environment(telling::time), limits, timed_loop);
    if (found.mxcsr) mxcsr = found.mxcsr;
    if (!found.refusal.empty()) refusal_ = found.refusal;
    return info_of(found, code, program);
  }

 private:
  static constexpr double least_s = 0.05, most_s = 20;

  const measurement::program_code& code_of(const std::filesystem::path& program) {
    const auto [place, is_new] = codes_.try_emplace(program);
    if (is_new) place->second = measurement::read_code(rp::read_file(program.string(), std::uint64_t{1} << 30));
    return place->second;
  }
  [[nodiscard]] measurement::hot_code info_of(const process_samples& found, const measurement::program_code& code,
                                              const std::filesystem::path& program) const {
    measurement::address_samples own;
    std::uint64_t of_own = 0;
    for (const auto& [offset, times] : found.program)
      if (const auto address = code.address_of(offset)) own[*address] += times, of_own += times;
    const auto library = std::ranges::max_element(found.elsewhere, {}, [](const auto& one) { return one.second; });
    const std::uint64_t of_library = library == found.elsewhere.end() ? 0 : library->second;
    if (found.asleep > std::max(of_own, of_library)) return {.instead = "in other threads"};
    if (of_library > of_own) {
      const std::string name = std::filesystem::path(library->first).filename().string();
      return {.instead = name.empty() ? "in code made at run time" : "in " + name};
    }
    hot_function hottest = hottest_function(code, own);
    if (hottest.samples == 0) return {};
    keep_to_its_middle(hottest.at, own);
    return {.loop = measurement::hottest_loop(disassembled(program, hottest.at), own, found.count())};
  }
  [[nodiscard]] std::vector<measurement::instruction> disassembled(
      const std::filesystem::path& program, const measurement::program_code::function& part) const {
    const process_limits limits{.seconds = 60, .most_bytes = 16 << 20};
    const process_end end =
        run_bounded({disassembler_.string(), "-d", "--no-show-raw-insn", rp::concat("--start-address=", part.begin),
                     rp::concat("--stop-address=", part.end), program.string()},
                    own_environment(), limits);
    return end.well() ? measurement::read_disassembly(end.printed, part.end) : std::vector<measurement::instruction>();
  }

  const flags_rounds_options& how_;
  std::filesystem::path disassembler_;
  std::string refusal_ = {};
  std::map<std::filesystem::path, measurement::program_code> codes_ = {};
};

}  // namespace

std::string find_hot_loops(std::vector<measurement::flags_row>& rows, std::vector<flags_build>& builds,
                           const std::vector<flags_contender>& field, const flags_rounds_options& how, double most_s) {
  const auto start = std::chrono::steady_clock::now();
  const auto time_over = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > most_s;
  };
  hot_loop_finder finder(how);
  progress_bar bar("looking at the code");
  std::size_t left = rows.size();
  for (measurement::flags_row& row : rows) {
    if (interruption::wanted()) return rp::concat("interrupted before ", left, " of ", rows.size(), " rows");
    if (time_over()) return rp::concat("no time for ", left, " of ", rows.size(), " rows");
    const auto of_set = [&](const flags_contender& c) { return c.measured.set == row.set; };
    const auto contender = std::ranges::find_if(field, of_set);
    if (!finder.refusal().empty() || contender == field.end()) return finder.refusal();
    const auto build = std::ranges::find(builds, contender->programs, &flags_build::programs);
    bar.show(static_cast<std::int64_t>(rows.size() - left--), static_cast<std::int64_t>(rows.size()),
             row.set + ' ' + row.compared.name);
    std::optional<std::uint32_t> mxcsr;
    try {
      row.code = finder.find(contender->programs.at(0), row.compared.name, mxcsr);
    } catch (const rp::error&) {
      continue;  // a file that can no longer be read: keep the row unchanged
    }
    if (build != builds.end() && mxcsr) build->mxcsr = mxcsr;
  }
  return finder.refusal();
}

}  // namespace tool
