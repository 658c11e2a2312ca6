// SPDX-License-Identifier: MIT
#include <ridgepoint/kernels/map/convert.hpp>

#include <ridgepoint/cpu/all.hpp>

#include "support/cpu_sizes.hpp"
#include "support/every_op.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {
template <class... Args>
constexpr bool has_all(rp::type_list<Args...>) {
  return (rp::executes<rp::native_cpu, Args> && ...) && (rp::executes<rp::cpu, Args> && ...);
}
static_assert(has_all(rp::dense_network_ops<rp::bfloat16>{} + rp::conversion_ops{}));
static_assert(!rp::executes<rp::native_cpu, rp::adam_update_args<rp::bfloat16>>, "updates are made in f32");
}  // namespace

TEST_CASE("element-wise ops in bfloat16 agree with their definition around registers, stretches and parts") {
  using stretches = rp::kernels::float_stretches<1>;
  for (const index_t size :
       {index_t{0}, index_t{1}, body_and_tail<float>(), stretches::most, stretches::most + 1, rp::part_elements + 3})
    agree_on_elementwise_ops<rp::bfloat16>(on_cpu, size);
  agree_on_elementwise_ops<rp::bfloat16>(on_cpu, body_and_tail<float>(), true);
}

TEST_CASE("dropout in bfloat16 gives the bits of its definition") {
  for (const index_t size : around(rp::dropout_mask::block)) {
    std::vector<rp::bfloat16> x, want(static_cast<std::size_t>(size)), got(want);
    for (const double value : random_values<rp::bfloat16>(size, 1).values) x.emplace_back(value);
    const rp::step_state state = start;
    const rp::dropout_args<rp::bfloat16> args{
        .size = size, .x = x.data(), .y = want.data(), .rate = 0.45F, .seed = 7, .stream = 3, .state = &state};
    rp::dropout_args<rp::bfloat16> fast = args;
    fast.y = got.data();
    rp::run(rp::reference, args);
    rp::run(on_cpu(2), fast);
    CHECK(want == got);
  }
}

TEST_CASE("softmax and its loss in bfloat16 agree with their definition, for few and many columns") {
  const index_t lanes = tested::lanes<float>();
  for (const index_t cols : {index_t{1}, index_t{10}, index_t{16}, index_t{17}, 4 * lanes + 3})
    for (const index_t rows : {index_t{1}, lanes + 1}) agree_on_softmax<rp::bfloat16>(on_cpu, rows, cols, 3);
  agree_on_softmax<rp::bfloat16>(on_cpu, 2, 20'000, 0);
  agree_on_softmax<rp::bfloat16>(on_cpu, 4 * lanes + 1, 10, 0, true);
  agree_on_softmax<rp::bfloat16>(on_cpu, 0, 4, 0);
}
