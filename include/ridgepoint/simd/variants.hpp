// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/simd/cpuid.hpp>

extern "C" {
/// One copy of a source that ridgepoint_add_isa_variants() compiles once per instruction set. Outside the ABI
/// namespace, because copies with different keys share it.
struct ridgepoint_isa_variant {
  const char* isa;
  const void* (*table)();  // the copy's entry point: its functions, as plain data
};
}

namespace ridgepoint::inline RIDGEPOINT_ABI::simd {

/// Returns the strongest variant that a CPU with these words runs, from a list, weakest first, that ends with a null
/// isa; null if it runs none.
[[nodiscard]] constexpr const ridgepoint_isa_variant* strongest_variant(const ridgepoint_isa_variant* variants,
                                                                        const cpuid_words& words) noexcept {
  const ridgepoint_isa_variant* chosen = nullptr;
  for (; variants->isa != nullptr; ++variants)
    if (runs(words, variants->isa)) chosen = variants;
  return chosen;
}

/// Selects a variant from a list that ends with a null isa: the strongest that this CPU runs, or, forced, the one named
/// by `isa` or else by the environment variable RIDGEPOINT_ISA.
///
/// Throws: value_error if the forced name is not an instruction set; unsupported if this CPU lacks it, if it was not
/// compiled, or if no compiled one runs here.
/// Example (CMake: ridgepoint_add_isa_variants(app ENTRY my_kernels SOURCES my_kernels.cpp ISAS scalar avx2 avx512)):
///   extern "C" const ridgepoint_isa_variant my_kernels_variants[];
///   const auto& kernels = *static_cast<const my_table*>(rp::simd::pick_variant(my_kernels_variants).table());
[[nodiscard]] inline const ridgepoint_isa_variant& pick_variant(const ridgepoint_isa_variant* variants,
                                                                std::string_view isa = {}) {
  std::string_view who = "isa";
  if (isa.empty())
    if (const char* forced = std::getenv("RIDGEPOINT_ISA"); forced != nullptr && *forced != '\0')
      isa = forced, who = "RIDGEPOINT_ISA";

  std::string compiled;
  const ridgepoint_isa_variant* chosen = nullptr;
  for (const ridgepoint_isa_variant* v = variants; v->isa != nullptr; ++v) {
    compiled.append(compiled.empty() ? "" : " ").append(v->isa);
    if (isa == v->isa) chosen = v;
  }
  if (isa.empty()) {
    chosen = strongest_variant(variants, this_cpuid());
    require<unsupported>(chosen != nullptr, "dispatch: this CPU runs ", cpu_isas(), "; this program was compiled for ",
                         compiled);
    return *chosen;
  }
  bool known = false;
  for (const std::string_view name : isa_names) known = known || name == isa;
  require<value_error>(known, "dispatch: ", who, " is '", isa, "'; must be one of ", compiled);
  require<unsupported>(cpu_runs(isa), "dispatch: ", who, " is ", isa, "; this CPU runs ", cpu_isas());
  require<unsupported>(chosen != nullptr, "dispatch: ", who, " is ", isa, "; this program was compiled for ", compiled);
  return *chosen;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::simd
