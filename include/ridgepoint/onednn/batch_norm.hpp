// SPDX-License-Identifier: MIT
#pragma once

#include <bit>

#include <ridgepoint/onednn/normalisation.hpp>
#include <ridgepoint/ops/batch_norm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace onednn_detail {

/// Rows of channels as images of one column, or as many images of one pixel: which of them the library is faster at
/// depends on the shape.
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

/// mean, inverse, y ← of x. The library tells the variance: inverse and the moving statistics follow from it.
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

/// dx, dgamma, dbeta ← of dy. oneDNN's variance is 1 / inverse², ε included. oneDNN 2 requires the shift too, which no
/// gradient depends on; oneDNN 3.7 refuses it.
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

/// y ← x normalised with statistics that are given.
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

/// What the passes have in common: there are always rows.
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
/// The gradients for x, gamma and beta.
/// Throws: backend_error.
template <>
struct library_call<batch_norm_backward_args<float>> : batch_norm_call<batch_norm_backward_args<float>> {
  using args = batch_norm_backward_args<float>;
  static recipe_key key(const args& a) { return {{19, a.rows, a.channels, a.dx != nullptr}}; }
  static std::array<const void*, 8> pointers(const args& a) {
    return {a.x, a.gamma, a.mean, a.inverse, a.dy, a.dx, a.dgamma, a.dbeta};
  }
};
/// y ← x normalised with statistics that are given.
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
