// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/chip.hpp>
#include <ridgepoint/mxu/layout.hpp>
#include <ridgepoint/mxu/modelled_op.hpp>
#include <ridgepoint/mxu/tile_schedule.hpp>
#include <ridgepoint/mxu/vmem.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::tpu {

/// C(m×n) = A(m×k)·B(k×n) on one core. B is what a plain product would keep in the array.
struct matmul_geometry {
  index_t m = 0, k = 0, n = 0;
  index_t a_bytes = 2, b_bytes = 2, c_bytes = 2;  // per element, in memory
  index_t extra_values = 0;                       // read besides, at a_bytes each: what a fused epilogue needs
  std::string name = {};
  ridgepoint::pass pass = ridgepoint::pass::forward;
};

namespace detail {

/// A product on the array, at full rate: the three parts of array_s in seconds.
struct array_time {
  double mxu_s = 0, fill_s = 0, weight_fetch_s = 0;
  std::uint64_t fetched_bytes = 0;  // of weights, through the FIFO
  [[nodiscard]] double total_s() const noexcept { return mxu_s + fill_s + weight_fetch_s; }
};

/// Multiplying operands wider than the array's takes a pass per pair of parts: 16-bit activations run at half speed on
/// TPU v1, 16 × 16 bits at a quarter. Wider ones are rounded on their way where the array multiplies floating point.
[[nodiscard]] inline index_t array_passes(const chip& on, index_t a_bytes, index_t b_bytes) {
  if (on.dtype == "bf16") return 1;
  const index_t each = checked_divisor("chip: operand_bytes", on.operand_bytes);
  return ceil_div(a_bytes, each) * ceil_div(b_bytes, each);
}

[[nodiscard]] inline array_time time_on_array(const chip& on, const systolic::gemm_extent& e, systolic::dataflow flow,
                                              index_t passes = 1) {
  using systolic::dataflow;
  const bool fetches = on.fifo_tiles > 0 && flow != dataflow::output_stationary;
  systolic::array_options options{
      .flow = flow,
      .fetch_cycles = fetches ? systolic::fetch_cycles(on.tile_bytes(), on.hbm_bytes_per_s, on.clock_hz) : 0,
      .fifo_depth = std::max<index_t>(on.fifo_tiles, 1),
      .accumulator_rows = on.accumulator_rows,
      .mxus = on.mxus_per_core};
  systolic::gemm_extent padded = e;  // whole registers of 8 rows stream
  index_t& streamed = flow == dataflow::weight_stationary  ? padded.m
                      : flow == dataflow::input_stationary ? padded.n
                                                           : padded.k;
  streamed = checked_mul(round_up(streamed, sublanes), passes);
  systolic::array_counters c = count_cycles(on.array, padded, options);
  if (on.mxus_per_core > 1 && on.accumulator_rows == 0) {  // or every array takes a part of the stream
    options.accumulator_rows = round_up(ceil_div(streamed, on.mxus_per_core), sublanes);
    const systolic::array_counters split = count_cycles(on.array, padded, options);
    if (split.cycles < c.cycles) c = split;
  }
  // Shares of the arrays' cycles, scaled to the time the core takes; what one array idles waits like what it drains.
  const double second = 1 / (on.clock_hz * static_cast<double>(on.mxus_per_core));
  return {second * static_cast<double>(c.active), second * static_cast<double>(c.shift + c.drain + c.idle),
          second * static_cast<double>(c.stall), fetches ? c.tiles * on.tile_bytes() : 0};
}

/// The cheapest way to keep one of the three matrices in the array: B, or A or C (where the array can) if that saves
/// more than 1 %.
[[nodiscard]] inline array_time cheapest_on_array(const chip& on, const systolic::gemm_extent& e, index_t passes = 1) {
  array_time best = time_on_array(on, e, systolic::dataflow::weight_stationary, passes);
  const auto consider = [&](systolic::dataflow flow) {
    const array_time other = time_on_array(on, e, flow, passes);
    if (other.total_s() < 0.99 * best.total_s()) best = other;
  };
  if (on.fifo_tiles == 0) consider(systolic::dataflow::input_stationary);  // a FIFO holds weights only
  if (on.output_stationary) consider(systolic::dataflow::output_stationary);
  return best;
}

[[nodiscard]] inline std::uint64_t rounded(double count) noexcept { return static_cast<std::uint64_t>(count + 0.5); }

/// Elapsed time of a product from its resource times and shares.
inline void settle(const chip& on, modelled_op& op) {
  const double product_s = overlap(op.array_s() / op.array_share, op.hbm_s / op.stream_share, on.fit.overlap_exponent);
  op.elapsed_s = op.overhead_s + (std::max)(product_s, op.vpu_s);
  conclude(op, on.peak_flop_per_s());
}
/// The same of an op with `array` on the arrays and `bytes` through memory, whose widest operand has elements of
/// `widest_bytes`.
inline void finish_product(const chip& on, modelled_op& op, const array_time& array, double bytes,
                           index_t widest_bytes) {
  op.mxu_s = array.mxu_s, op.fill_s = array.fill_s, op.weight_fetch_s = array.weight_fetch_s;
  op.bytes = rounded(bytes) + array.fetched_bytes;
  op.hbm_s = bytes / on.hbm_bytes_per_s;
  op.overhead_s = on.fit.op_latency_s;
  op.array_share = widest_bytes > on.operand_bytes ? on.fit.mxu_efficiency : 1;
  op.stream_share = on.fit.product_stream;
  settle(on, op);
}

}  // namespace detail

