// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/element.hpp>
#include <ridgepoint/ops/geometry.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

enum class convolution_pass { forward, backward_data, backward_weights };

/// Everything that determines how a library convolves images (n, h, w, c) with filters (f, kh, kw, c / groups).
struct convolution_problem {
  convolution_pass pass = convolution_pass::forward;
  element type = element::f32;
  conv2d_geometry geometry = {};
  index_t alignment = 16;              // of all tensors, in bytes
  bool may_use_tensor_floats = false;  // in products of f32
  bool exact = false;                  // only by the products of the definition
  std::size_t workspace_limit_bytes = ~std::size_t{0};
  bool operator==(const convolution_problem&) const = default;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
