// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>

#include <ridgepoint/kernels/map/activation.hpp>
#include <ridgepoint/kernels/map/convert.hpp>
#include <ridgepoint/kernels/map/elementwise_kernels.hpp>
#include <ridgepoint/kernels/map/loss.hpp>
#include <ridgepoint/kernels/map/map.hpp>
#include <ridgepoint/kernels/window/some_lanes.hpp>
#include <ridgepoint/ops/dropout.hpp>
#include <ridgepoint/simd/math.hpp>
#include <ridgepoint/simd/philox.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

namespace detail {

/// out(i) ← formula(in(i)…) for elements [begin, end), in float if they are bfloat16.
template <class T, std::size_t Ins, class Formula>
RIDGEPOINT_INLINE void map_chunk(std::array<const T*, Ins> in, T* out, index_t begin, index_t end, stores how,
                                 const Formula& formula) noexcept {
  if constexpr (std::same_as<T, bfloat16>) {
    for_stretches<Ins>(in, out, begin, end, [&](auto& x, index_t n) RIDGEPOINT_INLINE_LAMBDA {
      std::array<const float*, Ins> from;
      for (std::size_t k = 0; k < Ins; ++k) from[k] = x[k];
      map<float, Ins, 1>(from, {x[Ins - 1]}, n, formula);
    });
  } else {
    for (const T*& p : in) p += begin;
    map_to(in, out + begin, end - begin, how, formula);
  }
}

template <class T>
struct sum_of_two {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch a, batch b) const noexcept { return {a + b}; }
};
template <class T>
struct square {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch x) const noexcept { return {x * x}; }
};

template <class T>
struct magnitude {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch x) const noexcept { return {simd::abs(x)}; }
};

}  // namespace detail

template <class T>
void activate_chunk<T>::run(const activate_args<T>& a, stores how, index_t begin, index_t end) noexcept {
  using number = compute_t<T>;
  with_activation(a.f, static_cast<number>(a.slope), [&](const auto& formula) RIDGEPOINT_INLINE_LAMBDA {
    detail::map_chunk<T, 1>({a.x}, a.y, begin, end, how, formula);
  });
}
template <class T>
void activate_backward_chunk<T>::run(const activate_backward_args<T>& a, stores how, index_t begin,
                                     index_t end) noexcept {
  using number = compute_t<T>;
  const T* y = a.f == activation::none ? a.dy : a.y;  // the identity does not read y
  with_activation(a.f, static_cast<number>(a.slope), [&](const auto& formula) RIDGEPOINT_INLINE_LAMBDA {
    detail::map_chunk<T, 2>({y, a.dy}, a.dx, begin, end, how, formula);
  });
}
template <class T>
void add_chunk<T>::run(const add_args<T>& a, stores how, index_t begin, index_t end) noexcept {
  detail::map_chunk<T, 2>({a.a, a.b}, a.y, begin, end, how, detail::sum_of_two<compute_t<T>>{});
}
template <class T>
void positions_backward_chunk<T>::run(const positions_backward_args<T>& a, stores how, index_t begin,
                                      index_t end) noexcept {
  detail::map_chunk<T, 1>({a.dy}, a.dx, begin, end, how, scaled<T>{static_cast<T>(a.scale)});
}
template <class T>
double sum_of_squares_chunk<T>::run(const sum_of_squares_args<T>& a, index_t begin, index_t end) noexcept {
  const T* const x = a.x + begin;
  const index_t n = end - begin;
  const double sum = map<T, 1, 0>({x}, {}, n, detail::square<T>{})[0];
  // Outside this range, squares may have overflowed or underflowed T.
  if (sizeof(T) == sizeof(double) || (sum >= 0x1p-80 && sum < std::numeric_limits<double>::infinity())) return sum;
  if (exactly(sum, 0) && exactly(map<T, 1, 0>({x}, {}, n, detail::magnitude<T>{})[0], 0)) return sum;
  return sum_in_double(n, [&](index_t i) { return static_cast<double>(x[i]) * static_cast<double>(x[i]); });
}
inline void advance_step::run(const advance_args& a) noexcept { end_step(a); }

namespace detail {

/// Random numbers are generated as 2^fraction_bits + bits, so that a comparison of T decides which elements are kept.
template <class T>
inline constexpr T dropout_lift = static_cast<T>(std::uint64_t{1} << simd::detail::fraction_bits<T>);

/// Returns first, first + step, … in the lanes.
RIDGEPOINT_INLINE simd::counters counter_sequence(std::uint64_t first, std::uint64_t step) noexcept {
  std::array<std::uint64_t, static_cast<std::size_t>(simd::counter_lanes)> lane;
  for (std::size_t l = 0; l < lane.size(); ++l) lane[l] = first + l * step;
  return __builtin_bit_cast(simd::counters, lane);
}

/// The random numbers of elements [128·block, 128·(block + 1)): see dropout_mask.
template <class T>
RIDGEPOINT_INLINE void dropout_block(const dropout_mask& mask, index_t block, T* random) noexcept {
  using simd::counters;
  constexpr bool packed = sizeof(T) == 4;  // two counters share a 64-bit lane: even low, odd high
  constexpr std::uint64_t stride = packed ? 2 : 1, per_pass = stride * simd::counter_lanes;
  constexpr std::uint64_t low16 = packed ? 0x0000FFFF0000FFFFU : 0xFFFFU;
  constexpr std::uint64_t lift = packed ? 0x4B0000004B000000U : 0x4330000000000000U;
  const std::uint64_t first = static_cast<std::uint64_t>(block) * 16;
  const counters zero{}, high = zero + (first >> 32), step = zero + std::uint64_t{mask.step},
                         stream = zero + std::uint64_t{mask.stream};
  for (std::uint64_t c = 0; c < 16; c += per_pass) {
    std::array<counters, 4> words = simd::philox({counter_sequence(first + c, stride), high, step, stream}, mask.seed);
    if constexpr (packed) {
      const std::array<counters, 4> odd =
          simd::philox({counter_sequence(first + c + 1, stride), high, step, stream}, mask.seed);
      for (std::size_t w = 0; w < 4; ++w) words[w] = (words[w] & 0xFFFFFFFFU) | (odd[w] << 32);
    }
    for (std::size_t w = 0; w < 4; ++w) {
      const counters low = (words[w] & low16) | lift, top = ((words[w] >> 16) & low16) | lift;
      std::memcpy(random + 32 * w + c, &low, sizeof low);
      std::memcpy(random + 32 * w + 16 + c, &top, sizeof top);
    }
  }
}

template <class T>
struct dropped {
  using batch = simd::batch<T>;
  T scale, threshold;
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch x, batch random) const noexcept {
    return {simd::select(random >= batch(threshold), x * batch(scale), batch(T(0)))};
  }
};

