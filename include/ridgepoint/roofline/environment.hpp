// SPDX-License-Identifier: MIT
#pragma once

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/core/float_control.hpp>
#include <ridgepoint/roofline/format.hpp>
#include <ridgepoint/roofline/host_watch.hpp>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// What a measurement depends on besides the code: recorded beside every result.
struct environment {
  std::string cpu_model, hypervisor, governor;  // "none", "unknown" where there is nothing to say
  int cores_allowed = 0;                        // by affinity
  double cores_quota = 0;                       // by control group; 0: no limit
  double load_1min = 0;
  std::uint64_t ticks = 0, steal_ticks = 0;  // of all cores since boot; steal: taken by the host
  double steal_share = 0;                    // of all cores' time during a measurement; set after it
  unsigned mxcsr = 0;
  bool flush_to_zero = false, denormals_are_zero = false;
  bool debug_build = false, fast_math = false;
  std::string compiler, version, time;  // "2026-01-31T23:59:59Z" when it was observed
  std::vector<std::string> variables;   // NAME=value of those that steer us or peers
};

namespace detail {

/// What a file of the system says, which has no size; nothing if it is not there.
[[nodiscard]] inline std::string system_file(const char* path) {
  std::string text;
  std::FILE* const file = std::fopen(path, "re");
  if (file == nullptr) return text;
  char block[4096];
  for (std::size_t count = 0; (count = std::fread(block, 1, sizeof block, file)) != 0;) text.append(block, count);
  std::fclose(file);
  return text;
}
[[nodiscard]] inline std::string first_line(const char* path) {
  const std::string text = system_file(path);
  return text.substr(0, text.find('\n'));
}
[[nodiscard]] inline std::string cpuinfo(std::string_view field) {
  const std::string text = system_file("/proc/cpuinfo");
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (const std::size_t colon = line.find(": "); line.starts_with(field) && colon != std::string_view::npos)
      return std::string(line.substr(colon + 2));
    rest.remove_prefix((std::min)(line.size() + 1, rest.size()));
  }
  return "unknown";
}
[[nodiscard]] inline std::string hypervisor_name() {
#if defined(__x86_64__)
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx >> 31) == 0) return "none";
  __cpuid(0x40000000, eax, ebx, ecx, edx);
  char name[13] = {};
  std::memcpy(name, &ebx, 4);
  std::memcpy(name + 4, &ecx, 4);
  std::memcpy(name + 8, &edx, 4);
  for (char& c : name)
    if (c != '\0' && (c < ' ' || c > '~')) c = '?';
  return name[0] != '\0' ? name : "unnamed";
#else
  return "unknown";
#endif
}
[[nodiscard]] inline std::string compiler_name() {
#if defined(__clang__)
  return concat("clang ", __clang_major__, '.', __clang_minor__, '.', __clang_patchlevel__);
#else
  return concat("gcc ", __GNUC__, '.', __GNUC_MINOR__, '.', __GNUC_PATCHLEVEL__);
#endif
}
/// What the names of variables that steer BLAS libraries, oneDNN, OpenMP or this library begin with.
inline constexpr std::string_view steering_prefixes[] = {"OPENBLAS_", "GOTO_",   "BLIS_",    "MKL_",
                                                         "DNNL_",     "ONEDNN_", "LIBXSMM_", "OMP_",
                                                         "GOMP_",     "KMP_",    "EIGEN_",   "RIDGEPOINT_"};
[[nodiscard]] inline std::vector<std::string> steering_variables() {
  std::vector<std::string> found;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    for (const std::string_view prefix : steering_prefixes)
      if (std::string_view(*entry).starts_with(prefix)) found.emplace_back(*entry);
  std::sort(found.begin(), found.end());
  return found;
}
/// OMP_NUM_THREADS=2: the documented way to choose the number of threads, which every report names.
[[nodiscard]] inline bool sets_threads(std::string_view variable) {
  constexpr std::string_view name = "OMP_NUM_THREADS=";
  if (!variable.starts_with(name) || variable.size() == name.size()) return false;
  const std::string_view count = variable.substr(name.size());
  return count[0] != '0' && count.find_first_not_of("0123456789") == std::string_view::npos;
}
/// ISO 8601.
[[nodiscard]] inline std::string now_in_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  char text[32];
  const bool ok = gmtime_r(&now, &parts) != nullptr;
  return {text, ok ? std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) : 0};
}
inline void read_processor_state(environment& e) {
#if defined(__x86_64__)
  e.mxcsr = float_control();
  e.flush_to_zero = (e.mxcsr & 0x8000U) != 0;
  e.denormals_are_zero = (e.mxcsr & 0x0040U) != 0;
#endif
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) e.cores_allowed = CPU_COUNT(&allowed);
  const std::string quota = system_file("/sys/fs/cgroup/cpu.max");
  double microseconds = 0, period = 0;
  if (std::sscanf(quota.c_str(), "%lf %lf", &microseconds, &period) == 2 && period > 0)
    e.cores_quota = microseconds / period;
  static_cast<void>(getloadavg(&e.load_1min, 1));
  const core_ticks ticks = read_core_ticks();
  e.ticks = ticks.all;
  e.steal_ticks = ticks.steal;
}

}  // namespace detail

/// This process and this machine now. Never throws for something it can not find out.
[[nodiscard]] inline environment observe_environment() {
  environment e;
  e.cpu_model = detail::cpuinfo("model name");
  e.hypervisor = detail::hypervisor_name();
  e.governor = detail::first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (e.governor.empty()) e.governor = "unknown";
  detail::read_processor_state(e);
#if !defined(NDEBUG)
  e.debug_build = true;
#endif
#if defined(__FAST_MATH__)
  e.fast_math = true;
#endif
  e.compiler = detail::compiler_name();
  e.version = RIDGEPOINT_VERSION_STRING;
  e.time = detail::now_in_utc();
  e.variables = detail::steering_variables();
  return e;
}

/// Share of all cores' time that the host took away between two observations.
[[nodiscard]] inline double steal_share(const environment& before, const environment& after) noexcept {
  const auto ticks = static_cast<double>(after.ticks - before.ticks);
  return ticks > 0 ? static_cast<double>(after.steal_ticks - before.steal_ticks) / ticks : 0;
}

/// What should make a reader doubt a measurement taken here, one sentence each; empty on a quiet machine.
[[nodiscard]] inline std::vector<std::string> suspicions(const environment& e) {
  std::vector<std::string> found;
  const auto doubt = [&](auto... parts) { found.push_back(concat(parts...)); };
  if (e.debug_build) doubt("this is a debug build: assertions are on, numbers are not speed");
  if (e.fast_math) doubt("compiled with -ffast-math: results and their rounding differ");
  if (e.flush_to_zero || e.denormals_are_zero)
    doubt("denormals are flushed to zero (MXCSR ", e.mxcsr, "): a library linked with -ffast-math does that");
  if (e.load_1min > 0.5) doubt("load average is ", e.load_1min, ": other work is running");
  if (e.governor != "unknown" && e.governor != "performance")
    doubt("frequency governor is ", e.governor, ": the clock may vary");
  if (e.cores_quota > 0 && e.cores_quota < e.cores_allowed)
    doubt("control group allows ", e.cores_quota, " of ", e.cores_allowed, " cores");
  if (e.steal_share > 0.01) doubt("the host took ", figures(100 * e.steal_share), " % of the time away");
  for (const std::string& variable : e.variables)
    if (!detail::sets_threads(variable)) doubt(variable, " is set: it may hold back us or a peer");
  return found;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
