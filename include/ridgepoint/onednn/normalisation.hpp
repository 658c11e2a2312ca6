// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/onednn/library_call.hpp>

/// \file
/// What the library's normalisations have in common.
namespace ridgepoint::inline RIDGEPOINT_ABI::onednn_detail {

inline const auto scale_and_shift = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;

/// to ← from^exponent.
inline void then_power(recipe& r, const dnnl::engine& engine, const dnnl::memory& from, float exponent,
                       const dnnl::memory& to) {
  const auto power = describe_eltwise(engine, dnnl::algorithm::eltwise_pow, from.get_desc(), 1, exponent);
  r.then_aside(dnnl::eltwise_forward(power), {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}});
}
/// inverse ← (variance + ε)^−½.
inline void then_inverse(recipe& r, const dnnl::engine& engine, const dnnl::memory& variance, float epsilon,
                         const dnnl::memory& inverse) {
  const auto shifted = describe_eltwise(engine, dnnl::algorithm::eltwise_linear, variance.get_desc(), 1, epsilon);
  r.then_aside(dnnl::eltwise_forward(shifted), {{DNNL_ARG_SRC, variance}, {DNNL_ARG_DST, inverse}});
  then_power(r, engine, inverse, -0.5F, inverse);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::onednn_detail
