// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/simd/batch.hpp>
#include <ridgepoint/simd/next_line.hpp>

/// \file
/// The transforms of Winograd's F(4×4, 3×3) and of its gradient for the filter, F(3×3, 4×4):
///   y = Aᵀ[(G·w·Gᵀ) ⊙ (Bᵀ·x·B)]A         for tiles of 6×6 of x, 4×4 of y
///   dw = Cᵀ[(A·dy·Aᵀ) ⊙ (Bᵀ·x·B)]C       for the same tiles
/// They evaluate polynomials at 0, ±a, ±b, ∞ and interpolate. Values at ±p share their even and their odd part; that is
/// the form they are written in, `_pair` for what a point and its negative need.
///
/// With a = 5/8, b = 3/2 all entries of A and B are exact in float, and the RMS error is 1.8 times that of direct
/// summation in float from 64 channels on, 2.4 times at 16; with 1 and 2, the usual choice, it is about 4 times.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels::winograd {

inline constexpr int edge = 6, out_edge = 4, taps = 3, points = edge * edge;

template <class T>
struct constants {
  static constexpr T a = T(0.625), b = T(1.5), a2 = a * a, b2 = b * b, a3 = a2 * a, b3 = b2 * b;
  // 1 / ∏(p − other finite points), p = 0, ±a, ±b.
  static constexpr T at_0 = 1 / (a2 * b2), at_a = 1 / (2 * a2 * (a2 - b2)), at_b = 1 / (2 * b2 * (b2 - a2));
};

template <class T>
using pair = std::array<simd::batch<T>, 2>;

template <class T>
RIDGEPOINT_INLINE simd::batch<T> times(T constant, simd::batch<T> x) noexcept {
  return simd::batch<T>(constant) * x;
}
/// constant·x + y.
template <class T>
RIDGEPOINT_INLINE simd::batch<T> times_plus(T constant, simd::batch<T> x, simd::batch<T> y) noexcept {
  return simd::fma(simd::batch<T>(constant), x, y);
}

///      ⎡ a²b²   0   −a²−b²    0     1   0 ⎤  input_end(d0, d2, d4)
///      ⎢  0   −ab²   −b²      a     1   0 ⎥  input_pair(a, b², …)[0]
/// Bᵀ = ⎢  0    ab²   −b²     −a     1   0 ⎥  input_pair(a, b², …)[1]
///      ⎢  0   −a²b   −a²      b     1   0 ⎥  input_pair(b, a², …)[0]
///      ⎢  0    a²b   −a²     −b     1   0 ⎥  input_pair(b, a², …)[1]
///      ⎣  0    a²b²   0    −a²−b²   0   1 ⎦  input_end(d1, d3, d5)
/// Work: 24 FLOP.
template <class T>
RIDGEPOINT_INLINE simd::batch<T> input_end(simd::batch<T> d0, simd::batch<T> d2, simd::batch<T> d4) noexcept {
  using k = constants<T>;
  return times_plus<T>(k::a2 * k::b2, d0, times_plus<T>(-(k::a2 + k::b2), d2, d4));
}
template <class T>
RIDGEPOINT_INLINE pair<T> input_pair(T point, T other2, simd::batch<T> d1, simd::batch<T> d2, simd::batch<T> d3,
                                     simd::batch<T> d4) noexcept {
  const simd::batch<T> even = times_plus<T>(-other2, d2, d4), odd = times_plus<T>(-other2, d1, d3);
  return {times_plus<T>(point, odd, even), times_plus<T>(-point, odd, even)};
}
template <class T>
RIDGEPOINT_INLINE void input_line(const simd::batch<T> (&d)[6], simd::batch<T> (&v)[6]) noexcept {
  using k = constants<T>;
  const pair<T> at_a = input_pair<T>(k::a, k::b2, d[1], d[2], d[3], d[4]),
                at_b = input_pair<T>(k::b, k::a2, d[1], d[2], d[3], d[4]);
  v[0] = input_end<T>(d[0], d[2], d[4]), v[5] = input_end<T>(d[1], d[3], d[5]);
  v[1] = at_a[0], v[2] = at_a[1], v[3] = at_b[0], v[4] = at_b[1];
}

