// SPDX-License-Identifier: MIT
// NVRTC: unknown architectures, its messages, and the origin of its files.
#include <ridgepoint/cuda/runtime/program.hpp>

#include <doctest/doctest.h>

#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/cuda/runtime/kernels.hpp>

namespace rp = ridgepoint;

TEST_CASE("for a GPU that NVRTC does not know, device code is PTX for the newest older one") {
  const int newest = rp::detail::known_architectures().back();
  CHECK(rp::detail::architecture_for(9, 0) == "sm_90");
  CHECK(rp::detail::architecture_for(newest, 0) == rp::concat("compute_", newest));
  CHECK_THROWS_AS(static_cast<void>(rp::detail::architecture_for(3, 7)), ridgepoint_cuda_failure);
  const auto kernels = rp::detail::compiled_with(rp::detail::untyped_kernels::advance);
  const auto code = rp::detail::compile_device_code("step_state", kernels, "compute_90");
  CHECK(std::string(code.image.data()).find(".target sm_90") != std::string::npos);
}

TEST_CASE("the error for device code that does not compile has NVRTC's log") {
  const rp::detail::kernel_name unknown{"losses", "no_such_kernel", "float"};
  try {
    static_cast<void>(rp::detail::compile_device_code("losses", {&unknown, 1}, "sm_90"));
    FAIL("compiled");
  } catch (const ridgepoint_cuda_failure& e) {
    CHECK(e.library == "NVRTC");
    CHECK(std::string(e.what()).find("no_such_kernel") != std::string::npos);
  }
}

TEST_CASE("NVRTC's builtins come from NVRTC's folder, wherever the loader searches") {
  int major = 0, minor = 0;
  REQUIRE(nvrtcVersion(&major, &minor) == NVRTC_SUCCESS);
  rp::detail::load_nvrtc_builtins();
  const std::string folder = rp::detail::folder_of_loaded(rp::concat("libnvrtc.so.", major));
  CHECK(folder.size() > 1);
  CHECK(rp::detail::folder_of_loaded(rp::concat("libnvrtc-builtins.so.", major, '.', minor)) == folder);
  CHECK(rp::detail::folder_of_loaded("libnot_loaded.so.1").empty());
}
