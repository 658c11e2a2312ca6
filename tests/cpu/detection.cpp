// SPDX-License-Identifier: MIT
#include <limits>

#include <ridgepoint/cpu/losses.hpp>

#include "support/cpu_sizes.hpp"
#include "support/near.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {
struct judged {
  index_t samples, logits, boxes;
  rp::detection_options options = {};
  double weight = 1;
  [[nodiscard]] index_t size() const { return samples * (logits + boxes); }
};
auto judging(const judged& g, bool gradient) {
  return [=](const auto& on, const auto& p, rp::step_state* state) {
    using S = element_t<decltype(p)>;
    execute(on, rp::detection_args<S>{.options = g.options,
                                      .samples = g.samples,
                                      .logits = g.logits,
                                      .boxes = g.boxes,
                                      .y = p[0],
                                      .target = p[1],
                                      .dy = gradient ? p[2] : nullptr,
                                      .state = state,
                                      .weight = g.weight});
  };
}
}  // namespace

TEST_CASE_TEMPLATE("the loss of detections agrees with its definition", T, float, double) {
  for (const index_t size : cpu_sizes<T>())
    for (const bool gradient : {true, false})
      for (const judged& g : {judged{1, size, 0}, judged{1, 0, size}, judged{3, size, 7, {.delta = 0.5}, 0.3}}) {
        CAPTURE(g.logits);
        CAPTURE(g.boxes);
        agree<T>(on_cpu,
                 {random_values<T>(g.size(), 1, -20, 20), random_values<T>(g.size(), 2, -1, 2), output(g.size())},
                 judging(g, gradient));
        agree<T>(on_cpu, {random_values<T>(g.size(), 1), random_values<T>(g.size(), 2, 0, 1), output(g.size())},
                 judging(g, gradient));
      }
  const judged g{2, body_and_tail<T>(), body_and_tail<T>(), {.alpha = 0.4, .box_weight = 50}};
  agree_on_nan<T>(on_cpu, {random_values<T>(g.size(), 1), random_values<T>(g.size(), 2, 0, 1), output(g.size())}, 0,
                  judging(g, true));
}

TEST_CASE_TEMPLATE("detections by hand: a present class, an absent class, near and far boxes, and no box", T, float,
                   double) {
  const T none = std::numeric_limits<T>::quiet_NaN();
  const std::vector<T> y{0, 0, T(0.25), -3, 2, 5}, t{1, 0, 0, 1, none, none};
  std::vector<T> dy(6, T(-7));
  rp::step_state state;
  const rp::detection_options options{.alpha = 0.25, .delta = 0.5, .box_weight = 2};
  rp::detection(on_cpu(1), rp::detection_args<T>{.options = options,
                                                 .samples = 1,
                                                 .logits = 2,
                                                 .boxes = 4,
                                                 .y = y.data(),
                                                 .target = t.data(),
                                                 .dy = dy.data(),
                                                 .state = &state});
  const double focal = 0.25 * std::log(2.0);  // (1 − ½)²·ln 2, weighted by a quarter and three quarters
  CHECK(state.loss == near(focal + 2 * (0.5 * 0.25 * 0.25 + 0.5 * (4 - 0.25)), 1e-6));
  CHECK(state.correct == 1);  // a logit of 0 means absent
  const double slope = 0.25 * (std::log(2.0) + 0.5);
  CHECK(dy[0] == near(-0.25 * slope, 1e-6));
  CHECK(dy[1] == near(0.75 * slope, 1e-6));
  CHECK(dy[2] == T(0.5));
  CHECK(dy[3] == T(-1));
  CHECK((dy[4] == 0 && dy[5] == 0));
}

TEST_CASE("the loss of detections refuses invalid arguments") {
  float y[6] = {}, t[6] = {};
  rp::step_state state;
  rp::detection_args<float> a{.samples = 1, .logits = 2, .boxes = 4, .y = y, .target = t, .state = &state};
  const auto judge = [&] { rp::detection(rp::reference, a); };
  judge();
  a.options.alpha = 1.5;
  CHECK_THROWS_WITH_AS(judge(), "detection: alpha is 1.5; must be from 0 to 1", rp::value_error);
  a.options = {.delta = 0};
  CHECK_THROWS_WITH_AS(judge(), "detection: delta is 0; must be > 0", rp::value_error);
  a.options = {.box_weight = -1};
  CHECK_THROWS_AS(judge(), rp::value_error);
  a.options = {};
  a.samples = 0;
  CHECK_THROWS_AS(judge(), rp::shape_error);
  a.samples = 1, a.logits = -1;
  CHECK_THROWS_AS(judge(), rp::shape_error);
  a.logits = 2, a.y = nullptr;
  CHECK_THROWS_AS(judge(), rp::shape_error);
  a.y = y, a.weight = std::numeric_limits<double>::infinity();
  CHECK_THROWS_AS(judge(), rp::value_error);
}
