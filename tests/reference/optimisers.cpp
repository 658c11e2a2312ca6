// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <vector>

#include <ridgepoint/reference/all.hpp>

#include "support/near.hpp"

/// Checks every optimiser over several steps against its textbook form, written out for one weight.
namespace rp = ridgepoint;

namespace {

constexpr double rate = 0.05;
const std::vector<double> gradients{0.5, -1.25, 0.75, 2.0, -0.1, 0.0, 1e-6};

/// Returns the weights after each step of update(w, g, state), starting at w = 1.
template <class Update>
std::vector<double> weights_after(const Update& update) {
  std::vector<double> trace;
  double w = 1;
  rp::step_state state{.learning_rate = rate};
  for (const double g : gradients) {
    update(w, g, state);
    rp::advance(rp::reference, &state);
    trace.push_back(w);
  }
  return trace;
}

void check_equal(const std::vector<double>& got, const std::vector<double>& want) {
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == near(want[i], 1e-13));
}

}  // namespace

TEST_CASE("SGD") {
  check_equal(weights_after([](double& w, double g, const rp::step_state& s) {
                rp::sgd_update(rp::reference, rp::sgd_update_args<double>{.size = 1, .w = &w, .g = &g, .state = &s});
              }),
              weights_after([](double& w, double g, const rp::step_state&) { w -= rate * g; }));
}

TEST_CASE("momentum: the velocity does not include the rate") {
  double a = 0, b = 0;
  check_equal(weights_after([&](double& w, double g, const rp::step_state& s) {
                rp::momentum_update(
                    rp::reference, rp::momentum_update_args<double>{.size = 1, .w = &w, .g = &g, .a = &a, .state = &s});
              }),
              weights_after([&](double& w, double g, const rp::step_state&) {
                b = 0.9 * b + g;
                w -= rate * b;
              }));
}

TEST_CASE("Keras' RMSProp: epsilon outside the root, the mean square starts at 0") {
  double a = 0, b = 0;
  check_equal(weights_after([&](double& w, double g, const rp::step_state& s) {
                rp::rmsprop_keras_update(rp::reference, rp::rmsprop_keras_update_args<double>{
                                                            .size = 1, .w = &w, .g = &g, .a = &a, .state = &s});
              }),
              weights_after([&](double& w, double g, const rp::step_state&) {
                b = 0.9 * b + (1 - 0.9) * g * g;
                w -= rate * g / (std::sqrt(b) + 1e-7);
              }));
}

TEST_CASE("TensorFlow 1's RMSProp: epsilon 1 inside the root, the mean square starts at ONE") {
  double ms = 1, mom = 0, s2 = 1, v = 0;
  const auto got = weights_after([&](double& w, double g, const rp::step_state& s) {
    rp::rmsprop_tf1_update(rp::reference, rp::rmsprop_tf1_update_args<double>{
                                              .size = 1, .w = &w, .g = &g, .ms = &ms, .mom = &mom, .state = &s});
  });
  check_equal(got, weights_after([&](double& w, double g, const rp::step_state&) {
                s2 = s2 + (g * g - s2) * (1 - 0.9);
                v = 0.9 * v + rate * g / std::sqrt(s2 + 1.0);
                w -= v;
              }));
  CHECK(got[0] == near(1 - rate * 0.5 / std::sqrt(1 + (0.25 - 1) * 0.1 + 1), 1e-14));
}

TEST_CASE("Adam: the bias correction is folded into the rate, t counts from 1") {
  double m = 0, v = 0, m1 = 0, v1 = 0;
  int t = 0;
  const auto got = weights_after([&](double& w, double g, const rp::step_state& s) {
    rp::adam_update(rp::reference,
                    rp::adam_update_args<double>{.size = 1, .w = &w, .g = &g, .m = &m, .v = &v, .state = &s});
  });
  check_equal(got, weights_after([&](double& w, double g, const rp::step_state&) {
                ++t;
                m1 = 0.9 * m1 + (1 - 0.9) * g;
                v1 = 0.999 * v1 + (1 - 0.999) * g * g;
                w -= rate * std::sqrt(1 - std::pow(0.999, t)) / (1 - std::pow(0.9, t)) * m1 / (std::sqrt(v1) + 1e-7);
              }));
  CHECK(got[0] == near(1 - rate, 1e-5));  // the first step equals the rate
}

TEST_CASE("Adadelta") {
  double a = 0, d = 0, a1 = 0, d1 = 0;
  check_equal(weights_after([&](double& w, double g, const rp::step_state& s) {
                rp::adadelta_update(rp::reference, rp::adadelta_update_args<double>{
                                                       .size = 1, .w = &w, .g = &g, .a = &a, .d = &d, .state = &s});
              }),
              weights_after([&](double& w, double g, const rp::step_state&) {
                a1 = 0.95 * a1 + (1 - 0.95) * g * g;
                const double u = g * std::sqrt(d1 + 1e-7) / std::sqrt(a1 + 1e-7);
                w -= rate * u;
                d1 = 0.95 * d1 + (1 - 0.95) * u * u;
              }));
}
