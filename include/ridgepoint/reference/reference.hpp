// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <ridgepoint/core/backend.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The definition of every op: naive loops, double accumulation, one file per op beside this one. Slow on purpose.
///
/// Its kernels are templates on the scalar, so that a scalar that counts its own arithmetic executes them and proves
/// the receipts.
struct reference_backend : host_memory {
  [[nodiscard]] static std::string name() { return "reference"; }
};
inline constexpr reference_backend reference{};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
