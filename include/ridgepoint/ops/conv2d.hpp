// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/activation.hpp>
#include <ridgepoint/ops/conv2d_geometry.hpp>
#include <ridgepoint/ops/operands.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(n, oh, ow, f) ← act(Σ x(n, oh·stride − top + kh, ow·stride − left + kw, c)·w(kh, kw, c, f) + bias(f)).
template <scalar T>
struct conv2d_forward_args {
  conv2d_geometry geometry = {};
  const T* x = nullptr;                                        // (n, h, w, c)
  const T* w = nullptr;                                        // (kh, kw, c, f)
  const T* bias = nullptr;                                     // f values; null: none
  T* y = nullptr;                                              // (n, oh, ow, f)
  activation act = activation::none;                           // a fusable one
};

/// dx ← dy spread through the filter: the gradient for x.
template <scalar T>
struct conv2d_backward_data_args {
  conv2d_geometry geometry = {};
  const T* dy = nullptr;                                       // (n, oh, ow, f)
  const T* w = nullptr;                                        // (kh, kw, c, f)
  T* dx = nullptr;                                             // (n, h, w, c)
};

/// dw(kh, kw, c, f) ← Σ x·dy over samples and pixels, db(f) ← Σ dy.
template <scalar T>
struct conv2d_backward_weights_args {
  conv2d_geometry geometry = {};
  const T* x = nullptr;                                        // (n, h, w, c)
  const T* dy = nullptr;                                       // (n, oh, ow, f)
  T* dw = nullptr;                                             // (kh, kw, c, f)
  T* db = nullptr;                                             // f values; null: not wanted
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
