// SPDX-License-Identifier: MIT
// Training settings of parameters: groups, weight decay, limits of gradients.
#include <doctest/doctest.h>

#include <cmath>

#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/reference/all.hpp>

#include "support/near.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

namespace {

const std::vector<double> inputs{0.5, -1, 2, 0.25, 1.5, -0.75}, wanted{1, -1, 0.5};

/// 2 → 3 tanh → 2 tanh → 1, on the three samples above.
struct three_layers {
  rp::graph net{"three"};
  rp::node y =
      net.input({2}) | nn::dense{.units = 3} | nn::tanh{} | nn::dense{.units = 2} | nn::tanh{} | nn::dense{.units = 1};
  template <class Optimiser>
  auto trainer(Optimiser optimiser, rp::compile_options options = {}) const {
    options.batch = 3, options.seed = 4;
    return net.train<double>(rp::reference, y, nn::mse{}, optimiser, options);
  }
};
constexpr const char* names[] = {"dense_1.w", "dense_1.b", "dense_2.w", "dense_2.b", "dense_3.w", "dense_3.b"};

template <class Trainer>
std::vector<double> held(const Trainer& trainer, const char* name) {
  const rp::tensor<double> values = trainer.parameter(name);
  return {values.values().begin(), values.values().end()};
}
template <class Trainer>
std::vector<double> slopes(const Trainer& trainer, const char* name) {
  const rp::tensor<double> values = trainer.gradient(name);
  return {values.values().begin(), values.values().end()};
}
int calls_of(const rp::plan& plan, std::string_view op, std::string_view layer = "") {
  int count = 0;
  for (const rp::planned_call& call : plan.calls)
    count += call.op->name.starts_with(op) && call.info.layer.starts_with(layer) ? 1 : 0;
  return count;
}

/// Checks that every weight after one step at rate 0.1 is expected(name, w before, its gradient).
template <class Expected>
void check_step(const rp::compile_options& options, const Expected& expected, nn::sgd optimiser = {}) {
  optimiser.learning_rate = 0.1;
  auto trainer = three_layers().trainer(optimiser, options);
  std::vector<std::vector<double>> before;
  for (const char* name : names) before.push_back(held(trainer, name));
  trainer.step(inputs, wanted);
  for (std::size_t n = 0; n < std::size(names); ++n) {
    CAPTURE(names[n]);
    const std::vector<double> after = held(trainer, names[n]), g = slopes(trainer, names[n]);
    for (std::size_t i = 0; i < after.size(); ++i)
      CHECK(after[i] == near(expected(std::string_view(names[n]), before[n][i], g[i]), 1e-14));
  }
}

}  // namespace

TEST_CASE("a group names parameters with * for any text") {
  using rp::detail::matches;
  static_assert(matches("dense_1.w", "dense_1.w") && !matches("dense_1.w", "dense_11.w"));
  static_assert(matches("*.b", "dense_1.b") && !matches("*.b", "dense_1.w") && !matches("*.b", "b"));
  static_assert(matches("conv2d_1.*", "conv2d_1.w") && !matches("conv2d_1.*", "conv2d_10.w"));
  static_assert(matches("*", "") && matches("*_1*", "dense_1.w") && matches("d*1*w", "dense_11.w"));
  static_assert(matches("*.b*b", "x.b.b") && !matches("", "w") && matches("**w", "w"));
  CHECK(true);
}

TEST_CASE("weight decay is the optimiser's, unless a group sets its own") {
  const auto decayed = [](double decay) {
    return [=](std::string_view name, double w, double g) {
      return w - 0.1 * (g + (name.ends_with(".b") ? 0 : decay) * w);
    };
  };
  check_step({}, [](std::string_view, double w, double g) { return w - 0.1 * (g + 0.02 * w); }, {.weight_decay = 0.02});
  check_step({.groups = {{.names = "*.b", .weight_decay = 0.0}}}, decayed(0.02), {.weight_decay = 0.02});
  check_step({.groups = {{.names = "*.b"}, {.names = "*", .weight_decay = 0.5}}}, decayed(0.5));
}

