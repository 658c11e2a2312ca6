// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// What a published network on text learns from, as its study did. A model that there are texts for has one called
/// `texts`.
struct study_texts {
  enum class set {
    characters,  // a text, of which the next character is learnt: character_sequences
    pairs,       // a text in windows, of which the next one is learnt: character_pairs
    reviews,     // and what they think: imdb()
    noise        // tokens of the network's own vocabulary, drawn at random, of which the next ones are: random_tokens
  };
  enum class form { one_hot, ids };  // of a token that the network is given

  set from;
  form given = form::ids;
  int losses = 1;  // that learn the same: several_targets
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
