// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/cpu/optimisers.hpp>
#include <ridgepoint/reference/optimisers.hpp>

#include "support/cpu_copies.hpp"

namespace rp = ridgepoint;

TEST_CASE("advance() ends a step") {
  rp::step_state state{.step = 41, .learning_rate = 0.5, .loss = 2, .correct = 3};
  CHECK(rp::advance(on_cpu(1), &state) == rp::work{});
  CHECK(state.step == 42);
  CHECK(state.learning_rate == 0.5);
  CHECK(state.loss == 2);
  CHECK(state.correct == 3);
}

TEST_CASE("advance() sets the next step's rate from the schedule, as in the definition") {
  using form = rp::rate_schedule::form;
  for (const form decay :
       {form::constant, form::step, form::exponential, form::cosine, form::inverse_time, form::piecewise})
    for (const rp::index_t warm_up : {0, 3}) {
      rp::step_state state{.step = 0, .learning_rate = 7, .base_learning_rate = 0.5}, expected = state;
      const rp::rate_schedule schedule{
          .decay = decay, .warm_up_steps = warm_up, .steps = 4, .factor = 0.25, .boundaries = {2, 5}};
      for (int t = 0; t < 12; ++t) {
        CAPTURE(t);
        rp::advance(on_cpu(1), &state, schedule);
        rp::advance(rp::reference, &expected, schedule);
        CHECK(state.step == expected.step);
        CHECK(state.learning_rate == expected.learning_rate);
      }
    }
}
