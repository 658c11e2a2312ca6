// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <vector>

#include <limits>

#include <ridgepoint/ops/all.hpp>
#include <ridgepoint/reference/all.hpp>

#include "refuses.hpp"

// Ops on matrices and vectors, losses and optimisers refuse bad input with precise messages.
namespace rp = ridgepoint;
using bad::huge;
using bad::refuses;
using rp::index_t;

namespace {

float (&a)[64] = bad::m.a, (&b)[64] = bad::m.b, (&c)[64] = bad::m.c, (&d)[64] = bad::m.d, (&e)[64] = bad::m.out;
rp::step_state state;

}  // namespace

TEST_CASE("activations") {
  rp::activate_args<float> args{.f = rp::activation::relu, .size = 8, .x = a, .y = e};
  args.size = -1;
  refuses<rp::shape_error>(args, "size is -1; must be >= 0");
  args.size = huge;
  refuses<rp::shape_error>(args, "does not fit");
  args.size = 8;
  args.x = nullptr;
  refuses<rp::shape_error>(args, "x is a null pointer; must point to 8 elements");
  args.x = e + 3;
  refuses<rp::shape_error>(args, "y overlaps x in part; must be identical or disjoint");
  args.x = a;
  args.f = static_cast<rp::activation>(17);
  refuses<rp::value_error>(args, "activation is number 17; must be 0 to 7");
  args.f = rp::activation::leaky_relu;
  for (const float slope : {-0.1F, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    args.slope = slope;
    refuses<rp::value_error>(args, "slope is ");
  }
  rp::activate_backward_args<float> back{.f = rp::activation::tanh, .size = 8, .y = a, .dy = b, .dx = e};
  back.y = nullptr;
  refuses<rp::shape_error>(back, "y is a null pointer");
  back.y = e + 1;
  refuses<rp::shape_error>(back, "dx overlaps y in part");
  back.y = a;
  back.dy = e + 1;
  refuses<rp::shape_error>(back, "dx overlaps dy in part");
  CHECK_THROWS_WITH_AS(
      rp::activate(rp::reference, rp::activation::relu, std::span<const float>(a, 3), std::span<float>(e, 4)),
      doctest::Contains("x has 3 elements, y has 4; must be equal"), rp::shape_error);
}

TEST_CASE("add") {
  refuses<rp::shape_error>(rp::add_args<float>{.size = 4, .a = a, .b = nullptr, .y = e}, "b is a null pointer");
  refuses<rp::shape_error>(rp::add_args<float>{.size = 4, .a = e + 2, .b = b, .y = e}, "y overlaps a in part");
  refuses<rp::shape_error>(rp::add_args<float>{.size = -4, .a = a, .b = b, .y = e}, "size is -4");
  CHECK_NOTHROW(rp::run(rp::reference, rp::add_args<float>{}));  // nothing to do is fine
}

TEST_CASE("dropout") {
  rp::dropout_args<float> args{.size = 8, .x = a, .y = e, .state = &state};
  for (const float rate : {-0.1F, 1.0F, 2.0F, std::numeric_limits<float>::quiet_NaN()}) {
    args.rate = rate;
    refuses<rp::value_error>(args, "must be >= 0 and < 1");
  }
  args.rate = 0.5F;
  args.steps = 3, args.width = 2;
  refuses<rp::shape_error>(args, "dropout: 8 elements in 3 steps of 2; must be whole samples, of at least one step");
  args.steps = 4, args.width = 0;
  refuses<rp::shape_error>(args, "dropout: 8 elements in 4 steps of 0; must be whole samples");
  args.steps = 0;
  refuses<rp::shape_error>(args, "dropout: 8 elements in 0 steps of 0; must be whole samples");
  args.steps = huge, args.width = huge;
  refuses<rp::shape_error>(args, "does not fit");
  args.steps = 1, args.width = -7;  // any width for one step
  CHECK_NOTHROW(rp::run(rp::reference, args));
  args.state = nullptr;
  refuses<rp::shape_error>(args, "state is a null pointer");
}

TEST_CASE("softmax") {
  refuses<rp::shape_error>(rp::softmax_args<float>{.x = {a, 3, 4}, .y = {e, 3, 5}}, "y is 3x5; must be 3x4");
  refuses<rp::shape_error>(rp::softmax_args<float>{.x = {a, 3, 0}, .y = {e, 3, 0}},
                           "x is 3x0; rows must have an element");
  refuses<rp::shape_error>(rp::softmax_args<float>{.x = {a, -3, 4}, .y = {e, -3, 4}}, "extents must be >= 0");
  refuses<rp::shape_error>(rp::softmax_args<float>{.x = {a, 3, 4, 2}, .y = {e, 3, 4}},
                           "rows must be contiguous and must not overlap");
  refuses<rp::shape_error>(rp::softmax_args<float>{.x = {a, 3, 4, 1, 3}, .y = {e, 3, 4}}, "rows must be contiguous");
  refuses<rp::shape_error>(rp::softmax_args<float>{.x = {e + 1, 3, 4}, .y = {e, 3, 4}}, "y overlaps x in part");
  refuses<rp::shape_error>(rp::softmax_args<float>{.x = {a, 65537, huge / 65537}, .y = {e, 65537, huge / 65537}},
                           "does not fit");
  refuses<rp::shape_error>(rp::softmax_args<float>{.x = {nullptr, 3, 4}, .y = {e, 3, 4}}, "null pointer");
}

TEST_CASE("losses") {
  const std::int32_t labels[] = {0, 1, 2};
  using ce = rp::softmax_cross_entropy_args<float>;
  refuses<rp::value_error>(ce{.logits = {a, 0, 4}, .labels = labels, .dlogits = {e, 0, 4}, .state = &state},
                           "must have a row and a class");
  refuses<rp::shape_error>(ce{.logits = {a, 3, 4}, .labels = nullptr, .dlogits = {e, 3, 4}, .state = &state},
                           "labels is a null pointer");
  refuses<rp::shape_error>(ce{.logits = {a, 3, 4}, .labels = labels, .dlogits = {e, 3, 4}}, "state is a null pointer");
  refuses<rp::shape_error>(ce{.logits = {a, 3, 4}, .labels = labels, .dlogits = {e, 4, 3}, .state = &state},
                           "dlogits is 4x3; must be 3x4");
  refuses<rp::shape_error>(ce{.logits = {e + 2, 3, 4}, .labels = labels, .dlogits = {e, 3, 4}, .state = &state},
                           "overlaps logits in part");
  refuses<rp::shape_error>(ce{.logits = {a, 3, 4},
                              .labels = reinterpret_cast<const std::int32_t*>(e + 8),
                              .dlogits = {e, 3, 4},
                              .state = &state},
                           "dlogits overlaps labels");
  const std::int32_t wrong[] = {0, 4, -1};
  CHECK_THROWS_WITH_AS(
      rp::softmax_cross_entropy<float>(rp::reference, {a, 3, 4}, std::vector<std::int32_t>(2), {e, 3, 4}, &state),
      "softmax_cross_entropy: labels has 2 elements; must have 3", rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::softmax_cross_entropy<float>(rp::reference, {a, 3, 4}, wrong, {e, 3, 4}, &state),
                       doctest::Contains("label 1 is 4; must be >= 0 and < 4"), rp::value_error);
  refuses<rp::value_error>(rp::mse_args<float>{.y = a, .target = b, .dy = e, .size = 0, .state = &state},
                           "mse: size is 0");
  refuses<rp::shape_error>(rp::mse_args<float>{.y = a, .target = b, .dy = e, .size = 4}, "state is a null pointer");
  refuses<rp::shape_error>(rp::mse_args<float>{.y = e + 1, .target = b, .dy = e, .size = 4, .state = &state},
                           "dy overlaps y in part");
  using bce = rp::binary_cross_entropy_args<float>;
  refuses<rp::shape_error>(bce{.y = a, .target = nullptr, .dy = e, .size = 4, .state = &state},
                           "target is a null pointer");
  refuses<rp::shape_error>(bce{.y = a, .target = b, .dy = e, .size = 4}, "state is a null pointer");
  refuses<rp::value_error>(bce{.y = a, .target = b, .dy = e, .size = 0, .state = &state},
                           "binary_cross_entropy: size is 0");
}

TEST_CASE("dense") {
  using forward = rp::dense_args<float>;
  refuses<rp::shape_error>(forward{.x = {a, 2, 3}, .w = {b, 4, 5}, .y = {e, 2, 5}},
                           "x is 2x3 but w is 4x5; x.cols must equal w.rows");
  refuses<rp::shape_error>(forward{.x = {a, 2, 3}, .w = {b, 3, 5}, .y = {e, 5, 2}}, "y is 5x2; must be 2x5");
  refuses<rp::shape_error>(forward{.x = {e + 3, 2, 3}, .w = {b, 3, 5}, .y = {e, 2, 5}},
                           "y overlaps x; must not overlap");
  refuses<rp::shape_error>(forward{.x = {a, 2, 3}, .w = {nullptr, 3, 5}, .y = {e, 2, 5}}, "w is 3x5 at a null pointer");
  refuses<rp::value_error>(forward{.x = {a, 2, 3}, .w = {b, 3, 5}, .y = {e, 2, 5}, .act = rp::activation::leaky_relu},
                           "activation is leaky_relu; must be none, relu, relu6, sigmoid or tanh");
  refuses<rp::shape_error>(forward{.x = {a, 2, 3}, .w = {b, 3, 5}, .bias = e + 9, .y = {e, 2, 5}},
                           "dense: bias overlaps y; must not overlap");
  using data = rp::dense_backward_data_args<float>;
  refuses<rp::shape_error>(data{.dy = {a, 2, 4}, .w = {b, 3, 5}, .dx = {e, 2, 3}},
                           "dy is 2x4 but w is 3x5; dy.cols must equal w.cols");
  using weights = rp::dense_backward_weights_args<float>;
  refuses<rp::shape_error>(weights{.x = {a, 2, 3}, .dy = {b, 4, 5}, .dw = {e, 3, 5}},
                           "x is 2x3 but dy is 4x5; rows must be equal");
  refuses<rp::shape_error>(weights{.x = {a, 2, 3}, .dy = {b, 2, 5}, .dw = {e, 5, 3}}, "dw is 5x3; must be 3x5");
  refuses<rp::shape_error>(weights{.x = {a, 2, 3}, .dy = {b, 2, 5}, .dw = {e, 3, 5}, .db = e + 14},
                           "db overlaps dw; must not overlap");
  refuses<rp::shape_error>(weights{.x = {e, 2, 3}, .dy = {b, 2, 5}, .dw = {e + 16, 3, 5}, .db = e + 5},
                           "db overlaps x; must not overlap");
  refuses<rp::shape_error>(weights{.x = {a, 2, 3}, .dy = {e, 2, 5}, .dw = {e + 16, 3, 5}, .db = e + 9},
                           "db overlaps dy; must not overlap");
  CHECK_NOTHROW(rp::run(rp::reference, weights{.x = {a, 2, 3}, .dy = {b, 2, 5}, .dw = {e, 3, 5}, .db = e + 15}));
}

TEST_CASE("optimisers") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  using adam = rp::adam_update_args<float>;
  refuses<rp::shape_error>(adam{.size = 4, .w = e, .g = b, .m = c, .v = d}, "adam_update: state is a null pointer");
  refuses<rp::shape_error>(adam{.size = 4, .w = e, .g = b, .m = c, .v = c + 2, .state = &state},
                           "v overlaps m; must not overlap");
  refuses<rp::shape_error>(adam{.size = 4, .w = e, .g = e, .m = c, .v = d, .state = &state},
                           "g overlaps w; must not overlap");
  refuses<rp::shape_error>(adam{.size = 4, .w = e, .g = b, .m = nullptr, .v = d, .state = &state},
                           "m is a null pointer");
  refuses<rp::value_error>(adam{.options = {.beta1 = 1}, .size = 4, .w = e, .g = b, .m = c, .v = d, .state = &state},
                           "beta1 is 1");
  refuses<rp::value_error>(adam{.options = {.beta2 = nan}, .size = 4, .w = e, .g = b, .m = c, .v = d, .state = &state},
                           "beta2 is nan");
  refuses<rp::value_error>(adam{.options = {.epsilon = 0}, .size = 4, .w = e, .g = b, .m = c, .v = d, .state = &state},
                           "epsilon is 0");
  refuses<rp::shape_error>(rp::sgd_update_args<float>{.size = 4, .w = e, .g = b}, "state is a null pointer");
  refuses<rp::shape_error>(rp::momentum_update_args<float>{.size = 4, .w = e, .g = b, .a = c},
                           "state is a null pointer");
  refuses<rp::shape_error>(rp::rmsprop_keras_update_args<float>{.size = 4, .w = e, .g = b, .a = c},
                           "state is a null pointer");
  refuses<rp::shape_error>(rp::rmsprop_tf1_update_args<float>{.size = 4, .w = e, .g = b, .ms = c, .mom = d},
                           "state is a null pointer");
  refuses<rp::shape_error>(rp::adadelta_update_args<float>{.size = 4, .w = e, .g = b, .a = c, .d = d},
                           "state is a null pointer");
  refuses<rp::shape_error>(rp::sgd_update_args<float>{.size = huge, .w = e, .g = b, .state = &state}, "does not fit");
  refuses<rp::value_error>(
      rp::momentum_update_args<float>{
          .options = {.momentum = -0.5}, .size = 4, .w = e, .g = b, .a = c, .state = &state},
      "momentum is -0.5; must be >= 0 and < 1");
  refuses<rp::value_error>(
      rp::rmsprop_keras_update_args<float>{.options = {.rho = 1.5}, .size = 4, .w = e, .g = b, .a = c, .state = &state},
      "rho is 1.5");
  refuses<rp::value_error>(
      rp::rmsprop_tf1_update_args<float>{
          .options = {.epsilon = -1}, .size = 4, .w = e, .g = b, .ms = c, .mom = d, .state = &state},
      "epsilon is -1; must be at least 1.17549e-38 and finite");
  refuses<rp::value_error>(
      adam{.options = {.epsilon = 1e-50}, .size = 4, .w = e, .g = b, .m = c, .v = d, .state = &state},
      "epsilon is 1e-50");
  refuses<rp::value_error>(
      rp::adadelta_update_args<float>{
          .options = {.rho = nan}, .size = 4, .w = e, .g = b, .a = c, .d = d, .state = &state},
      "rho is nan");
}

