// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

#include <ridgepoint/core/config.hpp>
#include <ridgepoint/core/float_control.hpp>
#include <ridgepoint/core/team.hpp>
#include <ridgepoint/roofline/format.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Interference from other work during a measurement, and its effect.
struct disturbance {
  double other_cores = 0;  // cores' worth of time that other processes used
  double steal_share = 0;  // share of all cores' time that the host took
  double slowdown = 1;     // median ÷ best of the repetitions
  int attempts = 1;        // the fastest is reported

  /// Thresholds below which interference is not reported: 0.1 cores, 1 % of the time, 25 % slower than the best.
  static constexpr double usual_cores = 0.1, usual_steal = 0.01, usual_slowdown = 1.25;
  [[nodiscard]] constexpr bool busy() const noexcept {
    return other_cores > usual_cores || steal_share > usual_steal || slowdown > usual_slowdown;
  }
  friend constexpr bool operator==(const disturbance&, const disturbance&) = default;
};

/// Clock ticks of all cores since boot; all zero if the system does not report them.
struct core_ticks {
  std::uint64_t all = 0, idle = 0, steal = 0;  // steal: the host ran another guest
};
[[nodiscard]] inline core_ticks read_core_ticks() noexcept {
  core_ticks t;
  std::FILE* const stat = std::fopen("/proc/stat", "re");
  if (stat == nullptr) return t;
  unsigned long long user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, steal = 0;
  if (std::fscanf(stat, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system, &idle, &wait, &irq, &soft,
                  &steal) == 8)
    t = {.all = user + nice + system + idle + wait + irq + soft + steal, .idle = idle + wait, .steal = steal};
  std::fclose(stat);
  return t;
}

/// Measures the time that other work takes from this process, starting at construction.
/// Example:
///   const rp::host_watch watch;
///   measure_something();
///   if (watch.so_far().busy()) …
class host_watch {
 public:
  host_watch() noexcept : ticks_(read_core_ticks()), own_s_(own_seconds()), start_(clock::now()) {}

  /// Leaves slowdown at 1: only a caller that repeats something can measure it.
  [[nodiscard]] disturbance so_far() const noexcept {
    const core_ticks now = read_core_ticks();
    const auto passed = [](std::uint64_t from, std::uint64_t to) {
      return to > from ? static_cast<double>(to - from) : 0;
    };
    const double all = passed(ticks_.all, now.all), steal = passed(ticks_.steal, now.steal);
    const double wall_s = std::chrono::duration<double>(clock::now() - start_).count();
    disturbance d;
    if (all <= 0 || wall_s < least_s) return d;  // a tick is 10 ms: too short to measure
    const double tick_s = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
    const double busy_s = (all - steal - passed(ticks_.idle, now.idle)) * tick_s;
    d.steal_share = steal / all;
    d.other_cores = (std::max)(0.0, (busy_s - (own_seconds() - own_s_)) / wall_s);
    return d;
  }

 private:
  using clock = std::chrono::steady_clock;
  static constexpr double least_s = 0.2;
  /// CPU time of this process.
  [[nodiscard]] static double own_seconds() noexcept {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
  }
  core_ticks ticks_;
  double own_s_;
  clock::time_point start_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Environment of a measurement, recorded with every result.
struct environment {
  std::string cpu_model, hypervisor, governor;  // "none", "unknown" if missing
  int cores_allowed = 0;                        // by affinity
  double cores_quota = 0;                       // by control group; 0: no limit
  double load_1min = 0;
  std::uint64_t ticks = 0, steal_ticks = 0;  // of all cores since boot; steal: taken by the host
  double steal_share = 0;                    // of all cores' time during a measurement; set after it
  unsigned mxcsr = 0;
  bool flush_to_zero = false, denormals_are_zero = false;
  bool debug_build = false, fast_math = false;
  std::string compiler, version, time;  // "2026-01-31T23:59:59Z" when it was observed
  std::vector<std::string> variables;   // NAME=value of variables that affect us or peers
  std::vector<std::string> unknown;     // values that the system does not report, such as "load average"
};

namespace detail {

/// Contents of a system file, which reports no size; empty if it is missing.
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
/// CPU model as reported by the system, else by CPUID; "unknown" if both fail.
[[nodiscard]] inline std::string cpu_model() {
  std::string name = cpuinfo("model name");
#if defined(__x86_64__)
  if (name == "unknown") {
    unsigned brand[12] = {};  // zeros if the CPU lacks this leaf
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
/// Prefixes of variables that steer BLAS libraries, oneDNN, OpenMP or this library.
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
/// True for OMP_NUM_THREADS=2 and the like: the documented way to set the number of threads, which every report names.
[[nodiscard]] inline bool sets_threads(std::string_view variable) {
  constexpr std::string_view name = "OMP_NUM_THREADS=";
  if (!variable.starts_with(name) || variable.size() == name.size()) return false;
  const std::string_view count = variable.substr(name.size());
  return count[0] != '0' && count.find_first_not_of("0123456789") == std::string_view::npos;
}
/// Current time in ISO 8601.
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

/// Observes this process and this machine now. Never throws for a value it cannot determine.
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

/// Reasons to doubt a measurement taken here, one sentence each; empty on an idle machine.
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
    doubt("this system does not report: ", all);
  }
  for (const std::string& variable : e.variables)
    if (!detail::sets_threads(variable)) doubt(variable, " is set: it may hold back us or a peer");
  return found;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
