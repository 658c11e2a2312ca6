// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

#include <ridgepoint/simd/batch.hpp>

/// Mapping of a register's lanes to elements of memory. A kernel that takes one of these types is written once.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Adjacent elements in all lanes.
struct all_lanes {
  template <class T>
  RIDGEPOINT_INLINE simd::batch<T> load(const T* p) const noexcept {
    return simd::load(p);
  }
  template <class T>
  RIDGEPOINT_INLINE void store(T* p, simd::batch<T> x) const noexcept {
    simd::store(p, x);
  }
  template <class T>
  RIDGEPOINT_INLINE simd::batch<T> load_bytes(const std::uint8_t* p) const noexcept {
    return simd::load_bytes<T>(p);
  }
  template <class T>
  RIDGEPOINT_INLINE void store_bytes(std::uint8_t* p, simd::batch<T> x) const noexcept {
    simd::store_bytes<T>(p, x);
  }
};

/// Adjacent elements in the first n lanes. Bytes go through a full register of bytes.
struct first_lanes {
  index_t n;

  template <class T>
  RIDGEPOINT_INLINE simd::batch<T> load(const T* p) const noexcept {
    return simd::load_partial(p, n);
  }
  template <class T>
  RIDGEPOINT_INLINE void store(T* p, simd::batch<T> x) const noexcept {
    simd::store_partial(p, x, n);
  }
  template <class T>
  RIDGEPOINT_INLINE simd::batch<T> load_bytes(const std::uint8_t* p) const noexcept {
    std::array<std::uint8_t, 16> bytes{};
    for (index_t i = 0; i < n; ++i) bytes[static_cast<std::size_t>(i)] = p[i];
    return simd::load_bytes<T>(bytes.data());
  }
  template <class T>
  RIDGEPOINT_INLINE void store_bytes(std::uint8_t* p, simd::batch<T> x) const noexcept {
    std::array<std::uint8_t, 16> bytes;
    simd::store_bytes<T>(bytes.data(), x);
    for (index_t i = 0; i < n; ++i) p[i] = bytes[static_cast<std::size_t>(i)];
  }
};

/// `channels` adjacent elements of each of `pixels` pixels, for pixels with fewer channels than lanes. Pixels that are
/// read have a stride of `from` elements, pixels that are written `to`.
struct packed_lanes {
  index_t channels, pixels, from, to;

  template <class T>
  RIDGEPOINT_INLINE simd::batch<T> load(const T* p) const noexcept {
    std::array<T, static_cast<std::size_t>(simd::lanes<T>)> lane{};
    gather(p, lane.data());
    return simd::load(lane.data());
  }
  template <class T>
  RIDGEPOINT_INLINE void store(T* p, simd::batch<T> x) const noexcept {
    std::array<T, static_cast<std::size_t>(simd::lanes<T>)> lane;
    simd::store(lane.data(), x);
    scatter(lane.data(), p);
  }
  template <class T>
  RIDGEPOINT_INLINE simd::batch<T> load_bytes(const std::uint8_t* p) const noexcept {
    std::array<std::uint8_t, 16> lane{};
    gather(p, lane.data());
    return simd::load_bytes<T>(lane.data());
  }
  template <class T>
  RIDGEPOINT_INLINE void store_bytes(std::uint8_t* p, simd::batch<T> x) const noexcept {
    std::array<std::uint8_t, 16> lane;
    simd::store_bytes<T>(lane.data(), x);
    scatter(lane.data(), p);
  }

 private:
  template <class E>
  RIDGEPOINT_INLINE void gather(const E* p, E* lane) const noexcept {
    for (index_t pixel = 0; pixel < pixels; ++pixel, p += from)
      for (index_t c = 0; c < channels; ++c) *lane++ = p[c];
  }
  template <class E>
  RIDGEPOINT_INLINE void scatter(const E* lane, E* p) const noexcept {
    for (index_t pixel = 0; pixel < pixels; ++pixel, p += to)
      for (index_t c = 0; c < channels; ++c) p[c] = *lane++;
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
