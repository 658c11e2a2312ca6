// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/conv2d_product.hpp>
#include <ridgepoint/cpu/map_parts.hpp>
#include <ridgepoint/kernels/map/activation.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// y ← f(y + residual) on a register.
template <class Activation>
struct after_sum {
  Activation f;
  RIDGEPOINT_INLINE auto operator()(auto y, auto residual) const noexcept { return f(y + residual); }
};

/// y ← act(y + residual) on the results of a pass.
template <std::floating_point T>
void finish_results(const native_cpu& on, const conv2d_args<T>& a) noexcept {
  const index_t size = a.geometry.output_size();
  kernels::with_activation(a.act, static_cast<T>(a.slope), [&]<class F>(const F& f) {
    if (a.residual != nullptr) map_parts<T, 2>(on, {a.y, a.residual}, a.y, size, after_sum<F>{f});
    else if (a.act != activation::none) map_parts<T, 1>(on, {a.y}, a.y, size, f);
  });
}
template <class T>
void finish_results(const native_cpu&, const conv2d_backward_data_args<T>&) noexcept {}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
