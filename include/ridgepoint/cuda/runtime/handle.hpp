// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <type_traits>

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Owns a library's handle and frees it with Destroy, ignoring the status.
template <class Handle, auto Destroy>
class owned_handle {
  static_assert(std::is_pointer_v<Handle>);
  struct destroyer {
    using pointer = Handle;
    void operator()(Handle h) const noexcept { static_cast<void>(Destroy(h)); }
  };

 public:
  owned_handle() = default;
  /// Creates the handle by make(&handle).
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
