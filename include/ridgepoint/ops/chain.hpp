// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <span>
#include <typeindex>

#include <ridgepoint/core/type_position.hpp>
#include <ridgepoint/ops/activate.hpp>
#include <ridgepoint/ops/add.hpp>
#include <ridgepoint/ops/add_bias.hpp>
#include <ridgepoint/ops/batch_norm.hpp>
#include <ridgepoint/ops/convert.hpp>
#include <ridgepoint/ops/dropout.hpp>

/// \file
/// Element-wise calls that follow from one another, which a backend may run as one: what one hands to the next need not
/// go through memory.
namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The ops whose element i of the output follows from element i of their inputs: what else they read is the same for
/// all elements, or for a column of them.
template <scalar T>
using elementwise_ops =
    type_list<activate_args<T>, activate_backward_args<T>, add_args<T>, add_bias_args<T>, dropout_args<T>>;

/// The ops whose last pass is element-wise, with numbers for each column that the ones before it have found: they may
/// begin a chain, or follow the conversions of all maps that they read, from one type, which then begin it: of x
/// without a scale.
template <scalar T>
using chain_heads = type_list<batch_norm_args<T>, batch_norm_backward_args<T>>;

/// Those of a type that is computed in as it is stored.
template <scalar T>
using chain_ops = decltype(chain_heads<T>{} + type_list<batch_norm_inference_args<T>>{} + elementwise_ops<T>{});

/// Those of a type that stores for less than it computes in, and what leads there and back: what one call hands to the
/// next is rounded as if it had been stored.
template <scalar T>
using stored_chain_ops = decltype(elementwise_ops<T>{} +
                                  type_list<convert_args<T, compute_t<T>>, convert_args<compute_t<T>, T>>{});

using all_chain_ops = decltype(chain_ops<float>{} + chain_ops<double>{} + stored_chain_ops<bfloat16>{} +
                               stored_chain_ops<float16>{});

/// Whether an op reads a gradient beside its input.
template <class Args>
concept has_gradient = requires(const Args& a) {
  a.dy;
};

/// Whether the op with arguments of this type may be in a chain.
[[nodiscard]] inline bool is_chain_op(std::type_index args) noexcept {
  return type_position(all_chain_ops{}, args) < all_chain_ops::size;
}
/// How many maps it reads as one of chain_heads; 0: it is none.
[[nodiscard]] inline std::size_t maps_of_head(std::type_index args) noexcept {
  const auto maps = [&]<class... Heads>(type_list<Heads...>) {
    return (std::size_t{0} + ... + (args != typeid(Heads) ? 0U : has_gradient<Heads> ? 2U : 1U));
  };
  return maps(decltype(chain_heads<float>{} + chain_heads<double>{}){});
}

/// Whether the op only widens numbers that are stored as less than what is computed in.
[[nodiscard]] inline bool is_widening(std::type_index args) noexcept {
  using widenings = type_list<convert_args<float, bfloat16>, convert_args<float, float16>>;
  return type_position(widenings{}, args) < widenings::size;
}

/// How many elements such an op computes; 0 where its element-wise output is not wanted.
template <class Args>
[[nodiscard]] constexpr index_t element_count(const Args& args) noexcept {
  if constexpr (requires { args.size; }) return args.size;
  else if constexpr (requires { args.dx; }) return args.dx == nullptr ? 0 : args.rows * args.channels;
  else return args.rows * args.channels;
}

/// A call of a chain.
struct chain_link {
  std::type_index type;        // of its arguments, which are in chain_ops
  const void* args = nullptr;  // stay where they are
  void* workspace = nullptr;   // as it was prepared by itself
  bool kept = true;  // whether its element-wise output is read by others than the calls behind it in the chain
};

/// How many calls a chain has at most.
inline constexpr std::size_t most_chain_links = 8;

/// Whether Backend runs chains, where it says that it wants to: prepare_chain() makes of calls what run_chain() runs in
/// their place, with the same bits. All have as many elements, of types that are computed in alike. What a call reads
/// is, where an earlier one of the chain writes there, what the last of these writes; an output that is not kept need
/// not be written.
template <class Backend>
concept runs_chains = requires(const Backend& on, std::span<const chain_link> links) {
  { on.wants_chains() } -> std::same_as<bool>;
  on.run_chain(on.prepare_chain(links));
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
