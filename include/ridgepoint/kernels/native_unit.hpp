// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/kernels/kernel.hpp>
#include <ridgepoint/simd/isa.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Registers of the instruction set that this translation unit is compiled for.
inline constexpr vector_unit native_unit = unit_of<simd::native>;

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
