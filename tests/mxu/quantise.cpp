// SPDX-License-Identifier: MIT
#include <ridgepoint/mxu/mxu.hpp>

#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <vector>

#include <ridgepoint/core/random.hpp>

namespace rp = ridgepoint;
namespace sys = ridgepoint::systolic;

namespace {
constexpr float inf = std::numeric_limits<float>::infinity(), not_a_number = std::numeric_limits<float>::quiet_NaN();
}

TEST_CASE("the largest value becomes 127, ties go to even, the sign is symmetric") {
  const float x[] = {127, 0.5F, 1.5F, 2.5F, -0.5F, -1.5F, -127, 0, -0.0F, 126.6F};
  std::array<std::int8_t, 10> q{};
  const sys::quantiser step = sys::quantise_matrix({x, 2, 5}, q.data());
  CHECK(step.step() == 1);
  CHECK(q == std::array<std::int8_t, 10>{127, 0, 2, 2, 0, -2, -127, 0, 0, 127});
}

TEST_CASE("the error is at most half a step") {
  rp::random_stream random(1);
  std::vector<float> x(1000);
  for (float& v : x) v = static_cast<float>(random.uniform(-3, 5));
  std::vector<std::int8_t> q(x.size());
  const sys::quantiser step = sys::quantise_matrix({x.data(), 10, 100}, q.data());
  for (std::size_t i = 0; i < x.size(); ++i) CHECK(std::abs(x[i] - q[i] * step.step()) <= step.step() * 0.5000001);
}

TEST_CASE("each column has its own step") {
  const float w[] = {1,  100, 0,  //
                     -2, 50,  0};
  std::int8_t q[6];
  sys::quantiser columns[3];
  sys::quantise_columns({w, 2, 3}, q, columns);
  CHECK(columns[0].step() == 2.0 / 127);
  CHECK(columns[1].step() == 100.0 / 127);
  CHECK(columns[2].step() == 0);
  CHECK(std::array<int, 6>{q[0], q[1], q[2], q[3], q[4], q[5]} == std::array<int, 6>{64, 127, 0, -127, 64, 0});
}

TEST_CASE("NaN becomes 0, infinities become the limits, and neither affects the step") {
  const float x[] = {not_a_number, inf, -inf, 2, -1};
  std::array<std::int8_t, 5> q{};
  CHECK(sys::quantise_matrix({x, 1, 5}, q.data()).largest == 2);
  CHECK(q == std::array<std::int8_t, 5>{0, 127, -127, 127, -64});
  const float none[] = {not_a_number, inf};
  CHECK(sys::quantise_matrix({none, 1, 2}, q.data()).step() == 0);
  CHECK((q[0] == 0 && q[1] == 0));
}

TEST_CASE("the smallest and the largest floats have a valid step") {
  std::int8_t q[2];
  const float tiny[] = {std::numeric_limits<float>::denorm_min(), 0};
  CHECK(sys::quantise_matrix({tiny, 1, 2}, q).step() > 0);
  CHECK(q[0] == 127);
  const float huge[] = {std::numeric_limits<float>::max(), std::numeric_limits<float>::lowest()};
  CHECK(std::isfinite(sys::quantise_matrix({huge, 1, 2}, q).step()));
  CHECK((q[0] == 127 && q[1] == -127));
}
