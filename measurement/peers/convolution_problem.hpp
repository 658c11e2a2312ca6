// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/core/random.hpp>
#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/ops/conv2d.hpp>
#include <ridgepoint/ops/depthwise_conv2d.hpp>

#include "gemm_problem.hpp"
#include "prepared_task.hpp"

namespace peer {

/// Pass of a convolution with bias, dense or depthwise, from the words "conv2d f32 backward-data 128 14 64 64 3 1":
/// n, size, c, f, kernel and stride; padded by (kernel − 1) / 2 on every side.
struct convolution_pass {
  using index_t = ridgepoint::index_t;
  using pass = ridgepoint::pass;

  ridgepoint::conv2d_geometry g;
  index_t filters = 1;  // depthwise: per channel; dense: in total
  pass which = pass::forward;

  /// Throws: not_available for other words; shape_error if the kernel does not fit.
  explicit convolution_pass(const words& w, const std::string& type = "f32")
      : which(pass_named(w.size() == 9 && w[1] == type ? w[2] : "none", type)) {
    const auto at = [&](std::size_t i) { return static_cast<index_t>(std::stol(w[i])); };
    const index_t kernel = at(7), around = (kernel - 1) / 2;
    g = {.n = at(3),
         .h = at(4),
         .w = at(4),
         .c = at(5),
         .f = at(6),
         .kh = kernel,
         .kw = kernel,
         .stride = at(8),
         .padding = {around, around, around, around}};
    depthwise_ = w[0] == "depthwise_conv2d";
    ridgepoint::require<ridgepoint::shape_error>(!depthwise_ || g.f % g.c == 0, w[0], ": f is ", g.f, " of ", g.c,
                                                 " channels; must be a multiple");
    filters = depthwise_ ? g.f / g.c : g.f;
    check(g, w[0]);
  }
  [[nodiscard]] static bool names(const words& w) {
    return !w.empty() && (w[0] == "conv2d" || w[0] == "depthwise_conv2d");
  }
  [[nodiscard]] bool depthwise() const noexcept { return depthwise_; }

  /// Calls f(geometry), of either kind.
  template <class F>
  decltype(auto) with_geometry(F&& f) const {
    return depthwise_ ? f(by_channel()) : f(g);
  }
  /// Calls f(args) with these operands.
  template <class T, class F>
  decltype(auto) with_args(T* x, T* w, T* bias, T* y, F&& f) const {
    namespace rp = ridgepoint;
    const auto of_pass = [&]<class Forward, class Data, class Weights>(
                             const auto& geometry, std::type_identity<Forward>, std::type_identity<Data>,
                             std::type_identity<Weights>) {
      if (which == pass::forward) return f(Forward{.geometry = geometry, .x = x, .w = w, .bias = bias, .y = y});
      if (which == pass::backward_data) return f(Data{.geometry = geometry, .dy = y, .w = w, .dx = x});
      return f(Weights{.geometry = geometry, .x = x, .dy = y, .dw = w, .db = bias});
    };
    using std::type_identity;
    if (depthwise_)
      return of_pass(by_channel(), type_identity<rp::depthwise_conv2d_args<T>>{},
                     type_identity<rp::depthwise_conv2d_backward_data_args<T>>{},
                     type_identity<rp::depthwise_conv2d_backward_weights_args<T>>{});
    return of_pass(g, type_identity<rp::conv2d_args<T>>{}, type_identity<rp::conv2d_backward_data_args<T>>{},
                   type_identity<rp::conv2d_backward_weights_args<T>>{});
  }
  [[nodiscard]] ridgepoint::work receipt() const {
    float some = 0;  // placeholder for memory
    return with_args(&some, &some, &some, &some, [](const auto& args) { return ridgepoint::receipt(args); });
  }

