// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/losses.hpp>
#include <ridgepoint/graph/optimisers.hpp>
#include <ridgepoint/models/parameters.hpp>
#include <ridgepoint/models/study_texts.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// Adam as Keras had it in 2017: 1e-3, 0.9, 0.999, ε 1e-8.
struct keras_2017_adam : nn::adam {
  constexpr keras_2017_adam() noexcept : nn::adam{.options = {.epsilon = 1e-8}} {}
};
/// How Keras' embeddings start: uniform in ±0.05.
[[nodiscard]] inline double keras_embedding(random_stream& random, fan) { return random.uniform(-0.05, 0.05); }

/// What the networks of study D on text have in common: a vocabulary, and texts of so many tokens.
struct text_extents {
  index_t vocabulary = 0, steps = 0;
};
/// Both, as parameters of a model that has them as `text`: "vocabulary" and "length", for on a command line steps are
/// those of training.
template <class Model>
[[nodiscard]] constexpr auto text_parameters() noexcept {
  return std::array<model_parameter<Model>, 2>{
      {{"vocabulary", [](Model& m, index_t value) { m.text.vocabulary = value; }},
       {"length", [](Model& m, index_t value) { m.text.steps = value; }}}};
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