///      ⎡ 1   1    1    1    1   0 ⎤
/// Aᵀ = ⎢ 0   a   −a    b   −b   0 ⎥  rows 0 and 2: output_even; rows 1 and 3: output_odd. Work: 16 FLOP.
///      ⎢ 0   a²   a²   b²   b²  0 ⎥
///      ⎣ 0   a³  −a³   b³  −b³  1 ⎦
template <class T>
RIDGEPOINT_INLINE pair<T> output_even(simd::batch<T> m0, simd::batch<T> m1, simd::batch<T> m2, simd::batch<T> m3,
                                      simd::batch<T> m4) noexcept {
  using k = constants<T>;
  const simd::batch<T> at_a = m1 + m2, at_b = m3 + m4;
  return {m0 + (at_a + at_b), times_plus<T>(k::b2, at_b, times<T>(k::a2, at_a))};
}
template <class T>
RIDGEPOINT_INLINE pair<T> output_odd(simd::batch<T> m1, simd::batch<T> m2, simd::batch<T> m3, simd::batch<T> m4,
                                     simd::batch<T> m5) noexcept {
  using k = constants<T>;
  const simd::batch<T> at_a = m1 - m2, at_b = m3 - m4;
  return {times_plus<T>(k::b, at_b, times<T>(k::a, at_a)), times_plus<T>(k::b3, at_b, times_plus<T>(k::a3, at_a, m5))};
}

/// A·y, the transpose of Aᵀ. Work: 14 FLOP.
template <class T>
RIDGEPOINT_INLINE pair<T> gradient_pair(T point, simd::batch<T> y0, simd::batch<T> y1, simd::batch<T> y2,
                                        simd::batch<T> y3) noexcept {
  const T square = point * point;
  const simd::batch<T> even = times_plus<T>(square, y2, y0), odd = times<T>(point, times_plus<T>(square, y3, y1));
  return {even + odd, even - odd};
}

///     ⎡ g₀    0     0   ⎤
///     ⎢ gₐ   gₐa   gₐa² ⎥
/// G = ⎢ gₐ  −gₐa   gₐa² ⎥  with g the reciprocals of the products of distances. Work: 13 FLOP.
///     ⎢ g_b  g_b·b g_b·b²⎥
///     ⎢ g_b −g_b·b g_b·b²⎥
///     ⎣ 0     0     1   ⎦
template <class T>
RIDGEPOINT_INLINE pair<T> filter_pair(T point, T scale, simd::batch<T> w0, simd::batch<T> w1,
                                      simd::batch<T> w2) noexcept {
  const simd::batch<T> even = times_plus<T>(scale * point * point, w2, times<T>(scale, w0)),
                       odd = times<T>(scale * point, w1);
  return {even + odd, even - odd};
}
template <class T>
RIDGEPOINT_INLINE void filter_line(simd::batch<T> w0, simd::batch<T> w1, simd::batch<T> w2,
                                   simd::batch<T> (&u)[6]) noexcept {
  using k = constants<T>;
  const pair<T> at_a = filter_pair<T>(k::a, k::at_a, w0, w1, w2), at_b = filter_pair<T>(k::b, k::at_b, w0, w1, w2);
  u[0] = times<T>(k::at_0, w0), u[5] = w2;
  u[1] = at_a[0], u[2] = at_a[1], u[3] = at_b[0], u[4] = at_b[1];
}

///      ⎡ g₀  gₐ    gₐ    g_b    g_b    0 ⎤
/// Cᵀ = ⎢ 0   gₐa  −gₐa   g_b·b −g_b·b  0 ⎥, Gᵀ. Work: 16 FLOP.
///      ⎣ 0   gₐa²  gₐa²  g_b·b² g_b·b² 1 ⎦
template <class T>
RIDGEPOINT_INLINE void weights_line(const simd::batch<T> (&m)[6], simd::batch<T> (&w)[3]) noexcept {
  using k = constants<T>;
  const simd::batch<T> even_a = m[1] + m[2], odd_a = m[1] - m[2], even_b = m[3] + m[4], odd_b = m[3] - m[4];
  w[0] = times_plus<T>(k::at_0, m[0], times_plus<T>(k::at_a, even_a, times<T>(k::at_b, even_b)));
  w[1] = times_plus<T>(k::at_b * k::b, odd_b, times<T>(k::at_a * k::a, odd_a));
  w[2] = times_plus<T>(k::at_b * k::b2, even_b, times_plus<T>(k::at_a * k::a2, even_a, m[5]));
}

