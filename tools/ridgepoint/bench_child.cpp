// SPDX-License-Identifier: MIT
#include "bench_child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/roofline/environment.hpp>

#include "bounded_process.hpp"
#include "exec_words.hpp"

namespace tool {
namespace {

namespace rp = ridgepoint;

std::vector<std::string> clean_environment(const std::vector<std::string>& more) {
  std::vector<std::string> kept = own_environment();
  std::erase_if(kept, [](const std::string& variable) {
    return std::ranges::any_of(rp::detail::steering_prefixes,
                               [&](std::string_view prefix) { return variable.starts_with(prefix); });
  });
  kept.insert(kept.end(), more.begin(), more.end());
  return kept;
}

}  // namespace

bench_child::bench_child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                         const std::vector<std::string>& environment) {
  std::vector<std::string> argument_strings{program.string()};
  argument_strings.insert(argument_strings.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = clean_environment(environment);
  const std::vector<char*> argv = exec_words(argument_strings), envp = exec_words(variables);

  std::signal(SIGPIPE, SIG_IGN);  // a dead child is an error message, not our end
  int in[2] = {-1, -1}, out[2] = {-1, -1};
  const bool piped = ::pipe2(in, O_CLOEXEC) == 0 && ::pipe2(out, O_CLOEXEC) == 0;
  if (piped) process_ = ::fork();
  if (process_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // also if it is stopped
    std::signal(SIGPIPE, SIG_DFL);
    ::dup2(in[0], STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    ::execve(argv[0], argv.data(), envp.data());
    ::_exit(127);
  }
  const int failure = errno;
  for (const int end : {in[0], out[1]})
    if (end >= 0) ::close(end);
  to_ = in[1], from_ = out[0];
  rp::require<rp::backend_error>(process_ > 0, program.filename().string(), ": ", std::strerror(failure));
}

bench_child::bench_child(bench_child&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      to_(std::exchange(other.to_, -1)),
      from_(std::exchange(other.from_, -1)),
      received_(std::move(other.received_)) {}

bench_child::~bench_child() {
  if (to_ >= 0) ::close(to_);
  if (from_ >= 0) ::close(from_);
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

bool bench_child::read_more() {
  pollfd wait{.fd = from_, .events = POLLIN, .revents = 0};
  char text[512];
  int ready = 0;
  do ready = ::poll(&wait, 1, 600'000);
  while (ready < 0 && errno == EINTR);
  const ssize_t bytes = ready > 0 ? ::read(from_, text, sizeof text) : 0;
  if (bytes > 0) received_.append(text, static_cast<std::size_t>(bytes));
  return bytes > 0;
}

std::string bench_child::ask(const std::string& question) {
  const std::string line = question + '\n';
  ::kill(process_, SIGCONT);
  const bool sent = ::write(to_, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  while (sent && received_.find('\n') == std::string::npos)
    if (!read_more()) break;
  const std::size_t end = received_.find('\n');
  rp::require<rp::backend_error>(end != std::string::npos, "the program ended or gave no answer to '", question, '\'');
  ::kill(process_, SIGSTOP);
  std::string answer = received_.substr(0, end);
  received_.erase(0, end + 1);
  return answer;
}

std::string bench_child::output(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                                const std::vector<std::string>& environment) {
  bench_child child(program, arguments, environment);
  while (child.read_more()) {
  }
  int status = 0;
  ::waitpid(std::exchange(child.process_, -1), &status, 0);
  rp::require<rp::backend_error>(WIFEXITED(status) && WEXITSTATUS(status) == 0, program.filename().string(),
                                 ": cannot be run here");
  return child.received_;
}

}  // namespace tool
