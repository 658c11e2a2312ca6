// SPDX-License-Identifier: MIT
#include "bounded_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include <ridgepoint/core/error.hpp>

#include "interruption.hpp"

namespace tool {
namespace {

namespace rp = ridgepoint;
using steady = std::chrono::steady_clock;

/// The end of a pipe that is read, and what came out of it so far.
struct reading_end {
  int file = -1;
  std::string* to = nullptr;

  /// Takes what is there; closes at the end.
  void take() {
    constexpr std::size_t most = 256 << 10;
    char block[16384];
    const ssize_t bytes = ::read(file, block, sizeof block);
    if (bytes < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (bytes > 0) {
      to->append(block, std::min(static_cast<std::size_t>(bytes), most - std::min(most, to->size())));
    } else {
      ::close(file);
      file = -1;
    }
  }
};

std::vector<char*> as_pointers(std::vector<std::string>& strings) {
  std::vector<char*> list;
  for (std::string& s : strings) list.push_back(s.data());
  list.push_back(nullptr);
  return list;
}

/// What the new process does; nothing here may allocate, since other threads of this one may hold locks.
[[noreturn]] void become(char* const* argv, char* const* envp, int out, int err, int core) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGPIPE, SIG_DFL);
  if (core >= 0) {
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(static_cast<std::size_t>(core), &only);
    ::sched_setaffinity(0, sizeof only, &only);
  }
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  ::execve(argv[0], argv, envp);
  ::_exit(127);
}

/// Reads until the process has ended, or must.
void follow(pid_t process, reading_end (&ends)[2], const process_limits& limits, process_end& end) {
  const auto deadline = steady::now() + std::chrono::duration<double>(limits.seconds);
  int status = 0;
  for (bool running = true; running;) {
    pollfd wait[2] = {{.fd = ends[0].file, .events = POLLIN, .revents = 0},
                      {.fd = ends[1].file, .events = POLLIN, .revents = 0}};
    const bool both_closed = ends[0].file < 0 && ends[1].file < 0;
    if (both_closed) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    else ::poll(wait, 2, 100);
    for (int i = 0; i < 2; ++i)
      if (ends[i].file >= 0 && wait[i].revents != 0) ends[i].take();
    running = ::waitpid(process, &status, WNOHANG) == 0;
    const bool late = steady::now() > deadline;
    if (running && (late || interruption::wanted())) {
      end.how = late ? process_end::kind::late : process_end::kind::interrupted;
      ::kill(-process, SIGKILL);
      ::waitpid(process, nullptr, 0);
      return;
    }
  }
  end.how = WIFSIGNALED(status) ? process_end::kind::killed : process_end::kind::exited;
  end.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

std::string process_end::text(const process_limits& limits) const {
  switch (how) {
    case kind::exited:
      return code == 127 ? "can not be executed" : rp::concat("exit code ", code);
    case kind::killed:
      return rp::concat("killed by signal ", code, " (", ::strsignal(code), ')');
    case kind::late:
      return rp::concat("took more than ", limits.seconds, " s");
    case kind::interrupted:
      break;
  }
  return "interrupted";
}

process_end run_bounded(std::vector<std::string> command, std::vector<std::string> environment,
                        const process_limits& limits) {
  const std::vector<char*> argv = as_pointers(command), envp = as_pointers(environment);
  int out[2] = {-1, -1}, err[2] = {-1, -1};
  const bool piped = ::pipe2(out, O_CLOEXEC) == 0 && ::pipe2(err, O_CLOEXEC) == 0;
  const pid_t process = piped ? ::fork() : -1;
  if (process == 0) become(argv.data(), envp.data(), out[1], err[1], limits.core);
  const int failure = errno;
  for (const int writing : {out[1], err[1]})
    if (writing >= 0) ::close(writing);
  process_end end;
  reading_end ends[2] = {{.file = out[0], .to = &end.printed}, {.file = err[0], .to = &end.complained}};
  if (process > 0) {
    ::setpgid(process, process);  // whoever comes first
    follow(process, ends, limits, end);
    ::kill(-process, SIGKILL);  // what it may have left behind
  }
  for (reading_end& reading : ends) {
    if (reading.file < 0) continue;
    ::fcntl(reading.file, F_SETFL, O_NONBLOCK);
    for (pollfd wait{.fd = reading.file, .events = POLLIN, .revents = 0};
         process > 0 && reading.file >= 0 && ::poll(&wait, 1, 0) > 0;)
      reading.take();
    if (reading.file >= 0) ::close(reading.file);
  }
  rp::require<rp::backend_error>(process > 0, command.at(0), ": ", std::strerror(failure));
  return end;
}

std::vector<std::string> own_environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.emplace_back(*variable);
  return variables;
}

}  // namespace tool
