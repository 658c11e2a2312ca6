// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <memory>

#include <ridgepoint/cuda/cuda.hpp>
#include <ridgepoint/graph/training_core.hpp>

/// A trainer without the initial values of its parameters.
using training_core = ridgepoint::detail::training_core<float, ridgepoint::cuda>;

/// A network and its training options, without a GPU.
struct trained_model {
  const ridgepoint::graph& net;
  const std::vector<ridgepoint::objective>& objectives;
  ridgepoint::any_optimiser optimiser;
  ridgepoint::compile_options options;

  [[nodiscard]] training_core on(const ridgepoint::cuda& gpu) const {
    return {net, gpu, objectives, optimiser, options, ridgepoint::library_ops<float, ridgepoint::cuda>()};
  }
};

/// Returns `count` zeros in memory that is never written.
inline ridgepoint::host_values<float> zeros(ridgepoint::element type, ridgepoint::index_t count) {
  constexpr std::size_t most = std::size_t{1} << 28;
  static const std::unique_ptr<void, void (*)(void*)> memory(std::calloc(most, sizeof(float)), std::free);
  const auto size = static_cast<std::size_t>(count);
  REQUIRE(size <= most);
  if (type == ridgepoint::element::i32) return std::span(static_cast<const std::int32_t*>(memory.get()), size);
  return std::span(static_cast<const float*>(memory.get()), size);
}
/// Runs a step on a batch of zeros.
inline void step(training_core& of) {
  const ridgepoint::batch_form& form = of.learning().form();
  of.feed([&](std::size_t i) { return zeros(form.inputs[i].type, form.batch * form.inputs[i].sample.size()); },
          [&](std::size_t l) { return zeros(form.targets[l].type, form.batch * form.targets[l].each); });
  static_cast<void>(of.learn({}));
}
