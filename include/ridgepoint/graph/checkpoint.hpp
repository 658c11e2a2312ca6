// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>

#include <ridgepoint/graph/safetensors.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The state of training, stored in a safetensors file: parameters, moments and carried layer states by name
/// ("dense_1.w", "dense_1.m", "my_layer_1.carried"), and the metadata optimiser, step, learning_rate, batch and seed;
/// with loss scaling, loss_scale and finite_steps; if steps were skipped, skipped_steps.
struct checkpoint {
  static constexpr std::uint64_t most_steps = std::uint64_t{1} << 53;  // beyond any training, and exact as a double
  static constexpr std::uint64_t most_bytes = std::uint64_t{1} << 36;  // 64 GiB, the default limit
  std::uint64_t step = 0;
  double learning_rate = 0;
  index_t batch = 1;  // with the seed, it determines the next step's samples and dropout masks
  std::uint64_t seed = 0;
  double loss_scale = 0;                              // of the next step; 0: no loss scaling
  std::uint32_t finite_steps = 0, skipped_steps = 0;  // see step_state
  std::string optimiser;
  std::vector<safetensor> tensors;
};

/// Returns the shortest text that reads back as the same number.
template <class T>
[[nodiscard]] std::string number_text(T value) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

[[nodiscard]] safetensors to_safetensors(const checkpoint& c);

/// Throws: as parse_safetensors(); data_error if a metadata entry is missing or is not a number to resume from, or if a
/// tensor holds NaN or infinity.
[[nodiscard]] checkpoint parse_checkpoint(std::string_view bytes, std::string_view file = "in memory");

/// Writes the file atomically: an interruption leaves the previous one.
/// Throws: data_error if it cannot be written.
void write_checkpoint(const std::string& path, const checkpoint& c);

/// Throws: data_error if the file cannot be read, is larger than `most_bytes`, or is not a checkpoint.
[[nodiscard]] inline checkpoint read_checkpoint(const std::string& path,
                                                std::uint64_t most_bytes = checkpoint::most_bytes) {
  return parse_checkpoint(detail::read_tensor_bytes(path, most_bytes), path);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if !RIDGEPOINT_COMPILED
#include <ridgepoint/graph/checkpoint-inl.hpp>
#endif
