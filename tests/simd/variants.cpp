// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstdlib>

#include <ridgepoint/simd/variants.hpp>

namespace rp = ridgepoint;
namespace simd = ridgepoint::simd;

namespace {
const void* nothing() { return nullptr; }
constexpr ridgepoint_isa_variant all[] = {{"scalar", nothing}, {"sse4_2", nothing}, {"avx", nothing},
                                          {"avx2", nothing},   {"avx512", nothing}, {nullptr, nullptr}};  // as shipped
constexpr ridgepoint_isa_variant only_scalar[] = {{"scalar", nothing}, {nullptr, nullptr}};
constexpr ridgepoint_isa_variant none[] = {{nullptr, nullptr}};

/// Sets RIDGEPOINT_ISA for the lifetime of the object.
struct forced {
  explicit forced(const char* isa) { setenv("RIDGEPOINT_ISA", isa, 1); }
  ~forced() { unsetenv("RIDGEPOINT_ISA"); }
  forced(const forced&) = delete;
  forced& operator=(const forced&) = delete;
};
}  // namespace

TEST_CASE("the strongest supported variant is picked") {
  unsetenv("RIDGEPOINT_ISA");
  std::string_view strongest;
  for (const ridgepoint_isa_variant* v = all; v->isa != nullptr; ++v)
    if (simd::cpu_runs(v->isa)) strongest = v->isa;
  CHECK(simd::pick_variant(all).isa == strongest);
  CHECK(std::string_view(simd::pick_variant(only_scalar).isa) == "scalar");
}

TEST_CASE("a CPU with AVX and FMA but not AVX2 uses the AVX variant") {
  using rp::isa::avx2, rp::isa::avx_fma;
  CHECK(simd::runs(avx_fma::needs, "avx_fma"));
  CHECK(std::string_view(simd::strongest_variant(all, avx_fma::needs)->isa) == "avx");
  CHECK(std::string_view(simd::strongest_variant(all, avx2::needs)->isa) == "avx2");
  CHECK(simd::strongest_variant(none, avx2::needs) == nullptr);
}

TEST_CASE("a variant can be forced by argument or environment; the argument takes precedence") {
  CHECK(std::string_view(simd::pick_variant(all, "scalar").isa) == "scalar");
  const forced environment("scalar");
  CHECK(std::string_view(simd::pick_variant(all).isa) == "scalar");
  if (simd::cpu_runs("sse4_2")) CHECK(std::string_view(simd::pick_variant(all, "sse4_2").isa) == "sse4_2");
}

TEST_CASE("an empty RIDGEPOINT_ISA forces nothing") {
  const forced environment("");
  CHECK(simd::cpu_runs(simd::pick_variant(all).isa));
}

TEST_CASE("an unsupported variant is refused, with the supported ones") {
  unsetenv("RIDGEPOINT_ISA");
  CHECK_THROWS_WITH_AS(static_cast<void>(simd::pick_variant(all, "sse9")),
                       "dispatch: isa is 'sse9'; must be one of scalar sse4_2 avx avx2 avx512", rp::value_error);
  for (const auto isa : simd::isa_names)
    if (!simd::cpu_runs(isa))
      CHECK_THROWS_WITH_AS(static_cast<void>(simd::pick_variant(all, isa)), doctest::Contains("this CPU runs scalar"),
                           rp::unsupported);
  if (simd::cpu_runs("sse4_2"))
    CHECK_THROWS_WITH_AS(static_cast<void>(simd::pick_variant(only_scalar, "sse4_2")),
                         "dispatch: isa is sse4_2; this program was compiled for scalar", rp::unsupported);
  if (simd::cpu_runs("avx_fma")) {
    const forced unshipped("avx_fma");
    CHECK_THROWS_WITH_AS(
        static_cast<void>(simd::pick_variant(all)),
        "dispatch: RIDGEPOINT_ISA is avx_fma; this program was compiled for scalar sse4_2 avx avx2 avx512",
        rp::unsupported);
  }
  CHECK_THROWS_WITH_AS(static_cast<void>(simd::pick_variant(none)), doctest::Contains("dispatch: this CPU runs"),
                       rp::unsupported);
  const forced environment("mmx");
  CHECK_THROWS_WITH_AS(static_cast<void>(simd::pick_variant(all)), doctest::Contains("RIDGEPOINT_ISA is 'mmx'"),
                       rp::value_error);
}