 private:
  [[nodiscard]] static pass pass_named(const std::string& name, const std::string& type) {
    for (const pass p : {pass::forward, pass::backward_data, pass::backward_weights})
      if (to_string(p) == name) return p;
    throw not_available("not a convolution of " + type + ", or no such pass");
  }
  [[nodiscard]] ridgepoint::depthwise_geometry by_channel() const {
    return {.n = g.n,
            .h = g.h,
            .w = g.w,
            .c = g.c,
            .multiplier = filters,
            .kh = g.kh,
            .kw = g.kw,
            .stride = g.stride,
            .padding = g.padding};
  }
  bool depthwise_ = false;
};

/// Such a pass with operands; the result overwrites one of them.
///
/// The operands are integers from −3 to 3, so that direct sums are exact and a wrong product exceeds the rounding of
/// Winograd's transforms, or of bf16.
template <class T>
class convolution_problem_of {
 public:
  using index_t = ridgepoint::index_t;
  using pass = ridgepoint::pass;

  explicit convolution_problem_of(const words& w)
      : of(w, type_word<T>),
        g_(of.g),
        filters_(of.filters),
        x_(integers(g_.input_size(), 1)),
        w_(integers(g_.kh * g_.kw * g_.c * filters_, 2)),
        bias_(integers(g_.f, 3)),
        y_(integers(g_.output_size(), 4)) {}

  const convolution_pass of;

  /// Calls f(args of the pass).
  template <class F>
  decltype(auto) with_args(F&& f) {
    return of.with_args(x(), w(), bias(), y(), f);
  }
  [[nodiscard]] T* x() noexcept { return x_.data(); }
  [[nodiscard]] T* w() noexcept { return w_.data(); }
  [[nodiscard]] T* bias() noexcept { return bias_.data(); }
  [[nodiscard]] T* y() noexcept { return y_.data(); }
  /// Declares the filter constant between calls.
  [[nodiscard]] ridgepoint::prepare_options constant_filter() const noexcept {
    if (of.which == pass::backward_weights) return {};
    return {.constant = w_.data(), .constant_bytes = static_cast<std::size_t>(w_.size()) * sizeof(T)};
  }

  /// Throws: wrong_result unless 200 random elements of the result agree with the definition.
  void verify() const {
    const ridgepoint::tensor<T>& result = of.which == pass::forward ? y_ : of.which == pass::backward_data ? x_ : w_;
    ridgepoint::random_stream random(5);
    for (int sample = 0; sample < 200; ++sample)
      check(result, static_cast<index_t>(random.uniform() * static_cast<double>(result.size())),
            [&](index_t i, const auto& term) { terms(i, term); });
    if (of.which != pass::backward_weights) return;
    for (index_t f = 0; f < std::min<index_t>(g_.f, 16); ++f)
      check(bias_, f, [&](index_t, const auto& term) {
        for (index_t i = f; i < y_.size(); i += g_.f) term(y_[i], T(1));
      });
  }

