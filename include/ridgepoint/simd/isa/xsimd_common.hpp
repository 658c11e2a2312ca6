// SPDX-License-Identifier: MIT
#pragma once

#include <xsimd/xsimd.hpp>

#include <ridgepoint/core/types.hpp>

/// What is the same for every xsimd architecture. Include through simd/batch.hpp; `arch` is set by the ISA's own file.
namespace ridgepoint::inline RIDGEPOINT_ABI::simd {

template <class T>
using batch = xsimd::batch<T, arch>;

template <class T>
RIDGEPOINT_INLINE batch<T> load(const T* p) noexcept { return batch<T>::load_unaligned(p); }
template <class T>
RIDGEPOINT_INLINE void store(T* p, batch<T> x) noexcept { x.store_unaligned(p); }
template <class T>
RIDGEPOINT_INLINE batch<T> select(typename batch<T>::batch_bool_type mask, batch<T> yes, batch<T> no) noexcept {
  return xsimd::select(mask, yes, no);
}
/// Sum of all lanes.
template <class T>
RIDGEPOINT_INLINE T sum(xsimd::batch<T, arch> x) noexcept {
#if XSIMD_VERSION_MAJOR >= 9
  return xsimd::reduce_add(x);
#else
  return xsimd::hadd(x);
#endif
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::simd
