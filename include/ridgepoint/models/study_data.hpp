// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/types.hpp>

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

  /// Training samples in the published data set; 0: random data.
  [[nodiscard]] constexpr index_t published_samples() const noexcept {
    if (made == change::enlarged) return 1'281'167;  // ImageNet's classification of 2012
    if (made == change::placed) return 118'287;      // COCO 2017
    switch (from) {
      case set::digits:
        return 60'000;
      case set::cifar10:
        return 50'000;
      case set::embryos:
        return 48'524;
      case set::noise:
        break;
    }
    return 0;
  }
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

  /// Training samples in the published data set; 0: random data.
  [[nodiscard]] constexpr index_t published_samples() const noexcept {
    switch (from) {
      case set::characters:
        return 200'285;  // sequences of Nietzsche's texts
      case set::pairs:
        return 4'500'000;  // sentences of WMT 2014, English to German
      case set::reviews:
        return 25'000;
      case set::noise:
        break;
    }
    return 0;
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
