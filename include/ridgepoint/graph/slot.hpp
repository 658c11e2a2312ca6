// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Number of a place in backend memory that a plan reserves; negative where there is none. The plan knows how large it
/// is and the type of its values; it has no address before the plan is bound to a backend.
struct slot {
  int index = -1;
  [[nodiscard]] constexpr bool exists() const noexcept { return index >= 0; }
  friend constexpr bool operator==(slot, slot) = default;
};

/// Where a slot is, as a pointer of the type that an op's arguments ask for; the plan checks that it is the slot's.
class address {
 public:
  constexpr explicit address(void* at) noexcept : at_(at) {}
  template <class T>
  constexpr operator T*() const noexcept {
    return static_cast<T*>(at_);
  }

 private:
  void* at_;
};

/// Where the slots of a bound plan are, in backend memory: what the arguments of a call are made from.
class addresses {
 public:
  /// Where the next slot is.
  void add(void* at) { at_.push_back(at); }
  /// Null for a slot that does not exist.
  [[nodiscard]] address operator()(slot s) const noexcept {
    return address(s.exists() ? at_[static_cast<std::size_t>(s.index)] : nullptr);
  }

 private:
  std::vector<void*> at_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