/// A grid of registers in memory: (i, j) at row[i] + j·step. Read column by column, the offset computed when it is
/// needed: GCC 12 would compute the addresses of all registers beforehand, and spill them.
template <class T, int Rows>
struct grid {
  const T* row[Rows];
  index_t step;

  /// Rows `row_step` apart.
  [[nodiscard]] static RIDGEPOINT_INLINE grid of(const T* first, index_t row_step, index_t step) noexcept {
    grid g{{}, step};
    RIDGEPOINT_UNROLL
    for (int i = 0; i < Rows; ++i) g.row[i] = first + i * row_step;
    return g;
  }
  [[nodiscard]] RIDGEPOINT_INLINE simd::batch<T> load(int i, index_t at) const noexcept {
    return simd::load(row[i] + at);
  }
  [[nodiscard]] RIDGEPOINT_INLINE index_t next(index_t at) const noexcept {
    at += step;
    asm("" : "+r"(at));
    return at;
  }
};

/// Registers to memory, one after the other at `step`.
template <class T>
struct writer {
  T* to;
  index_t step;
  RIDGEPOINT_INLINE void operator()(simd::batch<T> x) noexcept {
    simd::store(to, x);
    to = simd::next_line(to, step);
  }
};

/// The same with the first `count` lanes.
template <class T>
struct partial_writer {
  T* to;
  index_t step, count;
  RIDGEPOINT_INLINE void operator()(simd::batch<T> x) noexcept {
    simd::store_partial(to, x, count);
    to = simd::next_line(to, step);
  }
};

/// Bᵀ·x·B of one register of channels, at `at` of x, row by row to `put`.
///
/// A row at a time, rows of ±p together: 84 loads, but no more than 12 intermediate values, where both passes over all
/// 36 would not fit 16 registers. Work: 288 FLOP a channel.
template <class T, class Put>
RIDGEPOINT_INLINE void input_tile(const grid<T, edge>& x, index_t at, Put put) noexcept {
  using vec = simd::batch<T>;
  using k = constants<T>;
  const auto line = [&](const vec(&t)[edge]) RIDGEPOINT_INLINE_LAMBDA {
    vec v[edge];
    input_line<T>(t, v);
    RIDGEPOINT_UNROLL
    for (int j = 0; j < edge; ++j) put(v[j]);
  };
  const auto end = [&](int first) RIDGEPOINT_INLINE_LAMBDA {
    vec t[edge];
    index_t from = at;
    RIDGEPOINT_UNROLL
    for (int j = 0; j < edge; ++j, from = x.next(from))
      t[j] = input_end<T>(x.load(first, from), x.load(first + 2, from), x.load(first + 4, from));
    line(t);
  };
  const auto both = [&](T point, T other2) RIDGEPOINT_INLINE_LAMBDA {
    vec t[edge], u[edge];
    index_t from = at;
    RIDGEPOINT_UNROLL
    for (int j = 0; j < edge; ++j, from = x.next(from)) {
      const pair<T> p =
          input_pair<T>(point, other2, x.load(1, from), x.load(2, from), x.load(3, from), x.load(4, from));
      t[j] = p[0], u[j] = p[1];
    }
    line(t);
    line(u);
  };
  end(0);
  both(k::a, k::b2);
  both(k::b, k::a2);
  end(1);
}

/// put(i, y) with row i of Aᵀ·m·A, i < rows. Work: 160 FLOP a channel.
template <class T, class Put>
RIDGEPOINT_INLINE void output_tile(const grid<T, edge>& m, index_t at, index_t rows, const Put& put) noexcept {
  using vec = simd::batch<T>;
  const auto line = [&](int i, const vec(&t)[edge]) RIDGEPOINT_INLINE_LAMBDA {
    if (i >= rows) return;
    const pair<T> even = output_even<T>(t[0], t[1], t[2], t[3], t[4]),
                  odd = output_odd<T>(t[1], t[2], t[3], t[4], t[5]);
    const vec y[out_edge] = {even[0], odd[0], even[1], odd[1]};
    put(i, y);
  };
  vec t[edge], u[edge];
  index_t from = at;
  RIDGEPOINT_UNROLL
  for (int j = 0; j < edge; ++j, from = m.next(from)) {
    const pair<T> p =
        output_even<T>(m.load(0, from), m.load(1, from), m.load(2, from), m.load(3, from), m.load(4, from));
    t[j] = p[0], u[j] = p[1];
  }
  line(0, t);
  line(2, u);
  if (rows < 2) return;
  from = at;
  RIDGEPOINT_UNROLL
  for (int j = 0; j < edge; ++j, from = m.next(from)) {
    const pair<T> p =
        output_odd<T>(m.load(1, from), m.load(2, from), m.load(3, from), m.load(4, from), m.load(5, from));
    t[j] = p[0], u[j] = p[1];
  }
  line(1, t);
  line(3, u);
}

