// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

#include "disassembly.hpp"

namespace measurement {

/// Floating-point work of an instruction: none, other than arithmetic (moves, comparisons, conversions), arithmetic
/// (sums, products, quotients, roots and extrema), or fused product and sum.
enum class floating_work { none, other, arithmetic, fused };

struct floating_use {
  floating_work work = floating_work::none;
  int bits = 0;  // width of its vector registers; 0: scalar
};

namespace detail {

inline int widest_register(std::string_view operands) {
  constexpr std::pair<std::string_view, int> widths[] = {{"%zmm", 512}, {"%ymm", 256}, {"%xmm", 128}};
  for (const auto& [name, bits] : widths)
    if (operands.find(name) != std::string_view::npos) return bits;
  return 0;
}

template <std::size_t N>
bool begins_with_any(std::string_view text, const std::string_view (&of)[N]) {
  for (const std::string_view one : of)
    if (text.starts_with(one)) return true;
  return false;
}

template <std::size_t N>
bool is_any(std::string_view text, const std::string_view (&of)[N]) {
  return std::ranges::find(of, text) != std::end(of);
}

}  // namespace detail

/// Classifies x87, SSE, AVX, FMA and AVX-512 instructions by the mnemonic: a suffix ps, pd or ph means a vector, ss,
/// sd or sh one number.
inline floating_use floating_use_of(const instruction& i) {
  constexpr std::string_view x87[] = {"fadd", "fiadd", "fsub", "fisub", "fmul", "fimul", "fdiv", "fidiv", "fsqrt"};
  constexpr std::string_view sums[] = {"add", "sub",  "mul",  "div",    "sqrt",  "max",   "min",
                                       "dp",  "hadd", "hsub", "addsub", "fmulc", "fcmulc"};
  constexpr std::string_view fused[] = {"fmadd", "fmsub", "fnmadd", "fnmsub", "fcmadd", "dpbf16"};
  std::string_view name = i.mnemonic;
  if (name.starts_with('f')) {
    const bool is_machine = name.starts_with("fx") && name != "fxch";  // fxsave, fxrstor
    if (is_machine) return {};
    return {.work = detail::begins_with_any(name, x87) ? floating_work::arithmetic : floating_work::other};
  }
  if (name.starts_with('v')) name.remove_prefix(1);
  if (name.size() < 4 || name.starts_with('p')) return {};
  const std::string_view type = name.substr(name.size() - 2), verb = name.substr(0, name.size() - 2);
  if ((type[0] != 'p' && type[0] != 's') || (type[1] != 's' && type[1] != 'd' && type[1] != 'h')) return {};
  const bool takes_one = type[0] == 's' && !verb.starts_with("broadcast");
  floating_use use{.work = floating_work::other, .bits = takes_one ? 0 : detail::widest_register(i.operands)};
  if (detail::begins_with_any(verb, fused)) use.work = floating_work::fused;
  else if (detail::is_any(verb, sums)) use.work = floating_work::arithmetic;
  return use;
}

}  // namespace measurement
