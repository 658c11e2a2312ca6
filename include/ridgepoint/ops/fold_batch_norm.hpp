// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/ops/batch_norm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// folded_w(line, c) ← w(line, c)·scale(c), folded_bias(c) ← beta(c) + (bias(c) − mean(c))·scale(c) with
/// scale = gamma / √(variance + ε).
template <scalar T>
struct fold_batch_norm_args {
  static constexpr std::string_view name = "fold_batch_norm";
  batch_norm_options options = {};
  index_t lines = 0, channels = 0;  // of the filter: a column for each channel of the output
  const T* w = nullptr;             // (lines, channels)
  const T* bias = nullptr;          // channels; null: none
  const T* gamma = nullptr;         // channels each
  const T* beta = nullptr;
  const T* mean = nullptr;
  const T* variance = nullptr;
  T* folded_w = nullptr;     // (lines, channels); may be w
  T* folded_bias = nullptr;  // channels; may be bias
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const fold_batch_norm_args<T>& a) noexcept {
  const index_t c = a.channels;
  return std::array{operand::weight("w", a.w, a.lines, c).overwritable(),
                    operand::weight("bias", a.bias, c).optional().overwritable(),
                    operand::weight("gamma", a.gamma, c),
                    operand::weight("beta", a.beta, c),
                    operand::weight("mean", a.mean, c),
                    operand::weight("variance", a.variance, c),
                    operand::output("folded_w", a.folded_w, a.lines, c),
                    operand::output("folded_bias", a.folded_bias, c)};
}
/// Receipt of fold_batch_norm(): 1 FLOP per element of the filter, 4 FLOP, or 5 with a bias, and 2 specials per
/// channel; reads the filter (+bias) and four values per channel (weights), writes filter and bias.
template <scalar T>
[[nodiscard]] constexpr work receipt(const fold_batch_norm_args<T>& a) noexcept {
  const auto c = static_cast<std::uint64_t>(a.channels);
  return {.flop = static_cast<std::uint64_t>(a.lines) * c + (a.bias != nullptr ? 5 : 4) * c,
          .special = 2 * c,
          .bytes = traffic_of(operands(a))};
}

/// Throws: as fold_batch_norm().
template <scalar T>
void check(const fold_batch_norm_args<T>& a) {
  detail::check_batch_norm<T>("fold_batch_norm", a.lines, a.channels, a.options);
  check_operands(a);
}

/// folded_w and folded_bias ← filter and bias of a layer equivalent to the layer followed by batch_norm_inference(),
/// within the rounding of one more product per weight: for conv2d() (kh, kw, c / groups, f), depthwise_conv2d()
/// (kh, kw, c, multiplier) or dense() (in, out). gamma determines the number of channels.
/// Next: reference/normalisation.hpp is the definition.
/// Work: receipt(fold_batch_norm_args).
/// Throws: shape_error for a filter whose elements are not a multiple of the channels, vectors of another size, a null
/// pointer or operands that overlap, except that folded_w may be w, folded_bias the bias; value_error for an ε that is
/// not positive.
/// Example:
///   rp::fold_batch_norm(on, w, {}, gamma, beta, mean, variance, folded_w, folded_bias, {.epsilon = 1e-5});
///   rp::conv2d(on, x, folded_w, folded_bias, y);
template <class Backend, class C, class E = dense_element<C>>
work fold_batch_norm(const Backend& on, const dense_in<E>& w, const vector_in<E>& bias, const vector_in<E>& gamma,
                     const vector_in<E>& beta, const vector_in<E>& mean, const vector_in<E>& variance, C&& folded_w,
                     view_of<E, 1> folded_bias, const batch_norm_options& options = {}) {
  constexpr std::string_view op = "fold_batch_norm";
  static_assert(runs<Backend, fold_batch_norm_args<E>, E>,
                "fold_batch_norm: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(
      has_output<Backend, E>,
      "fold_batch_norm: folded_w must be mutable and of float or double: a tensor, a tensor_view or a matrix_view");
  const detail::channels_of filter(op, w, "w");
  const auto channels = static_cast<index_t>(gamma.size());
  const index_t elements = filter.rows * filter.channels;
  require<shape_error>(channels > 0 && elements % channels == 0, op, ": w has ", elements, " elements for ", channels,
                       " channels; must be a multiple");
  detail::channels_of each = filter;
  each.channels = channels;
  return detail::run_checked<E>(
      on, fold_batch_norm_args<E>{.options = options,
                                  .lines = elements / channels,
                                  .channels = channels,
                                  .w = w.data,
                                  .bias = bias.empty() ? nullptr : each.each("bias", bias),
                                  .gamma = each.each("gamma", gamma),
                                  .beta = each.each("beta", beta),
                                  .mean = each.each("mean", mean),
                                  .variance = each.each("variance", variance),
                                  .folded_w = filter.like("folded_w", dense_output<E>(folded_w), w),
                                  .folded_bias = each.each("folded_bias", folded_bias)});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
