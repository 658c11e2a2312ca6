// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::simd {

/// The unsigned integer of the size of T.
template <class T>
using unsigned_like = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

namespace detail {
template <class U, std::size_t bytes>
struct integer_vector {
  typedef U type __attribute__((vector_size(bytes)));
};
}  // namespace detail

/// A register of integers as the compiler's own vector type. The compiler splits arithmetic that an ISA lacks at this
/// width (AVX has no 256-bit integers) into halves.
template <class U, std::size_t bytes>
using integers = typename detail::integer_vector<U, bytes>::type;

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::simd
