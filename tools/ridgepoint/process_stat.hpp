// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace tool {

/// Returns a file of /proc about a process, whose size is unknown before reading; "" if the process has ended.
std::string proc_file(pid_t process, const char* name);

/// The state of a process or thread, from /proc.
struct process_stat {
  char state = '?';  // R: running, S and D: waiting, Z: ended
  pid_t parent = 0, group = 0, session = 0;
};
/// Returns nullopt if no such process exists.
std::optional<process_stat> stat_of(pid_t process);

/// Kills all processes of the session that `leader` began, in any process group. Processes that began another session,
/// as daemons do, continue.
void kill_session(pid_t leader);

}  // namespace tool
