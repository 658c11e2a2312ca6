// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <ridgepoint/roofline/format.hpp>

#include "floating_point.hpp"

namespace measurement {

/// How often a program was found at each address.
using address_samples = std::map<std::uint64_t, std::uint64_t>;

/// The loop that a benchmark spends its time in: how large it is, and what its floating-point instructions are.
struct hot_loop {
  std::uint64_t begin = 0, bytes = 0;          // the address of its first instruction
  std::size_t instructions = 0, floating = 0;  // all; those with floating-point numbers
  std::size_t arithmetic = 0, fused = 0;       // of those: + − × ÷ √ max min and FMA; FMA
  int vector_bits = 0;                         // of the widest arithmetic, or else of the rest; 0: scalar
  double share_of_samples = 0;                 // of the time that was measured

  [[nodiscard]] double fma_share() const {
    return arithmetic == 0 ? 0 : static_cast<double>(fused) / static_cast<double>(arithmetic);
  }
  /// "256 b, 48 % FMA", "scalar", "no floating point".
  [[nodiscard]] std::string text() const {
    if (floating == 0) return "no floating point";
    const std::string width = vector_bits == 0 ? "scalar" : ridgepoint::concat(vector_bits, " b");
    return fused == 0 ? width : ridgepoint::concat(width, ", ", ridgepoint::figures(100 * fma_share(), 2), " % FMA");
  }
};

/// Where a benchmark with a set of flags spends its time: a loop, or why none was found: "in libm.so.6".
struct hot_code {
  std::optional<hot_loop> loop = {};
  std::string instead = {};

  /// "-" where nothing is known.
  [[nodiscard]] std::string text() const { return loop ? loop->text() : instead.empty() ? "-" : instead; }
};

namespace detail {

/// Samples of the first n instructions, for n from 0 on. Each belongs to the last instruction that begins before it.
inline std::vector<std::uint64_t> samples_before(const std::vector<instruction>& code, const address_samples& samples) {
  std::vector<std::uint64_t> before(code.size() + 1, 0);
  const std::uint64_t end = code.back().address + code.back().bytes;
  for (auto at = samples.lower_bound(code.front().address); at != samples.end() && at->first < end; ++at) {
    const auto after = std::ranges::upper_bound(code, at->first, {}, &instruction::address);
    before[static_cast<std::size_t>(after - code.begin())] += at->second;
  }
  for (std::size_t n = 1; n < before.size(); ++n) before[n] += before[n - 1];
  return before;
}

}  // namespace detail

/// The loop of a function that most samples of it lie in: the least code that a jump back closes and that holds more
/// than half of them. Without such a jump it is the whole function, which is called from a loop.
///
/// `of_all`: how many samples there are of the program and its libraries together.
/// Nothing if no sample lies in the function.
inline std::optional<hot_loop> hottest_loop(const std::vector<instruction>& function, const address_samples& samples,
                                            std::uint64_t of_all) {
  if (function.empty()) return std::nullopt;
  const std::vector<std::uint64_t> before = detail::samples_before(function, samples);
  if (before.back() == 0) return std::nullopt;
  std::size_t first = 0, last = function.size() - 1;
  const auto bytes = [&](std::size_t from, std::size_t to) {
    return function[to].address + function[to].bytes - function[from].address;
  };
  for (std::size_t jump = 0; jump < function.size(); ++jump) {
    const std::optional<std::uint64_t> target = function[jump].jump_target();
    if (!target || *target > function[jump].address) continue;
    const auto at = std::ranges::lower_bound(function, *target, {}, &instruction::address);
    if (at == function.end() || at->address != *target) continue;
    const auto head = static_cast<std::size_t>(at - function.begin());
    const bool holds_most = 2 * (before[jump + 1] - before[head]) > before.back();
    if (holds_most && bytes(head, jump) < bytes(first, last)) first = head, last = jump;
  }

  hot_loop found{.begin = function[first].address, .bytes = bytes(first, last), .instructions = last - first + 1};
  int reckoned_bits = 0, other_bits = 0;
  for (std::size_t i = first; i <= last; ++i) {
    const floating_use use = floating_use_of(function[i]);
    if (use.work == floating_work::none) continue;
    const bool reckons = use.work != floating_work::other;
    ++found.floating;
    found.arithmetic += reckons ? 1 : 0;
    found.fused += use.work == floating_work::fused ? 1 : 0;
    int& bits = reckons ? reckoned_bits : other_bits;
    bits = std::max(bits, use.bits);
  }
  found.vector_bits = found.arithmetic > 0 ? reckoned_bits : other_bits;
  const std::uint64_t held = before[last + 1] - before[first];
  found.share_of_samples = static_cast<double>(held) / static_cast<double>(std::max({of_all, held, std::uint64_t{1}}));
  return found;
}

}  // namespace measurement
