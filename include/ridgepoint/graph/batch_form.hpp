// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <ridgepoint/core/shape.hpp>
#include <ridgepoint/graph/host_values.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// What a network takes: inputs, their extents for one sample, and the targets of each loss.
struct batch_form {
  struct input {
    shape sample;
    element type = element::stored;  // numbers, or i32: ids
  };
  struct target {
    element type = element::i32;  // labels, or stored: numbers
    index_t each = 1;             // of a sample
    index_t classes = 0;          // a label is below
  };
  std::vector<input> inputs;
  std::vector<target> targets;  // by loss
  index_t batch = 1;

  /// Values of one sample, those of all inputs.
  [[nodiscard]] index_t sample_values() const {
    index_t sum = 0;
    for (const input& each : inputs) sum += each.sample.size();
    return sum;
  }
  /// "input is 28x28x1", "inputs are 2 and 3"
  [[nodiscard]] std::string inputs_text() const {
    std::string text = inputs.size() == 1 ? "input is " : "inputs are ";
    for (const input& each : inputs) text += concat(&each == inputs.data() ? "" : " and ", each.sample);
    return text;
  }
  /// Of one sample and its targets in memory, its numbers being of type T.
  template <std::floating_point T>
  [[nodiscard]] std::uint64_t sample_bytes() const {
    const auto bytes = [](element type) { return type == element::i32 ? sizeof(std::int32_t) : sizeof(T); };
    std::uint64_t sum = 0;
    for (const input& each : inputs) sum += static_cast<std::uint64_t>(each.sample.size()) * bytes(each.type);
    for (const target& each : targets) sum += static_cast<std::uint64_t>(each.each) * bytes(each.type);
    return sum;
  }
};

namespace detail {
/// Throws: shape_error unless there are values for each input and all hold `count` samples; value_error for ids where
/// numbers must be, and the other way round.
template <std::floating_point T>
void check_samples(std::span<const host_values<T>> x, std::span<const batch_form::input> inputs, index_t count) {
  require<shape_error>(x.size() == inputs.size(), "samples: for ", x.size(), " inputs; the network has ",
                       inputs.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i].check_suits(inputs[i].type, "samples: input ", i);
    const shape& sample = inputs[i].sample;
    require<shape_error>(x[i].size() == checked_mul(count, sample.size()), "samples: ", x[i].size(),
                         " values for input ", i, "; must be ", count * sample.size(), ", ", count, " samples of ",
                         sample);
  }
}
/// How many samples there are targets for.
/// Throws: shape_error unless there are targets for each loss, whole samples, and as many for all; value_error for
/// none, for ids where numbers must be, and the other way round.
template <std::floating_point T>
[[nodiscard]] index_t count_samples(std::span<const host_values<T>> y, std::span<const batch_form::target> targets) {
  require<shape_error>(y.size() == targets.size(), "samples: targets for ", y.size(), " losses; the network has ",
                       targets.size());
  const index_t count = y[0].size() / targets[0].each;
  for (std::size_t l = 0; l < y.size(); ++l) {
    y[l].check_suits(targets[l].type, "samples: the loss");
    const index_t each = targets[l].each;
    require<shape_error>(y[l].size() % each == 0, "samples: ", y[l].size(), " targets; must be a multiple of ", each,
                         ", those of a sample");
    require<shape_error>(y[l].size() / each == count, "samples: targets of loss ", l, " for ", y[l].size() / each,
                         " samples; must be for ", count, ", as those of loss 0");
  }
  require<value_error>(count > 0, "samples: no samples; must be some");
  return count;
}
}  // namespace detail

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