TEST_CASE("a group has its own learning rate; the first matching group applies") {
  check_step({.groups = {{.names = "dense_2.*", .rate_factor = 0.25}}}, [](std::string_view name, double w, double g) {
    return w - (name.starts_with("dense_2") ? 0.025 : 0.1) * g;
  });
  check_step({.groups = {{.names = "*.b", .rate_factor = 0.25}, {.names = "*", .rate_factor = 0.5}}},
             [](std::string_view name, double w, double g) { return w - (name.ends_with(".b") ? 0.025 : 0.05) * g; });
}

TEST_CASE("AdamW decouples weight decay from the gradient, Adam adds it to the gradient") {
  const three_layers of;
  auto plain = of.trainer(nn::adam{.learning_rate = 0.01}), decoupled = of.trainer(nn::adamw{.learning_rate = 0.01}),
       none = of.trainer(nn::adamw{.learning_rate = 0.01, .weight_decay = 0}),
       within = of.trainer(nn::adam{.learning_rate = 0.01, .weight_decay = 0.01});
  const std::vector<double> w = held(plain, "dense_1.w");
  for (auto* trainer : {&plain, &decoupled, &none, &within}) trainer->step(inputs, wanted);
  CHECK(held(none, "dense_1.w") == held(plain, "dense_1.w"));
  CHECK(held(within, "dense_1.w") != held(plain, "dense_1.w"));
  const std::vector<double> a = held(plain, "dense_1.w"), b = held(decoupled, "dense_1.w");
  for (std::size_t i = 0; i < w.size(); ++i) CHECK(b[i] == near(a[i] - 0.01 * 0.01 * w[i], 1e-15));
  CHECK_THROWS_WITH_AS(of.trainer(nn::adam{.weight_decay = -1}),
                       doctest::Contains("weight_decay is -1; must be finite and >= 0"), rp::value_error);
}

TEST_CASE("gradients are limited by value") {
  check_step({.clip_value = 0.05},
             [](std::string_view, double w, double g) { return w - 0.1 * std::clamp(g, -0.05, 0.05); });
}

TEST_CASE("gradients are limited by the norm of all of them, which delays the updates") {
  const three_layers of;
  auto free = of.trainer(nn::sgd{});
  free.step(inputs, wanted);
  double squares = 0;
  for (const char* name : names)
    for (const double g : slopes(free, name)) squares += g * g;
  const double norm = std::sqrt(squares);
  check_step({.clip_norm = norm / 4}, [](std::string_view, double w, double g) { return w - 0.1 * g / 4; });
  check_step({.clip_norm = norm * 2}, [](std::string_view, double w, double g) { return w - 0.1 * g; });

  auto limited = of.trainer(nn::sgd{}, {.clip_norm = norm * 2});
  limited.step(inputs, wanted);
  CHECK(held(limited, "dense_1.w") == held(free, "dense_1.w"));  // a factor of 1 changes no bit
  const auto first = [](const rp::plan& plan, rp::pass wanted_pass) {
    std::size_t c = 0;
    while (plan.calls[c].info.pass != wanted_pass) ++c;
    return c;
  };
  const rp::plan& plan = limited.plan();
  for (std::size_t c = first(plan, rp::pass::update); c < plan.calls.size(); ++c)
    CHECK(plan.calls[c].info.pass == rp::pass::update);
  CHECK(calls_of(plan, "sum_of_squares") == 3);
  CHECK(calls_of(free.plan(), "sum_of_squares") == 0);
  CHECK(free.plan().calls[first(free.plan(), rp::pass::update) + 1].info.pass != rp::pass::update);
  CHECK_THROWS_WITH_AS(of.trainer(nn::sgd{}, {.clip_norm = -1}), doctest::Contains("clip_norm is -1"), rp::value_error);
}

TEST_CASE("a limited gradient whose square float does not hold still moves the weights") {
  rp::graph net("one");
  const rp::node y = net.input({1}) | nn::dense{.units = 1, .bias = false, .initial = nn::zeros};
  auto trainer =
      net.train<float>(rp::cpu(1), y, nn::mse{}, nn::sgd{.learning_rate = 0.25}, {.batch = 1, .clip_norm = 1});
  const std::vector<float> x{5e19F}, target{-1};  // the gradient is 2·5e19
  CHECK(trainer.step(x, target) == 1);
  const rp::tensor<float> w = trainer.parameter("dense_1.w");
  CHECK(w.values()[0] == -0.25F);
}