/// A·dy·Aᵀ, row by row. Work: 140 FLOP a channel.
template <class T, class Put>
RIDGEPOINT_INLINE void gradient_tile(const grid<T, out_edge>& dy, index_t at, Put put) noexcept {
  using vec = simd::batch<T>;
  using k = constants<T>;
  const auto line = [&](const vec(&t)[out_edge]) RIDGEPOINT_INLINE_LAMBDA {
    const pair<T> at_a = gradient_pair<T>(k::a, t[0], t[1], t[2], t[3]),
                  at_b = gradient_pair<T>(k::b, t[0], t[1], t[2], t[3]);
    put(t[0]), put(at_a[0]), put(at_a[1]), put(at_b[0]), put(at_b[1]), put(t[3]);
  };
  const auto end = [&](int row) RIDGEPOINT_INLINE_LAMBDA {
    vec t[out_edge];
    index_t from = at;
    RIDGEPOINT_UNROLL
    for (int j = 0; j < out_edge; ++j, from = dy.next(from)) t[j] = dy.load(row, from);
    line(t);
  };
  const auto both = [&](T point) RIDGEPOINT_INLINE_LAMBDA {
    vec t[out_edge], u[out_edge];
    index_t from = at;
    RIDGEPOINT_UNROLL
    for (int j = 0; j < out_edge; ++j, from = dy.next(from)) {
      const pair<T> p = gradient_pair<T>(point, dy.load(0, from), dy.load(1, from), dy.load(2, from), dy.load(3, from));
      t[j] = p[0], u[j] = p[1];
    }
    line(t);
    line(u);
  };
  end(0);
  both(k::a);
  both(k::b);
  end(3);
}

/// G·w·Gᵀ, row by row. Work: 117 FLOP a line and column of the filter.
template <class T, class Put>
RIDGEPOINT_INLINE void filter_tile(const grid<T, taps>& w, index_t at, Put put) noexcept {
  using vec = simd::batch<T>;
  vec t[taps][edge];
  RIDGEPOINT_UNROLL
  for (int j = 0; j < taps; ++j, at = w.next(at)) filter_line<T>(w.load(0, at), w.load(1, at), w.load(2, at), t[j]);
  RIDGEPOINT_UNROLL
  for (int i = 0; i < edge; ++i) {
    vec u[edge];
    filter_line<T>(t[0][i], t[1][i], t[2][i], u);
    RIDGEPOINT_UNROLL
    for (int j = 0; j < edge; ++j) put(u[j]);
  }
}

/// Cᵀ·m·C, row by row. Work: 144 FLOP a line and column of the filter.
template <class T, class Put>
RIDGEPOINT_INLINE void weights_tile(const grid<T, edge>& m, index_t at, Put put) noexcept {
  using vec = simd::batch<T>;
  vec t[taps][edge];
  RIDGEPOINT_UNROLL
  for (int j = 0; j < edge; ++j, at = m.next(at)) {
    const vec column[edge] = {m.load(0, at), m.load(1, at), m.load(2, at), m.load(3, at), m.load(4, at), m.load(5, at)};
    vec w[taps];
    weights_line<T>(column, w);
    RIDGEPOINT_UNROLL
    for (int i = 0; i < taps; ++i) t[i][j] = w[i];
  }
  RIDGEPOINT_UNROLL
  for (int i = 0; i < taps; ++i) {
    vec w[taps];
    weights_line<T>(t[i], w);
    RIDGEPOINT_UNROLL
    for (int j = 0; j < taps; ++j) put(w[j]);
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels::winograd
