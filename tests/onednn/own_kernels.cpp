// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <vector>

#include <ridgepoint/onednn/all.hpp>

namespace rp = ridgepoint;

namespace {
template <class... Args>
constexpr bool has_all(rp::type_list<Args...>) {
  return (rp::executes<rp::onednn, Args> && ...);
}
template <class... Args>
constexpr bool has_none(rp::type_list<Args...>) {
  return !(rp::executes<rp::onednn, Args> || ...);
}
}  // namespace

static_assert(has_all(rp::matrix_ops<float>()) && has_all(rp::untyped_ops()), "an MLP in f32 can be compiled for it");
static_assert(has_none(rp::all_ops<double>()), "the library computes in f32");

TEST_CASE("what the library lacks gives the cpu backend's results") {
  const rp::onednn on(1);
  const std::vector<float> g{1, -2, 3, 0.5F, -1};
  std::vector<float> w(5, 1.0F), m(5), v(5), w0 = w, m0 = m, v0 = v;
  rp::step_state state{.learning_rate = 0.1};
  rp::adam_update_args<float> args{
      .size = 5, .w = w.data(), .g = g.data(), .m = m.data(), .v = v.data(), .state = &state};
  CHECK(rp::run(on, args) == rp::receipt(args));
  args.w = w0.data(), args.m = m0.data(), args.v = v0.data();
  rp::run(rp::native_cpu(1), args);
  CHECK(w == w0);
  CHECK(m == m0);
  rp::advance(on, &state);
  CHECK(state.step == 1);
}
