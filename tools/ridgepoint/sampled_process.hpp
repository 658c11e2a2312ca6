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

/// Two functions, by their linker names; samples are taken between calls to them.
struct timed_part {
  std::string begin, end;
};

/// Where a process was found, sampled 1000 times per second.
struct process_samples {
  measurement::address_samples program;            // by the offset in the program file
  std::map<std::string, std::uint64_t> elsewhere;  // by the library file; "": code generated at run time
  std::uint64_t asleep = 0;                        // while it waited
  std::optional<std::uint32_t> mxcsr;              // control bits at the last sample
  std::string refusal;                             // why there are no samples

  [[nodiscard]] std::uint64_t count() const;
};

/// Runs a program as run_bounded() does and samples its first thread every millisecond, until it ends or has 256
/// samples. If the program or one of its libraries has the functions of `part`, samples only from a call of `begin` to
/// a call of `end`; otherwise from the start of the program.
///
/// Implementation: ptrace stops the thread and reads its registers. Debug registers stop it at the two functions, so
/// that no code is changed and other threads run on.
/// Throws: ridgepoint::backend_error if the system has no process or pipe left.
process_samples run_sampled(std::vector<std::string> command, std::vector<std::string> environment,
                            const process_limits& limits, const timed_part& part);

}  // namespace tool
