// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// What a published network learns from, as its study did. A model that there are data for has one called `images`.
struct study_images {
  enum class set { digits, cifar10, embryos, noise };  // noise: values of the network's own shape, random_samples
  enum class change {
    none,
    training_moved,  // shifted and mirrored at random, those that are learnt from: augmented_images
    standardised,    // each by itself: standardised_images
    own_targets,     // to be given back: own_targets
    enlarged,        // pixels repeated to the network's size: enlarged_images
    placed           // enlarged onto a larger one, to be found: placed_images
  };

  set from;
  change made = change::none;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
