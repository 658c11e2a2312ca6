// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bounded_process.hpp"
#include "measurement/flags/hot_loop.hpp"

namespace tool {

/// Functions between whose calls samples are taken, by their names as the linker has them.
struct timed_part {
  std::string begin, end;
};

/// Where a process was found, a thousand times a second.
struct process_samples {
  measurement::address_samples program;            // by the offset in the program's file
  std::map<std::string, std::uint64_t> elsewhere;  // by the file of the library; "": code made at run time
  std::uint64_t asleep = 0;                        // when it waited for something
  std::optional<std::uint32_t> mxcsr;              // its control bits, when it was found last
  std::string refusal;                             // why there is nothing

  [[nodiscard]] std::uint64_t count() const;
};

/// Runs a program as run_bounded() does and looks every millisecond where its first thread is, until it ends or was
/// found 256 times. If the program or one of its libraries has the functions of `part`, only from a call of the one to
/// a call of the other; else from the begin of the program on.
///
/// How: ptrace stops the thread and reads its registers. Debug registers stop it at the two functions, so that no code
/// is changed and other threads run on.
/// Throws: ridgepoint::backend_error if the system has no process or pipe left.
process_samples run_sampled(std::vector<std::string> command, std::vector<std::string> environment,
                            const process_limits& limits, const timed_part& part);

}  // namespace tool
