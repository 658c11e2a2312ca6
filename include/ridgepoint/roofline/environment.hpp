// SPDX-License-Identifier: MIT
#pragma once

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
#include <ridgepoint/core/thread_count.hpp>
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
  std::vector<std::string> unknown;     // what the system does not say, such as "load average"
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
      if (const std::string_view value = line.substr(colon + 2); value.find_first_not_of(' ') != value.npos)
        return std::string(value);
    rest.remove_prefix((std::min)(line.size() + 1, rest.size()));
  }
  return "unknown";
}
/// As the system says, else as the CPU says itself; "unknown" if neither does.
[[nodiscard]] inline std::string cpu_model() {
  std::string name = cpuinfo("model name");
#if defined(__x86_64__)
  if (name == "unknown") {
    unsigned brand[12] = {};  // zeros where the CPU has no such leaf
    for (unsigned part = 0; part < 3; ++part) {
      unsigned* const to = brand + 4 * part;
      __get_cpuid(0x80000002U + part, to, to + 1, to + 2, to + 3);
    }
    char text[sizeof brand + 1] = {};
    std::memcpy(text, brand, sizeof brand);
    const std::string_view said(text);
    if (const std::size_t first = said.find_first_not_of(' '); first != said.npos)
      name = said.substr(first, said.find_last_not_of(' ') + 1 - first);
  }
#endif
  return name;
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
  e.cores_allowed = count_allowed_cores();
  const std::string quota = system_file("/sys/fs/cgroup/cpu.max");
  double microseconds = 0, period = 0;
  if (std::sscanf(quota.c_str(), "%lf %lf", &microseconds, &period) == 2 && period > 0)
    e.cores_quota = microseconds / period;
  const bool knows_load = getloadavg(&e.load_1min, 1) == 1;
  const core_ticks ticks = read_core_ticks();
  e.ticks = ticks.all;
  e.steal_ticks = ticks.steal;
  const auto note = [&](bool ok, const char* what) {
    if (!ok) e.unknown.emplace_back(what);
  };
  note(e.cpu_model != "unknown", "CPU model");
  note(e.cores_allowed > 0, "cores allowed");
  note(::access("/sys/devices/system/cpu", F_OK) == 0, "frequency governor");
  note(::access("/sys/fs/cgroup", F_OK) == 0, "limits of the control group");
  note(knows_load, "load average");
  note(ticks.all > 0, "time that other processes and the host take");
}

}  // namespace detail

/// This process and this machine now. Never throws for something it cannot find out.
[[nodiscard]] inline environment observe_environment() {
  environment e;
  e.cpu_model = detail::cpu_model();
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
  const auto passed = [](std::uint64_t from, std::uint64_t to) {
    return to > from ? static_cast<double>(to - from) : 0;
  };
  const double ticks = passed(before.ticks, after.ticks);
  return ticks > 0 ? passed(before.steal_ticks, after.steal_ticks) / ticks : 0;
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
  if (!e.unknown.empty()) {
    std::string all;
    for (const std::string& what : e.unknown) all += (all.empty() ? "" : ", ") + what;
    doubt("this system does not say: ", all);
  }
  for (const std::string& variable : e.variables)
    if (!detail::sets_threads(variable)) doubt(variable, " is set: it may hold back us or a peer");
  return found;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
