// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace tool {

/// A file of /proc about a process, whose size is not known before it is read; "" if it has ended.
std::string proc_file(pid_t process, const char* name);

/// What the system says of a process or thread.
struct process_stat {
  char state = '?';  // R: runs, S and D: waits, Z: has ended
  pid_t parent = 0, group = 0, session = 0;
};
/// Nothing if there is none of that number.
std::optional<process_stat> stat_of(pid_t process);

/// Kills all of the session that `leader` has begun, whatever group it is in. What has begun another session, as
/// daemons do, goes on.
void kill_session(pid_t leader);

}  // namespace tool
