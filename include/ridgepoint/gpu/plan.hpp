// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

#include <ridgepoint/gpu/products.hpp>
#include <ridgepoint/gpu/step.hpp>

/// \file
/// modelled(platform, args): the time a GPU would take for an op, from its arguments, without running it.
///
/// Activations are stored in the format's width; weights, their gradients and the optimiser's state are fp32. So 16-bit
/// products need copies of the weights, and fp32 copies of the gradients. Software that does not fuse runs a separate
/// kernel and op for each of these copies, each bias, each activation and each sum of a bias gradient.
namespace ridgepoint::inline RIDGEPOINT_ABI::gpu {

namespace detail {

/// Returns the bytes of an fp32 op's receipt with every value in the format's width.
[[nodiscard]] inline double activation_bytes(const platform& p, std::uint64_t receipt_bytes) noexcept {
  return p.width() * static_cast<double>(receipt_bytes);
}

/// Returns the receipt with every activation in the format's width.
[[nodiscard]] inline work in_format(const platform& p, work r) noexcept {
  for (std::uint64_t* bytes : {&r.bytes.inputs, &r.bytes.weights, &r.bytes.outputs})
    *bytes = static_cast<std::uint64_t>(activation_bytes(p, *bytes));
  return r;
}

/// Returns the number of operands with this role.
template <class Args>
[[nodiscard]] index_t count_of(const Args& args, operand_role role) {
  index_t count = 0;
  for (const operand& o : operands(args)) count += o.role == role && !o.absent() ? 1 : 0;
  return count;
}

/// Returns the products of a convolution ÷ those that its kernel computes: 2.25 by Winograd's algorithm with 2×2
/// outputs, which cuDNN has for 3×3 filters of stride 1 in fp32. Its transforms are not counted.
template <class Args>
[[nodiscard]] double winograd_saving(const platform& p, const Args& args) noexcept {
  if constexpr (convolution_op<Args>) {
    const conv2d_geometry& g = args.geometry;
    const bool fits = g.kh == 3 && g.kw == 3 && g.stride.h == 1 && g.stride.w == 1 && g.groups == 1;
    if (fits && p.in == number_format::f32) return 2.25;
  }
  return 1;
}

/// Adds a kernel and an op for each pass that the software runs in addition to a product.
template <class Args>
void add_passes(kernels_of_op& k, const platform& p, const Args& args, const work& r) {
  const auto pass_over = [&](double bytes, index_t times = 1) { k.stream(bytes, times), k.dispatches += times; };
  const double y = activation_bytes(p, r.bytes.outputs);
  if constexpr (requires { args.bias; })
    if (args.bias != nullptr) pass_over(2 * y);
  if constexpr (requires { args.residual; })
    if (args.residual != nullptr) pass_over(3 * y);
  if constexpr (requires { args.act; })
    if (args.act != activation::none) pass_over(2 * y);
  if constexpr (convolution_op<Args>) {
    const index_t copies = exactly(p.width(), 1) ? p.with.image_copies : p.with.image_copies_f16;
    const auto values = static_cast<double>(args.geometry.input_size() + args.geometry.output_size());
    k.stream(2 * static_cast<double>(copies) * activation_bytes(p, 4) * values, 2 * copies);
  }
  if constexpr (std::same_as<Args, batch_norm_args<float>> || std::same_as<Args, batch_norm_backward_args<float>>) {
    const auto x = activation_bytes(p, 4) * static_cast<double>(args.rows) * static_cast<double>(args.channels);
    k.stream(std::same_as<Args, batch_norm_args<float>> ? x : 2 * x, 0);  // statistics need all of x before y
  }
  if constexpr (requires { args.dw; }) {
    const operand dy = operands(args)[1];
    if (args.db != nullptr) pass_over(activation_bytes(p, dy.counted * 4));
  }
  if (exactly(p.width(), 1)) return;
  constexpr double copy = 6;  // 4 bytes in fp32, 2 in the format; one is read, the other written
  if constexpr (requires { args.dw; })
    pass_over(copy * static_cast<double>(r.bytes.outputs) / 4, count_of(args, operand_role::output));
  else if constexpr (requires {
                       args.act;
                       args.bias;
                     })
    pass_over(copy * static_cast<double>(r.bytes.weights) / 4, count_of(args, operand_role::weight));
}

/// Returns the kernels of an update: one over all values, which also writes the copy for products, or the software's
/// kernels per variable.
template <class Args>
[[nodiscard]] kernels_of_op update_kernels(const platform& p, const Args& args, const work& r) {
  const software& s = p.with;
  kernels_of_op k{.dispatches = s.variables * s.update_ops};
  const double copy = s.fuses && p.width() < 1 ? 4 * p.width() * static_cast<double>(operands(args)[0].counted) : 0;
  k.stream(s.update_traffic * static_cast<double>(r.bytes.total()) + copy, s.variables * s.update_kernels);
  return k;
}

/// Returns the bytes that an op's own kernels move: activations and copies of weights in the format, also gradients of
/// weights if the software copies them to fp32 afterwards.
template <class Args>
[[nodiscard]] double moved_bytes(const platform& p, const work& r) noexcept {
  const auto read = static_cast<double>(r.bytes.inputs + r.bytes.weights),
             written = static_cast<double>(r.bytes.outputs);
  const bool in_fp32 = requires(const Args& args) { args.dw; }
  &&p.with.fuses;
  return p.width() * read + (in_fp32 ? 1 : p.width()) * written;
}

/// Adds the dispatches of a loop over a recurrent layer's steps, without its products. The gates' values move four
/// times.
template <class Args>
void add_turns(kernels_of_op& k, const platform& p, const Args& args) {
  const recurrent_geometry g = geometry_of(args);
  const software& s = p.with;
  constexpr bool plain = type_list<rnn_args<float>, rnn_backward_args<float>>::contains<Args>;
  const index_t ops = recurrent_backward_op<Args> ? (plain ? s.plain_turn_ops_back : s.turn_ops_back)
                                                  : (plain ? s.plain_turn_ops : s.turn_ops);
  k.dispatches += g.steps * ops;
  k.stream(4 * p.width() * 4 * static_cast<double>(g.steps * g.n * g.columns()), g.steps * ops);
}

/// Adds the traffic of attention that is not fused: scores are written and read for each product and the softmax.
template <class Args>
void add_scores(kernels_of_op& k, const platform& p, const Args& args) {
  const attention_geometry g = args.geometry();
  const double scores = static_cast<double>(g.n * g.heads * g.queries * g.keys);
  k.dispatches += static_cast<index_t>(products(args).size());
  k.stream(2 * p.width() * 4 * scores * static_cast<double>(products(args).size()));
}

}  // namespace detail

/// Returns zero cost: the host counts steps.
[[nodiscard]] inline modelled_op modelled(const platform&, const advance_args&) { return {}; }

/// Returns the modelled cost of any op in ops/all.hpp.
/// Example: modelled(p, rp::gemm_args<float>{.a = a, .b = b, .c = c}).elapsed_s      // nothing runs
template <class Args>
  requires(all_ops<float>::template contains<Args>)
[[nodiscard]] modelled_op modelled(const platform& p, const Args& args) {
  const work r = receipt(args);
  if constexpr (updates_weights<Args>) {
    return conclude(p, detail::update_kernels(p, args, r), r);
  } else {
    kernels_of_op k;
    const double bytes = detail::moved_bytes<Args>(p, r);
    if constexpr (requires { products(args); }) {
      const double saved = detail::winograd_saving(p, args);
      double left = bytes;  // all of it during the first product
      for (const product& one : products(args)) k.multiply(p, one, std::exchange(left, 0.0), saved);
    } else {
      static_assert(product_of<Args> != product_kind::dense || std::same_as<Args, pack_b_args<float>>,
                    "gpu/products.hpp must list the products of this op");
      k.compute(static_cast<double>(r.flop) / p.on.f32_flop_per_s, bytes);  // not on tensor cores
    }
    if constexpr (recurrent_op<Args>) {
      if (!p.with.fuses_sequences) detail::add_turns(k, p, args);
    } else if constexpr (requires { args.geometry(); }) {
      if (!p.with.fuses) detail::add_scores(k, p, args);
    } else if (!p.with.fuses) {
      detail::add_passes(k, p, args, r);
    }
    return conclude(p, k, detail::in_format(p, r));
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::gpu
