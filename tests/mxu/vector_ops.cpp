// SPDX-License-Identifier: MIT
#include <ridgepoint/mxu/vector_unit.hpp>

#include "mxu/backend.hpp"

namespace rp = ridgepoint;
using namespace agreement;

TEST_CASE("the vector unit computes in fp32 for any array format: bit for bit the result of its host") {
  const index_t size = 37;
  rp::random_stream random(1);
  std::vector<float> x(static_cast<std::size_t>(size)), g(x.size());
  for (float& v : x) v = static_cast<float>(random.uniform(-2, 2));
  for (float& v : g) v = static_cast<float>(random.uniform(-2, 2));
  const auto results = [&](const auto& on) {
    std::vector<float> w = x, m(x.size()), v(x.size()), y(x.size()), p(x.size());
    rp::step_state state = start;
    rp::run(on, rp::adam_update_args<float>{
                    .size = size, .w = w.data(), .g = g.data(), .m = m.data(), .v = v.data(), .state = &state});
    rp::run(on, rp::activate_args<float>{.f = rp::activation::tanh, .size = size, .x = x.data(), .y = y.data()});
    rp::run(on, rp::softmax_args<float>{.x = {x.data(), 1, size}, .y = {p.data(), 1, size}});
    rp::run(on, rp::advance_args{.state = &state});
    CHECK(state.step == start.step + 1);
    return std::array{w, m, v, y, p};
  };
  const auto expected = results(rp::cpu(1));
  for (const rp::systolic::number_format f : rp::systolic::number_formats)
    CHECK(results(mxu_backend::small_mxu(f)) == expected);
}

TEST_CASE("an op that the host lacks runs by definition") {
  const rp::max_pool2d_args<float> none;
  static_assert(rp::executes<rp::mxu<rp::cpu>, rp::max_pool2d_args<float>>);
  const float x[] = {1, 4, 3, 2};
  float y = 0;
  rp::run(mxu_backend::small_mxu(rp::systolic::number_format::bf16),
          rp::max_pool2d_args<float>{.geometry = {.n = 1, .h = 2, .w = 2, .c = 1, .kh = 2, .kw = 2}, .x = x, .y = &y});
  CHECK(y == 4);
  static_cast<void>(none);
}
