// SPDX-License-Identifier: MIT
#include "bounded_process.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include <ridgepoint/core/error.hpp>

#include "launched_process.hpp"

namespace tool {

namespace rp = ridgepoint;

std::string process_end::text(const process_limits& limits) const {
  switch (how) {
    case kind::exited:
      return code == 127 ? "cannot be executed" : rp::concat("exit code ", code);
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
  launched_process process(std::move(command), std::move(environment), limits);
  for (;;) {
    process.take_output(std::chrono::milliseconds(100));
    int status = 0;
    if (::waitpid(process.id(), &status, WNOHANG) != 0) {
      process.has_ended(status);
      break;
    }
    if (process.must_end()) break;
  }
  return process.end();
}

std::vector<std::string> own_environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.emplace_back(*variable);
  return variables;
}

}  // namespace tool
