// SPDX-License-Identifier: MIT
#include "launched_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>

#include <ridgepoint/core/error.hpp>

#include "exec_words.hpp"
#include "interruption.hpp"
#include "process_stat.hpp"

namespace tool {
namespace {

namespace rp = ridgepoint;
using steady = std::chrono::steady_clock;

/// File descriptors of a new process: its outputs, and the pipe it waits on before it starts.
struct files_of_child {
  int out[2] = {-1, -1}, err[2] = {-1, -1}, gate[2] = {-1, -1};
};

/// Runs in the new process; must not allocate, since other threads of the parent may hold locks.
[[noreturn]] void become(char* const* argv, char* const* envp, const files_of_child& files, int core) {
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int ends : interruption::signals) std::signal(ends, SIG_DFL);
  std::signal(SIGPIPE, SIG_DFL);
  if (core >= 0) {
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(static_cast<std::size_t>(core), &only);
    ::sched_setaffinity(0, sizeof only, &only);
  }
  char word = 0;  // waits for a byte, not the end of the pipe: processes of other threads may hold the other end
  while (::read(files.gate[0], &word, 1) < 0 && errno == EINTR) continue;
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(files.out[1], STDOUT_FILENO);
  ::dup2(files.err[1], STDERR_FILENO);
  ::execve(argv[0], argv, envp);
  ::_exit(127);
}

void close_one(int& file) {
  if (file >= 0) ::close(file);
  file = -1;
}

}  // namespace

launched_process::launched_process(std::vector<std::string> command, std::vector<std::string> environment,
                                   const process_limits& limits, const std::function<void(pid_t)>& before)
    : limits_(limits) {
  const std::vector<char*> argv = exec_words(command), envp = exec_words(environment);
  files_of_child files;
  const bool piped =
      ::pipe2(files.out, O_CLOEXEC) == 0 && ::pipe2(files.err, O_CLOEXEC) == 0 && ::pipe2(files.gate, O_CLOEXEC) == 0;
  id_ = piped ? ::fork() : -1;
  if (id_ == 0) become(argv.data(), envp.data(), files, limits.core);
  const int failure = errno;
  for (int* file : {&files.out[1], &files.err[1]}) close_one(*file);
  ends_[0] = {.file = files.out[0], .to = &end_.printed};
  ends_[1] = {.file = files.err[0], .to = &end_.complained};
  if (id_ > 0) {
    before(id_);
    while (::write(files.gate[1], "", 1) < 0 && errno == EINTR) continue;
  }
  for (int* file : {&files.gate[0], &files.gate[1]}) close_one(*file);
  if (id_ < 0) close_all();
  rp::require<rp::backend_error>(id_ > 0, command.at(0), ": ", std::strerror(failure));
  deadline_ =
      steady::now() + std::chrono::duration_cast<steady::duration>(std::chrono::duration<double>(limits.seconds));
}

launched_process::~launched_process() {
  if (!over_) kill_as(process_end::kind::interrupted);
  close_all();
}

void launched_process::close_all() {
  for (reading_end& reading : ends_) close_one(reading.file);
}

std::size_t launched_process::take(reading_end& from) const {
  char block[16384];
  const ssize_t bytes = ::read(from.file, block, sizeof block);
  if (bytes < 0 && (errno == EINTR || errno == EAGAIN)) return 0;
  const std::size_t room = limits_.most_bytes - std::min(limits_.most_bytes, from.to->size());
  if (bytes > 0) from.to->append(block, std::min(static_cast<std::size_t>(bytes), room));
  else close_one(from.file);
  return static_cast<std::size_t>(std::max<ssize_t>(0, bytes));
}

void launched_process::take_output(std::chrono::milliseconds most) {
  pollfd wait[2] = {{.fd = ends_[0].file, .events = POLLIN, .revents = 0},
                    {.fd = ends_[1].file, .events = POLLIN, .revents = 0}};
  const bool both_closed = ends_[0].file < 0 && ends_[1].file < 0;
  if (both_closed) std::this_thread::sleep_for(std::min(most, std::chrono::milliseconds(2)));
  else ::poll(wait, 2, static_cast<int>(most.count()));
  for (int i = 0; i < 2; ++i)
    if (ends_[i].file >= 0 && wait[i].revents != 0) take(ends_[i]);
}

bool launched_process::must_end() {
  const bool late = steady::now() > deadline_;
  if (!late && !interruption::wanted()) return false;
  kill_as(late ? process_end::kind::late : process_end::kind::interrupted);
  return true;
}

void launched_process::kill_as(process_end::kind how) {
  end_.how = how;
  over_ = true;
  ::kill(id_, SIGKILL);  // its session may not exist yet
  kill_session(id_);
  for (int status = 0; ::waitpid(id_, &status, 0) == id_ && !WIFEXITED(status) && !WIFSIGNALED(status);) continue;
}

void launched_process::has_ended(int status) {
  over_ = true;
  end_.how = WIFSIGNALED(status) ? process_end::kind::killed : process_end::kind::exited;
  end_.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

process_end launched_process::end() {
  kill_session(id_);  // remaining processes
  for (reading_end& reading : ends_) {
    int waiting = 0;  // bytes; bounded, since a daemon may write forever
    if (reading.file >= 0) ::ioctl(reading.file, FIONREAD, &waiting);
    for (auto left = static_cast<std::size_t>(waiting); left > 0 && reading.file >= 0;)
      left -= std::min(left, take(reading));
  }
  close_all();
  return std::move(end_);
}

}  // namespace tool