/// y(i) ← x(i) scaled or dropped, as decided by random(i); at most one block.
template <class T, class Number>
RIDGEPOINT_INLINE void drop(const dropped<Number>& formula, const Number* random, const T* x, T* y,
                            index_t n) noexcept {
  if constexpr (std::same_as<T, Number>) {
    map<T, 2, 1>({x, random}, {y}, n, formula);
  } else {
    alignas(alignment_bytes) std::array<Number, dropout_mask::block> values;
    kernels::convert(x, values.data(), n);
    map<Number, 2, 1>({values.data(), random}, {values.data()}, n, formula);
    kernels::convert(values.data(), y, n);
  }
}
/// Calls f(block, its random numbers, its elements) for the blocks of elements [begin, end), begin a multiple of a
/// block.
template <class T, class F>
RIDGEPOINT_INLINE void for_dropout_blocks(const dropout_mask& mask, index_t begin, index_t end, const F& f) noexcept {
  using number = compute_t<T>;
  alignas(alignment_bytes) std::array<number, dropout_mask::block> random;
  const dropped<number> formula{.scale = static_cast<number>(mask.scale()),
                                .threshold = dropout_lift<number> + static_cast<number>(mask.threshold)};
  for (index_t i = begin; i < end; i += dropout_mask::block) {
    dropout_block(mask, i / dropout_mask::block, random.data());
    f(formula, random.data(), i, end - i < dropout_mask::block ? end - i : dropout_mask::block);
  }
}

}  // namespace detail

/// y(i) ← kept(i) ? x(i)·scale : 0 for elements [begin, end), begin a multiple of dropout_mask::block.
template <class T>
void dropout(const dropout_mask& mask, const T* x, T* y, index_t begin, index_t end) noexcept {
  detail::for_dropout_blocks<T>(mask, begin, end, [&](const auto& formula, const auto* random, index_t i, index_t n) {
    detail::drop(formula, random, x + i, y + i, n);
  });
}

/// Dropout of sequences (samples, steps, width) whose steps share a mask (samples, width), for elements [begin, end) of
/// the mask: random numbers are generated once for all steps.
template <class T>
void dropout_of_steps(const dropout_mask& mask, const T* x, T* y, index_t steps, index_t width, index_t begin,
                      index_t end) noexcept {
  detail::for_dropout_blocks<T>(mask, begin, end, [&](const auto& formula, const auto* random, index_t i, index_t n) {
    for (index_t done = 0; done < n;) {
      const index_t sample = (i + done) / width, column = (i + done) % width;
      const index_t together = width - column < n - done ? width - column : n - done;
      for (index_t t = 0; t < steps; ++t) {
        const index_t at = (sample * steps + t) * width + column;
        detail::drop(formula, random + done, x + at, y + at, together);
      }
      done += together;
    }
  });
}

template <class T>
void dropout_chunk<T>::run(const dropout_args<T>& d, index_t begin, index_t end) noexcept {
  const dropout_mask mask(d.rate, d.seed, d.state->step, d.stream);
  if (d.steps == 1) kernels::dropout(mask, d.x, d.y, begin, end);
  else kernels::dropout_of_steps(mask, d.x, d.y, d.steps, d.width, begin, end);
}

template <class T>
void add_arrays<T>::run(const T* first, index_t count, index_t step, T* sum, index_t n) noexcept {
  constexpr index_t lanes = simd::lanes<T>;
  const auto add = [&](index_t i, auto some) RIDGEPOINT_INLINE_LAMBDA {
    const T* from = first + i;
    simd::batch<T> total = some.load(from);
    for (index_t k = 1; k < count; ++k) total = total + some.load(from += step);
    some.store(sum + i, total);
  };
  index_t i = 0;
  for (; i + lanes <= n; i += lanes) add(i, all_lanes{});
  if (i < n) add(i, first_lanes{n - i});
}

namespace detail {
template <class T>
struct same_value {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch x) const noexcept { return {x}; }
};
template <class T>
struct no_value {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 1> operator()() const noexcept { return {batch(T(0))}; }
};
}  // namespace detail

/// dst(j) ← src(j). Rows of channels are short, a few registers, for which memcpy() would be a function call.
template <class T>
RIDGEPOINT_INLINE void copy(const T* src, T* dst, index_t size) noexcept {
  map<T, 1, 1>({src}, {dst}, size, detail::same_value<T>{});
}
/// dst(j) ← 0.
template <class T>
RIDGEPOINT_INLINE void clear(T* dst, index_t size) noexcept {
  map<T, 0, 1>({}, {dst}, size, detail::no_value<T>{});
}

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
