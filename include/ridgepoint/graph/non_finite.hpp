// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <ridgepoint/graph/network.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// What is the first to hold NaN or infinity on the way to a loss: an input or a target, a parameter that the forward
/// pass only reads, or what an op makes of finite values. Runs the forward pass once more, call by call.
///
/// `rows`: where in its data set each sample of the batch is, if it is from one.
/// Example: "input_1 holds nan in row 371 of the data set", "dense_2.w holds inf", "dense_2 forward 128x10 gives -inf"
template <std::floating_point T, backend Backend>
[[nodiscard]] std::string first_non_finite(const network<T, Backend>& of, std::span<const index_t> rows = {}) {
  const plan& steps = of.program().plan();
  const std::size_t calls = steps.forward_calls();
  std::vector<bool> written(steps.planned_slots.size());
  for (std::size_t c = 0; c < calls; ++c)
    for (const slot s : steps.calls[c].writes) written[static_cast<std::size_t>(s.index)] = true;

  std::string found;
  const auto search = [&](slot s, const auto& describe) {
    if (!is_number(steps[s].type)) return false;
    std::vector<T> values(steps[s].bytes / bytes_of(steps[s].type));
    of.get(s, values);
    const auto bad = std::find_if_not(values.begin(), values.end(), [](T value) { return std::isfinite(value); });
    if (bad == values.end()) return false;
    const auto per_sample = std::max<index_t>(static_cast<index_t>(values.size()) / of.made().batch, 1);
    found = describe(*bad, static_cast<std::size_t>((bad - values.begin()) / per_sample));
    return true;
  };
  const auto search_samples = [&](slot s) {
    return search(s, [&](T bad, std::size_t sample) {
      const std::string where =
          rows.empty() ? concat("sample ", sample, " of the batch") : concat("row ", rows[sample], " of the data set");
      return concat(steps[s].name, " holds ", bad, " in ", where);
    });
  };

  for (const slot input : of.made().inputs)
    if (search_samples(input)) return found;
  for (const planned_loss& loss : of.made().losses)
    if (search_samples(loss.targets)) return found;
  for (const planned_parameter& p : of.made().parameters)
    if (!written[static_cast<std::size_t>(p.values.index)] &&
        search(p.values, [&](T bad, std::size_t) { return concat(p.name, " holds ", bad); }))
      return found;
  for (std::size_t c = 0; c < calls; ++c) {
    const planned_call& call = steps.calls[c];
    of.program().run(c);
    for (const slot s : call.writes)
      if (search(s, [&](T bad, std::size_t) {
            return concat(call.info.layer, ' ', call.info.pass, ' ', call.info.shape, " gives ", bad);
          }))
        return found;
  }
  return "the loss is the first that is not finite";
}

/// A tensor that holds NaN or infinity, "rnn_1.wh holds nan"; empty if there is none.
[[nodiscard]] inline std::string non_finite_tensor(const std::vector<safetensor>& tensors) {
  for (const safetensor& held : tensors) {
    std::vector<double> values(static_cast<std::size_t>(held.extents.size()));
    convert_elements(values.data(), element::f64, held.values.data(), element_of_safetensors(held.dtype),
                     held.extents.size());
    const auto bad = std::find_if_not(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
    if (bad != values.end()) return concat(held.name, " holds ", *bad);
  }
  return "";
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
