// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include <ridgepoint/graph/checkpoint.hpp>
#include <ridgepoint/ops/rate_schedule.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace detail {

/// Throws: data_error unless training can resume from these numbers.
inline void check_progress(const checkpoint& c, std::string_view file) {
  require<data_error>(c.step <= checkpoint::most_steps, "checkpoint ", file, ": step is ", c.step,
                      "; must be <= ", checkpoint::most_steps);
  require<data_error>(std::isfinite(c.learning_rate) && c.learning_rate >= 0, "checkpoint ", file,
                      ": learning rate is ", c.learning_rate, "; must be finite and >= 0");
  require<data_error>(exactly(c.loss_scale, 0) || is_loss_scale(c.loss_scale), "checkpoint ", file, ": loss scale is ",
                      c.loss_scale, "; must be a power of two");
  require<data_error>(c.skipped_steps <= c.step, "checkpoint ", file, ": ", c.skipped_steps,
                      " steps were skipped; must be at most all ", c.step);
  require<data_error>(c.batch >= 1, "checkpoint ", file, ": batch is ", c.batch, "; must be >= 1");
}

/// Returns a metadata entry of the file, converted to a number if T is one.
/// Throws: data_error if it is missing or malformed.
template <class T>
[[nodiscard]] T metadata_value(const safetensors& s, std::string_view key, std::string_view file) {
  const auto found = std::find_if(s.metadata.begin(), s.metadata.end(), [&](const auto& e) { return e.first == key; });
  require<data_error>(found != s.metadata.end(), "checkpoint ", file, ": has no metadata \"", key,
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

RIDGEPOINT_DEFINITION safetensors to_safetensors(const checkpoint& c) {
  safetensors all{.tensors = c.tensors,
                  .metadata = {{"format", "ridgepoint"},
                               {"optimiser", c.optimiser},
                               {"step", number_text(c.step)},
                               {"learning_rate", number_text(c.learning_rate)},
                               {"batch", number_text(c.batch)},
                               {"seed", number_text(c.seed)}}};
  if (!exactly(c.loss_scale, 0)) {
    all.metadata.emplace_back("loss_scale", number_text(c.loss_scale));
    all.metadata.emplace_back("finite_steps", number_text(c.finite_steps));
  }
  if (c.skipped_steps != 0) all.metadata.emplace_back("skipped_steps", number_text(c.skipped_steps));
  return all;
}

RIDGEPOINT_DEFINITION checkpoint parse_checkpoint(std::string_view bytes, std::string_view file) {
  safetensors s = parse_safetensors(bytes, file);
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
  for (const safetensor& t : c.tensors)
    if (const element type = element_of_safetensors(t.dtype); is_number(type))
      detail::check_values(t, type, -HUGE_VAL, concat("checkpoint ", file));
  return c;
}

RIDGEPOINT_DEFINITION void write_checkpoint(const std::string& path, const checkpoint& c) {
  write_safetensors(path, to_safetensors(c));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
