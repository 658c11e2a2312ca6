// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/ops/channels_of.hpp>
#include <ridgepoint/ops/operand.hpp>
#include <ridgepoint/ops/optimiser.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Hyper-parameters of batch normalisation.
struct batch_norm_options {
  double epsilon = 1e-3;   // added to the variance, > 0
  double momentum = 0.99;  // share of a moving statistic that is kept, 0 ≤ m ≤ 1
};

/// y ← (x − mean)·inverse·gamma + beta with the batch's own mean and inverse = 1/√(variance + ε), channel by channel.
template <scalar T>
struct batch_norm_args {
  static constexpr std::string_view name = "batch_norm";
  batch_norm_options options = {};
  index_t rows = 0, channels = 0;  // rows: samples × pixels
  const T* x = nullptr;            // (rows, channels)
  const T* gamma = nullptr;        // channels
  const T* beta = nullptr;
  T* y = nullptr;     // (rows, channels)
  T* mean = nullptr;  // channels each, for the backward pass
  T* inverse = nullptr;
  T* moving_mean = nullptr;  // both or none: updated towards mean and unbiased variance
  T* moving_variance = nullptr;
};

/// The gradients for x, gamma and beta.
template <scalar T>
struct batch_norm_backward_args {
  static constexpr std::string_view name = "batch_norm_backward";
  index_t rows = 0, channels = 0;
  const T* x = nullptr;      // (rows, channels)
  const T* gamma = nullptr;  // channels; as mean and inverse of the forward pass
  const T* mean = nullptr;
  const T* inverse = nullptr;
  const T* dy = nullptr;  // (rows, channels)
  T* dx = nullptr;        // (rows, channels); null: not written; may be dy
  T* dgamma = nullptr;    // channels
  T* dbeta = nullptr;
};

/// y ← (x − mean)·gamma/√(variance + ε) + beta with given statistics, as one multiplication and one addition.
template <scalar T>
struct batch_norm_inference_args {
  static constexpr std::string_view name = "batch_norm_inference";
  batch_norm_options options = {};
  index_t rows = 0, channels = 0;
  const T* x = nullptr;      // (rows, channels)
  const T* gamma = nullptr;  // channels each
  const T* beta = nullptr;
  const T* mean = nullptr;
  const T* variance = nullptr;
  T* y = nullptr;  // (rows, channels); may be x
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const batch_norm_args<T>& a) noexcept {
  const index_t c = a.channels;
  return std::array{operand::input("x", a.x, a.rows, c),
                    operand::weight("gamma", a.gamma, c),
                    operand::weight("beta", a.beta, c),
                    operand::output("y", a.y, a.rows, c),
                    operand::output("mean", a.mean, c),
                    operand::output("inverse", a.inverse, c),
                    operand::update("moving_mean", a.moving_mean, c).optional(),
                    operand::update("moving_variance", a.moving_variance, c).optional()};
}
template <scalar T>
[[nodiscard]] constexpr auto operands(const batch_norm_backward_args<T>& a) noexcept {
  const index_t c = a.channels;
  return std::array{operand::input("x", a.x, a.rows, c),
                    operand::weight("gamma", a.gamma, c).counting_if(a.dx != nullptr),
                    operand::input("mean", a.mean, c),
                    operand::input("inverse", a.inverse, c),
                    operand::input("dy", a.dy, a.rows, c).overwritable(),
                    operand::output("dx", a.dx, a.rows, c).optional(),
                    operand::output("dgamma", a.dgamma, c),
                    operand::output("dbeta", a.dbeta, c)};
}
template <scalar T>
[[nodiscard]] constexpr auto operands(const batch_norm_inference_args<T>& a) noexcept {
  const index_t c = a.channels;
  return std::array{operand::input("x", a.x, a.rows, c).overwritable(),
                    operand::weight("gamma", a.gamma, c),
                    operand::weight("beta", a.beta, c),
                    operand::weight("mean", a.mean, c),
                    operand::weight("variance", a.variance, c),
                    operand::output("y", a.y, a.rows, c)};
}

