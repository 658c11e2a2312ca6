// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Calls action() at the end of its scope, also on an exception.
/// Example:
///   const scope_exit back([&] { state = before; });
template <class Action>
class scope_exit {
 public:
  explicit scope_exit(Action action) : action_(std::move(action)) {}
  scope_exit(const scope_exit&) = delete;
  scope_exit& operator=(const scope_exit&) = delete;
  ~scope_exit() { action_(); }

 private:
  Action action_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
