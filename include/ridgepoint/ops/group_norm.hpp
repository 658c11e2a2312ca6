// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/ops/channels_of.hpp>
#include <ridgepoint/ops/operand.hpp>
#include <ridgepoint/ops/optimiser.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Hyper-parameters of group normalisation.
struct group_norm_options {
  index_t groups = 32;    // of adjacent channels, equal in size
  double epsilon = 1e-3;  // added to the variance, > 0
};

/// y ← (x − mean)·inverse·gamma + beta with mean and inverse = 1/√(variance + ε) of each image's group of channels.
template <scalar T>
struct group_norm_args {
  static constexpr std::string_view name = "group_norm";
  group_norm_options options = {};
  index_t images = 0, pixels = 0, channels = 0;
  const T* x = nullptr;      // (images, pixels, channels)
  const T* gamma = nullptr;  // channels
  const T* beta = nullptr;
  T* y = nullptr;     // (images, pixels, channels); may be x
  T* mean = nullptr;  // (images, groups) each, for the backward pass; both or none
  T* inverse = nullptr;
};

/// The gradients for x, gamma and beta.
template <scalar T>
struct group_norm_backward_args {
  static constexpr std::string_view name = "group_norm_backward";
  index_t images = 0, pixels = 0, channels = 0, groups = 0;
  const T* x = nullptr;      // (images, pixels, channels)
  const T* gamma = nullptr;  // channels
  const T* mean = nullptr;   // (images, groups), as inverse: of the forward pass
  const T* inverse = nullptr;
  const T* dy = nullptr;  // (images, pixels, channels)
  T* dx = nullptr;        // (images, pixels, channels); null: not written; may be dy
  T* dgamma = nullptr;    // channels
  T* dbeta = nullptr;
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const group_norm_args<T>& a) noexcept {
  const index_t n = a.images, p = a.pixels, c = a.channels, k = a.options.groups;
  return std::array{
      operand::input("x", a.x, n, p, c).overwritable(),      operand::weight("gamma", a.gamma, c).counting_if(n > 0),
      operand::weight("beta", a.beta, c).counting_if(n > 0), operand::output("y", a.y, n, p, c),
      operand::output("mean", a.mean, n, k).optional(),      operand::output("inverse", a.inverse, n, k).optional()};
}
template <scalar T>
[[nodiscard]] constexpr auto operands(const group_norm_backward_args<T>& a) noexcept {
  const index_t n = a.images, p = a.pixels, c = a.channels, k = a.groups;
  return std::array{operand::input("x", a.x, n, p, c),
                    operand::weight("gamma", a.gamma, c).counting_if(n > 0 && a.dx != nullptr),
                    operand::input("mean", a.mean, n, k),
                    operand::input("inverse", a.inverse, n, k),
                    operand::input("dy", a.dy, n, p, c).overwritable(),
                    operand::output("dx", a.dx, n, p, c).optional(),
                    operand::output("dgamma", a.dgamma, c),
                    operand::output("dbeta", a.dbeta, c)};
}

/// Receipt of group_norm(): 7 FLOP per element (1 mean, 3 variance, 3 result), 1 per channel of an image, 3 FLOP and 2
/// specials per group; reads x, gamma and beta (weights), writes y (and mean and inverse).
template <scalar T>
[[nodiscard]] constexpr work receipt(const group_norm_args<T>& a) noexcept {
  const auto n = static_cast<std::uint64_t>(a.images), nc = n * static_cast<std::uint64_t>(a.channels),
             nk = n * static_cast<std::uint64_t>(a.options.groups);
  return {.flop = 7 * static_cast<std::uint64_t>(a.pixels) * nc + nc + 3 * nk,
          .special = 2 * nk,
          .bytes = traffic_of(operands(a))};
}
/// Receipt of group_norm_backward(): 4 FLOP per element and 3 per channel of an image for dgamma and dbeta, with dx 5
/// and 5 more, and 5 per group; reads x, dy, mean and inverse (inputs) and for dx gamma (weights), writes dgamma and
/// dbeta (and dx).
template <scalar T>
[[nodiscard]] constexpr work receipt(const group_norm_backward_args<T>& a) noexcept {
  const auto n = static_cast<std::uint64_t>(a.images), nc = n * static_cast<std::uint64_t>(a.channels),
             all = static_cast<std::uint64_t>(a.pixels) * nc, nk = n * static_cast<std::uint64_t>(a.groups);
  return {.flop = a.dx != nullptr ? 9 * all + 8 * nc + 5 * nk : 4 * all + 3 * nc, .bytes = traffic_of(operands(a))};
}

namespace detail {
/// Throws: shape_error unless there are pixels, and the groups divide the channels.
inline void check_groups(std::string_view op, index_t pixels, index_t channels, index_t groups) {
  require<shape_error>(pixels > 0 && channels > 0, op, ": an image is ", pixels, 'x', channels,
                       "; must have a pixel and a channel");
  require<shape_error>(groups > 0 && channels % groups == 0, op, ": groups is ", groups, " of ", channels,
                       " channels; must divide them");
}
/// Images of pixels with channels, from a tensor whose outermost extent is the images and whose innermost the channels.
struct pixels_of : channels_of {
  index_t images, pixels;

