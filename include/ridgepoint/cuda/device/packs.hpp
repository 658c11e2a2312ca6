// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/threads.hpp>

namespace ridgepoint_device {

/// Adjacent elements that are accessed together.
template <class T, int Width>
struct alignas(Width * sizeof(T)) pack {
  T of[Width];
};

/// Returns the size in bytes of the largest of some types.
template <class... T>
__device__ constexpr int largest_bytes() {
  int most = 1;
  ((most = static_cast<int>(sizeof(T)) > most ? static_cast<int>(sizeof(T)) : most), ...);
  return most;
}
template <int Width, class T>
__device__ bool lies_in_packs(const T* at) {
  return reinterpret_cast<unsigned long>(at) % sizeof(pack<T, Width>) == 0;
}

/// y(i) ← f(i mod channels, x(i)…), up to 16 bytes at a time if all pointers are aligned: a thread then has several
/// elements in flight. Without channels f gets 0. Any x may be y.
template <class T, class F, class... In>
__device__ void map_columns(index_t size, const divisor& channels, T* y, const F& f, const In*... x) {
  constexpr int width = 16 / largest_bytes<T, In...>();
  const bool packs = (lies_in_packs<width>(y) && ... && lies_in_packs<width>(x));
  const index_t packed = packs ? size / width * width : 0;
  for (index_t i = first_element() * width; i < packed; i += element_stride() * width) {
    const auto map = [&](const pack<In, width>... in) {  // copies: all is read at once
      pack<T, width> out;
      index_t j = channels.value == 0 ? 0 : i % channels;
      for (int k = 0; k < width; ++k) {
        out.of[k] = f(j, in.of[k]...);
        if (channels.value != 0) j = j + 1 == channels.value ? 0 : j + 1;
      }
      return out;
    };
    *reinterpret_cast<pack<T, width>*>(y + i) = map(*reinterpret_cast<const pack<In, width>*>(x + i)...);
  }
  for (index_t i = packed + first_element(); i < size; i += element_stride())
    y[i] = f(channels.value == 0 ? 0 : i % channels, x[i]...);
}
/// y(i) ← f(x(i)…), as in map_columns().
template <class T, class F, class... In>
__device__ void map_elements(index_t size, T* y, const F& f, const In*... x) {
  map_columns(
      size, divisor{0, 0, 0}, y, [&](index_t, const In&... in) { return f(in...); }, x...);
}

}  // namespace ridgepoint_device
