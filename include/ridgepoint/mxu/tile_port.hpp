// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::systolic {

/// Memory port and FIFO in front of an array: one tile arrives at a time, in `fetch` cycles; a fetch starts as soon as
/// a slot of the FIFO is free. The array takes tiles out in order.
class tile_port {
 public:
  tile_port(std::uint64_t fetch, std::uint64_t fifo_slots, std::uint64_t tiles)
      : fetch_(fetch), slots_(fifo_slots), left_(tiles) {}

  /// At the beginning of a cycle: the tile that has arrived is in the FIFO.
  void arrive(std::uint64_t cycle) noexcept {
    if (fetching_ && cycle == arrives_) fetching_ = false, ++held_;
  }
  [[nodiscard]] bool has_tile() const noexcept { return fetch_ == 0 || held_ > 0; }
  void take() noexcept {
    if (fetch_ != 0) --held_;
  }
  /// At the end of a cycle's decisions: starts the next fetch if the port and a slot are free.
  void fetch(std::uint64_t cycle) noexcept {
    if (fetch_ == 0 || fetching_ || left_ == 0 || held_ == slots_) return;
    fetching_ = true;
    arrives_ = cycle + fetch_;
    --left_;
  }
  [[nodiscard]] std::uint64_t held() const noexcept { return held_; }
  [[nodiscard]] bool fetching() const noexcept { return fetching_; }

 private:
  std::uint64_t fetch_, slots_, left_;
  std::uint64_t held_ = 0, arrives_ = 0;
  bool fetching_ = false;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::systolic
