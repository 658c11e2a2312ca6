// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/onednn/recurrent_layers.hpp>
#include <ridgepoint/reference/recurrent.hpp>

#include "recurrent_passes.hpp"

namespace rp = ridgepoint;

static_assert(rp::prepares<rp::onednn, rp::lstm_args<float>> &&
              rp::prepares<rp::onednn, rp::lstm_backward_args<float>> &&
              !rp::executes<rp::onednn, rp::lstm_args<double>>);

namespace {
struct lstm {
  rp::index_t gates = 4, kept = 4;
  bool c0 = true, keeps = true;

  [[nodiscard]] rp::lstm_args<float> forward(const test::recurrent_case& c, const test::recurrent_values& v,
                                             test::recurrent_results& r) const {
    return {.operands = test::forward_operands(c, v, r),
            .c0 = c0 ? v.c0.data() : nullptr,
            .c = keeps ? r.c.data() : nullptr,
            .gates = keeps ? r.gates.data() : nullptr,
            .last_c = c.last ? r.last_c.data() : nullptr};
  }
  [[nodiscard]] rp::lstm_backward_args<float> backward(const test::recurrent_case& c, const test::recurrent_values& v,
                                                       const test::recurrent_results& from,
                                                       test::recurrent_results& r) const {
    return {.operands = test::backward_operands(c, v, from, r),
            .c0 = c0 ? v.c0.data() : nullptr,
            .c = from.c.data(),
            .gates = from.gates.data(),
            .dc0 = c.dh0 ? r.dc0.data() : nullptr,
            .dlast_c = c.dlast ? v.dlast_c.data() : nullptr};
  }
};
}  // namespace

TEST_CASE("lstm, forward and backward, with an initial cell state") { test::check_recurrent_cases(lstm{}); }
TEST_CASE("lstm, forward and backward, with a zero initial state") { test::check_recurrent_cases(lstm{.c0 = false}); }
TEST_CASE("oneDNN's lstm refuses a mask and hard gates, and writes nothing") {
  const rp::onednn on(1);
  const test::recurrent_case c{.steps = 3, .n = 4, .in = 5, .units = 6};
  const test::recurrent_values v(c, 4);
  test::recurrent_results r(c, 4, 4);
  const std::int32_t counts[12] = {};
  auto forward = lstm{}.forward(c, v, r);
  auto backward = lstm{}.backward(c, v, r, r);
  forward.operands.mask = backward.operands.mask = rp::sequence_mask::time_major(counts, 3, 4, 1);
  const char* const message = "onednn: a recurrent layer has a mask; must have none";
  CHECK_THROWS_WITH_AS(rp::run(on, forward), message, rp::unsupported);
  CHECK_THROWS_WITH_AS(rp::run(on, backward), message, rp::unsupported);
  CHECK_THROWS_WITH_AS(rp::prepared(on, forward), message, rp::unsupported);
  forward.operands.mask = {}, forward.gate = rp::activation::hard_sigmoid;
  CHECK_THROWS_WITH_AS(rp::run(on, forward), "onednn: gates of a recurrent layer are hard_sigmoid; must be sigmoid",
                       rp::unsupported);
  CHECK(std::isnan(r.y[0]));
  CHECK(std::isnan(r.dwx[0]));
}
TEST_CASE("lstm of an empty batch") { test::check_empty_batch(lstm{}); }
TEST_CASE("prepared lstm and its info") {
  test::check_prepared_calls(lstm{});
  const test::recurrent_case c{.steps = 3, .n = 4, .in = 20, .units = 16};
  const test::recurrent_values v(c, 4);
  test::recurrent_results r(c, 4, 4);
  const rp::prepared inference(rp::onednn(1), lstm{.keeps = false}.forward(c, v, r));
  CHECK(std::string(inference.info().algorithm).find("products") == std::string::npos);
  inference.run();
  CHECK(std::isnan(r.c[0]));
}
