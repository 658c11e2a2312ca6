// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/cpu/step_state.hpp>

#include "support/cpu_copies.hpp"

namespace rp = ridgepoint;

TEST_CASE("a step ends") {
  rp::step_state state{.step = 41, .learning_rate = 0.5, .loss = 2, .correct = 3};
  CHECK(rp::advance(on_cpu(1), &state) == rp::work{});
  CHECK(state.step == 42);
  CHECK(state.learning_rate == 0.5);
  CHECK(state.loss == 2);
  CHECK(state.correct == 3);
}
