// SPDX-License-Identifier: MIT
#include "sampled_process.hpp"

#include <elf.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <set>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/files.hpp>

#include "launched_process.hpp"
#include "measurement/flags/mxcsr.hpp"
#include "measurement/flags/process_maps.hpp"
#include "measurement/flags/program_code.hpp"
#include "process_stat.hpp"

namespace tool {
namespace {

namespace rp = ridgepoint;
namespace fs = std::filesystem;

/// Returns true if a thread is waiting.
bool is_asleep(pid_t thread) {
  const auto stat = stat_of(thread);
  return stat && (stat->state == 'S' || stat->state == 'D');
}

/// Returns the entry address of a process, from its auxiliary vector.
std::uint64_t entry_of(pid_t process) {
  const std::string auxiliary = proc_file(process, "auxv");
  for (std::uint64_t at = 0; at < auxiliary.size(); at += sizeof(Elf64_auxv_t))
    if (const auto one = measurement::at_offset<Elf64_auxv_t>(auxiliary, at); one.a_type == AT_ENTRY)
      return one.a_un.a_val;
  return 0;
}

/// A thread traced by ptrace, and its samples.
class followed_thread {
 public:
  followed_thread(fs::path program, timed_part part) : program_(std::move(program)), part_(std::move(part)) {}

  /// Attaches before the process executes the program.
  void seize(pid_t process) {
    id_ = process;
    const long options = PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    if (ptrace(PTRACE_SEIZE, process, nullptr, options) != 0)
      found_.refusal = rp::concat("ptrace is not permitted: ", std::strerror(errno));
  }
  [[nodiscard]] bool is_in_part() const { return in_part_; }
  void note_sleep() { ++found_.asleep; }
  [[nodiscard]] bool ask_to_stop() const { return ptrace(PTRACE_INTERRUPT, id_, nullptr, nullptr) == 0; }

  /// Handles a stop, with `status` from waitpid(), and continues the thread.
  void has_stopped(int status) {
    const int signal = WSTOPSIG(status), event = status >> 16;
    int passed_on = 0;
    if (event == PTRACE_EVENT_EXEC) {
      in_part_ = false;
      entry_ = entry_of(id_), begin_ = end_ = 0;
      if (!stop_at({entry_, 0}) || entry_ == 0) in_part_ = true;
    } else if (event == PTRACE_EVENT_STOP) {
      if (in_part_) take_sample();
    } else if (signal != SIGTRAP || !has_reached()) {
      passed_on = signal;
    }
    ptrace(PTRACE_CONT, id_, nullptr, static_cast<long>(passed_on));
  }
  [[nodiscard]] process_samples& found() { return found_; }

 private:
  /// Sets breakpoints at these addresses; 0: none.
  [[nodiscard]] bool stop_at(std::array<std::uint64_t, 2> addresses) const {
    unsigned long enabled = 0;
    const auto set = [&](std::size_t i, unsigned long value) {
      return ptrace(PTRACE_POKEUSER, id_, offsetof(user, u_debugreg) + i * sizeof(long), value) == 0;
    };
    bool done = set(7, 0);
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      done = done && set(i, addresses[i]);
      if (addresses[i] != 0) enabled |= 1UL << (2 * i);
    }
    return done && set(7, enabled);
  }
  [[nodiscard]] std::optional<std::uint64_t> place() const {
    user_regs_struct registers{};
    if (ptrace(PTRACE_GETREGS, id_, nullptr, &registers) != 0) return std::nullopt;
    return registers.rip;
  }
  /// Returns true if the thread is at one of its breakpoints.
  bool has_reached() {
    const std::optional<std::uint64_t> at = place();
    if (!at || *at == 0) return false;
    if (*at == begin_ || *at == end_) {
      in_part_ = *at == begin_;
      return true;
    }
    if (*at != entry_) return false;
    find_part();
    in_part_ = !stop_at({begin_, end_}) || begin_ == 0;
    return true;
  }
  /// Called once the libraries are loaded: looks for both functions in the program and its libraries.
  void find_part() {
    maps_ = measurement::executable_maps(proc_file(id_, "maps"));
    begin_ = address_of(part_.begin);
    end_ = begin_ == 0 ? 0 : address_of(part_.end);
  }
  [[nodiscard]] std::uint64_t address_of(const std::string& function) const {
    std::set<std::string> seen;
    for (const measurement::mapped_code& map : maps_) {
      std::error_code failure;
      if (!seen.insert(map.file).second || !fs::is_regular_file(map.file, failure)) continue;
      const auto offset = measurement::function_offset(rp::read_file(map.file, std::uint64_t{1} << 30), function);
      for (const measurement::mapped_code& part : maps_)
        if (offset && part.file == map.file && *offset >= part.offset && *offset - part.offset < part.end - part.begin)
          return *offset - part.offset + part.begin;
    }
    return 0;
  }
  void take_sample() {
    const std::optional<std::uint64_t> at = place();
    user_fpregs_struct floating{};
    if (!at || ptrace(PTRACE_GETFPREGS, id_, nullptr, &floating) != 0) {
      if (errno == ESRCH) return;  // it was killed meanwhile
      found_.refusal = rp::concat("ptrace does not read registers: ", std::strerror(errno));
      return;
    }
    found_.mxcsr = floating.mxcsr & measurement::mxcsr_control;
    constexpr int most_loads = 64;
    const measurement::mapped_code* map = measurement::map_at(maps_, *at);
    if (map == nullptr && loads_++ < most_loads) {
      maps_ = measurement::executable_maps(proc_file(id_, "maps"));
      map = measurement::map_at(maps_, *at);
    }
    if (map != nullptr && map->file == program_) ++found_.program[*at - map->begin + map->offset];
    else ++found_.elsewhere[map == nullptr ? "" : map->file];
  }

  fs::path program_;
  timed_part part_;
  pid_t id_ = -1;
  process_samples found_ = {};
  std::vector<measurement::mapped_code> maps_ = {};
  std::uint64_t entry_ = 0, begin_ = 0, end_ = 0;
  bool in_part_ = false;
  int loads_ = 0;
};

/// Samples a process until it has ended or is killed.
void sample(launched_process& process, followed_thread& thread) {
  constexpr std::uint64_t enough = 256;
  while (!process.must_end()) {
    process.take_output(std::chrono::milliseconds(1));
    // A running thread stops at once when asked; a sleeping thread is not asked.
    bool asked = false;
    if (thread.is_in_part()) {
      if (is_asleep(process.id())) thread.note_sleep();
      else asked = thread.ask_to_stop();
    }
    int status = 0;
    const pid_t changed = ::waitpid(process.id(), &status, __WALL | (asked ? 0 : WNOHANG));
    if (changed == process.id() && WIFSTOPPED(status)) thread.has_stopped(status);
    else if (changed != 0) return process.has_ended(status);
    if (!thread.found().refusal.empty() || thread.found().count() >= enough)
      return process.kill_as(process_end::kind::killed);
  }
}

}  // namespace

std::uint64_t process_samples::count() const {
  std::uint64_t all = asleep;
  for (const auto& [address, samples] : program) all += samples;
  for (const auto& [file, samples] : elsewhere) all += samples;
  return all;
}

process_samples run_sampled(std::vector<std::string> command, std::vector<std::string> environment,
                            const process_limits& limits, const timed_part& part) {
  std::error_code failure;
  followed_thread thread(fs::canonical(command.at(0), failure), part);
  launched_process process(std::move(command), std::move(environment), limits, [&](pid_t id) { thread.seize(id); });
  if (thread.found().refusal.empty()) sample(process, thread);
  return std::move(thread.found());
}

}  // namespace tool
