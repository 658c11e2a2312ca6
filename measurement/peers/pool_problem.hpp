// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/core/random.hpp>
#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/reference/pooling.hpp>

#include "prepared_task.hpp"

namespace peer {

/// Pass of a pooling of square images, from the words "max_pool2d f32 backward 128 28 64 2 2": n, size, c, window and
/// stride; padded by (window − 1) / 2 if windows overlap.
struct pool_pass {
  using index_t = ridgepoint::index_t;

  ridgepoint::pool2d_geometry g;
  bool largest = false, forward = false;

  /// Throws: not_available for other words; shape_error if the window does not fit.
  explicit pool_pass(const words& w) {
    if (!names(w) || w.size() != 8 || w[1] != "f32" || (w[2] != "forward" && w[2] != "backward"))
      throw not_available("not a pooling of f32");
    const auto at = [&](std::size_t i) { return static_cast<index_t>(std::stol(w[i])); };
    const index_t window = at(6), stride = at(7), around = stride < window && window < at(4) ? (window - 1) / 2 : 0;
    g = {.n = at(3),
         .h = at(4),
         .w = at(4),
         .c = at(5),
         .kh = window,
         .kw = window,
         .stride = stride,
         .padding = {around, around, around, around}};
    largest = w[0] == "max_pool2d", forward = w[2] == "forward";
    check(g, w[0]);
  }
  [[nodiscard]] static bool names(const words& w) {
    return !w.empty() && (w[0] == "max_pool2d" || w[0] == "avg_pool2d");
  }
  /// Calls f(args) with these operands.
  template <class F>
  decltype(auto) with_args(float* x, float* y, std::uint8_t* index, F&& f) const {
    namespace rp = ridgepoint;
    if (largest && forward) return f(rp::max_pool2d_args<float>{.geometry = g, .x = x, .y = y, .index = index});
    if (largest) return f(rp::max_pool2d_backward_args<float>{.geometry = g, .dy = y, .index = index, .dx = x});
    if (forward) return f(rp::avg_pool2d_args<float>{.geometry = g, .x = x, .y = y});
    return f(rp::avg_pool2d_backward_args<float>{.geometry = g, .dy = y, .dx = x});
  }
  [[nodiscard]] ridgepoint::work receipt() const {
    float some = 0;  // placeholders for memory
    std::uint8_t index = 0;
    return with_args(&some, &some, &index, [](const auto& args) { return ridgepoint::receipt(args); });
  }
};

/// Such a pass with operands.
class pool_problem {
 public:
  using index_t = ridgepoint::index_t;

  explicit pool_problem(const words& w)
      : of(w),
        x_(random(of.g.input_size(), 1)),
        y_(random(of.g.output_size(), 2)),
        index_(static_cast<std::size_t>(of.g.output_size())) {
    if (of.largest && !of.forward)
      ridgepoint::run(
          ridgepoint::reference,
          ridgepoint::max_pool2d_args<float>{.geometry = of.g, .x = x_.data(), .y = y_.data(), .index = index_.data()});
  }

  const pool_pass of;

  /// Calls f(args of the pass).
  template <class F>
  decltype(auto) with_args(F&& f) {
    return of.with_args(x_.data(), y_.data(), index_.data(), f);
  }

  /// Throws: wrong_result unless the result is within 32 units of 2⁻²⁴ of the definition's.
  void verify() {
    ridgepoint::tensor<float>& result = of.forward ? y_ : x_;
    const ridgepoint::tensor<float> got = result;
    with_args([](const auto& args) { ridgepoint::run(ridgepoint::reference, args); });
    for (index_t i = 0; i < got.size(); ++i)
      if (!(std::abs(got[i] - result[i]) <= 32 * 0x1p-24F))
        throw wrong_result(ridgepoint::concat("element ", i, " of the pooling is ", got[i], "; must be ", result[i]));
  }

 private:
  static ridgepoint::tensor<float> random(index_t size, std::uint64_t seed) {
    ridgepoint::tensor<float> values({size});
    ridgepoint::random_stream stream(seed);
    for (float& v : values.values()) v = static_cast<float>(stream.uniform(-1, 1));
    return values;
  }
  ridgepoint::tensor<float> x_, y_;
  std::vector<std::uint8_t> index_;
};

/// Returns the pass on a backend of this library.
template <class Backend>
task pool_task(const Backend& on, const words& w) {
  const auto p = std::make_shared<pool_problem>(w);
  task t{.work = static_cast<double>(p->of.receipt().bytes.total()), .run = {}, .verify = [p] { p->verify(); }};
  p->with_args([&](const auto& args) { run_prepared_call(t, on, args); });
  return t;
}

}  // namespace peer
