// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <span>

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/ops/activate.hpp>
#include <ridgepoint/ops/add.hpp>
#include <ridgepoint/ops/add_bias.hpp>
#include <ridgepoint/ops/batch_norm.hpp>
#include <ridgepoint/ops/convert.hpp>
#include <ridgepoint/ops/dropout.hpp>
#include <ridgepoint/ops/op_record.hpp>

/// \file
/// Chains of dependent element-wise calls, which a backend may run as one: intermediate results need not go through
/// memory.
namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Ops whose output element i depends on element i of their inputs, and otherwise on operands shared by all elements or
/// by a column.
template <scalar T>
using elementwise_ops =
    type_list<activate_args<T>, activate_backward_args<T>, add_args<T>, add_bias_args<T>, dropout_args<T>>;

/// Ops whose last pass is element-wise, with numbers per column computed by earlier passes. They may start a chain, or
/// follow the conversions of all maps that they read, from one type, which then start the chain; conversions of x have
/// no scale.
template <scalar T>
using chain_heads = type_list<batch_norm_args<T>, batch_norm_backward_args<T>>;

/// Ops in chains of a type that computes in its storage type.
template <scalar T>
using chain_ops = decltype(chain_heads<T>{} + type_list<batch_norm_inference_args<T>>{} + elementwise_ops<T>{});

/// Ops in chains of a type that computes in a wider type than it stores, with the conversions to and from it. Values
/// passed to the next call are rounded as if they had been stored.
template <scalar T>
using stored_chain_ops = decltype(elementwise_ops<T>{} +
                                  type_list<convert_args<T, compute_t<T>>, convert_args<compute_t<T>, T>>{});

using all_chain_ops = decltype(chain_ops<float>{} + chain_ops<double>{} + stored_chain_ops<bfloat16>{} +
                               stored_chain_ops<float16>{});

/// True if an op reads a gradient in addition to its input.
template <class Args>
concept has_gradient = requires(const Args& a) {
  a.dy;
};

/// Returns true if the op may be in a chain.
[[nodiscard]] inline bool is_chain_op(op_id op) noexcept {
  return op_position(all_chain_ops{}, op) < all_chain_ops::size;
}
/// Returns the number of maps that an op of chain_heads reads; 0 for other ops.
[[nodiscard]] inline std::size_t maps_of_head(op_id op) noexcept {
  const auto maps = [&]<class... Heads>(type_list<Heads...>) {
    return (std::size_t{0} + ... + (op != op_id_of<Heads> ? 0U : has_gradient<Heads> ? 2U : 1U));
  };
  return maps(decltype(chain_heads<float>{} + chain_heads<double>{}){});
}

/// Returns true if the op only converts numbers from their storage type to the wider compute type.
[[nodiscard]] inline bool is_widening(op_id op) noexcept {
  using widenings = type_list<convert_args<float, bfloat16>, convert_args<float, float16>>;
  return op_position(widenings{}, op) < widenings::size;
}

/// Returns the number of elements such an op computes; 0 if it does not write its element-wise output.
template <class Args>
[[nodiscard]] constexpr index_t element_count(const Args& args) noexcept {
  if constexpr (requires { args.size; }) return args.size;
  else if constexpr (requires { args.dx; }) return args.dx == nullptr ? 0 : args.rows * args.channels;
  else return args.rows * args.channels;
}

/// A call of a chain.
struct chain_link {
  op_id op = nullptr;          // in chain_ops
  const void* args = nullptr;  // must stay valid
  void* workspace = nullptr;   // as for the call alone
  bool kept = true;            // its element-wise output is also read outside the later calls of the chain
};

/// The maximum number of calls in a chain.
inline constexpr std::size_t most_chain_links = 8;

/// True if Backend runs chains, where wants_chains() returns true: prepare_chain() converts calls into what run_chain()
/// runs instead, with the same bits. All calls have equally many elements, of types with one compute type. A call that
/// reads an output of earlier calls in the chain reads that of the last one to write it; an output that is not kept
/// need not be written.
template <class Backend>
concept runs_chains = requires(const Backend& on, std::span<const chain_link> links) {
  { on.wants_chains() } -> std::same_as<bool>;
  on.run_chain(on.prepare_chain(links));
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
