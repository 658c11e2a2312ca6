// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/onednn/recurrent_layers.hpp>
#include <ridgepoint/reference/recurrent.hpp>

#include "recurrent_passes.hpp"

namespace rp = ridgepoint;

static_assert(rp::prepares<rp::onednn, rp::rnn_args<float>> && rp::prepares<rp::onednn, rp::rnn_backward_args<float>> &&
              !rp::executes<rp::onednn, rp::rnn_args<double>>);

namespace {
struct rnn {
  rp::index_t gates = 1, kept = 0;
  rp::activation act = rp::activation::tanh;

  [[nodiscard]] rp::rnn_args<float> forward(const test::recurrent_case& c, const test::recurrent_values& v,
                                            test::recurrent_results& r) const {
    return {.operands = test::forward_operands(c, v, r), .act = act};
  }
  [[nodiscard]] rp::rnn_backward_args<float> backward(const test::recurrent_case& c, const test::recurrent_values& v,
                                                      const test::recurrent_results& from,
                                                      test::recurrent_results& r) const {
    return {.operands = test::backward_operands(c, v, from, r), .act = act};
  }
};
}  // namespace

TEST_CASE("rnn, forward and backward, with each activation that oneDNN has") {
  for (const rp::activation act : {rp::activation::tanh, rp::activation::sigmoid, rp::activation::relu}) {
    CAPTURE(act);
    test::check_recurrent_cases(rnn{.act = act});
  }
}
TEST_CASE("rnn of an empty batch") { test::check_empty_batch(rnn{}); }
TEST_CASE("prepared rnn and its info") { test::check_prepared_calls(rnn{}); }
TEST_CASE("rnn refuses activations that oneDNN lacks, and writes nothing") {
  const test::recurrent_case c{.steps = 3, .n = 4, .in = 5, .units = 6};
  const test::recurrent_values v(c, 1);
  test::recurrent_results r(c, 1, 0);
  for (const rp::activation act : {rp::activation::none, rp::activation::relu6}) {
    const rnn cell{.act = act};
    const std::string says = rp::concat("rnn: the activation is ", to_string(act), "; must be relu, sigmoid or tanh");
    CHECK_THROWS_WITH_AS(rp::run(rp::onednn(1), cell.forward(c, v, r)), says.c_str(), rp::unsupported);
    CHECK_THROWS_WITH_AS(static_cast<void>(prepare(rp::onednn(1), cell.backward(c, v, r, r))), says.c_str(),
                         rp::unsupported);
    CHECK(std::isnan(r.y[0]));
  }
}
