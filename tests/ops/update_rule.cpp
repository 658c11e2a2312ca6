// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/ops/optimiser.hpp>
#include <ridgepoint/reference/all.hpp>

#include "ops/refuses.hpp"
#include "support/near.hpp"

namespace rp = ridgepoint;

namespace {

/// The weight 2 after a step of SGD at rate 0.1 with gradient −4, part of gradients with Σ g² = 100.
double weight_under(const rp::update_rule& rule) {
  double w = 2;
  const double g = -4;
  const rp::step_state state{.learning_rate = 0.1, .gradient_squares = 100};
  rp::sgd_update(rp::reference,
                 rp::sgd_update_args<double>{.size = 1, .w = &w, .g = &g, .state = &state, .rule = rule});
  return w;
}

}  // namespace

TEST_CASE("an update rule applies its parts in the documented order") {
  CHECK(weight_under({}) == near(2 + 0.4, 1e-15));
  CHECK(weight_under({.rate_factor = 0.5}) == near(2 + 0.2, 1e-15));
  CHECK(weight_under({.weight_decay = 0.5}) == near(2 - 0.1 * (-4 + 0.5 * 2), 1e-15));
  CHECK(weight_under({.decoupled_weight_decay = 0.5}) == near(2 - 0.1 * 0.5 * 2 + 0.4, 1e-15));
  CHECK(weight_under({.clip_value = 3}) == near(2 + 0.3, 1e-15));
  CHECK(weight_under({.clip_value = 5}) == near(2 + 0.4, 1e-15));
  CHECK(weight_under({.clip_norm = 5}) == near(2 + 0.1 * 4 * 5 / 10, 1e-15));
  CHECK(weight_under({.clip_norm = 11}) == near(2 + 0.4, 1e-15));
  CHECK(
      weight_under(
          {.rate_factor = 2, .weight_decay = 0.5, .decoupled_weight_decay = 0.25, .clip_value = 1.5, .clip_norm = 5}) ==
      near(2 - 0.2 * 0.25 * 2 - 0.2 * (-1.5 + 0.5 * 2), 1e-15));
}

TEST_CASE("AdamW's decay is not part of the gradient: it skips the moments, unlike L2 with momentum") {
  const double g = 0.5;
  const rp::step_state state{.learning_rate = 0.1};
  double w = 2, m = 0, v = 0;
  rp::adam_update(
      rp::reference,
      rp::adam_update_args<double>{
          .size = 1, .w = &w, .g = &g, .m = &m, .v = &v, .state = &state, .rule = {.decoupled_weight_decay = 0.01}});
  CHECK(m == near(0.1 * 0.5, 1e-15));
  CHECK(w == near(2 - 0.1 * 0.01 * 2 - 0.1, 1e-6));  // the first step of Adam has the size of the rate
  double a = 0;
  w = 2;
  rp::momentum_update(rp::reference,
                      rp::momentum_update_args<double>{
                          .size = 1, .w = &w, .g = &g, .a = &a, .state = &state, .rule = {.weight_decay = 0.01}});
  CHECK(a == near(0.5 + 0.01 * 2, 1e-15));
}

TEST_CASE("the norm is of all gradients together") {
  const double one[] = {3, 0}, other[] = {4};
  rp::step_state state{.gradient_squares = 1e6};  // of the previous step
  CHECK(rp::sum_of_squares(rp::reference, rp::sum_of_squares_args<double>{.size = 2, .x = one, .state = &state}) ==
        receipt(rp::sum_of_squares_args<double>{.size = 2}));
  rp::sum_of_squares(rp::reference,
                     rp::sum_of_squares_args<double>{.size = 1, .x = other, .accumulate = true, .state = &state});
  CHECK(state.gradient_squares == 25);
  CHECK(clip_factor({.clip_norm = 1}, state) == near(0.2, 1e-15));
  CHECK(clip_factor({.clip_norm = 5}, state) == 1);
  CHECK(clip_factor({.clip_norm = 1}, rp::step_state{}) == 1);
}

TEST_CASE("the receipt counts what a rule executes") {
  using adam = rp::adam_update_args<float>;
  const auto flop = [](const rp::update_rule& rule) { return receipt(adam{.size = 1, .rule = rule}).flop; };
  CHECK(flop({}) == 10);
  CHECK(flop({.rate_factor = 0.5}) == 10);
  CHECK(flop({.weight_decay = 1}) == 12);
  CHECK(flop({.decoupled_weight_decay = 1}) == 12);
  CHECK(flop({.clip_value = 1}) == 12);
  CHECK(flop({.clip_norm = 1}) == 11);
  CHECK(receipt(adam{.size = 1, .rule = {.clip_norm = 1}}).bytes.total() == 28);
}

TEST_CASE("a rule out of its domain") {
  using bad::m;
  using bad::refuses;
  static const rp::step_state state;
  const auto ruled = [](const rp::update_rule& rule) {
    return rp::sgd_update_args<float>{.size = 4, .w = m.out, .g = m.b, .state = &state, .rule = rule};
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refuses<rp::value_error>(ruled({.rate_factor = -1}), "sgd_update: rate_factor is -1; must be finite and >= 0");
  refuses<rp::value_error>(ruled({.weight_decay = nan}), "weight_decay is nan; must be finite and >= 0");
  refuses<rp::value_error>(ruled({.decoupled_weight_decay = -0.5}), "decoupled_weight_decay is -0.5");
  refuses<rp::value_error>(ruled({.clip_value = -1}), "clip_value is -1");
  refuses<rp::value_error>(ruled({.clip_norm = std::numeric_limits<double>::infinity()}), "clip_norm is inf");
  refuses<rp::shape_error>(rp::sum_of_squares_args<float>{.size = 4, .x = m.a}, "sum_of_squares: state is a null");
  rp::step_state mutable_state;
  refuses<rp::shape_error>(rp::sum_of_squares_args<float>{.size = 4, .state = &mutable_state}, "x is a null pointer");
  refuses<rp::value_error>(
      rp::mse_args<float>{.y = m.a, .target = m.b, .size = 4, .state = &mutable_state, .weight = nan},
      "mse: weight is nan; must be finite");
  refuses<rp::value_error>(rp::softmax_cross_entropy_args<float>{.logits = {m.a, 1, 4},
                                                                 .labels = std::array<std::int32_t, 1>{}.data(),
                                                                 .dlogits = {nullptr, 1, 4},
                                                                 .state = &mutable_state,
                                                                 .weight = nan},
                           "softmax_cross_entropy: weight is nan");
}

TEST_CASE("a non-finite norm does not become a zero step") {
  const rp::step_state state{.gradient_squares = std::numeric_limits<double>::infinity()};
  CHECK(std::isnan(clip_factor({.clip_norm = 1}, state)));
}
