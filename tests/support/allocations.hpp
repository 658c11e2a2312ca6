// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

/// Statistics of operator new; allocations.cpp, in the same program, counts.
namespace allocations {

/// Bytes in use now.
std::size_t live() noexcept;
/// Maximum of bytes in use at once since the last reset().
std::size_t peak() noexcept;
/// Allocations since the last reset().
std::size_t count() noexcept;
void reset() noexcept;

}  // namespace allocations