/// A product on one core: t = overlap(array cycles / (clock · efficiency), bytes / (share · HBM rate)) + latency.
///
/// The array keeps B or, where that is cheaper, A (or C). Memory moves every operand once, padded to 8 × 128, plus the
/// re-reads that VMEM's size forces; with a weight FIFO (TPU v1) weights reach the array through it and activations
/// live on chip, so that memory time is the FIFO's stalls. The efficiency holds for products that convert an operand
/// (fp32 weights or outputs on a bf16 array); a product of operands in the array's own type runs at the array's rate.
/// Work: 2·m·k·n matrix FLOP; reads m·k (inputs) and k·n (weights), writes m·n elements.
/// Throws: shape_error if an extent is < 1 or a count does not fit; value_error for a width that is not 1 to 8 bytes.
/// Example:
///   rp::tpu::model_matmul(rp::tpu::find_chip("v2"), {.m = 8192, .k = 8192, .n = 16384}).elapsed_s   // 95.9 ms
[[nodiscard]] inline modelled_op model_matmul(const chip& on, const matmul_geometry& g) {
  for (const index_t width : {g.a_bytes, g.b_bytes, g.c_bytes})
    require<value_error>(width >= 1 && width <= 8, "tpu matmul: an element takes ", width, " bytes; must be 1 to 8");
  require<shape_error>(g.extra_values >= 0, "tpu matmul: ", g.extra_values, " extra values; must be >= 0");
  const systolic::gemm_extent e{.m = g.m, .k = g.k, .n = g.n};
  const detail::array_time array = detail::cheapest_on_array(on, e, detail::array_passes(on, g.a_bytes, g.b_bytes));

  const auto count = [](index_t rows, index_t cols, index_t width) {
    return static_cast<std::uint64_t>(checked_mul(checked_mul(rows, cols), width));
  };
  modelled_op op{.name = g.name, .pass = g.pass, .shape = concat(g.m, 'x', g.k, 'x', g.n)};
  const auto macs = static_cast<std::uint64_t>(checked_mul(checked_mul(checked_mul(g.m, g.k), g.n), 2));
  op.receipt = {.flop = macs,
                .matrix_flop = macs,
                .bytes = {.inputs = count(g.m, g.k, g.a_bytes) + count(g.extra_values, 1, g.a_bytes),
                          .weights = count(g.k, g.n, g.b_bytes),
                          .outputs = count(g.m, g.n, g.c_bytes)}};
  double bytes = 0;
  if (on.fifo_tiles == 0) {
    const auto padded = [](index_t rows, index_t cols, index_t width) {
      return static_cast<double>(padded_elements(rows, cols)) * static_cast<double>(width);
    };
    const double a = padded(g.m, g.k, g.a_bytes), b = padded(g.k, g.n, g.b_bytes);
    const operand_reads reads = block_for_vmem(on.vmem_bytes, g.m, g.n, a, b);
    bytes = a * static_cast<double>(reads.a) + b * static_cast<double>(reads.b) + padded(g.m, g.n, g.c_bytes) +
            static_cast<double>(g.extra_values * g.a_bytes);
  }
  detail::finish_product(on, op, array, bytes, (std::max)({g.a_bytes, g.b_bytes, g.c_bytes}));
  return op;
}

/// A product whose results pass through an elementwise op on their way to memory, as compilers for the TPU arrange it:
/// no time of its own, but what the op reads besides (`more_bytes`) and its arithmetic. ReLU's backward pass after
/// backward-data reads the activations: 2 bytes a value, which ParaDnn's traces show.
inline void fuse(const chip& on, modelled_op& product, const work& elementwise, std::uint64_t more_bytes) {
  product.bytes += more_bytes;
  if (on.fifo_tiles == 0) product.hbm_s += static_cast<double>(more_bytes) / on.hbm_bytes_per_s;
  product.receipt.flop += elementwise.flop;
  product.receipt.special += elementwise.special;
  product.receipt.bytes.inputs += more_bytes;
  product.vpu_s += static_cast<double>(elementwise.flop) / on.vector_flop_per_s() +
                   static_cast<double>(elementwise.special) / (on.vector_flop_per_s() * on.special_share);
  detail::settle(on, product);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::tpu
