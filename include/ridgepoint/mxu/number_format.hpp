// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string_view>

#include <ridgepoint/ops/array_gemm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::systolic {

/// What an array multiplies; products of bf16 and fp32 are summed in fp32, of int8 in int32.
enum class number_format { bf16, int8, fp32 };
inline constexpr std::array number_formats{number_format::bf16, number_format::int8, number_format::fp32};

[[nodiscard]] constexpr std::string_view to_string(number_format f) noexcept {
  constexpr std::string_view names[] = {"bf16", "int8", "fp32"};
  return names[static_cast<int>(f)];
}
/// Throws: value_error for an unknown name.
[[nodiscard]] constexpr number_format number_format_of(std::string_view name) {
  for (const number_format f : number_formats)
    if (name == to_string(f)) return f;
  throw value_error(concat("number format is \"", name, "\"; must be bf16, int8 or fp32"));
}

/// use.template operator()<Format>() for the type that stands for f in array_gemm_args.
template <class Use>
decltype(auto) with_format(number_format f, Use&& use) {
  switch (f) {
    case number_format::bf16:
      return use.template operator()<bfloat16>();
    case number_format::int8:
      return use.template operator()<std::int8_t>();
    case number_format::fp32:
      break;
  }
  return use.template operator()<float>();
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::systolic