TEST_CASE("step state") {
  CHECK_THROWS_WITH_AS(rp::advance(rp::reference, nullptr), doctest::Contains("advance: state is a null pointer"),
                       rp::shape_error);
  for (const double rate : {std::numeric_limits<double>::quiet_NaN(), -1.0, std::numeric_limits<double>::infinity()})
    CHECK_THROWS_WITH_AS(check(rp::step_state{.learning_rate = rate}), doctest::Contains("must be finite and >= 0"),
                         rp::value_error);
  CHECK_THROWS_WITH_AS(check(rp::step_state{.base_learning_rate = -1}),
                       "step_state: base_learning_rate is -1; must be finite and >= 0", rp::value_error);
  rp::step_state s{.step = 41, .learning_rate = 0.1};
  check(s);
  for (const rp::rate_schedule wrong :
       {rp::rate_schedule{.warm_up_steps = -1}, rp::rate_schedule{.steps = 0}, rp::rate_schedule{.factor = -0.5},
        rp::rate_schedule{.factor = std::numeric_limits<double>::infinity()}, rp::rate_schedule{.boundaries = {5, -1}}})
    CHECK_THROWS_WITH_AS(rp::advance(rp::reference, &s, wrong), doctest::Contains("rate_schedule: "), rp::value_error);
  CHECK(s.step == 41);
  rp::advance(rp::reference, &s);
  CHECK(s.step == 42);
}
