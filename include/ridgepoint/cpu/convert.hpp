// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/convert.hpp>
#include <ridgepoint/ops/convert.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <class To, class From>
  requires((std::same_as<To, bfloat16> && std::same_as<From, float>) ||
           (std::same_as<To, float> && std::same_as<From, bfloat16>))
void execute(const native_cpu& on, const convert_args<To, From>& a) {
  for_parts(on, a.size, [&](index_t begin, index_t end) { kernels::convert(a.x + begin, a.y + begin, end - begin); });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
