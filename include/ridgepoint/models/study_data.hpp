// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// Image data that a published network is trained on, as in its study. Models with such data have a member `images`.
struct study_images {
  enum class set { digits, cifar10, embryos, noise };  // noise: random values of the network's own shape
  enum class change {
    none,
    training_moved,  // training images shifted and mirrored at random: augmented_images
    standardised,    // each image on its own: standardised_images
    own_targets,     // the input as target: own_targets
    enlarged,        // pixels repeated to the network's size: enlarged_images
    placed           // enlarged onto a larger image, for detection: placed_images
  };

  set from;
  change made = change::none;
};

/// Text data that a published network is trained on, as in its study. Models with such data have a member `texts`.
struct study_texts {
  enum class set {
    characters,  // a text; the target is the next character: character_sequences
    pairs,       // windows of a text; the target is the next window: character_pairs
    reviews,     // reviews and their sentiment: imdb()
    noise        // random tokens of the network's vocabulary; targets are the next ones
  };
  enum class form { one_hot, ids };  // of a token as network input

  set from;
  form given = form::ids;
  int losses = 1;  // with the same target: several_targets
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
