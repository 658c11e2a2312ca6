// SPDX-License-Identifier: MIT
#pragma once

#include "toy.hpp"

/// Short trainings in any precision.
namespace toy {

/// Small images of three classes, each a bright corner with noise.
struct spots : corners {
  spots() : corners(96) { features = 64; }
  [[nodiscard]] rp::shape sample_shape() const override { return {8, 8, 1}; }
};

inline rp::node cnn(rp::graph& net) {
  return net.input({8, 8, 1}) | nn::conv2d{.filters = 4, .kernel = 3, .padding = nn::same} | nn::relu{} |
         nn::max_pool{} | nn::conv2d{.filters = 6, .kernel = 3} | nn::relu{} | nn::flatten{} | nn::dense{.units = 3};
}

template <rp::precision P>
auto train(const auto& on, rp::node (*build)(rp::graph&), rp::index_t batch = 32) {
  rp::graph net("network");
  const rp::node y = build(net);
  return net.train<float>(on, y, nn::softmax_cross_entropy{}, nn::adam{.learning_rate = 0.004},
                          {.batch = batch, .seed = 7, .precision = P}, rp::ops_of<P>{});
}

/// Returns the loss over all samples after 100 steps.
template <rp::precision P>
double trained(const auto& on, rp::node (*build)(rp::graph&), const rp::dataset& data) {
  auto trainer = train<P>(on, build);
  while (trainer.steps_done() < 100) trainer.fit(data);
  return trainer.evaluate(data).loss;
}

}  // namespace toy
