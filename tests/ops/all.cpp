// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/ops/all.hpp>
#include <ridgepoint/ops/array_gemm.hpp>
#include <ridgepoint/reference/all.hpp>

#include "support/near.hpp"

namespace rp = ridgepoint;

namespace {
/// True if the definition can run Args and a receipt for it exists.
template <class Args>
constexpr bool is_op = rp::executes<rp::reference_backend, Args>&& requires(const Args& args) {
  { receipt(args) } -> std::same_as<rp::work>;
  check(args);
};
template <class... Args>
constexpr std::size_t ops_in(rp::type_list<Args...>) {
  return (std::size_t{0} + ... + (is_op<Args> ? 1 : 0));
}
/// Number of ops that have a receipt of a type other than T.
template <rp::scalar T, class... Args>
constexpr std::size_t of_another_type(rp::type_list<Args...>) {
  return (std::size_t{0} + ... + (receipt(Args{}).bytes.type == rp::element_of<T> ? 0 : 1));
}
}  // namespace

TEST_CASE("the ops of a training step have a definition, a check and a receipt") {
  static_assert(is_op<rp::gemm_args<float>> && is_op<rp::advance_args>);
  static_assert(ops_in(rp::all_ops<float>{}) >= 18);
  static_assert(ops_in(rp::all_ops<double>{}) == ops_in(rp::all_ops<float>{}));
}

TEST_CASE("the receipt of every op names its number type, which selects the roof") {
  CHECK(of_another_type<float>(rp::all_ops<float>{}) == 0);
  CHECK(of_another_type<double>(rp::all_ops<double>{}) == 0);
  CHECK(of_another_type<rp::bfloat16>(rp::all_ops<rp::bfloat16>{}) == 0);
  CHECK(of_another_type<rp::float16>(rp::all_ops<rp::float16>{}) == 0);
  CHECK(receipt(rp::gemm_args<double>{}).bytes.type == rp::element::f64);
  CHECK((receipt(rp::conv2d_args<double>{}) + rp::work{}).bytes.type == rp::element::f64);
  CHECK((receipt(rp::adam_update_args<double>{.size = 8}) * 3).bytes.type == rp::element::f64);
  CHECK(receipt(rp::array_gemm_args<std::int8_t>{}).bytes.type == rp::element::i8);
  CHECK(receipt(rp::array_gemm_args<rp::bfloat16>{}).bytes.type == rp::element::bf16);
}

TEST_CASE("every activation has a name") {
  for (int f = 0; f < rp::activation_count; ++f) CHECK(to_string(static_cast<rp::activation>(f)) != "unknown");
  CHECK(to_string(static_cast<rp::activation>(rp::activation_count)) == "unknown");
}

TEST_CASE("dropout keeps the documented share, scale and independence of steps and streams") {
  const rp::index_t n = 200000;
  for (const double rate : {0.0, 0.1, 0.45, 0.9}) {
    const rp::dropout_mask mask(rate, 42, 7, 1), next_step(rate, 42, 8, 1), other_stream(rate, 42, 7, 2);
    double kept = 0, both_steps = 0, both_streams = 0;
    for (rp::index_t i = 0; i < n; ++i) {
      kept += mask.keeps(i);
      both_steps += mask.keeps(i) && next_step.keeps(i);
      both_streams += mask.keeps(i) && other_stream.keeps(i);
    }
    const double share = 1 - rate, six_sigma = 6 * std::sqrt(0.25 / static_cast<double>(n));
    CHECK(std::abs(kept / n - share) <= six_sigma);
    CHECK(std::abs(both_steps / n - share * share) <= six_sigma);
    CHECK(std::abs(both_streams / n - share * share) <= six_sigma);
    CHECK(mask.scale() == near(1 / share, 1e-4));
  }
}
