// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/core/element.hpp>
#include <ridgepoint/core/nearest_name.hpp>
#include <ridgepoint/core/type_list.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Identity of an op with the types of its elements. Each type of arguments has one record, op_record_of; plans, tables
/// of backends and reports refer to the op by the record's address, its op_id.
struct op_record {
  std::string_view name;            // "dense", as the arguments declare it
  std::array<element, 2> elements;  // of its numbers; of a conversion, to and from; other: none
  std::size_t args_bytes;
};
using op_id = const op_record*;

/// Formats as in messages: "dense<float>", "convert<bfloat16, float>", "array_gemm<int8>", "advance".
[[nodiscard]] inline std::string to_string(const op_record& op) {
  constexpr std::string_view names[] = {"float", "double", "bfloat16", "float16", "int32", "int8"};
  std::vector<std::string_view> types;
  for (const element e : op.elements)
    if (has_ceilings(e)) types.push_back(names[static_cast<std::size_t>(e)]);
  return types.empty() ? std::string(op.name) : concat(op.name, '<', names_of(types), '>');
}

namespace detail {
template <class Args>
inline constexpr std::array<element, 2> elements_of = {element::other, element::other};
template <template <class> class Args, class T>
inline constexpr std::array<element, 2> elements_of<Args<T>> = {element_of<T>, element::other};
template <template <class, class> class Args, class To, class From>
inline constexpr std::array<element, 2> elements_of<Args<To, From>> = {element_of<To>, element_of<From>};
}  // namespace detail

/// The record of the op with these arguments, which declare its name:
///   static constexpr std::string_view name = "dense";
template <class Args>
inline constexpr op_record op_record_of = {Args::name, detail::elements_of<Args>, sizeof(Args)};
/// Example: calls[0].op == rp::op_id_of<rp::dense_args<float>>
template <class Args>
inline constexpr op_id op_id_of = &op_record_of<Args>;

/// Returns the position of an op in a list of arguments; the size of the list if absent.
template <class... Args>
[[nodiscard]] std::size_t op_position(type_list<Args...>, op_id op) noexcept {
  constexpr op_id all[] = {op_id_of<Args>..., nullptr};
  std::size_t at = 0;
  while (at < sizeof...(Args) && all[at] != op) ++at;
  return at;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
