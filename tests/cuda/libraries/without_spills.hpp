// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <map>
#include <span>
#include <string>

#include <ridgepoint/cuda/runtime/kernels.hpp>
#include <ridgepoint/cuda/runtime/program.hpp>

inline std::size_t times_found(std::string_view what, std::string_view text) {
  std::size_t times = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++times;
  return times;
}

/// Checks that the kernels of a header compile for an architecture without spilling registers.
inline void check_without_spills(const std::string& header, std::span<const ridgepoint::detail::kernel_name> kernels,
                                 const std::string& architecture) {
  CAPTURE(architecture);
  CAPTURE(header);
  const char* const options[] = {"--ptxas-options=--verbose"};
  const ridgepoint::detail::device_code code =
      ridgepoint::detail::compile_device_code(header, kernels, architecture, options);
  CHECK(code.symbols.size() == kernels.size());
  CHECK(times_found("bytes spill stores", code.log) >= kernels.size());
  CHECK_MESSAGE(times_found("bytes spill stores", code.log) ==
                    times_found(" 0 bytes spill stores, 0 bytes spill loads", code.log),
                code.log);
}

/// Checks every kernel.
inline void check_all_without_spills(const std::string& architecture) {
  std::map<std::string, ridgepoint::detail::kernel_name> programs;  // with one kernel of each
  ridgepoint::detail::each_kernel([&](const ridgepoint::detail::kernel_name& k) { programs.emplace(k.program(), k); });
  for (const auto& [program, one] : programs) {
    CAPTURE(program);
    check_without_spills(one.header, ridgepoint::detail::compiled_with(one), architecture);
  }
}