  template <class T>
  pixels_of(std::string_view op_, const dense_operand<T>& x, std::string_view name) : channels_of(op_, x, name) {
    require<shape_error>(x.extents.rank() > 1, op, ": ", name, " is ", x.extents, "; must be images of channels");
    images = x.extents[0], pixels = images > 0 ? rows / images : 1;
  }
};
}  // namespace detail

/// Throws: as group_norm().
template <scalar T>
void check(const group_norm_args<T>& a) {
  detail::check_epsilon<T>("group_norm", a.options.epsilon);
  detail::check_groups("group_norm", a.pixels, a.channels, a.options.groups);
  require<shape_error>((a.mean == nullptr) == (a.inverse == nullptr),
                       "group_norm: one of mean and inverse is a null pointer; must be both or none");
  check_operands(a);
}
/// Throws: as group_norm_backward().
template <scalar T>
void check(const group_norm_backward_args<T>& a) {
  detail::check_groups("group_norm_backward", a.pixels, a.channels, a.groups);
  check_operands(a);
}

/// Statistics of group_norm() for its backward pass, (images, groups): both or none.
template <class T>
struct group_norm_kept {
  tensor_view<T, 2> mean = {}, inverse = {};
};

/// y ← x normalised over the pixels and a group of the channels of each image: (x − mean)·inverse·gamma + beta with
/// their mean and biased variance, inverse = 1/√(variance + ε). Training stores mean and inverse for the backward pass.
/// One group contains all channels of an image; as many groups as channels is instance normalisation.
/// x and y are (images, …, channels); gamma and beta are vectors of channels. y may be x.
/// Next: reference/normalisation.hpp is the definition, cpu/normalisation.hpp the fast one.
/// Work: receipt(group_norm_args).
/// Throws: shape_error for extents that disagree, groups that do not divide the channels, no pixels or channels, a null
/// pointer or operands that overlap; value_error for an ε that is not positive.
/// Source: Wu, He, Group Normalization, arXiv:1803.08494.
/// Example:
///   rp::group_norm(on, x, gamma, beta, y, {.groups = 8}, {.mean = mean, .inverse = inverse});
template <class Backend, class C, class E = dense_element<C>>
work group_norm(const Backend& on, const dense_in<E>& x, const vector_in<E>& gamma, const vector_in<E>& beta, C&& y,
                const group_norm_options& options = {}, const std::type_identity_t<group_norm_kept<E>>& kept = {}) {
  constexpr std::string_view op = "group_norm";
  static_assert(runs<Backend, group_norm_args<E>, E>,
                "group_norm: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>,
                "group_norm: y must be mutable and of float or double: a tensor, a tensor_view or a matrix_view");
  const detail::pixels_of g(op, x, "x");
  const std::array statistics{g.images, options.groups};
  return detail::run_checked<E>(
      on, group_norm_args<E>{.options = options,
                             .images = g.images,
                             .pixels = g.pixels,
                             .channels = g.channels,
                             .x = x.data,
                             .gamma = g.each("gamma", gamma),
                             .beta = g.each("beta", beta),
                             .y = g.like("y", dense_output<E>(y), x),
                             .mean = detail::data_of(op, "mean", kept.mean, statistics),
                             .inverse = detail::data_of(op, "inverse", kept.inverse, statistics)});
}
/// dgamma, dbeta and, unless null, dx ← the gradients of group_norm(), also through mean and variance; mean and inverse
/// are (images, groups). dx may be dy.
/// Work: receipt(group_norm_backward_args). Throws: as group_norm().
/// Example:
///   rp::group_norm_backward(on, x, gamma, mean, inverse, dy, dx, dgamma, dbeta);
template <class Backend, class C, class E = dense_element<C>>
work group_norm_backward(const Backend& on, const dense_in<E>& x, const vector_in<E>& gamma, view_of<const E, 2> mean,
                         view_of<const E, 2> inverse, const dense_in<E>& dy, C&& dx, view_of<E, 1> dgamma,
                         view_of<E, 1> dbeta) {
  constexpr std::string_view op = "group_norm_backward";
  static_assert(runs<Backend, group_norm_backward_args<E>, E>,
                "group_norm_backward: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(
      has_output<Backend, E>,
      "group_norm_backward: dx must be mutable and of float or double: a tensor, a tensor_view or a matrix_view");
  const detail::pixels_of g(op, x, "x");
  const std::array statistics{g.images, mean.extents[1]};
  return detail::run_checked<E>(
      on, group_norm_backward_args<E>{.images = g.images,
                                      .pixels = g.pixels,
                                      .channels = g.channels,
                                      .groups = statistics[1],
                                      .x = x.data,
                                      .gamma = g.each("gamma", gamma),
                                      .mean = detail::data_of(op, "mean", mean, statistics),
                                      .inverse = detail::data_of(op, "inverse", inverse, statistics),
                                      .dy = g.like("dy", dy, x),
                                      .dx = g.like("dx", dense_output<E>(dx), x),
                                      .dgamma = g.each("dgamma", dgamma),
                                      .dbeta = g.each("dbeta", dbeta)});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
