// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/roofline/format.hpp>

namespace tool {

/// A step that needs more memory than its machine has.
class memory_error : public ridgepoint::value_error {
  using value_error::value_error;
};

/// Throws: memory_error if a training step needs more bytes than `machine` has.
inline void check_step_memory(std::string_view machine, double needed, double available) {
  namespace rp = ridgepoint;
  const auto gibibytes = [](double bytes) { return rp::figures(bytes / (1ULL << 30)) + " GiB"; };
  rp::require<memory_error>(needed <= available, machine, ": out of memory: the step needs ", gibibytes(needed), "; ",
                            gibibytes(available), " are available");
}

}  // namespace tool
