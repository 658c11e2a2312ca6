// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/kernels/probe/args.hpp>
#include <ridgepoint/ops/all.hpp>
#include <ridgepoint/ops/array_gemm.hpp>
#include <ridgepoint/ops/op_record.hpp>

namespace rp = ridgepoint;

namespace {
template <std::size_t>
struct numbered_args {
  static constexpr std::string_view name = "numbered";
};
struct another {
  static constexpr std::string_view name = "add";
};
/// More types than compilers accept in a fold expression.
template <std::size_t... I>
constexpr rp::type_list<numbered_args<I>...> many(std::index_sequence<I...>) {
  return {};
}

/// Returns the first op of a list that another op of the list has the label of; empty if all differ.
template <class... Args>
std::string shared_label(rp::type_list<Args...>) {
  const rp::op_id all[] = {rp::op_id_of<Args>...};
  for (const rp::op_id a : all)
    for (const rp::op_id b : all)
      if (a != b && to_string(*a) == to_string(*b)) return to_string(*a);
  return "";
}

/// Returns the first op of a list whose name is not its arguments' type without "_args"; empty if all are.
template <class... Args>
std::string misnamed(rp::type_list<Args...>) {
  const std::string_view mangled[] = {typeid(Args).name()...}, names[] = {Args::name...};
  for (std::size_t i = 0; i < sizeof...(Args); ++i) {
    const std::string type = rp::concat(names[i].size() + 5, names[i], "_args");  // as both compilers mangle it
    if (mangled[i].find(type) == std::string_view::npos) return std::string(names[i]);
  }
  return "";
}
using every_op = decltype(rp::all_ops<float>{} + rp::all_ops<double>{} + rp::all_ops<rp::bfloat16>{} +
                          rp::all_ops<rp::float16>{} + rp::conversion_ops{} + rp::float16_conversion_ops{} +
                          rp::untyped_ops{} + rp::probe_ops{});
}  // namespace

TEST_CASE("a record has the name that the arguments declare, their element types and size") {
  CHECK(to_string(rp::op_record_of<rp::dense_args<float>>) == "dense<float>");
  CHECK(to_string(rp::op_record_of<rp::gemm_args<double>>) == "gemm<double>");
  CHECK(to_string(rp::op_record_of<rp::add_args<rp::float16>>) == "add<float16>");
  CHECK(to_string(rp::op_record_of<rp::convert_args<rp::bfloat16, float>>) == "convert<bfloat16, float>");
  CHECK(to_string(rp::op_record_of<rp::array_gemm_args<std::int8_t>>) == "array_gemm<int8>");
  CHECK(to_string(rp::op_record_of<rp::add_args<rp::stored>>) == "add");
  CHECK(to_string(rp::op_record_of<rp::advance_args>) == "advance");
  CHECK(rp::op_record_of<rp::dense_args<float>>.args_bytes == sizeof(rp::dense_args<float>));
}

TEST_CASE("every op has its own label, from the name of its arguments") {
  CHECK(misnamed(every_op{}) == "");
  CHECK(misnamed(rp::type_list<rp::add_args<float>, another>{}) == "add");
  CHECK(shared_label(every_op{}) == "");
  CHECK(shared_label(rp::type_list<numbered_args<0>, numbered_args<1>>{}) == "numbered");
}

TEST_CASE("an op is found in a list by its id; a missing one gives the size of the list") {
  constexpr auto list = many(std::make_index_sequence<400>{});
  static_assert(list.contains<numbered_args<399>> && !list.contains<int> && list.index_of<numbered_args<300>> == 300);
  CHECK(op_position(list, rp::op_id_of<numbered_args<0>>) == 0);
  CHECK(op_position(list, rp::op_id_of<numbered_args<399>>) == 399);
  CHECK(op_position(list, rp::op_id_of<numbered_args<400>>) == 400);
  CHECK(op_position(rp::type_list<>{}, rp::op_id_of<numbered_args<0>>) == 0);
}
