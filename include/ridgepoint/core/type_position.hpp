// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <typeindex>
#include <typeinfo>

#include <ridgepoint/core/type_list.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Returns the position of `type` in the list; the size of the list if absent.
template <class... Ts>
[[nodiscard]] std::size_t type_position(type_list<Ts...>, std::type_index type) noexcept {
  const std::type_info* const all[] = {&typeid(Ts)..., nullptr};
  std::size_t at = 0;
  while (at < sizeof...(Ts) && type != *all[at]) ++at;
  return at;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