/// Receipt of batch_norm(): 7 FLOP per element (1 mean, 3 variance, 3 result), 4 FLOP and 2 specials per channel, 7
/// FLOP more for moving statistics; reads x, gamma and beta (and the moving statistics: weights), writes y, mean and
/// inverse (and them).
template <scalar T>
[[nodiscard]] constexpr work receipt(const batch_norm_args<T>& a) noexcept {
  const auto c = static_cast<std::uint64_t>(a.channels), all = static_cast<std::uint64_t>(a.rows) * c;
  return {.flop = 7 * all + (4 + (a.moving_mean != nullptr ? 7 : 0)) * c,
          .special = 2 * c,
          .bytes = traffic_of(operands(a))};
}
/// Receipt of batch_norm_backward(): 4 FLOP per element and 1 per channel for dgamma and dbeta, with dx 5 and 4 more;
/// reads x and dy, mean and inverse (inputs) and for dx gamma (weights), writes dgamma and dbeta (and dx).
template <scalar T>
[[nodiscard]] constexpr work receipt(const batch_norm_backward_args<T>& a) noexcept {
  const auto c = static_cast<std::uint64_t>(a.channels), all = static_cast<std::uint64_t>(a.rows) * c;
  const bool dx = a.dx != nullptr;
  return {.flop = (dx ? 9 : 4) * all + (dx ? 5 : 1) * c, .bytes = traffic_of(operands(a))};
}
/// Receipt of batch_norm_inference(): 2 FLOP per element, 4 FLOP and 2 specials per channel; reads x (inputs) and four
/// values per channel (weights), writes y.
template <scalar T>
[[nodiscard]] constexpr work receipt(const batch_norm_inference_args<T>& a) noexcept {
  const auto c = static_cast<std::uint64_t>(a.channels);
  return {
      .flop = 2 * static_cast<std::uint64_t>(a.rows) * c + 4 * c, .special = 2 * c, .bytes = traffic_of(operands(a))};
}

namespace detail {
/// Throws: value_error for an ε or a momentum out of range, or no rows; shape_error for a size that does not fit.
template <scalar T>
void check_batch_norm(std::string_view op, index_t rows, index_t channels, const batch_norm_options& options = {}) {
  check_epsilon<T>(op, options.epsilon);
  require<value_error>(options.momentum >= 0 && options.momentum <= 1, op, ": momentum is ", options.momentum,
                       "; must be >= 0 and <= 1");
  require<shape_error>(rows > 0 && channels > 0, op, ": x is ", rows, 'x', channels, "; must have a row and a channel");
}
}  // namespace detail

/// Throws: as batch_norm().
template <scalar T>
void check(const batch_norm_args<T>& a) {
  detail::check_batch_norm<T>("batch_norm", a.rows, a.channels, a.options);
  require<shape_error>((a.moving_mean == nullptr) == (a.moving_variance == nullptr),
                       "batch_norm: one of moving_mean and moving_variance is a null pointer; must be both or none");
  check_operands(a);
}
/// Throws: as batch_norm_backward().
template <scalar T>
void check(const batch_norm_backward_args<T>& a) {
  detail::check_batch_norm<T>("batch_norm_backward", a.rows, a.channels);
  check_operands(a);
}
/// Throws: as batch_norm_inference().
template <scalar T>
void check(const batch_norm_inference_args<T>& a) {
  detail::check_batch_norm<T>("batch_norm_inference", a.rows, a.channels, a.options);
  check_operands(a);
}

/// Moving statistics updated by batch_norm(): both or none.
template <class T>
struct batch_norm_moving {
  tensor_view<T, 1> mean = {}, variance = {};
};

