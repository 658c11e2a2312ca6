// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <vector>

#include <ridgepoint/core/either.hpp>
#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/onednn/all.hpp>
#include <ridgepoint/ops/all.hpp>

namespace rp = ridgepoint;

namespace {
using both = rp::either<rp::onednn, rp::cpu>;

template <class... Args>
constexpr bool has_none(rp::type_list<Args...>) {
  return !(rp::executes<rp::onednn, Args> || ...);
}
template <class... Args>
constexpr int count_had(rp::type_list<Args...>) {
  return (0 + ... + rp::executes<rp::onednn, Args>);
}
/// Whether `both` has all ops of the CPU backend, except packed B, which oneDNN lacks.
template <class... Args>
constexpr bool completes(rp::type_list<Args...>) {
  return ((rp::executes<both, Args> == (rp::executes<rp::cpu, Args> && !rp::in_own_form<Args>)) && ...);
}
}  // namespace

static_assert(has_none(rp::all_ops<double>()), "the library computes in f32");
static_assert(has_none(rp::type_list<rp::mse_args<float>, rp::dropout_args<float>, rp::adam_update_args<float>,
                                     rp::advance_args>()),
              "oneDNN has no primitive for these");
static_assert(has_none(rp::type_list<rp::pack_b_args<float>, rp::gemm_packed_args<float>>()), "nor packed B");
static_assert(completes(rp::matrix_ops<float>()) && completes(rp::image_ops<float>()) && completes(rp::untyped_ops()),
              "an MLP or a CNN in f32 can be compiled for both");
using copies =
    rp::type_list<rp::pad_channels_args<float>, rp::pad_channels_backward_args<float>, rp::concat_channels_args<float>>;
static_assert(has_none(copies()), "nor copies of channels");
static_assert(has_none(rp::type_list<rp::group_norm_args<float>, rp::group_norm_backward_args<float>>()),
              "nor group normalisation, before 3.3");
static_assert(count_had(rp::image_ops<float>()) == 16,
              "every other op on images uses oneDNN, or a loop if parameters change");
static_assert(count_had(rp::sequence_ops<float>()) == 6, "of the ops on sequences the recurrent ones, none projected");

TEST_CASE("ops that oneDNN lacks give the other backend's results") {
  const both on(rp::onednn(1), rp::cpu(1));
  const std::vector<float> g{1, -2, 3, 0.5F, -1};
  std::vector<float> w(5, 1.0F), m(5), v(5), w0 = w, m0 = m, v0 = v;
  rp::step_state state{.learning_rate = 0.1};
  rp::adam_update_args<float> args{
      .size = 5, .w = w.data(), .g = g.data(), .m = m.data(), .v = v.data(), .state = &state};
  CHECK(rp::run(on, args) == rp::receipt(args));
  args.w = w0.data(), args.m = m0.data(), args.v = v0.data();
  rp::run(on.rest(), args);
  CHECK(w == w0);
  CHECK(m == m0);
  rp::advance(on, &state);
  CHECK(state.step == 1);
  CHECK(rp::executed_by<rp::dense_args<float>>(on) == "onednn");
  CHECK(rp::executed_by<rp::adam_update_args<float>>(on) == on.rest().name());
}
