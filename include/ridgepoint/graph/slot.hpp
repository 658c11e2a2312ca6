// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Number of a place in backend memory that a plan reserves; negative where there is none.
struct slot_id {
  int index = -1;
  [[nodiscard]] constexpr bool exists() const noexcept { return index >= 0; }
  friend constexpr bool operator==(slot_id, slot_id) = default;
};

/// A slot that holds values of type T. It has no address before the plan is bound to a backend.
template <class T>
struct slot : slot_id {};

/// Where the slots of a bound plan are, in backend memory: what the arguments of a call are made from.
class addresses {
 public:
  /// Where the next slot is.
  void add(void* at) { at_.push_back(at); }
  /// Null for a slot that does not exist.
  template <class T>
  [[nodiscard]] T* operator()(slot<T> s) const noexcept {
    return static_cast<T*>(address(s));
  }
  [[nodiscard]] void* address(slot_id s) const noexcept {
    return s.exists() ? at_[static_cast<std::size_t>(s.index)] : nullptr;
  }

 private:
  std::vector<void*> at_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
