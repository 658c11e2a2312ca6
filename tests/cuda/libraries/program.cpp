// SPDX-License-Identifier: MIT
// NVRTC compiles every kernel for every architecture it knows of those that are in use, and none spills registers.
#include <ridgepoint/cuda/runtime/program.hpp>

#include <doctest/doctest.h>

#include <map>

#include <ridgepoint/cuda/runtime/kernels.hpp>

namespace rp = ridgepoint;

namespace {
std::size_t times_found(std::string_view what, std::string_view text) {
  std::size_t times = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string_view::npos; ++at) ++times;
  return times;
}
}  // namespace

TEST_CASE("device code compiles for Turing to Blackwell without a spill") {
  std::map<std::string, rp::detail::kernel_name> programs;  // and a kernel of each
  rp::detail::each_kernel([&](const rp::detail::kernel_name& k) { programs.emplace(k.program(), k); });
  const char* const told[] = {"--ptxas-options=--verbose"};
  for (const char* const architecture : {"sm_75", "sm_80", "sm_90", "sm_100"})
    for (const auto& [program, one] : programs) {
      CAPTURE(architecture);
      CAPTURE(program);
      const auto kernels = rp::detail::compiled_with(one);
      const rp::detail::device_code code = rp::detail::compile_device_code(one.header, kernels, architecture, told);
      CHECK(code.symbols.size() == kernels.size());
      CHECK(times_found("bytes spill stores", code.log) >= kernels.size());
      CHECK_MESSAGE(times_found("bytes spill stores", code.log) ==
                        times_found(" 0 bytes spill stores, 0 bytes spill loads", code.log),
                    code.log);
    }
}

TEST_CASE("device code that does not compile is told with what NVRTC says") {
  const rp::detail::kernel_name unknown{"losses", "no_such_kernel", "float"};
  try {
    static_cast<void>(rp::detail::compile_device_code("losses", {&unknown, 1}, "sm_90"));
    FAIL("compiled");
  } catch (const ridgepoint_cuda_failure& e) {
    CHECK(e.library == "NVRTC");
    CHECK(std::string(e.what()).find("no_such_kernel") != std::string::npos);
  }
}
