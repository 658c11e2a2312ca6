// SPDX-License-Identifier: MIT
// NVRTC compiles every kernel for every architecture it knows of those that are in use, and none spills registers.
#include <ridgepoint/cuda/runtime/program.hpp>

#include <doctest/doctest.h>

#include <set>

#include <ridgepoint/cuda/runtime/architecture.hpp>
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
  std::set<std::string> headers;
  rp::detail::each_kernel([&](const rp::detail::kernel_name& k) { headers.insert(k.header); });
  const char* const told[] = {"--ptxas-options=--verbose"};
  for (const char* const architecture : {"sm_75", "sm_80", "sm_90", "sm_100"})
    for (const std::string& header : headers) {
      CAPTURE(architecture);
      CAPTURE(header);
      const auto kernels = rp::detail::kernels_of(header);
      const rp::detail::device_code code = rp::detail::compile_device_code(header, kernels, architecture, told);
      CHECK(code.symbols.size() == kernels.size());
      CHECK(times_found("bytes spill stores", code.log) >= kernels.size());
      CHECK_MESSAGE(times_found("bytes spill stores", code.log) ==
                        times_found(" 0 bytes spill stores, 0 bytes spill loads", code.log),
                    code.log);
    }
}

TEST_CASE("for a GPU that NVRTC does not know, device code is text for the newest before it") {
  const int newest = rp::detail::known_architectures().back();
  CHECK(rp::detail::architecture_for(9, 0) == "sm_90");
  CHECK(rp::detail::architecture_for(newest, 0) == rp::concat("compute_", newest));
  CHECK_THROWS_AS(static_cast<void>(rp::detail::architecture_for(3, 7)), ridgepoint_cuda_failure);
  const auto code = rp::detail::compile_device_code("step_state", rp::detail::kernels_of("step_state"), "compute_90");
  CHECK(std::string(code.image.data()).find(".target sm_90") != std::string::npos);
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
