// SPDX-License-Identifier: MIT
#pragma once

#include <bit>

#include <ridgepoint/onednn/normalisation.hpp>
#include <ridgepoint/ops/layer_norm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace onednn_detail {

/// y ← x normalised along its rows; mean and inverse where they are kept. The library tells the variance.
/// Throws: backend_error.
template <>
struct library_call<layer_norm_args<float>> {
  using args = layer_norm_args<float>;
  static bool asks(const args& a) { return a.rows > 0; }
  static void otherwise(const onednn&, const args&) {}
  static recipe_key key(const args& a) {
    return {{21, a.rows, a.channels, a.mean != nullptr, std::bit_cast<std::int64_t>(a.options.epsilon)}};
  }
  static std::vector<recipe> recipes(const dnnl::engine& engine, const args& a) {
    const auto data = layout(matrix_view<const float>(a.x, a.rows, a.channels)), each = layout(a.channels),
               statistic = layout(a.rows);
    const auto epsilon = static_cast<float>(a.options.epsilon);
    const auto pass = a.mean != nullptr ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference;
    recipe r(engine);
    const dnnl::memory x = r.operand(data), gamma = r.operand(each), beta = r.operand(each), y = r.operand(data),
                       mean = r.operand(statistic), inverse = r.operand(statistic);
    const dnnl::layer_normalization_forward normalise(
        describe_layer_norm(engine, pass, data, statistic, epsilon, scale_and_shift));
    if (a.mean == nullptr) {
      r.then(normalise, {{DNNL_ARG_SRC, x}, {DNNL_ARG_SCALE, gamma}, {DNNL_ARG_SHIFT, beta}, {DNNL_ARG_DST, y}});
      return {r};
    }
    const dnnl::memory variance = r.scratch(statistic);
    r.then(normalise, {{DNNL_ARG_SRC, x},
                       {DNNL_ARG_SCALE, gamma},
                       {DNNL_ARG_SHIFT, beta},
                       {DNNL_ARG_DST, y},
                       {DNNL_ARG_MEAN, mean},
                       {DNNL_ARG_VARIANCE, variance}});
    then_inverse(r, engine, variance, epsilon, inverse);
    return {r};
  }
  static std::array<const void*, 6> pointers(const args& a) { return {a.x, a.gamma, a.beta, a.y, a.mean, a.inverse}; }
};

/// dx, dgamma, dbeta ← of dy. The variance that the library asks for is 1 / inverse², ε included; the shift, which it
/// asks for as well, takes no part in a gradient.
/// Throws: backend_error.
template <>
struct library_call<layer_norm_backward_args<float>> {
  using args = layer_norm_backward_args<float>;
  static bool asks(const args& a) { return a.rows > 0; }
  static void otherwise(const onednn&, const args& a) {
    std::fill_n(a.dgamma, a.channels, 0.0F);
    std::fill_n(a.dbeta, a.channels, 0.0F);
  }
  static recipe_key key(const args& a) { return {{22, a.rows, a.channels, a.dx != nullptr}}; }
  static std::vector<recipe> recipes(const dnnl::engine& engine, const args& a) {
    const auto data = layout(matrix_view<const float>(a.x, a.rows, a.channels)), each = layout(a.channels),
               statistic = layout(a.rows);
    recipe r(engine);
    const dnnl::memory x = r.operand(data), gamma = r.operand(each), mean = r.operand(statistic),
                       inverse = r.operand(statistic), dy = r.operand(data), dx = r.operand(data),
                       dgamma = r.operand(each), dbeta = r.operand(each), variance = r.scratch(statistic);
    then_power(r, engine, inverse, -2, variance);
    r.then(
        dnnl::layer_normalization_backward(describe_layer_norm_backward(engine, data, statistic, 0, scale_and_shift)),
        {{DNNL_ARG_SRC, x},
         {DNNL_ARG_SCALE, gamma},
         {DNNL_ARG_SHIFT, gamma},
         {DNNL_ARG_MEAN, mean},
         {DNNL_ARG_VARIANCE, variance},
         {DNNL_ARG_DIFF_DST, dy},
         {DNNL_ARG_DIFF_SRC, a.dx != nullptr ? dx : r.scratch(data)},
         {DNNL_ARG_DIFF_SCALE, dgamma},
         {DNNL_ARG_DIFF_SHIFT, dbeta}});
    return {r};
  }
  static std::array<const void*, 8> pointers(const args& a) {
    return {a.x, a.gamma, a.mean, a.inverse, a.dy, a.dx, a.dgamma, a.dbeta};
  }
};

}  // namespace onednn_detail

template <onednn_detail::one_of<layer_norm_args<float>, layer_norm_backward_args<float>> Args>
void execute(const onednn& on, const Args& args) {
  onednn_detail::execute_call(on, args);
}
template <onednn_detail::one_of<layer_norm_args<float>, layer_norm_backward_args<float>> Args>
[[nodiscard]] onednn_prepared prepare(const onednn& on, const Args& args, const prepare_options& = {}) {
  return onednn_detail::prepare_call(on, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
