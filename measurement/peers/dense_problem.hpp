// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <map>

#include <ridgepoint/ops/dense.hpp>
#include <ridgepoint/reference/gemm.hpp>

#include "gemm_problem.hpp"

namespace peer {

/// Dense layer with n samples, its forward pass (bias and relu included) or one of its backward passes, in f32.
///
/// As in gemm_problem, the operands are small integers and the result is exact.
class dense_problem {
 public:
  dense_problem(ridgepoint::pass p, ridgepoint::index_t n, ridgepoint::index_t in, ridgepoint::index_t out)
      : pass_(p),
        x_(integers({n, in}, 1)),
        w_(integers({in, out}, 2)),
        bias_(integers({out}, 3)),
        y_(integers({n, out}, 4)) {}

  /// Runs the pass; the result overwrites one of the operands.
  template <class Backend>
  void run(const Backend& on) {
    using ridgepoint::pass;
    if (pass_ == pass::forward) ridgepoint::dense<float>(on, x_, w_, bias_.data(), y_, ridgepoint::activation::relu);
    else if (pass_ == pass::backward_data) ridgepoint::dense_backward_data<float>(on, y_, w_, x_);
    else ridgepoint::dense_backward_weights<float>(on, x_, y_, w_, bias_.data());
  }
  /// Calls f(args of the pass).
  template <class F>
  decltype(auto) with_args(F&& f) {
    namespace rp = ridgepoint;
    if (pass_ == rp::pass::forward)
      return f(rp::dense_args<float>{.x = std::as_const(x_).matrix(),
                                     .w = std::as_const(w_).matrix(),
                                     .bias = bias_.data(),
                                     .y = y_.matrix(),
                                     .act = rp::activation::relu});
    if (pass_ == rp::pass::backward_data)
      return f(rp::dense_backward_data_args<float>{
          .dy = std::as_const(y_).matrix(), .w = std::as_const(w_).matrix(), .dx = x_.matrix()});
    return f(rp::dense_backward_weights_args<float>{
        .x = std::as_const(x_).matrix(), .dy = std::as_const(y_).matrix(), .dw = w_.matrix(), .db = bias_.data()});
  }
  /// Throws: wrong_result unless the result equals the definition's.
  void verify() const {
    const dense_problem& expected = by_definition();
    const auto same = [](const ridgepoint::tensor<float>& a, const ridgepoint::tensor<float>& b) {
      return std::equal(a.data(), a.data() + a.size(), b.data());
    };
    if (!same(x_, expected.x_) || !same(w_, expected.w_) || !same(bias_, expected.bias_) || !same(y_, expected.y_))
      throw wrong_result("the layer's result differs from the definition");
  }

 private:
  /// Returns the same problem, run by the definition: computed once for all implementations under test.
  [[nodiscard]] const dense_problem& by_definition() const {
    using ridgepoint::index_t;
    static std::map<std::array<index_t, 4>, dense_problem> known;
    const index_t n = y_.matrix().rows, in = x_.matrix().cols, out = y_.matrix().cols;
    const auto [at, first] = known.try_emplace({static_cast<index_t>(pass_), n, in, out}, pass_, n, in, out);
    if (first) at->second.run(ridgepoint::reference);
    return at->second;
  }
  static ridgepoint::tensor<float> integers(const ridgepoint::shape& extents, std::uint64_t seed) {
    ridgepoint::tensor<float> values(extents);
    ridgepoint::random_stream random(seed);
    for (float& v : values.values()) v = static_cast<float>(static_cast<int>(random.below(7)) - 3);
    return values;
  }
  ridgepoint::pass pass_;
  ridgepoint::tensor<float> x_, w_, bias_, y_;
};

/// Returns the pass on a backend of this library.
template <class Backend>
task dense_task(const Backend& on, ridgepoint::pass p, ridgepoint::index_t n, ridgepoint::index_t in,
                ridgepoint::index_t out) {
  const auto problem = std::make_shared<dense_problem>(p, n, in, out);
  return {
      .work = 1, .run = [&on, problem] { problem->run(on); }, .verify = [problem] { problem->verify(); }, .detail = {}};
}

}  // namespace peer
