// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/onednn/recurrent_layers.hpp>
#include <ridgepoint/reference/recurrent.hpp>

#include "recurrent_passes.hpp"

namespace rp = ridgepoint;

static_assert(rp::prepares<rp::onednn, rp::gru_args<float>> && rp::prepares<rp::onednn, rp::gru_backward_args<float>> &&
              !rp::executes<rp::onednn, rp::gru_args<double>>);

namespace {
struct gru {
  rp::gru_reset reset = rp::gru_reset::before;
  bool recurrent_bias = false;
  rp::index_t gates = 3, kept = rp::gru_args<float>::saved(reset);

  [[nodiscard]] rp::gru_args<float> forward(const test::recurrent_case& c, const test::recurrent_values& v,
                                            test::recurrent_results& r) const {
    return {.operands = test::forward_operands(c, v, r),
            .reset = reset,
            .recurrent_bias = recurrent_bias ? v.recurrent_bias.data() : nullptr,
            .gates = r.gates.data()};
  }
  [[nodiscard]] rp::gru_backward_args<float> backward(const test::recurrent_case& c, const test::recurrent_values& v,
                                                      const test::recurrent_results& from,
                                                      test::recurrent_results& r) const {
    return {.operands = test::backward_operands(c, v, from, r),
            .reset = reset,
            .gates = from.gates.data(),
            .drecurrent_bias = recurrent_bias ? r.drecurrent_bias.data() : nullptr};
  }
};
}  // namespace

TEST_CASE("gru that resets before the product, forward and backward") { test::check_recurrent_cases(gru{}); }
TEST_CASE("gru that resets after the product, forward and backward, with and without its recurrent bias") {
  for (const bool recurrent_bias : {true, false})
    test::check_recurrent_cases(gru{.reset = rp::gru_reset::after, .recurrent_bias = recurrent_bias});
}
TEST_CASE("gru of an empty batch") {
  test::check_empty_batch(gru{});
  test::check_empty_batch(gru{.reset = rp::gru_reset::after, .recurrent_bias = true});
}
TEST_CASE("prepared gru and its info") {
  test::check_prepared_calls(gru{});
  test::check_prepared_calls(gru{.reset = rp::gru_reset::after, .recurrent_bias = true});
}
