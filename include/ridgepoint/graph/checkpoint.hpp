// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/safetensors.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The state of training, as it is kept in a file: safetensors, with parameters, moments and what layers carry by name
/// ("dense_1.w", "dense_1.m", "my_layer_1.carried"), and the texts optimiser, step, learning_rate, batch and seed;
/// where losses are scaled, loss_scale and finite_steps; where some were, skipped_steps.
struct checkpoint {
  static constexpr std::uint64_t most_steps = std::uint64_t{1} << 53;  // past any training, and exact as a double
  static constexpr std::uint64_t most_bytes = std::uint64_t{1} << 36;  // 64 GiB, where nothing else is known
  std::uint64_t step = 0;
  double learning_rate = 0;
  index_t batch = 1;  // with the seed: which samples the next step takes, and which values dropout keeps
  std::uint64_t seed = 0;
  double loss_scale = 0;                              // of the next step; 0: losses are not scaled
  std::uint32_t finite_steps = 0, skipped_steps = 0;  // see step_state
  std::string optimiser;
  std::vector<safetensor> tensors;
};

[[nodiscard]] safetensors to_safetensors(const checkpoint& c);

/// What is in the bytes of a file: safetensors, or a checkpoint of the form that older versions wrote.
/// Throws: data_error, naming the file, for anything else. Allocates as parse_safetensors().
[[nodiscard]] safetensors parse_tensors(std::string_view bytes, std::string_view file);
/// Throws: as parse_tensors(); data_error, too, where a text is missing or is no number that training can go on from,
/// or where a tensor holds NaN or infinity.
[[nodiscard]] checkpoint parse_checkpoint(std::string_view bytes, std::string_view file = "in memory");

/// The file appears whole or not at all: an interruption leaves the one before.
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
