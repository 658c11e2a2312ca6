// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/matmul.hpp>
#include <ridgepoint/mxu/mxu.hpp>
#include <ridgepoint/ops/adam.hpp>
#include <ridgepoint/ops/all.hpp>
#include <ridgepoint/ops/momentum.hpp>
#include <ridgepoint/ops/rmsprop_tf1.hpp>
#include <ridgepoint/ops/sgd.hpp>
#include <ridgepoint/reference/all.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::tpu {

/// Measured share of memory's rate that an op without a product reaches.
enum class stream { elementwise, update, copy };

/// An op of the vector unit on one core, per element of its largest operand.
struct vector_geometry {
  index_t elements = 0;
  double flop_per_element = 1, special_per_element = 0;
  double bytes_read = 4, bytes_written = 4;  // per element
  tpu::stream stream = tpu::stream::elementwise;
  std::string name = {};
  ridgepoint::pass pass = ridgepoint::pass::forward;
};

/// Models an elementwise op: t = max(vector cycles / clock, bytes / (share · HBM rate)) + latency.
///
/// A vector instruction handles 8 × 128 values; a bundle has two of them, one load and one store (4 KiB each), so
/// cycles = ⌈elements / 1024⌉ · max(flop / 2 + special / (2 · share), loads, stores), loads and stores in fp32 values.
/// On TPU v2 that is 1.43 TFLOP/s, so that an op with less than 4.8 FLOP/B waits for memory.
/// Throws: shape_error if elements < 1; value_error for a negative or non-finite number per element.
[[nodiscard]] inline modelled_op model_vector(const chip& on, const vector_geometry& g) {
  require<shape_error>(g.elements >= 1, "tpu vector op: ", g.elements, " elements; must be >= 1");
  for (const double each : {g.flop_per_element, g.special_per_element, g.bytes_read, g.bytes_written})
    require<value_error>(std::isfinite(each) && each >= 0, "tpu vector op: ", each, " per element; must be >= 0");
  const auto n = static_cast<double>(g.elements), width = static_cast<double>(on.vector_lanes * on.vector_sublanes);
  const double alus = static_cast<double>(on.vector_alus);
  const double per_register = (std::max)({g.flop_per_element / alus + g.special_per_element / (alus * on.special_share),
                                          g.bytes_read / 4, g.bytes_written / 4});
  const double share = g.stream == stream::update ? on.fit.update_stream
                       : g.stream == stream::copy ? on.fit.copy_stream
                                                  : on.fit.elementwise_stream;

  modelled_op op{.name = g.name, .pass = g.pass, .shape = concat(g.elements)};
  using detail::rounded;
  op.receipt = {.flop = rounded(n * g.flop_per_element),
                .special = rounded(n * g.special_per_element),
                .bytes = {.inputs = rounded(n * g.bytes_read), .outputs = rounded(n * g.bytes_written)}};
  op.bytes = op.receipt.bytes.total();
  op.vpu_s = std::ceil(n / width) * per_register / on.clock_hz;
  op.hbm_s = on.fifo_tiles > 0 ? 0 : static_cast<double>(op.bytes) / on.hbm_bytes_per_s;  // TPU v1: all on chip
  op.overhead_s = on.fit.op_latency_s;
  op.stream_share = share;
  op.elapsed_s = op.overhead_s + (std::max)(op.vpu_s, op.hbm_s / share);
  conclude(op, on.peak_flop_per_s());
  return op;
}

/// Cost of an optimiser per fp32 parameter in one fused op.
struct update_cost {
  double flop = 0, special = 0, bytes_read = 0, bytes_written = 0;
};
/// Derives the cost from the receipt of one parameter, without specials, which the TPU's profiler does not count.
[[nodiscard]] constexpr update_cost cost_of(const work& one) noexcept {
  return {.flop = static_cast<double>(one.flop),
          .bytes_read = static_cast<double>(one.bytes.inputs + one.bytes.weights),
          .bytes_written = static_cast<double>(one.bytes.outputs)};
}
inline constexpr update_cost sgd_update = cost_of(receipt(sgd_update_args<float>{.size = 1}));
inline constexpr update_cost momentum_update = cost_of(receipt(momentum_update_args<float>{.size = 1}));
/// TensorFlow's RMSProp with momentum: 28 bytes and 9 FLOP, as the TPU's profiler counts.
inline constexpr update_cost rmsprop_update = cost_of(receipt(rmsprop_tf1_update_args<float>{.size = 1}));
inline constexpr update_cost adam_update = cost_of(receipt(adam_update_args<float>{.size = 1}));
/// A further pass over every parameter in ParaDnn's traces: two values in, one out, 1 FLOP.
inline constexpr update_cost extra_pass{.flop = 1, .bytes_read = 8, .bytes_written = 4};

/// One optimiser op over `parameters` values.
[[nodiscard]] inline modelled_op model_update(const chip& on, index_t parameters,
                                              const update_cost& cost = rmsprop_update, std::string name = "update") {
  const bool fused = cost.flop > 1;
  return model_vector(on, {.elements = parameters,
                           .flop_per_element = cost.flop,
                           .special_per_element = cost.special,
                           .bytes_read = cost.bytes_read,
                           .bytes_written = cost.bytes_written,
                           .stream = fused ? stream::update : stream::elementwise,
                           .name = std::move(name),
                           .pass = pass::update});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::tpu

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace systolic {

/// Op that runs on the vector unit: without a product, or with one that would leave the array almost empty.
template <class Args>
concept vector_op = decltype(all_ops<float>{} +
                             untyped_ops{})::template contains<Args>&& product_of<Args> != product_kind::dense;

/// Such an op in bfloat16 storage, or a conversion to or from it.
template <class Args>
concept stored_vector_op =
    decltype(all_ops<bfloat16>{} + conversion_ops{})::template contains<Args>&& product_of<Args> != product_kind::dense;

}  // namespace systolic

/// Runs in fp32 on the host's kernels, or by definition where the host lacks one.
template <backend Host, class Args>
  requires(systolic::vector_op<Args> || systolic::stored_vector_op<Args>)
void execute(const mxu<Host>& on, const Args& args) {
  if constexpr (executes<Host, Args>) execute(on.host(), args);
  else execute(reference, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
