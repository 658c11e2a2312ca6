// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/planned_op.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace detail {

RIDGEPOINT_DEFINITION std::shared_ptr<void> memory_of(std::size_t bytes) {
  return {::operator new(bytes), [](void* at) { ::operator delete(at); }};
}

}  // namespace detail
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
