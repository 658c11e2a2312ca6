// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <iterator>
#include <string>
#include <string_view>

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// What a slot is for, which decides how long it lives and with whom it is shared.
enum class memory_region {
  batch,       // input, targets and the step's scalars
  parameters,  // shared by every plan of one network
  gradients,   // laid out like the parameters; or lists of rows
  moments,     // what the optimiser remembers
  arena        // activations and workspace, reused when dead
};
inline constexpr std::size_t region_count = 5;
[[nodiscard]] constexpr std::string_view to_string(memory_region where) noexcept {
  constexpr std::string_view names[] = {"batch", "parameters", "gradients", "moments", "arena"};
  static_assert(std::size(names) == region_count);
  return names[static_cast<std::size_t>(where)];
}

/// What a plan takes, known before anything is allocated, and what the calls of a program want beside it.
/// Prints as "13.4 MB: batch 403 kB, parameters 4.78 MB, arena 2.10 MB".
struct plan_memory {
  std::array<std::size_t, region_count> region_bytes{};
  std::size_t saved_bytes = 0;  // of the arena: what forward passes leave to the calls that learn from them
  std::size_t workspace_bytes = 0, constant_bytes = 0;  // of a program: shared by its calls; weights in another form
  std::size_t ahead_bytes = 0;                          // of a trainer: batches made, or sent, ahead; samples kept

  [[nodiscard]] std::size_t bytes(memory_region r) const noexcept { return region_bytes[static_cast<std::size_t>(r)]; }
  /// All of it.
  [[nodiscard]] std::size_t bytes() const noexcept {
    std::size_t sum = workspace_bytes + constant_bytes + ahead_bytes;
    for (const std::size_t each : region_bytes) sum += each;
    return sum;
  }
  /// What no order of the calls could do without: parameters, gradients, moments, and activations that are read again.
  [[nodiscard]] std::size_t kept_bytes() const noexcept {
    return bytes(memory_region::parameters) + bytes(memory_region::gradients) + bytes(memory_region::moments) +
           saved_bytes;
  }

  friend bool operator==(const plan_memory&, const plan_memory&) = default;
};

[[nodiscard]] std::string to_string(const plan_memory& m);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if !RIDGEPOINT_COMPILED
#include <ridgepoint/graph/plan_memory-inl.hpp>
#endif
