// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <type_traits>

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Owns what a library made, a pointer, and gives it back with Destroy, whose status nobody can use.
template <class Handle, auto Destroy>
class owned_handle {
  static_assert(std::is_pointer_v<Handle>);
  struct destroyer {
    using pointer = Handle;
    void operator()(Handle h) const noexcept { static_cast<void>(Destroy(h)); }
  };

 public:
  owned_handle() = default;
  /// By a call make(&handle).
  template <class Make>
  explicit owned_handle(const Make& make) {
    Handle made = nullptr;
    make(&made);
    held_.reset(made);
  }
  [[nodiscard]] Handle get() const noexcept { return held_.get(); }

 private:
  std::unique_ptr<std::remove_pointer_t<Handle>, destroyer> held_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
