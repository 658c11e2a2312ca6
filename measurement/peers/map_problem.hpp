// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ridgepoint/ops/activate.hpp>
#include <ridgepoint/ops/adadelta.hpp>
#include <ridgepoint/ops/adam.hpp>
#include <ridgepoint/ops/momentum.hpp>
#include <ridgepoint/ops/rmsprop_keras.hpp>
#include <ridgepoint/ops/rmsprop_tf1.hpp>
#include <ridgepoint/ops/sgd.hpp>
#include <ridgepoint/ops/softmax.hpp>
#include <ridgepoint/ops/softmax_cross_entropy.hpp>
#include <ridgepoint/reference/elementwise.hpp>
#include <ridgepoint/reference/losses.hpp>
#include <ridgepoint/reference/optimisers.hpp>

#include "gemm_problem.hpp"

namespace peer {

/// Optimisers with their number of state vectors.
inline constexpr std::pair<std::string_view, int> optimisers[] = {
    {"sgd", 0}, {"momentum", 1}, {"rmsprop_keras", 1}, {"rmsprop_tf1", 2}, {"adam", 2}, {"adadelta", 2}};

/// Returns the number of state vectors of the optimiser with that name; -1 if unknown.
[[nodiscard]] inline int state_vectors(std::string_view op) {
  for (const auto& [name, states] : optimisers)
    if (name == op) return states;
  return -1;
}
[[nodiscard]] inline bool is_optimiser(std::string_view op) { return state_vectors(op) >= 0; }

/// Returns the activation with that name. Throws: not_available if unknown.
[[nodiscard]] inline ridgepoint::activation activation_named(std::string_view op) {
  using ridgepoint::activation;
  for (const activation f : {activation::relu, activation::leaky_relu, activation::sigmoid, activation::tanh,
                             activation::hard_sigmoid, activation::relu6})
    if (to_string(f) == op) return f;
  throw not_available("no such op: " + std::string(op));
}

/// Arrays of an optimiser's update. Some optimisers have fewer states.
struct update_operands {
  ridgepoint::index_t size = 0;
  float* w = nullptr;
  const float* g = nullptr;
  float* first = nullptr;
  float* second = nullptr;
  const ridgepoint::step_state* state = nullptr;
};

/// Calls f(arguments of one update by the optimiser with that name).
/// Throws: not_available if unknown.
template <class F>
auto with_update(std::string_view op, const update_operands& o, F&& f) {
  namespace rp = ridgepoint;
  const auto& [size, w, g, first, second, state] = o;
  if (op == "sgd") return f(rp::sgd_update_args<float>{.size = size, .w = w, .g = g, .state = state});
  if (op == "momentum")
    return f(rp::momentum_update_args<float>{.size = size, .w = w, .g = g, .a = first, .state = state});
  if (op == "rmsprop_keras")
    return f(rp::rmsprop_keras_update_args<float>{.size = size, .w = w, .g = g, .a = first, .state = state});
  if (op == "rmsprop_tf1")
    return f(
        rp::rmsprop_tf1_update_args<float>{.size = size, .w = w, .g = g, .ms = first, .mom = second, .state = state});
  if (op == "adam")
    return f(rp::adam_update_args<float>{.size = size, .w = w, .g = g, .m = first, .v = second, .state = state});
  if (op == "adadelta")
    return f(rp::adadelta_update_args<float>{.size = size, .w = w, .g = g, .a = first, .d = second, .state = state});
  throw not_available("no such optimiser: " + std::string(op));
}

/// Single-pass, memory-bound op: exp, an activation or softmax of x (rows × cols), relu of x with a bias for each
/// column (GPU only), the loss of logits x with their gradient, or an optimiser's update of rows·cols weights.
class map_problem {
 public:
  /// Reads the words "map f32 tanh 64 1024".
  /// Throws: not_available for other words.
  explicit map_problem(const words& w) {
    if (w.size() != 5 || w[0] != "map" || w[1] != "f32") throw not_available("not a map of f32");
    op = w[2];
    rows = std::stol(w[3]), cols = std::stol(w[4]);
    x = ridgepoint::tensor<float>({rows, cols});
    y = ridgepoint::tensor<float>({rows, cols});
    ridgepoint::random_stream random(1);
    for (float& e : x.values()) e = static_cast<float>(random.uniform(-8, 8));
    std::fill_n(y.data(), y.size(), std::numeric_limits<float>::quiet_NaN());
    if (op == "bias_relu") {
      first = ridgepoint::tensor<float>({cols});
      for (float& e : first.values()) e = static_cast<float>(random.uniform(-8, 8));
    }
    if (is_loss()) {
      labels.resize(static_cast<std::size_t>(rows));
      for (std::int32_t& e : labels) e = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(cols)));
    }
    if (!is_optimiser(op)) return;
    std::fill_n(y.data(), y.size(), 1.0F);
    if (state_vectors(op) > 0) first = ridgepoint::tensor<float>({rows, cols});
    if (state_vectors(op) > 1) second = ridgepoint::tensor<float>({rows, cols});
    if (op == "rmsprop_tf1") std::fill_n(first.data(), first.size(), 1.0F);
    if (op == "adadelta") state.learning_rate = 1;  // a smaller one is lost in the rounding of the weights
  }

  std::string op;
  ridgepoint::index_t rows = 0, cols = 0;
  ridgepoint::tensor<float> x, y, first,
      second;                             // of an optimiser: the gradient, the weights and its states; or a bias
  std::vector<std::int32_t> labels = {};  // of a loss, whose gradient is y
  ridgepoint::step_state state{.learning_rate = 1e-3};

  [[nodiscard]] ridgepoint::index_t size() const { return rows * cols; }
  [[nodiscard]] bool is_loss() const { return op == "softmax_cross_entropy"; }
  [[nodiscard]] ridgepoint::softmax_cross_entropy_args<float> loss() {
    return {.logits = std::as_const(x).matrix(), .labels = labels.data(), .dlogits = y.matrix(), .state = &state};
  }
  [[nodiscard]] update_operands update() {
    return {
        .size = size(), .w = y.data(), .g = x.data(), .first = first.data(), .second = second.data(), .state = &state};
  }

  /// Throws: wrong_result unless y, or the weights and states after one update, are accurate to 32 units of 2⁻²⁴; for
  /// a loss, unless the loss, the number of correct rows and the gradient, in units of 2⁻²⁴ of a row's share, are.
  void verify() const {
    if (is_optimiser(op)) return verify_update();
    if (is_loss()) return verify_loss();
    ridgepoint::tensor<float> expected({rows, cols});
    if (op == "softmax") ridgepoint::softmax<float>(ridgepoint::reference, x, expected);
    else if (op == "exp")
      std::transform(x.data(), x.data() + size(), expected.data(), [](float e) { return std::exp(e); });
    else if (op == "bias_relu")
      for (ridgepoint::index_t i = 0; i < size(); ++i) expected[i] = std::max(0.0F, x[i] + first[i % cols]);
    else ridgepoint::activate<float>(ridgepoint::reference, activation_named(op), x.values(), expected.values());
    for (ridgepoint::index_t i = 0; i < size(); ++i)
      if (!near(y[i], expected[i], 1))
        throw wrong_result(ridgepoint::concat(op, " of ", x[i], " is ", y[i], "; must be ", expected[i]));
  }

 private:
  static bool near(float a, float b, float least) {
    return std::abs(a - b) <= 32 * 0x1p-24F * std::max(least, std::abs(b));
  }
  void verify_loss() const {
    map_problem fresh({"map", "f32", op, std::to_string(rows), std::to_string(cols)});
    ridgepoint::run(ridgepoint::reference, fresh.loss());
    if (state.correct != fresh.state.correct ||
        !near(static_cast<float>(state.loss), static_cast<float>(fresh.state.loss), 1))
      throw wrong_result(ridgepoint::concat(op, ": the loss is ", state.loss, " with ", state.correct,
                                            " rows right; must be ", fresh.state.loss, " with ", fresh.state.correct));
    const float share = 1 / static_cast<float>(rows);
    for (ridgepoint::index_t i = 0; i < size(); ++i)
      if (!near(y[i], fresh.y[i], share))
        throw wrong_result(ridgepoint::concat(op, ": gradient ", i, " is ", y[i], "; must be ", fresh.y[i]));
  }
  void verify_update() const {
    map_problem fresh({"map", "f32", op, "1", std::to_string(std::min<ridgepoint::index_t>(size(), 10'000))});
    std::copy_n(x.data(), fresh.size(), fresh.x.data());
    with_update(op, fresh.update(), [](const auto& args) { ridgepoint::run(ridgepoint::reference, args); });
    const auto compare = [&](const char* what, const float* got, const float* expected, float least) {
      for (ridgepoint::index_t i = 0; i < fresh.size(); ++i)
        if (!near(got[i], expected[i], least))
          throw wrong_result(ridgepoint::concat(what, ' ', i, " of ", op, " is ", got[i], "; must be ", expected[i]));
    };
    compare("weight", y.data(), fresh.y.data(), 1);
    if (state_vectors(op) > 0) compare("first state", first.data(), fresh.first.data(), 0);
    if (state_vectors(op) > 1) compare("second state", second.data(), fresh.second.data(), 0);
  }
};

/// Returns the problem on a backend of this library, with exp passed as exp(backend, size, x, y).
template <class Backend, class Exp>
task map_task(const Backend& on, const words& w, Exp&& exp) {
  const auto p = std::make_shared<map_problem>(w);
  task t{.work = static_cast<double>(p->size()), .run = {}, .verify = [p] { p->verify(); }, .detail = p->op};
  const auto run = [&](const auto& args) -> std::function<void()> {
    if constexpr (ridgepoint::executes<Backend, std::remove_cvref_t<decltype(args)>>)
      return [&on, p, args] { ridgepoint::run(on, args); };
    else throw not_available(ridgepoint::concat(on.name(), " has no ", p->op));
  };
  if (p->op == "exp") t.run = [&on, p, exp] { exp(on, p->size(), p->x.data(), p->y.data()); };
  else if (p->op == "softmax") t.run = [&on, p] { ridgepoint::softmax<float>(on, p->x, p->y); };
  else if (p->is_loss()) t.run = run(p->loss());
  else if (is_optimiser(p->op)) t.run = with_update(p->op, p->update(), run);
  else
    t.run = [&on, p, f = activation_named(p->op)] { ridgepoint::activate<float>(on, f, p->x.values(), p->y.values()); };
  return t;
}

}  // namespace peer
