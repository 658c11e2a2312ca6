// SPDX-License-Identifier: MIT
#pragma once

#include "convolution_problem.hpp"
#include "norm_problem.hpp"
#include "pool_problem.hpp"

namespace peer {

/// Returns true for a problem of images: a convolution, a pooling or a normalisation.
[[nodiscard]] inline bool is_of_images(const words& w) {
  return convolution_pass::names(w) || pool_pass::names(w) || norm_pass::names(w);
}
/// Returns the task on a backend of this library.
/// Throws: not_available for another problem.
template <class Backend>
task image_task(const Backend& on, const words& w) {
  if (convolution_pass::names(w)) return convolution_task(on, w);
  return pool_pass::names(w) ? pool_task(on, w) : norm_task(on, w);
}

/// Returns the receipt. Throws: not_available for another problem.
[[nodiscard]] inline ridgepoint::work image_receipt(const words& w) {
  if (convolution_pass::names(w)) return convolution_pass(w).receipt();
  return pool_pass::names(w) ? pool_pass(w).receipt() : norm_pass(w).receipt();
}

}  // namespace peer
