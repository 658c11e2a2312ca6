// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::systolic {

/// What the hardware counters of TPU v1 report (Jouppi et al. 2017, Table 3), summed over the arrays of a core.
///
/// Every cycle of every array is exactly one of five: active + stall + shift + drain + idle = arrays · cycles.
/// MACs are counted where they happen: a processing element that holds an operand in a cycle does one, useful if both
/// operands belong to the product, unused if they pad a tile to the array's size.
struct array_counters {
  std::uint64_t cycles = 0;  // until the last array is done
  std::uint64_t active = 0;  // an operand row enters the array
  std::uint64_t stall = 0;   // nothing enters: the tile is not in the FIFO yet
  std::uint64_t shift = 0;   // nothing enters: a tile shifts in (or, output-stationary, results shift out)
  std::uint64_t drain = 0;   // the last row has entered, its results have not all left
  std::uint64_t idle = 0;    // this array is done, another one is not
  std::uint64_t useful_macs = 0;
  std::uint64_t unused_macs = 0;
  std::uint64_t tiles = 0;  // tiles (weight-, input-stationary) or folds (output-stationary) processed

  /// Useful MACs per processing element and cycle, 0 to 1.
  [[nodiscard]] constexpr double utilisation(std::uint64_t elements) const noexcept {
    const double mac_slots = static_cast<double>(cycles) * static_cast<double>(elements);
    return mac_slots > 0 ? static_cast<double>(useful_macs) / mac_slots : 0;
  }
  friend constexpr bool operator==(const array_counters&, const array_counters&) = default;
};

/// What two arrays that run at the same time count together; idle is left to who knows all arrays.
[[nodiscard]] constexpr array_counters side_by_side(const array_counters& a, const array_counters& b) noexcept {
  return {.cycles = a.cycles > b.cycles ? a.cycles : b.cycles,
          .active = a.active + b.active,
          .stall = a.stall + b.stall,
          .shift = a.shift + b.shift,
          .drain = a.drain + b.drain,
          .useful_macs = a.useful_macs + b.useful_macs,
          .unused_macs = a.unused_macs + b.unused_macs,
          .tiles = a.tiles + b.tiles};
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::systolic
