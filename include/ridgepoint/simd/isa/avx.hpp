// SPDX-License-Identifier: MIT
#pragma once

#include <xsimd/xsimd.hpp>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::simd {
using arch = xsimd::avx;
}
#include <ridgepoint/simd/isa/ymm.hpp>
