// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/convert_kernels.hpp>
#include <ridgepoint/ops/convert.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <cpu_backend On, class To, class From>
  requires((std::same_as<To, bfloat16> && std::same_as<From, float>) ||
           (std::same_as<To, float> && std::same_as<From, bfloat16>))
void execute(const On& on, const convert_args<To, From>& a) {
  for_parts(on, a.size,
            [&](index_t begin, index_t end) { on.template call<kernels::convert_chunk<To, From>>(a, begin, end); });
}
template <class To, class From>
type_list<kernels::convert_chunk<To, From>> kernels_of(const convert_args<To, From>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