TEST_CASE("frozen parameters stay, and layers with only frozen parameters have no gradient") {
  const three_layers of;
  auto first = of.trainer(nn::adam{}, {.groups = {{.names = "dense_1.*", .frozen = true}}}),
       middle = of.trainer(nn::adam{}, {.groups = {{.names = "dense_2.*", .frozen = true}}}),
       biases = of.trainer(nn::adam{}, {.groups = {{.names = "*.b", .frozen = true}}}), all = of.trainer(nn::adam{});
  const auto check_frozen = [](auto& trainer, std::string_view part) {
    std::vector<std::vector<double>> before;
    for (const char* name : names) before.push_back(held(trainer, name));
    trainer.step(inputs, wanted);
    for (std::size_t n = 0; n < std::size(names); ++n)
      CHECK((held(trainer, names[n]) == before[n]) ==
            (std::string_view(names[n]).find(part) != std::string_view::npos));
  };
  check_frozen(first, "dense_1");
  check_frozen(middle, "dense_2");
  check_frozen(biases, ".b");
  all.step(inputs, wanted);
  CHECK(slopes(middle, "dense_1.w") == slopes(all, "dense_1.w"));  // the gradient passes through it

  CHECK(calls_of(all.plan(), "dense_backward") == 5);
  CHECK(calls_of(first.plan(), "dense_backward") == 3);
  CHECK(calls_of(first.plan(), "", "dense_1") == 1);
  CHECK(calls_of(middle.plan(), "dense_backward_weights") == 2);
  CHECK(calls_of(middle.plan(), "adam_update") == 2);
  CHECK(first.plan().bytes(rp::memory_region::gradients) < all.plan().bytes(rp::memory_region::gradients));
  CHECK(first.plan().bytes(rp::memory_region::moments) < all.plan().bytes(rp::memory_region::moments));
  CHECK(first.plan().bytes(rp::memory_region::parameters) == all.plan().bytes(rp::memory_region::parameters));
  CHECK_THROWS_WITH_AS(static_cast<void>(first.gradient("dense_1.w")), doctest::Contains("dense_1.w: is not trainable"),
                       rp::value_error);

  const auto refused = [&](const rp::parameter_group& group, const char* why) {
    CHECK_THROWS_WITH_AS(of.trainer(nn::sgd{}, {.groups = {group}}), doctest::Contains(why), rp::value_error);
  };
  refused({.names = "*", .frozen = true}, "train: all parameters are frozen; must learn at least 1");
  refused({.names = "conv*"}, "train: group \"conv*\" names no trainable parameter; must name one");
  refused({.names = "*.b", .rate_factor = -1}, "train: rate_factor is -1; must be finite and >= 0");
}

TEST_CASE("a frozen batch normalisation has moving statistics that stay, unless they are not named") {
  const auto moved = [](std::vector<rp::parameter_group> groups) {
    rp::graph net("normalised");
    const rp::node y = net.input({2}) | nn::dense{.units = 3} | nn::batch_norm{} | nn::dense{.units = 1};
    auto trainer =
        net.train<double>(rp::reference, y, nn::mse{}, nn::sgd{}, {.batch = 3, .seed = 4, .groups = std::move(groups)});
    std::string all;
    for (const char* name : {"gamma", "beta", "moving_mean", "moving_variance"}) {
      const std::string full = rp::concat("batch_norm_1.", name);
      const std::vector<double> before = held(trainer, full.c_str());
      trainer.step(inputs, wanted);
      if (held(trainer, full.c_str()) != before) all += rp::concat(all.empty() ? "" : " ", name);
    }
    return all;
  };
  CHECK(moved({}) == "gamma beta moving_mean moving_variance");
  CHECK(moved({{.names = "batch_norm_1.*", .frozen = true}}).empty());
  CHECK(moved({{.names = "batch_norm_1.moving_*", .frozen = true}}) == "gamma beta");
  CHECK(moved({{.names = "batch_norm_1.moving_mean", .frozen = true}}) == "gamma beta");
  CHECK(moved({{.names = "batch_norm_1.gamma", .frozen = true}, {.names = "*.beta", .frozen = true}}) ==
        "moving_mean moving_variance");
  CHECK_THROWS_WITH_AS(moved({{.names = "*.moving_mean", .rate_factor = 0.1}}),
                       doctest::Contains("group \"*.moving_mean\" names no trainable parameter"), rp::value_error);
}
