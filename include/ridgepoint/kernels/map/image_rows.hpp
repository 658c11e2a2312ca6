// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/kernels/map/copy.hpp>
#include <ridgepoint/kernels/map/image_rows_kernels.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// a·first + b·second.
template <class T>
struct blended {
  using batch = simd::batch<T>;
  T a, b;
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch first, batch second) const noexcept {
    return {simd::fma(batch(b), second, batch(a) * first)};
  }
};
/// sum + weight·x.
template <class T>
struct weighted_sum {
  using batch = simd::batch<T>;
  T weight;
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch sum, batch x) const noexcept {
    return {simd::fma(batch(weight), x, sum)};
  }
};

/// dst(j) ← a·first(j) + b·second(j).
template <class T>
RIDGEPOINT_INLINE void blend(T a, const T* first, T b, const T* second, T* dst, index_t size) noexcept {
  map<T, 2, 1>({first, second}, {dst}, size, blended<T>{a, b});
}
/// sum(j) ← sum(j) + weight·x(j).
template <class T>
RIDGEPOINT_INLINE void add_weighted(T weight, const T* x, T* sum, index_t size) noexcept {
  map<T, 2, 1>({sum, x}, {sum}, size, weighted_sum<T>{weight});
}

namespace detail {
/// scale·x + p.
template <class T>
struct scaled_sum {
  using batch = simd::batch<T>;
  T scale;
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch x, batch p) const noexcept {
    return {simd::fma(batch(scale), x, p)};
  }
};
}  // namespace detail

template <class T>
void pad_channels_rows<T>::run(const pad_channels_args<T>& a, index_t begin, index_t end) noexcept {
  const index_t after = a.before + a.x.cols;
  for (index_t i = begin; i < end; ++i) {
    T* const y = a.y.data + i * a.y.row_stride;
    clear(y, a.before);
    copy(a.x.data + i * a.x.row_stride, y + a.before, a.x.cols);
    clear(y + after, a.y.cols - after);
  }
}
template <class T>
void pad_channels_backward_rows<T>::run(const pad_channels_backward_args<T>& a, index_t begin, index_t end) noexcept {
  for (index_t i = begin; i < end; ++i)
    copy(a.dy.data + i * a.dy.row_stride + a.before, a.dx.data + i * a.dx.row_stride, a.dx.cols);
}
template <class T>
void concat_channels_rows<T>::run(const concat_channels_args<T>& c, index_t begin, index_t end) noexcept {
  for (index_t i = begin; i < end; ++i) {
    T* const y = c.y.data + i * c.y.row_stride;
    copy(c.a.data + i * c.a.row_stride, y, c.a.cols);
    copy(c.b.data + i * c.b.row_stride, y + c.a.cols, c.b.cols);
  }
}

/// Computes a row of y: blends the two rows of x into one, which stays in L1, then blends its adjacent pixels.
template <class T>
void upsample_rows<T>::run(const upsample_args<T>& a, index_t begin, index_t end, T* memory) noexcept {
  const index_t fh = a.options.factor.h, fw = a.options.factor.w;
  const index_t rows = fh * a.h, columns = fw * a.w, row_size = a.w * a.c;
  for (index_t i = begin; i < end; ++i) {
    const index_t image = i / rows, oh = i % rows;
    const upsample_taps v = taps_of(oh, a.h, fh, a.options.how);
    const auto x_row = [&](int tap) { return a.x + (image * a.h + v.at[tap]) * row_size; };
    const T* row = x_row(0);
    if (v.count == 2) {
      blend(static_cast<T>(v.weight[0]), row, static_cast<T>(v.weight[1]), x_row(1), memory, row_size);
      row = memory;
    }
    T* y = a.y + (image * rows + oh) * columns * a.c;
    for (index_t ow = 0; ow < columns; ++ow, y += a.c) {
      const upsample_taps t = taps_of(ow, a.w, fw, a.options.how);
      const T* const first = row + t.at[0] * a.c;
      if (t.count == 1) copy(first, y, a.c);
      else blend(static_cast<T>(t.weight[0]), first, static_cast<T>(t.weight[1]), row + t.at[1] * a.c, y, a.c);
    }
  }
}

/// Computes a row of dx: sums the rows of dy that it contributes to into one, which stays in L1, then sums its pixels.
template <class T>
void upsample_backward_rows<T>::run(const upsample_backward_args<T>& a, index_t begin, index_t end,
                                    T* memory) noexcept {
  const index_t fh = a.options.factor.h, fw = a.options.factor.w;
  const index_t rows = fh * a.h, row_size = fw * a.w * a.c;
  const upsampling how = a.options.how;
  const auto add = [](const upsample_taps& t, index_t pixel, const T* from, T* sum, index_t size) {
    for (int tap = 0; tap < t.count; ++tap)
      if (t.at[tap] == pixel) add_weighted(static_cast<T>(t.weight[tap]), from, sum, size);
  };
  for (index_t i = begin; i < end; ++i) {
    const index_t image = i / a.h, h = i % a.h;
    clear(memory, row_size);
    const upsample_reach above = reach_of(h, a.h, fh, how);
    for (index_t oh = above.first; oh < above.end; ++oh)
      add(taps_of(oh, a.h, fh, how), h, a.dy + (image * rows + oh) * row_size, memory, row_size);
    T* dx = a.dx + (image * a.h + h) * a.w * a.c;
    for (index_t w = 0; w < a.w; ++w, dx += a.c) {
      clear(dx, a.c);
      const upsample_reach covering = reach_of(w, a.w, fw, how);
      for (index_t ow = covering.first; ow < covering.end; ++ow)
        add(taps_of(ow, a.w, fw, how), w, memory + ow * a.c, dx, a.c);
    }
  }
}

template <class T>
void positions_step<T>::run(const positions_args<T>& a, index_t step, T* memory) noexcept {
  for (index_t c = 0; c < a.width; ++c) memory[c] = static_cast<T>(sinusoid(step, c, a.width));
  for (index_t i = 0; i < a.n; ++i) {
    const index_t row = (i * a.steps + step) * a.width;
    map<T, 2, 1>({a.x + row, memory}, {a.y + row}, a.width, detail::scaled_sum<T>{static_cast<T>(a.scale)});
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
