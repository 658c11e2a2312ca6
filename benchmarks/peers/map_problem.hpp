// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include <ridgepoint/ops/activate.hpp>
#include <ridgepoint/ops/adam.hpp>
#include <ridgepoint/ops/softmax.hpp>
#include <ridgepoint/reference/activate.hpp>
#include <ridgepoint/reference/adam.hpp>
#include <ridgepoint/reference/softmax.hpp>

#include "gemm_problem.hpp"

namespace peer {

/// An op that passes over memory once: exp, relu, sigmoid, tanh and softmax of x (rows × cols), or an Adam update of
/// rows·cols weights.
class map_problem {
 public:
  /// From the words "map f32 tanh 64 1024".
  /// Throws: not_available if they are something else.
  explicit map_problem(const words& w) {
    if (w.size() != 5 || w[0] != "map" || w[1] != "f32") throw not_available("not a map of f32");
    op = w[2];
    rows = std::stol(w[3]), cols = std::stol(w[4]);
    x = ridgepoint::tensor<float>({rows, cols});
    y = ridgepoint::tensor<float>({rows, cols});
    ridgepoint::random_stream random(1);
    for (float& e : x.values()) e = static_cast<float>(random.uniform(-8, 8));
    std::fill_n(y.data(), y.size(), std::numeric_limits<float>::quiet_NaN());
    if (op != "adam") return;
    std::fill_n(y.data(), y.size(), 1.0F);
    for (ridgepoint::tensor<float>* moment : {&m, &v}) *moment = ridgepoint::tensor<float>({rows, cols});
  }

  std::string op;
  ridgepoint::index_t rows = 0, cols = 0;
  ridgepoint::tensor<float> x, y, m, v;  // of adam: the gradient, the weights and the moments
  ridgepoint::step_state state{.learning_rate = 1e-3};

  [[nodiscard]] ridgepoint::index_t size() const { return rows * cols; }
  [[nodiscard]] ridgepoint::activation activation() const {
    using ridgepoint::activation;
    return op == "relu"      ? activation::relu
           : op == "sigmoid" ? activation::sigmoid
           : op == "tanh"    ? activation::tanh
                             : throw not_available("no such op: " + op);
  }
  [[nodiscard]] ridgepoint::adam_args<float> adam() {
    return {.size = size(), .w = y.data(), .g = x.data(), .m = m.data(), .v = v.data(), .state = &state};
  }
  /// What the op must move at least.
  [[nodiscard]] std::uint64_t bytes() const { return (op == "adam" ? 28U : 8U) * static_cast<std::uint64_t>(size()); }

  /// Throws: wrong_result unless y is right to 32 units of 2⁻²⁴, or adam's weights moved.
  void verify() const {
    if (op == "adam") return verify_adam();
    ridgepoint::tensor<float> expected({rows, cols});
    if (op == "softmax") ridgepoint::softmax<float>(ridgepoint::reference, x.matrix(), expected.matrix());
    else if (op == "exp")
      std::transform(x.data(), x.data() + size(), expected.data(), [](float e) { return std::exp(e); });
    else ridgepoint::activate<float>(ridgepoint::reference, activation(), x.values(), expected.values());
    for (ridgepoint::index_t i = 0; i < size(); ++i)
      if (!(std::abs(y[i] - expected[i]) <= 32 * 0x1p-24F * std::max(1.0F, std::abs(expected[i]))))
        throw wrong_result(ridgepoint::concat(op, " of ", x[i], " is ", y[i], "; must be ", expected[i]));
  }

 private:
  void verify_adam() const {
    map_problem fresh({"map", "f32", "adam", "1", std::to_string(std::min<ridgepoint::index_t>(size(), 10'000))});
    std::copy_n(x.data(), fresh.size(), fresh.x.data());
    ridgepoint::run(ridgepoint::reference, fresh.adam());
    for (ridgepoint::index_t i = 0; i < fresh.size(); ++i)
      if (!(std::abs(y[i] - fresh.y[i]) <= 32 * 0x1p-24F))
        throw wrong_result(ridgepoint::concat("adam's weight ", i, " is ", y[i], "; must be ", fresh.y[i]));
  }
};

/// The problem on a backend of this library, whose exp is given: exp(backend, size, x, y).
template <class Backend, class Exp>
task map_task(const Backend& on, const words& w, Exp&& exp) {
  const auto p = std::make_shared<map_problem>(w);
  task t{.work = static_cast<double>(p->size()), .run = {}, .verify = [p] { p->verify(); }, .detail = p->op};
  if (p->op == "exp") t.run = [&on, p, exp] { exp(on, p->size(), p->x.data(), p->y.data()); };
  else if (p->op == "softmax") t.run = [&on, p] { ridgepoint::softmax<float>(on, p->x.matrix(), p->y.matrix()); };
  else if (p->op == "adam") t.run = [&on, p] { ridgepoint::run(on, p->adam()); };
  else t.run = [&on, p, f = p->activation()] { ridgepoint::activate<float>(on, f, p->x.values(), p->y.values()); };
  return t;
}

}  // namespace peer
