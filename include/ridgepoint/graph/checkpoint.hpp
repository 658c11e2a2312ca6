// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <cmath>
#include <system_error>

#include <ridgepoint/graph/safetensors.hpp>
#include <ridgepoint/ops/loss_scaling.hpp>
#if RIDGEPOINT_DEFINES
#include <ridgepoint/graph/old_checkpoint.hpp>
#endif

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

namespace detail {

/// Throws: data_error unless the numbers are some that training can go on from.
void check_progress(const checkpoint& c, std::string_view file);
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION void check_progress(const checkpoint& c, std::string_view file) {
  require<data_error>(c.step <= checkpoint::most_steps, "checkpoint ", file, ": step is ", c.step,
                      "; must be <= ", checkpoint::most_steps);
  require<data_error>(std::isfinite(c.learning_rate) && c.learning_rate >= 0, "checkpoint ", file,
                      ": learning rate is ", c.learning_rate, "; must be finite and >= 0");
  require<data_error>(c.loss_scale == 0 || is_loss_scale(c.loss_scale), "checkpoint ", file, ": loss scale is ",
                      c.loss_scale, "; must be a power of two");
  require<data_error>(c.skipped_steps <= c.step, "checkpoint ", file, ": ", c.skipped_steps,
                      " steps were skipped; must be at most all ", c.step);
  require<data_error>(c.batch >= 1, "checkpoint ", file, ": batch is ", c.batch, "; must be >= 1");
}
#endif

/// A text of the file, as a number where a number is asked for.
/// Throws: data_error if there is none, or it is something else.
template <class T>
[[nodiscard]] T metadata_value(const safetensors& s, std::string_view key, std::string_view file) {
  const auto found = std::find_if(s.metadata.begin(), s.metadata.end(), [&](const auto& e) { return e.first == key; });
  require<data_error>(found != s.metadata.end(), "checkpoint ", file, ": has no text \"", key,
                      "\"; must be one that training wrote");
  const std::string& text = found->second;
  if constexpr (std::same_as<T, std::string>) {
    return text;
  } else {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    require<data_error>(error == std::errc() && end == text.data() + text.size(), "checkpoint ", file, ": ", key,
                        " is \"", text, "\"; must be a number");
    return value;
  }
}

}  // namespace detail

[[nodiscard]] safetensors to_safetensors(const checkpoint& c);
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION safetensors to_safetensors(const checkpoint& c) {
  safetensors all{.tensors = c.tensors,
                  .metadata = {{"format", "ridgepoint"},
                               {"optimiser", c.optimiser},
                               {"step", number_text(c.step)},
                               {"learning_rate", number_text(c.learning_rate)},
                               {"batch", number_text(c.batch)},
                               {"seed", number_text(c.seed)}}};
  if (c.loss_scale != 0) {
    all.metadata.emplace_back("loss_scale", number_text(c.loss_scale));
    all.metadata.emplace_back("finite_steps", number_text(c.finite_steps));
  }
  if (c.skipped_steps != 0) all.metadata.emplace_back("skipped_steps", number_text(c.skipped_steps));
  return all;
}
#endif

/// What is in the bytes of a file: safetensors, or a checkpoint of the form that older versions wrote.
/// Throws: data_error, naming the file, for anything else. Allocates as parse_safetensors().
[[nodiscard]] safetensors parse_tensors(std::string_view bytes, std::string_view file);
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION safetensors parse_tensors(std::string_view bytes, std::string_view file) {
  return detail::is_old_checkpoint(bytes) ? parse_old_checkpoint(bytes, file) : parse_safetensors(bytes, file);
}
#endif
/// Throws: as parse_tensors(); data_error, too, where a text is missing or is no number that training can go on from.
[[nodiscard]] checkpoint parse_checkpoint(std::string_view bytes, std::string_view file = "in memory");
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION checkpoint parse_checkpoint(std::string_view bytes, std::string_view file) {
  safetensors s = parse_tensors(bytes, file);
  checkpoint c{.step = detail::metadata_value<std::uint64_t>(s, "step", file),
               .learning_rate = detail::metadata_value<double>(s, "learning_rate", file),
               .batch = detail::metadata_value<index_t>(s, "batch", file),
               .seed = detail::metadata_value<std::uint64_t>(s, "seed", file),
               .optimiser = detail::metadata_value<std::string>(s, "optimiser", file),
               .tensors = std::move(s.tensors)};
  const auto has = [&](std::string_view key) {
    return std::any_of(s.metadata.begin(), s.metadata.end(), [&](const auto& e) { return e.first == key; });
  };
  if (has("loss_scale")) {
    c.loss_scale = detail::metadata_value<double>(s, "loss_scale", file);
    c.finite_steps = detail::metadata_value<std::uint32_t>(s, "finite_steps", file);
  }
  if (has("skipped_steps")) c.skipped_steps = detail::metadata_value<std::uint32_t>(s, "skipped_steps", file);
  detail::check_progress(c, file);
  return c;
}
#endif

/// The file appears whole or not at all: an interruption leaves the one before.
/// Throws: data_error if it can not be written.
void write_checkpoint(const std::string& path, const checkpoint& c);
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION void write_checkpoint(const std::string& path, const checkpoint& c) {
  write_safetensors(path, to_safetensors(c));
}
#endif

/// Throws: data_error if the file can not be read, is larger than `most_bytes`, or is not a checkpoint.
[[nodiscard]] inline checkpoint read_checkpoint(const std::string& path,
                                                std::uint64_t most_bytes = checkpoint::most_bytes) {
  return parse_checkpoint(read_file(path, most_bytes), path);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