 private:
  static ridgepoint::tensor<T> integers(index_t size, std::uint64_t seed) {
    ridgepoint::tensor<T> values({size});
    ridgepoint::random_stream random(seed);
    for (T& v : values.values()) v = static_cast<T>(static_cast<int>(random.below(7)) - 3);
    return values;
  }
  /// Throws: wrong_result unless element i is the sum of its terms, within 2⁻¹⁶ of the sum of their magnitudes; in
  /// bf16 within that and two roundings, the first one before adding the bias.
  template <class Terms>
  static void check(const ridgepoint::tensor<T>& result, index_t i, const Terms& terms_of) {
    double sum = 0, size = 0;
    terms_of(i, [&](T a, T b) {
      const double product = static_cast<double>(a) * static_cast<double>(b);
      sum += product, size += std::abs(product);
    });
    const double got = static_cast<double>(result[i]), rounding = sizeof(T) == 2 ? 0x1p-8 * (std::abs(sum) + 3) : 0;
    if (!(std::abs(got - sum) <= 0x1p-16 * size + rounding))
      throw wrong_result(ridgepoint::concat("element ", i, " of the convolution is ", got, "; must be ", sum));
  }
  /// Calls term(a, b) for all a·b whose sum is element i of the result.
  template <class Term>
  void terms(index_t i, const Term& term) const {
    const ridgepoint::window_axis rows = g_.rows(), columns = g_.columns();
    const index_t oh = rows.outputs(), ow = columns.outputs();
    const auto x_at = [&](index_t n, index_t h, index_t w, index_t c) {
      return x_[((n * g_.h + h) * g_.w + w) * g_.c + c];
    };
    const auto y_at = [&](index_t n, index_t h, index_t w, index_t f) {
      return y_[((n * oh + h) * ow + w) * g_.f + f];
    };
    const auto w_at = [&](index_t kh, index_t kw, index_t c, index_t l) {
      return w_[((kh * g_.kw + kw) * g_.c + c) * filters_ + l];
    };
    if (of.which == pass::forward) {
      const index_t f = i % g_.f, pixel = i / g_.f, w = pixel % ow, h = pixel / ow % oh, n = pixel / ow / oh;
      const index_t first = of.depthwise() ? f / filters_ : 0, last = of.depthwise() ? first + 1 : g_.c;
      for_taps([&](index_t kh, index_t kw) {
        const index_t ih = rows.input(h, kh), iw = columns.input(w, kw);
        if (!rows.inside(ih) || !columns.inside(iw)) return;
        for (index_t c = first; c < last; ++c) term(x_at(n, ih, iw, c), w_at(kh, kw, c, f % filters_));
      });
      term(bias_[f], T(1));
    } else if (of.which == pass::backward_data) {
      const index_t c = i % g_.c, pixel = i / g_.c, w = pixel % g_.w, h = pixel / g_.w % g_.h, n = pixel / g_.w / g_.h;
      for_taps([&](index_t kh, index_t kw) {
        const index_t at_h = h + rows.before - kh, at_w = w + columns.before - kw;
        if (at_h < 0 || at_w < 0 || at_h % rows.stride != 0 || at_w % columns.stride != 0) return;
        if (at_h / rows.stride >= oh || at_w / columns.stride >= ow) return;
        for (index_t l = 0; l < filters_; ++l)
          term(y_at(n, at_h / rows.stride, at_w / columns.stride, of.depthwise() ? c * filters_ + l : l),
               w_at(kh, kw, c, l));
      });
    } else {
      const index_t l = i % filters_, c = i / filters_ % g_.c, tap = i / filters_ / g_.c;
      for (index_t n = 0; n < g_.n; ++n)
        for (index_t h = 0; h < oh; ++h)
          for (index_t w = 0; w < ow; ++w) {
            const index_t ih = rows.input(h, tap / g_.kw), iw = columns.input(w, tap % g_.kw);
            if (rows.inside(ih) && columns.inside(iw))
              term(x_at(n, ih, iw, c), y_at(n, h, w, of.depthwise() ? c * filters_ + l : l));
          }
    }
  }
  template <class At>
  void for_taps(const At& at) const {
    for (index_t kh = 0; kh < g_.kh; ++kh)
      for (index_t kw = 0; kw < g_.kw; ++kw) at(kh, kw);
  }

  const ridgepoint::conv2d_geometry g_;
  const index_t filters_;
  ridgepoint::tensor<T> x_, w_, bias_, y_;
};
using convolution_problem = convolution_problem_of<float>;

/// Returns the pass on a backend of this library, prepared with a constant filter.
template <class Backend>
task convolution_task(const Backend& on, const words& w) {
  const auto p = std::make_shared<convolution_problem>(w);
  task t{.work = static_cast<double>(p->of.receipt().matrix_flop), .run = {}, .verify = [p] { p->verify(); }};
  p->with_args([&](const auto& args) { run_prepared_call(t, on, args, p->constant_filter()); });
  return t;
}

}  // namespace peer
