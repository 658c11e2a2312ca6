// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Philox 4×32 with 10 rounds: four random words from a 128-bit counter and a 64-bit key.
///
/// Counter based: any element of the stream is computed independently, so a mask is the same for any number of threads
/// and can be recomputed in the backward pass instead of stored.
/// Source: Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011.
[[nodiscard]] constexpr std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                                                std::uint64_t key) noexcept {
  auto k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53} * counter[0], p1 = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(p1 >> 32) ^ counter[1] ^ k0, static_cast<std::uint32_t>(p1),
               static_cast<std::uint32_t>(p0 >> 32) ^ counter[3] ^ k1, static_cast<std::uint32_t>(p0)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return counter;
}

/// A sequential generator over Philox, for initial weights, shuffles and synthetic data. Models
/// std::uniform_random_bit_generator; a seed gives the same values on every platform.
class random_stream {
 public:
  using result_type = std::uint32_t;
  explicit constexpr random_stream(std::uint64_t seed, std::uint64_t stream = 0) noexcept
      : key_(seed), stream_(stream) {}
  static constexpr result_type(min)() noexcept { return 0; }
  static constexpr result_type(max)() noexcept { return 0xFFFFFFFF; }

  constexpr result_type operator()() noexcept {
    if (used_ == 4) {
      block_ = philox4x32({static_cast<std::uint32_t>(next_), static_cast<std::uint32_t>(next_ >> 32),
                           static_cast<std::uint32_t>(stream_), static_cast<std::uint32_t>(stream_ >> 32)},
                          key_);
      ++next_;
      used_ = 0;
    }
    return block_[static_cast<std::size_t>(used_++)];
  }
  /// Uniform in [0, 1), 24 bits: exact in float.
  constexpr double uniform() noexcept { return static_cast<double>((*this)() >> 8) * 0x1p-24; }
  /// Uniform in [low, high).
  constexpr double uniform(double low, double high) noexcept { return low + (high - low) * uniform(); }
  /// Uniform integer in [0, bound), bound > 0, by multiply-shift.
  constexpr std::uint32_t below(std::uint32_t bound) noexcept {
    return static_cast<std::uint32_t>((std::uint64_t{(*this)()} * bound) >> 32);
  }

 private:
  std::uint64_t key_, stream_, next_ = 0;
  std::array<std::uint32_t, 4> block_{};
  int used_ = 4;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
