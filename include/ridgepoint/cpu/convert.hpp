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
  using batch = simd::batch<float>;
  const auto by = [&](const auto& f) {
    for_parts(on, a.size,
              [&](index_t begin, index_t end) { kernels::convert(a.x + begin, a.y + begin, end - begin, f); });
  };
  if (a.scale_state == nullptr) by(std::identity());
  else by([factor = detail::conversion_factor(a)](const batch& x) { return x * batch(factor); });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
