// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <typeinfo>

#include <ridgepoint/core/shape.hpp>
#include <ridgepoint/simd/isa.hpp>

namespace rp = ridgepoint;

TEST_CASE("the build's instruction set matches its flags") {
#if defined(RIDGEPOINT_FORCE_SCALAR)
  CHECK(rp::simd::native::name == "scalar");
#elif defined(__AVX512BW__)
  CHECK(rp::simd::native::name == "avx512");
#elif defined(__AVX2__)
  CHECK(rp::simd::native::name == "avx2");
#elif defined(__FMA__)
  CHECK(rp::simd::native::name == "avx_fma");
#elif defined(__AVX__)
  CHECK(rp::simd::native::name == "avx");
#elif defined(__SSE4_2__)
  CHECK(rp::simd::native::name == "sse4_2");
#endif
  CHECK(std::count(rp::simd::isa_names.begin(), rp::simd::isa_names.end(), rp::simd::native::name) == 1);
}

TEST_CASE("lanes follow from the width") {
  CHECK(rp::simd::lanes<float> * 4 == std::max(4, rp::simd::native::width_bytes));
  CHECK(rp::simd::lanes<double> * 8 == std::max(8, rp::simd::native::width_bytes));
}

TEST_CASE("the namespace is keyed by instruction set") {
  const std::string mangled = typeid(rp::shape).name();  // Clang prints it without inline namespaces
  CHECK(mangled.find("v0_" + std::string(rp::simd::native::name)) != std::string::npos);
}
