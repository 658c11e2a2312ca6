// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <memory>

#include <ridgepoint/cuda/cuda.hpp>
#include <ridgepoint/graph/learner.hpp>

/// What a trainer is but for the values that its parameters begin with.
using learner = ridgepoint::detail::learner<float, ridgepoint::cuda>;

/// A network as it is trained, without what it needs of a GPU.
struct trained_model {
  const ridgepoint::graph& net;
  const std::vector<ridgepoint::objective>& objectives;
  ridgepoint::any_optimiser optimiser;
  ridgepoint::compile_options options;

  [[nodiscard]] learner on(const ridgepoint::cuda& gpu) const {
    return {net, gpu, objectives, optimiser, options, ridgepoint::library_ops<float, ridgepoint::cuda>()};
  }
};

/// So many zeros, which nobody has written.
inline ridgepoint::host_values<float> zeros(ridgepoint::element type, ridgepoint::index_t count) {
  constexpr std::size_t most = std::size_t{1} << 28;
  static const std::unique_ptr<void, void (*)(void*)> memory(std::calloc(most, sizeof(float)), std::free);
  const auto size = static_cast<std::size_t>(count);
  REQUIRE(size <= most);
  if (type == ridgepoint::element::i32) return std::span(static_cast<const std::int32_t*>(memory.get()), size);
  return std::span(static_cast<const float*>(memory.get()), size);
}
/// A step on a batch of zeros.
inline void step(learner& of) {
  const ridgepoint::batch_form& form = of.learning().form();
  of.feed([&](std::size_t i) { return zeros(form.inputs[i].type, form.batch * form.inputs[i].sample.size()); },
          [&](std::size_t l) { return zeros(form.targets[l].type, form.batch * form.targets[l].each); });
  static_cast<void>(of.learn({}));
}
