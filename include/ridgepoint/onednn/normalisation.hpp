// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <concepts>

#include <ridgepoint/onednn/library_call.hpp>
#include <ridgepoint/onednn/onednn.hpp>
#include <ridgepoint/ops/batch_norm.hpp>
#include <ridgepoint/ops/layer_norm.hpp>
#include <ridgepoint/reference/normalisation.hpp>

/// \file
/// Batch and layer normalisation and their gradients by the library's primitives; fold_batch_norm() by its definition.
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

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace onednn_detail {

/// Returns rows of channels as an image of one column, or as images of one pixel: the library's faster choice depends
/// on the shape.
[[nodiscard]] inline std::array<dnnl::memory::desc, 2> rows_of_channels(index_t rows, index_t channels) {
  return {image_layout(1, rows, 1, channels), image_layout(rows, 1, 1, channels)};
}
template <class Args, class Make>
[[nodiscard]] std::vector<recipe> for_rows(const Args& a, const Make& make) {
  std::vector<recipe> ways;
  for (const dnnl::memory::desc& data : rows_of_channels(a.rows, a.channels)) ways.push_back(make(data));
  return ways;
}

/// moving ← momentum·moving + share·now.
inline void then_move(recipe& r, const dnnl::engine& engine, const dnnl::memory& moving, double momentum,
                      const dnnl::memory& now, double share) {
  const auto sum = describe_sum(engine, moving.get_desc(), {static_cast<float>(momentum), static_cast<float>(share)});
  r.then_aside(dnnl::sum(sum),
               {{DNNL_ARG_MULTIPLE_SRC, moving}, {DNNL_ARG_MULTIPLE_SRC + 1, now}, {DNNL_ARG_DST, moving}});
}

/// mean, inverse, y ← of x. The library returns the variance: inverse and the moving statistics are computed from it.
inline recipe batch_norm_recipe(const dnnl::engine& engine, const batch_norm_args<float>& a,
                                const dnnl::memory::desc& data) {
  const double rows = static_cast<double>(a.rows), keep = a.options.momentum;
  const auto epsilon = static_cast<float>(a.options.epsilon);
  const auto each = layout(a.channels);
  recipe r(engine);
  const dnnl::memory x = r.operand(data), gamma = r.operand(each), beta = r.operand(each), y = r.operand(data),
                     mean = r.operand(each), inverse = r.operand(each), moving_mean = r.operand(each),
                     moving_variance = r.operand(each), variance = r.scratch(each);
  r.then(dnnl::batch_normalization_forward(
             describe_batch_norm(engine, dnnl::prop_kind::forward_training, data, epsilon, scale_and_shift)),
         {{DNNL_ARG_SRC, x},
          {DNNL_ARG_SCALE, gamma},
          {DNNL_ARG_SHIFT, beta},
          {DNNL_ARG_DST, y},
          {DNNL_ARG_MEAN, mean},
          {DNNL_ARG_VARIANCE, variance}});
  then_inverse(r, engine, variance, epsilon, inverse);
  if (a.moving_mean != nullptr) {
    then_move(r, engine, moving_mean, keep, mean, 1 - keep);
    then_move(r, engine, moving_variance, keep, variance, (1 - keep) * rows / (std::max)(1.0, rows - 1));
  }
  return r;
}

/// dx, dgamma, dbeta ← of dy. oneDNN's variance is 1 / inverse², including ε. oneDNN 2 also requires the shift, which
/// no gradient depends on; oneDNN 3.7 rejects it.
inline recipe batch_norm_recipe(const dnnl::engine& engine, const batch_norm_backward_args<float>& a,
                                const dnnl::memory::desc& data) {
  const auto each = layout(a.channels);
  recipe r(engine);
  const dnnl::memory x = r.operand(data), gamma = r.operand(each), mean = r.operand(each), inverse = r.operand(each),
                     dy = r.operand(data), dx = r.operand(data), dgamma = r.operand(each), dbeta = r.operand(each),
                     variance = r.scratch(each);
  then_power(r, engine, inverse, -2, variance);
  primitive_arguments arguments{{DNNL_ARG_SRC, x},
                                {DNNL_ARG_SCALE, gamma},
                                {DNNL_ARG_MEAN, mean},
                                {DNNL_ARG_VARIANCE, variance},
                                {DNNL_ARG_DIFF_DST, dy},
                                {DNNL_ARG_DIFF_SRC, a.dx != nullptr ? dx : r.scratch(data)},
                                {DNNL_ARG_DIFF_SCALE, dgamma},
                                {DNNL_ARG_DIFF_SHIFT, dbeta}};
  if constexpr (DNNL_VERSION_MAJOR < 3) arguments.emplace_back(DNNL_ARG_SHIFT, gamma);
  r.then(dnnl::batch_normalization_backward(describe_batch_norm_backward(engine, data, 0, scale_and_shift)), arguments);
  return r;
}

/// y ← x normalised with the given statistics.
inline recipe batch_norm_recipe(const dnnl::engine& engine, const batch_norm_inference_args<float>& a,
                                const dnnl::memory::desc& data) {
  const auto each = layout(a.channels);
  recipe r(engine);
  const dnnl::memory x = r.operand(data), gamma = r.operand(each), beta = r.operand(each), mean = r.operand(each),
                     variance = r.operand(each), y = r.operand(data);
  const auto chosen =
      describe_batch_norm(engine, dnnl::prop_kind::forward_inference, data, static_cast<float>(a.options.epsilon),
                          scale_and_shift | dnnl::normalization_flags::use_global_stats);
  r.then(dnnl::batch_normalization_forward(chosen), {{DNNL_ARG_SRC, x},
                                                     {DNNL_ARG_SCALE, gamma},
                                                     {DNNL_ARG_SHIFT, beta},
                                                     {DNNL_ARG_MEAN, mean},
                                                     {DNNL_ARG_VARIANCE, variance},
                                                     {DNNL_ARG_DST, y}});
  return r;
}

/// Shared parts of the passes; there are always rows.
template <class Args>
struct batch_norm_call {
  static bool asks(const Args&) { return true; }
  static void otherwise(const onednn&, const Args&) {}
  static std::vector<recipe> recipes(const dnnl::engine& engine, const Args& a) {
    return for_rows(a, [&](const dnnl::memory::desc& data) { return batch_norm_recipe(engine, a, data); });
  }
};

/// y ← x normalised over the batch.
/// Throws: backend_error.
template <>
struct library_call<batch_norm_args<float>> : batch_norm_call<batch_norm_args<float>> {
  using args = batch_norm_args<float>;
  static recipe_key key(const args& a) {
    return {{18, a.rows, a.channels, a.moving_mean != nullptr, std::bit_cast<std::int64_t>(a.options.epsilon),
             std::bit_cast<std::int64_t>(a.options.momentum)}};
  }
  static std::array<const void*, 8> pointers(const args& a) {
    return {a.x, a.gamma, a.beta, a.y, a.mean, a.inverse, a.moving_mean, a.moving_variance};
  }
};
/// Computes the gradients for x, gamma and beta.
/// Throws: backend_error.
template <>
struct library_call<batch_norm_backward_args<float>> : batch_norm_call<batch_norm_backward_args<float>> {
  using args = batch_norm_backward_args<float>;
  static recipe_key key(const args& a) { return {{19, a.rows, a.channels, a.dx != nullptr}}; }
  static std::array<const void*, 8> pointers(const args& a) {
    return {a.x, a.gamma, a.mean, a.inverse, a.dy, a.dx, a.dgamma, a.dbeta};
  }
};
/// y ← x normalised with the given statistics.
/// Throws: backend_error.
template <>
struct library_call<batch_norm_inference_args<float>> : batch_norm_call<batch_norm_inference_args<float>> {
  using args = batch_norm_inference_args<float>;
  static recipe_key key(const args& a) {
    return {{20, a.rows, a.channels, std::bit_cast<std::int64_t>(a.options.epsilon)}};
  }
  static std::array<const void*, 6> pointers(const args& a) { return {a.x, a.gamma, a.beta, a.mean, a.variance, a.y}; }
};

}  // namespace onednn_detail

template <
    onednn_detail::one_of<batch_norm_args<float>, batch_norm_backward_args<float>, batch_norm_inference_args<float>>
        Args>
void execute(const onednn& on, const Args& args) {
  onednn_detail::execute_call(on, args);
}
template <
    onednn_detail::one_of<batch_norm_args<float>, batch_norm_backward_args<float>, batch_norm_inference_args<float>>
        Args>
[[nodiscard]] onednn_prepared prepare(const onednn& on, const Args& args, const prepare_options& = {}) {
  return onednn_detail::prepare_call(on, args);
}

namespace onednn_detail {

/// y ← x normalised along its rows; mean and inverse unless null. The library returns the variance.
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

/// dx, dgamma, dbeta ← of dy. The variance that the library requires is 1 / inverse², including ε; the shift, which it
/// also requires, does not affect the gradients.
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

/// The library has no such primitive: this runs the definition's loop, once per change of parameters.
template <std::same_as<fold_batch_norm_args<float>> Args>
void execute(const onednn&, const Args& args) {
  execute(reference, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