/// y ← x normalised over the batch: (x − mean)·inverse·gamma + beta with mean and biased variance over all but the last
/// extent, channel by channel. Stores mean and inverse = 1/√(variance + ε) for the backward pass. Moving statistics, if
/// given, become momentum·old + (1 − momentum)·new; their variance is the unbiased one, rows/(rows − 1) times as large.
/// x and y are matrices, images or any dense tensors; the others are vectors of channels.
/// Next: reference/normalisation.hpp is the definition.
/// Work: receipt(batch_norm_args), with rows the samples times the pixels.
/// Throws: shape_error for extents that disagree, no rows or channels, a null pointer or operands that overlap;
/// value_error for an ε that is not positive or a momentum out of [0, 1].
/// Example:
///   rp::batch_norm(on, x, gamma, beta, y, mean, inverse, {.mean = moving_mean, .variance = moving_variance});
template <class Backend, class C, class E = dense_element<C>>
work batch_norm(const Backend& on, const dense_in<E>& x, const vector_in<E>& gamma, const vector_in<E>& beta, C&& y,
                view_of<E, 1> mean, view_of<E, 1> inverse,
                const std::type_identity_t<batch_norm_moving<E>>& moving = {}, const batch_norm_options& options = {}) {
  constexpr std::string_view op = "batch_norm";
  static_assert(runs<Backend, batch_norm_args<E>, E>,
                "batch_norm: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>,
                "batch_norm: y must be mutable and of float or double: a tensor, a tensor_view or a matrix_view");
  const detail::channels_of g(op, x, "x");
  return detail::run_checked<E>(on, batch_norm_args<E>{.options = options,
                                                       .rows = g.rows,
                                                       .channels = g.channels,
                                                       .x = x.data,
                                                       .gamma = g.each("gamma", gamma),
                                                       .beta = g.each("beta", beta),
                                                       .y = g.like("y", dense_output<E>(y), x),
                                                       .mean = g.each("mean", mean),
                                                       .inverse = g.each("inverse", inverse),
                                                       .moving_mean = g.each("moving mean", moving.mean),
                                                       .moving_variance = g.each("moving variance", moving.variance)});
}
/// dgamma, dbeta and, unless null, dx ← the gradients of batch_norm(), also through mean and variance. dx may be dy.
/// Work: receipt(batch_norm_backward_args). Throws: as batch_norm().
/// Example:
///   rp::batch_norm_backward(on, x, gamma, mean, inverse, dy, dx, dgamma, dbeta);
template <class Backend, class C, class E = dense_element<C>>
work batch_norm_backward(const Backend& on, const dense_in<E>& x, const vector_in<E>& gamma, const vector_in<E>& mean,
                         const vector_in<E>& inverse, const dense_in<E>& dy, C&& dx, view_of<E, 1> dgamma,
                         view_of<E, 1> dbeta) {
  constexpr std::string_view op = "batch_norm_backward";
  static_assert(runs<Backend, batch_norm_backward_args<E>, E>,
                "batch_norm_backward: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(
      has_output<Backend, E>,
      "batch_norm_backward: dx must be mutable and of float or double: a tensor, a tensor_view or a matrix_view");
  const detail::channels_of g(op, x, "x");
  return detail::run_checked<E>(on, batch_norm_backward_args<E>{.rows = g.rows,
                                                                .channels = g.channels,
                                                                .x = x.data,
                                                                .gamma = g.each("gamma", gamma),
                                                                .mean = g.each("mean", mean),
                                                                .inverse = g.each("inverse", inverse),
                                                                .dy = g.like("dy", dy, x),
                                                                .dx = g.like("dx", dense_output<E>(dx), x),
                                                                .dgamma = g.each("dgamma", dgamma),
                                                                .dbeta = g.each("dbeta", dbeta)});
}
/// y ← x normalised with given mean and variance: x·scale + shift. y may be x.
/// Work: receipt(batch_norm_inference_args). Throws: as batch_norm().
/// Example:
///   rp::batch_norm_inference(on, x, gamma, beta, mean, variance, y);
template <class Backend, class C, class E = dense_element<C>>
work batch_norm_inference(const Backend& on, const dense_in<E>& x, const vector_in<E>& gamma, const vector_in<E>& beta,
                          const vector_in<E>& mean, const vector_in<E>& variance, C&& y,
                          const batch_norm_options& options = {}) {
  constexpr std::string_view op = "batch_norm_inference";
  static_assert(runs<Backend, batch_norm_inference_args<E>, E>,
                "batch_norm_inference: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(
      has_output<Backend, E>,
      "batch_norm_inference: y must be mutable and of float or double: a tensor, a tensor_view or a matrix_view");
  const detail::channels_of g(op, x, "x");
  return detail::run_checked<E>(on, batch_norm_inference_args<E>{.options = options,
                                                                 .rows = g.rows,
                                                                 .channels = g.channels,
                                                                 .x = x.data,
                                                                 .gamma = g.each("gamma", gamma),
                                                                 .beta = g.each("beta", beta),
                                                                 .mean = g.each("mean", mean),
                                                                 .variance = g.each("variance", variance),
                                                                 .y = g.like("y", dense_output<E>(y), x)});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
