// SPDX-License-Identifier: MIT
#include "process_stat.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <ridgepoint/core/error.hpp>

namespace tool {

namespace fs = std::filesystem;

std::string proc_file(pid_t process, const char* name) {
  const int file = ::open(ridgepoint::concat("/proc/", process, '/', name).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return "";
  std::string text;
  char block[4096];
  for (ssize_t bytes = 0; (bytes = ::read(file, block, sizeof block)) > 0;)
    text.append(block, static_cast<std::size_t>(bytes));
  ::close(file);
  return text;
}

std::optional<process_stat> stat_of(pid_t process) {
  const std::string text = proc_file(process, "stat");
  const std::size_t name_end = text.rfind(") ");  // a name may contain parentheses
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream words(text.substr(name_end + 2));
  process_stat stat;
  if (!(words >> stat.state >> stat.parent >> stat.group >> stat.session)) return std::nullopt;
  return stat;
}

void kill_session(pid_t leader) {
  constexpr int most_passes = 10;  // killed processes may have started more meanwhile
  bool any = true;
  for (int pass = 0; pass < most_passes && any; ++pass) {
    any = false;
    std::error_code failure;
    if (!fs::exists("/proc/self", failure)) ::kill(-leader, SIGKILL);  // without /proc only the process group is known
    for (fs::directory_iterator at("/proc", failure), end; !failure && at != end; at.increment(failure)) {
      const auto process = static_cast<pid_t>(std::atoi(at->path().filename().c_str()));  // 0: no process
      const auto stat = process > 0 ? stat_of(process) : std::nullopt;
      if (!stat || stat->session != leader || stat->state == 'Z') continue;
      ::kill(process, SIGKILL);
      any = true;
    }
  }
}

}  // namespace tool
