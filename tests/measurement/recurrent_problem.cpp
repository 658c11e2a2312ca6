// SPDX-License-Identifier: MIT
#include "measurement/peers/recurrent_problem.hpp"

#include <doctest/doctest.h>

namespace rp = ridgepoint;

namespace {
const std::vector<std::string> passes{"inference", "forward", "backward"};
struct cell_kind {
  std::string name;
  double gates;
};
const std::vector<cell_kind> cells{{"lstm", 4}, {"gru_reset_after", 3}, {"gru_reset_before", 3}, {"rnn", 1}};

peer::words problem(const std::string& cell, const std::string& pass) {
  return {cell, "f32", pass, "3", "5", "6", "7"};
}
}  // namespace

TEST_CASE("every cell and pass is a task with the definition's result and the work of its products") {
  for (const cell_kind& cell : cells)
    for (const std::string& pass : passes) {
      CAPTURE(cell.name);
      CAPTURE(pass);
      const peer::task t = peer::recurrent_task(rp::reference, problem(cell.name, pass));
      t.run();
      t.verify();
      CHECK(t.work == (pass == "backward" ? 4 : 2) * 3 * 5 * cell.gates * 7 * (6 + 7));
    }
}

TEST_CASE("a wrong element is found in every checked output") {
  for (const cell_kind& cell : cells)
    for (const std::string& pass : passes) {
      CAPTURE(cell.name);
      CAPTURE(pass);
      peer::recurrent_problem p(problem(cell.name, pass));
      const auto on_reference = [](const auto& args) { rp::run(rp::reference, args); };
      p.with_forward_args(on_reference);
      p.with_args(on_reference);
      p.verify();
      const auto is_found = [&](float& value) {
        value += 0.01F;
        CHECK_THROWS_AS(p.verify(), peer::wrong_result);
        value -= 0.01F;
      };
      const peer::recurrent_pass::memory m = p.memory();
      if (pass != "backward") {
        for (const int sample : {0, 2, 4}) is_found(m.y[(2 * 5 + sample) * 7 + 3]);
        continue;
      }
      is_found(m.dx[4 * 6]);
      is_found(m.dw[0]);
      is_found(m.dw[p.of.g.input_weights() + p.of.g.recurrent_weights() - 1]);
      is_found(m.db[2]);
      if (cell.name == "gru_reset_after") is_found(m.drecurrent_bias[2 * 7 + 1]);
    }
}

TEST_CASE("invalid recurrent layers, and implementations without any, are refused") {
  for (const peer::words& w : {peer::words{"lstm", "f64", "forward", "3", "5", "6", "7"},
                               {"lstm", "f32", "forward", "3"},
                               {"gru", "f32", "forward", "3", "5", "6", "7"},
                               problem("lstm", "sideways")})
    CHECK_THROWS_AS(peer::recurrent_pass{w}, peer::not_available);
  struct nobody {};
  CHECK_THROWS_WITH_AS(peer::recurrent_task(nobody(), problem("lstm", "backward")), "it has no recurrent layers",
                       peer::not_available);
}
