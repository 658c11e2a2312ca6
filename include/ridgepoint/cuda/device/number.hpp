// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/bfloat16.hpp>
#include <ridgepoint/cuda/device/float16.hpp>

namespace ridgepoint_device {

/// The type in which kernels compute elements T: ridgepoint::compute_t.
template <class T>
struct computed_in {
  using type = T;
};
template <>
struct computed_in<bfloat16> {
  using type = float;
};
template <>
struct computed_in<float16> {
  using type = float;
};
template <class T>
using number = typename computed_in<T>::type;

}  // namespace ridgepoint_device
