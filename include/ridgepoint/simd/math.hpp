// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <limits>

#include <ridgepoint/simd/batch.hpp>

/// \file
/// Transcendental functions of registers, one source for every ISA. NaN stays NaN. tests/simd/math.cpp measures the
/// errors stated here, over all floats in its slow suite.
namespace ridgepoint::inline RIDGEPOINT_ABI::simd {

namespace detail {
/// Stored bits of the significand: 23 or 52.
template <class T>
inline constexpr int fraction_bits = std::numeric_limits<T>::digits - 1;
}  // namespace detail

/// Computes x·2^n for integral n by adding n to the exponent field: one addition, correct if x and the result are
/// normal.
template <class T>
RIDGEPOINT_INLINE batch<T> add_exponent(batch<T> x, batch<T> n) noexcept {
  // n + 1.5·2^fraction_bits has n in its lowest bits, in two's complement; the shift discards the rest.
  const T lift = T(1.5) * static_cast<T>(std::uint64_t{1} << detail::fraction_bits<T>);
  return from_bits<T>(to_bits<T>(x) + (to_bits<T>(n + batch<T>(lift)) << detail::fraction_bits<T>));
}

/// A number split into fraction and exponent: value = fraction·2^exponent with √½ ≤ fraction < √2.
template <class T>
struct scientific {
  batch<T> fraction, exponent;
};

/// Splits positive normal numbers.
template <class T>
RIDGEPOINT_INLINE scientific<T> split_exponent(batch<T> x) noexcept {
  using word = unsigned_like<T>;
  constexpr int bits = detail::fraction_bits<T>;
  constexpr word root_half = sizeof(T) == 8 ? static_cast<word>(0x3FE6A09E667F3BCDU) : word{0x3F3504F3U};
  constexpr word one = static_cast<word>(std::numeric_limits<T>::max_exponent - 1) << bits;
  constexpr word below = (word{1} << bits) - 1;
  constexpr T lift = static_cast<T>(std::uint64_t{1} << bits);  // lift + e has e in its lowest bits
  constexpr word lift_bits = static_cast<word>(std::numeric_limits<T>::max_exponent - 1 + bits) << bits;
  const auto shifted = to_bits<T>(x) + (one - root_half);
  const batch<T> biased = from_bits<T>((shifted >> bits) + lift_bits);
  return {.fraction = from_bits<T>((shifted & below) + root_half),
          .exponent = biased - batch<T>(lift + static_cast<T>(std::numeric_limits<T>::max_exponent - 1))};
}

namespace detail {
template <class T>
RIDGEPOINT_INLINE batch<T> horner(batch<T>, batch<T> sum) noexcept {
  return sum;
}
template <class T, class... Rest>
RIDGEPOINT_INLINE batch<T> horner(batch<T> x, batch<T> sum, double next, Rest... rest) noexcept {
  return horner<T>(x, simd::fma(sum, x, batch<T>(static_cast<T>(next))), rest...);
}
template <class T>
RIDGEPOINT_INLINE batch<T> by_pairs(batch<T>, batch<T>, batch<T> sum) noexcept {
  return sum;
}
template <class T, class... Rest>
RIDGEPOINT_INLINE batch<T> by_pairs(batch<T> x, batch<T> xx, batch<T> sum, double c0, double c1,
                                    Rest... rest) noexcept {
  const batch<T> pair = simd::fma(batch<T>(static_cast<T>(c0)), x, batch<T>(static_cast<T>(c1)));
  return by_pairs<T>(x, xx, simd::fma(sum, xx, pair), rest...);
}
}  // namespace detail

/// c0·x^n + c1·x^(n−1) + … + cn by Horner's rule, highest power first.
template <class T, class... Rest>
RIDGEPOINT_INLINE batch<T> polynomial(batch<T> x, double c0, Rest... rest) noexcept {
  return detail::horner<T>(x, batch<T>(static_cast<T>(c0)), rest...);
}

/// Evaluates with a given x², two coefficients a step (Estrin's scheme): as many operations, half as many in sequence.
template <class T, class... Rest>
RIDGEPOINT_INLINE batch<T> polynomial_by_pairs(batch<T> x, batch<T> xx, double c0, double c1, Rest... rest) noexcept {
  return detail::by_pairs<T>(x, xx, polynomial(x, c0, c1), rest...);
}

/// |x|.
template <class T>
RIDGEPOINT_INLINE batch<T> abs(batch<T> x) noexcept {
  return from_bits<T>(to_bits<T>(x) & (~unsigned_like<T>{0} >> 1));
}

/// Returns x ≥ 0 with the sign of s.
template <class T>
RIDGEPOINT_INLINE batch<T> copy_sign(batch<T> x, batch<T> s) noexcept {
  return from_bits<T>(to_bits<T>(x) | (to_bits<T>(s) & ~(~unsigned_like<T>{0} >> 1)));
}

namespace detail {

/// e^x = 2^n·(1 + f) with n integral and |f| ≤ √2 − 1.
template <class T>
struct exp_parts {
  batch<T> n, f;
};

/// x = n·ln 2 + r with |r| ≤ ln 2 / 2, ln 2 in two parts so that n·(high part) is exact; e^r − 1 by a polynomial
/// (float, after Cephes' expf; the low part of r is added after it, which saves a rounding) or Padé form (double, after
/// Cephes' exp).
template <class T>
RIDGEPOINT_INLINE exp_parts<T> split_exp(batch<T> x) noexcept {
  constexpr bool wide = sizeof(T) == 8;
  constexpr T log2_e = T(1.44269504088896340736);
  constexpr T ln2_high = wide ? T(6.93145751953125e-1) : T(0.693359375);
  constexpr T ln2_low = wide ? T(1.42860682030941723212e-6) : T(-2.12194440e-4);

  const batch<T> n = simd::round(x * batch<T>(log2_e));
  const batch<T> high = simd::fma(n, batch<T>(-ln2_high), x), low = n * batch<T>(-ln2_low), r = high + low, rr = r * r;
  if constexpr (wide) {
    const batch<T> p =
        r * polynomial(rr, 1.26177193074810590878e-4, 3.02994407707441961300e-2, 9.99999999999999999910e-1);
    const batch<T> q =
        polynomial(rr, 3.00198505138664455042e-6, 2.52448340349684104192e-3, 2.27265548208155028766e-1, 2.0);
    const batch<T> half = p / (q - p);
    return {.n = n, .f = half + half};
  } else {
    const batch<T> p = polynomial_by_pairs(r, rr, 1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2,
                                           1.6666665459e-1, 5.0000001201e-1);
    return {.n = n, .f = high + simd::fma(p, rr, low)};
  }
}

/// For smaller x, e^x is below the smallest normal number.
template <class T>
inline constexpr T exp_underflow = sizeof(T) == 8 ? T(-708.3) : T(-87.3);

}  // namespace detail

/// e^x. Results below the smallest normal number are flushed: 0 for x < −87.3 (float) or −708.3 (double).
/// Error: 0.9 ulp float; 1.9 ulp double as the sum of the roundings, 1.8 is the largest found.
template <class T>
RIDGEPOINT_INLINE batch<T> exp(batch<T> x) noexcept {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  constexpr T overflow = sizeof(T) == 8 ? T(709.78271289338397) : T(88.7228317);
  const auto [n, f] = detail::split_exp(x);
  batch<T> y = add_exponent(f + batch<T>(T(1)), n);
  y = simd::select(x >= batch<T>(detail::exp_underflow<T>), y, batch<T>(T(0)));
  return simd::select(x <= batch<T>(overflow), y, x + batch<T>(infinity));  // +∞ or NaN
}

/// 1 / (1 + e^−x). Results below the smallest normal number are flushed, as in exp().
///
/// Computes 1 + e^−x = (2^n·f + 1) + 2^n, with one rounding of e^−x fewer than adding 1 to it.
/// Error: 2.1 ulp float, 2.6 ulp double.
template <class T>
RIDGEPOINT_INLINE batch<T> sigmoid(batch<T> x) noexcept {
  const batch<T> one(T(1)), limit(-detail::exp_underflow<T>);
  const auto [n, f] = detail::split_exp((simd::max)((simd::min)(-x, limit), -limit));
  const batch<T> power = add_exponent(one, n), y = one / (simd::fma(power, f, one) + power);
  return simd::select(x < -limit, batch<T>(T(0)), y);
}

/// tanh x, at most 1 in magnitude. Float: x·P(x²)/Q(x²) of degree 13 over 6, its coefficients adjusted by some last
/// places to even out the rounding errors, constant beyond ±8.0873613: rounding takes the fraction above 1 from
/// 8.0873652 on. Double: Cephes' form x + x·x²·P(x²)/Q(x²) up to 0.625,
/// 1 − 2/(1 + e^2|x|) beyond.
/// Error: 4.72 ulp float (6.1 without FMA), 1.5 ulp double.
template <class T>
RIDGEPOINT_INLINE batch<T> tanh(batch<T> x) noexcept {
  if constexpr (sizeof(T) == 8) {
    const batch<T> size = simd::abs(x), xx = x * x, one(T(1));
    const batch<T> p = polynomial(xx, -9.64399179425052238628e-1, -9.92877231001918586564e1, -1.61468768441708447952e3);
    const batch<T> q =
        polynomial(xx, 1.0, 1.12811678491632931402e2, 2.23548839060100448583e3, 4.84406305325125486048e3);
    const batch<T> inner = simd::fma(size * xx, p / q, size),
                   outer = one - (one + one) / (one + simd::exp(size + size));
    return simd::copy_sign(simd::select(size < batch<T>(T(0.625)), inner, outer), x);
  } else {
    const batch<T> limit(T(8.08736134)), clamped = (simd::max)((simd::min)(x, limit), -limit), xx = clamped * clamped;
    const batch<T> p =
        polynomial(xx, -1.0276922e-13, 5.93325042e-11, -2.15191616e-08, 1.1462259e-05, 0.00313288253, 0.131097853);
    const batch<T> q = polynomial(xx, 0.000258855522, 0.0246099681, 0.464431256, 1.0);
    return simd::fma(clamped * xx, p, clamped) / q;
  }
}

/// erf x. Up to 1: x times Cephes' polynomial (float, after its erff) or fraction (double) in x²; beyond:
/// 1 − e^(−x²)·P/Q, the fraction of Cephes' erfc, until erfc is negligible.
/// Error: 2.6 ulp float, 2.9 ulp double.
template <class T>
RIDGEPOINT_INLINE batch<T> erf(batch<T> x) noexcept {
  constexpr bool wide = sizeof(T) == 8;
  const batch<T> size = simd::abs(x), xx = x * x, one(T(1)), outer = (simd::min)(size, batch<T>(wide ? T(6) : T(4)));
  batch<T> inner;
  if constexpr (wide)
    inner = x *
            polynomial(xx, 9.60497373987051638749e0, 9.00260197203842689217e1, 2.23200534594684319226e3,
                       7.00332514112805075473e3, 5.55923013010394962768e4) /
            polynomial(xx, 1.0, 3.35617141647503099647e1, 5.21357949780152679795e2, 4.59432382970980127987e3,
                       2.26290000613890934246e4, 4.92673942608635921086e4);
  else
    inner = x * polynomial(xx, 7.853861353153693e-5, -8.010193625184903e-4, 5.188327685732524e-3, -2.685381193529856e-2,
                           1.128358514861418e-1, -3.761262582423300e-1, 1.128379165726710e0);
  const batch<T> p = polynomial(outer, 2.46196981473530512524e-10, 5.64189564831068821977e-1, 7.46321056442269912687e0,
                                4.86371970985681366614e1, 1.96520832956077098242e2, 5.26445194995477358631e2,
                                9.34528527171957607540e2, 1.02755188689515710272e3, 5.57535335369399327526e2);
  const batch<T> q = polynomial(outer, 1.0, 1.32281951154744992508e1, 8.67072140885989742329e1,
                                3.54937778887819891062e2, 9.75708501743205489753e2, 1.82390916687909736289e3,
                                2.24633760818710981792e3, 1.65666309194161350182e3, 5.57535340817727675546e2);
  return simd::select(size < one, inner, simd::copy_sign(one - simd::exp(-(outer * outer)) * (p / q), x));
}

/// ln x; −∞ at 0, NaN below. Cephes' logf (polynomial) and log (rational) on fraction − 1.
/// Error: 0.9 ulp float, 1.0 ulp double.
template <class T>
RIDGEPOINT_INLINE batch<T> log(batch<T> x) noexcept {
  constexpr T smallest = (std::numeric_limits<T>::min)(), infinity = std::numeric_limits<T>::infinity();
  constexpr int up = detail::fraction_bits<T> + 1;
  const auto subnormal = x < batch<T>(smallest);
  const batch<T> normal = simd::select(subnormal, x * batch<T>(static_cast<T>(std::uint64_t{1} << up)), x);
  const auto [fraction, exponent] = split_exponent(normal);
  const batch<T> e = simd::select(subnormal, exponent - batch<T>(T(up)), exponent);
  const batch<T> f = fraction - batch<T>(T(1)), ff = f * f;
  batch<T> y = f * ff;
  if constexpr (sizeof(T) == 8) {
    const batch<T> p = polynomial(f, 1.01875663804580931796e-4, 4.97494994976747001425e-1, 4.70579119878881725854e0,
                                  1.44989225341610930846e1, 1.79368678507819816313e1, 7.70838733755885391666e0);
    const batch<T> q = polynomial(f, 1.0, 1.12873587189167450590e1, 4.52279145837532221105e1, 8.29875266912776603211e1,
                                  7.11544750618563894466e1, 2.31251620126765340583e1);
    y = y * (p / q);
  } else {
    y = y * polynomial(f, 7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
                       -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1);
  }
  y = simd::fma(e, batch<T>(T(-2.121944400546905827679e-4)), y);
  y = simd::fma(batch<T>(T(-0.5)), ff, y);
  y = simd::fma(e, batch<T>(T(0.693359375)), f + y);
  const batch<T> edge = simd::select(x < batch<T>(T(0)), batch<T>(std::numeric_limits<T>::quiet_NaN()),
                                     simd::select(x == batch<T>(T(0)), batch<T>(-infinity), x));
  return simd::select(x > batch<T>(T(0)), simd::select(x < batch<T>(infinity), y, x), edge);
}

/// ln(1 + x) for x ≥ 0, corrected for the rounding error of 1 + x. Error: 1.5 ulp.
template <class T>
RIDGEPOINT_INLINE batch<T> log1p(batch<T> x) noexcept {
  const batch<T> one(T(1)), u = one + x;
  return simd::log(u) + (x - (u - one)) / u;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::simd
