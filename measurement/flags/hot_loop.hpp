// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <ridgepoint/roofline/format.hpp>

#include "floating_point.hpp"

namespace measurement {

/// Number of samples at each address.
using address_samples = std::map<std::uint64_t, std::uint64_t>;

/// Loop in which a benchmark spends most of its time: its size and its floating-point instructions.
struct hot_loop {
  std::uint64_t begin = 0, bytes = 0;          // the address of its first instruction
  std::size_t instructions = 0, floating = 0;  // all; with floating-point numbers
  std::size_t arithmetic = 0, fused = 0;       // + − × ÷ √ max min and FMA; FMA only
  std::size_t widest = 0;                      // arithmetic of vector_bits
  int vector_bits = 0;                         // of the widest arithmetic, or else of the rest; 0: scalar
  double share_of_samples = 0;                 // of the measured time

  [[nodiscard]] double fma_share() const { return share_of_arithmetic(fused); }
  [[nodiscard]] double widest_share() const { return share_of_arithmetic(widest); }
  /// Returns "256 b, 48 % FMA", "128 b in 33 %", "scalar" or "no floating point".
  [[nodiscard]] std::string text() const {
    if (floating == 0) return "no floating point";
    const auto percent = [](double share) { return ridgepoint::figures(100 * share, 2) + " %"; };
    std::string text = vector_bits == 0 ? "scalar" : ridgepoint::concat(vector_bits, " b");
    if (vector_bits > 0 && widest < arithmetic) text += " in " + percent(widest_share());
    return fused == 0 ? text : text + ", " + percent(fma_share()) + " FMA";
  }

 private:
  [[nodiscard]] double share_of_arithmetic(std::size_t some) const {
    return arithmetic == 0 ? 0 : static_cast<double>(some) / static_cast<double>(arithmetic);
  }
};

/// Code in which a benchmark with a set of flags spends its time: a loop, or why none was found: "in libm.so.6".
struct hot_code {
  std::optional<hot_loop> loop = {};
  std::string instead = {};

  /// Returns "-" if nothing is known.
  [[nodiscard]] std::string text() const { return loop ? loop->text() : instead.empty() ? "-" : instead; }
};

namespace detail {

/// Returns the number of samples in the first n instructions, for n from 0 on. A sample belongs to the last
/// instruction that begins before it.
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

/// Returns the index of the instruction at an address, or the size of the code.
inline std::size_t place_of(const std::vector<instruction>& code, std::uint64_t address) {
  const auto at = std::ranges::lower_bound(code, address, {}, &instruction::address);
  return at == code.end() || at->address != address ? code.size() : static_cast<std::size_t>(at - code.begin());
}

/// Returns the instructions from `head` to `jump` that are reachable from `head` within that range, in order. An
/// indirect jump may lead to any instruction after a jump or a return.
inline std::vector<std::size_t> reached(const std::vector<instruction>& code, std::size_t head, std::size_t jump) {
  std::vector<bool> seen(jump + 1 - head, false);
  std::vector<std::size_t> open;
  const auto visit = [&](std::size_t place) {
    if (place < head || place > jump || seen[place - head]) return;
    seen[place - head] = true;
    open.push_back(place);
  };
  visit(head);
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    if (code[at].falls_through()) visit(at + 1);
    if (const auto target = code[at].jump_target()) visit(place_of(code, *target));
    else if (code[at].mnemonic.starts_with("jmp"))
      for (std::size_t before = head; before < jump; ++before)
        if (!code[before].falls_through()) visit(before + 1);
  }
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (seen[i]) places.push_back(head + i);
  return places;
}

/// Returns the reachable instructions of the smallest range of a function that a backward jump closes to a loop and
/// that holds more than half of its samples; the full function if no range does.
inline std::vector<std::size_t> hottest_range(const std::vector<instruction>& code,
                                              const std::vector<std::uint64_t>& before) {
  struct range {
    std::uint64_t bytes = 0;
    std::size_t head = 0, jump = 0;
  };
  std::vector<range> ranges;
  for (std::size_t jump = 0; jump < code.size(); ++jump) {
    const std::optional<std::uint64_t> target = code[jump].jump_target();
    const std::size_t head = target ? place_of(code, *target) : code.size();
    if (head <= jump && 2 * (before[jump + 1] - before[head]) > before.back())
      ranges.push_back({.bytes = code[jump].address - code[head].address, .head = head, .jump = jump});
  }
  std::ranges::sort(ranges, {}, &range::bytes);
  for (const range& one : ranges)
    if (std::vector<std::size_t> body = reached(code, one.head, one.jump); body.back() == one.jump) return body;
  std::vector<std::size_t> whole(code.size());
  std::iota(whole.begin(), whole.end(), std::size_t{0});
  return whole;
}

}  // namespace detail

/// Returns the loop of a function that holds most of its samples: the smallest code that a backward jump closes and
/// that holds more than half of them. Without such a jump it is the full function, which is called from a loop.
///
/// `of_all`: number of samples of the program and its libraries together.
/// Returns nothing if no sample is in the function.
inline std::optional<hot_loop> hottest_loop(const std::vector<instruction>& function, const address_samples& samples,
                                            std::uint64_t of_all) {
  if (function.empty()) return std::nullopt;
  const std::vector<std::uint64_t> before = detail::samples_before(function, samples);
  if (before.back() == 0) return std::nullopt;
  const std::vector<std::size_t> body = detail::hottest_range(function, before);

  hot_loop found{.begin = function[body.front()].address, .instructions = body.size()};
  std::map<int, std::size_t> arithmetic, other;  // number of instructions of each width
  for (const std::size_t place : body) {
    found.bytes += function[place].bytes;
    const floating_use use = floating_use_of(function[place]);
    if (use.work == floating_work::none) continue;
    ++found.floating;
    found.fused += use.work == floating_work::fused ? 1 : 0;
    ++(use.work == floating_work::other ? other : arithmetic)[use.bits];
  }
  for (const auto& [bits, times] : arithmetic) {
    found.arithmetic += times;
    found.vector_bits = bits;
    found.widest = times;
  }
  if (arithmetic.empty() && !other.empty()) {
    found.vector_bits = other.rbegin()->first;
    if (found.vector_bits == 128 && other.contains(0))
      found.vector_bits = 0;  // a scalar is copied as a full 128-bit register
  }
  const std::uint64_t held = before[body.back() + 1] - before[body.front()];
  found.share_of_samples = static_cast<double>(held) / static_cast<double>(std::max(of_all, held));
  return found;
}

}  // namespace measurement
