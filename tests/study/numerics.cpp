// SPDX-License-Identifier: MIT
#include <ridgepoint/study/numerics.hpp>

#include <doctest/doctest.h>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/losses.hpp>
#include <ridgepoint/graph/optimisers.hpp>
#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/mxu/all.hpp>
#include <ridgepoint/mxu/chips.hpp>

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;
using rp::index_t;

namespace {

/// Points on a line: x = i/7 − 1, in class 1 right of 0.
struct points final : rp::dataset {
  index_t count;
  explicit points(index_t n) : count(n) {}
  [[nodiscard]] index_t size() const override { return count; }
  [[nodiscard]] rp::shape sample_shape() const override { return {2}; }
  [[nodiscard]] int classes() const override { return 2; }
  void gather(std::span<const index_t> rows, float* x, std::int32_t* labels) const override {
    for (const index_t r : rows) {
      const float at = static_cast<float>(r) / 7 - 1;
      *x++ = at;
      *x++ = 1;
      *labels++ = at > 0 ? 1 : 0;
    }
  }
};

/// Network with logits (−x, x), which classifies every point correctly; w is (2, 2).
struct right_answer {
  [[nodiscard]] static rp::tensor<float> parameter(std::string_view) {
    rp::tensor<float> w({2, 2});
    const float values[] = {-1, 1, 0, 0};
    std::copy(values, values + 4, w.data());
    return w;
  }
};

}  // namespace

TEST_CASE("outputs on two backends are compared over all samples, including the last batch") {
  rp::graph net("line");
  const rp::node y = net.input({2}) | nn::dense{.units = 2, .bias = false};
  const points data(15);
  const auto same = rp::compare_outputs<float>(net, y, right_answer{}, rp::cpu(1), rp::cpu(1), data, 4);
  CHECK(same.samples == 15);
  CHECK(same.accuracy() == 1);
  CHECK(same.expected_accuracy() == 1);
  CHECK(same.changed == 0);
  CHECK(same.largest_error == 0);
  CHECK(same.mean_error == 0);
  CHECK(same.largest_output == 1);

  const rp::mxu on(rp::cpu(1), rp::tpu::find_chip("v2"));
  index_t watched = 0;
  const auto rounded =
      rp::compare_outputs<float>(net, y, right_answer{}, rp::cpu(1), on, data, 4, [&](index_t done, index_t of) {
        watched = done;
        CHECK(of == 15);
      });
  CHECK(watched == 15);
  CHECK(rounded.accuracy() == 1);
  CHECK(rounded.largest_error > 0);        // sevenths are not exact in bf16
  CHECK(rounded.largest_error <= 0x1p-9);  // half a unit of the last place below 1
  CHECK(rounded.mean_error < rounded.largest_error);
}

TEST_CASE("a NaN counts as an infinite error, and as wrong if it should be largest") {
  rp::output_difference d;
  double sum = 0;
  const std::int32_t labels[] = {1};
  const float want[] = {0, 1}, got[] = {0, std::numeric_limits<float>::quiet_NaN()};
  rp::detail::add_outputs<float>(d, sum, labels, want, got, 2);
  CHECK(d.largest_error == HUGE_VAL);
  CHECK(d.expected_correct == 1);
  CHECK(d.correct == 0);
  CHECK(d.changed == 1);
}

TEST_CASE("an empty batch is refused") {
  rp::graph net("line");
  const rp::node y = net.input({2}) | nn::dense{.units = 2, .bias = false};
  CHECK_THROWS_AS(
      static_cast<void>(rp::compare_outputs<float>(net, y, right_answer{}, rp::cpu(1), rp::cpu(1), points(3), 0)),
      rp::value_error);
}
