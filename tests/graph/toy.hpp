// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/trainer.hpp>

/// Small data sets, networks and trainers.
namespace toy {

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

/// Noisy points around one corner per class: easy to learn, every sample a function of its index only.
struct corners : rp::dataset {
  rp::index_t samples = 300, features = 6;
  int kinds = 3;
  corners() = default;
  explicit corners(rp::index_t n) : samples(n) {}

  [[nodiscard]] rp::index_t size() const override { return samples; }
  [[nodiscard]] rp::shape sample_shape() const override { return {features}; }
  [[nodiscard]] int classes() const override { return kinds; }
  void gather(std::span<const rp::index_t> rows, float* x, std::int32_t* labels) const override {
    for (const rp::index_t row : rows) {
      rp::random_stream random(99, static_cast<std::uint64_t>(row));
      const auto label = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(kinds)));
      for (rp::index_t i = 0; i < features; ++i)
        *x++ = static_cast<float>(random.uniform(-1, 1)) + (i % kinds == label ? 1.0F : 0.0F);
      *labels++ = label;
    }
  }
};

/// 6 → 16 relu, dropout → 3: the building blocks of the study's networks.
inline rp::node mlp(rp::graph& net) {
  return net.input({6}) | nn::dense{.units = 16} | nn::relu{} | nn::dropout{.rate = 0.25F} | nn::dense{.units = 3};
}

/// y ← x + the sum of all previous batches: a layer with carried state.
struct running_sum {
  static constexpr std::string_view name = "running_sum";
  [[nodiscard]] rp::shape output(const rp::shape& in) const { return in; }
  void forward(rp::lowering& to) const {
    const rp::index_t size = to.output_shape().size();
    const rp::slot x = to.input(), y = to.output(), sum = to.carried(0, size);
    to.add_call({}, [=](const rp::addresses& at) {
      return rp::add_args<rp::stored>{.size = size, .a = at(x), .b = at(sum), .y = at(y)};
    });
    to.add_call({}, [=](const rp::addresses& at) {
      return rp::activate_args<rp::stored>{.f = rp::activation::none, .size = size, .x = at(y), .y = at(sum)};
    });
  }
  void backward(rp::lowering& to) const {
    if (to.needs_input_gradient()) to.input_gradient_is(0, to.output_gradient());
  }
};

/// Weights of the first layer.
inline std::vector<double> weights(const auto& trainer) {
  const auto w = trainer.parameter("dense_1.w");
  return {w.values().begin(), w.values().end()};
}

template <class T, class Backend>
auto trainer(const Backend& on, rp::index_t batch = 32, std::uint64_t seed = 42) {
  rp::graph net("toy");
  const rp::node logits = mlp(net);
  return net.train<T>(on, logits, nn::softmax_cross_entropy{}, nn::adam{.learning_rate = 0.01},
                      {.batch = batch, .seed = seed});
}

}  // namespace toy
