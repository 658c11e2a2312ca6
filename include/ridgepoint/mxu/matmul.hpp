// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/mxu/chip.hpp>
#include <ridgepoint/mxu/tile_schedule.hpp>
#include <ridgepoint/roofline/work.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::tpu {

/// Number of times a product reads each operand from HBM.
struct operand_reads {
  index_t a = 1, b = 1;
  friend constexpr bool operator==(const operand_reads&, const operand_reads&) = default;
};

/// Reads of A (m×k) and B (k×n) when VMEM holds a block of C in fp32 in one half, parts of A and B in the other.
///
/// A block of mb × nb values of C reads A once per block of columns, ⌈n/nb⌉ times in all, and B ⌈m/mb⌉ times. The block
/// is the cheapest of three: all rows, all columns, or square. An operand that fits a quarter of VMEM stays there and
/// is read once. Throws: shape_error if an extent is < 1.
[[nodiscard]] inline operand_reads block_for_vmem(std::uint64_t vmem_bytes, index_t m, index_t n, double a_bytes,
                                                  double b_bytes) {
  require<shape_error>(m >= 1 && n >= 1, "block_for_vmem: c is ", m, 'x', n, "; both must be >= 1");
  const auto values = static_cast<index_t>(std::min<std::uint64_t>(vmem_bytes, 1ULL << 50) / 8);
  const index_t block = std::max<index_t>(128 * 128, values);
  const auto side = static_cast<index_t>(std::sqrt(static_cast<double>(block)));
  const double resident = static_cast<double>(vmem_bytes) / 4;
  operand_reads best;
  double least = 0;
  for (const index_t rows : {m, block / (std::min)(n, block), side}) {
    const index_t mb = std::clamp<index_t>(rows, 1, (std::min)(m, block)), nb = std::clamp<index_t>(block / mb, 1, n);
    const operand_reads reads{a_bytes <= resident ? 1 : ceil_div(n, nb), b_bytes <= resident ? 1 : ceil_div(m, mb)};
    const double bytes = a_bytes * static_cast<double>(reads.a) + b_bytes * static_cast<double>(reads.b);
    if (exactly(least, 0) || bytes < least) least = bytes, best = reads;
  }
  return best;
}

/// Vector registers hold 8 × 128 values: the two fastest extents of every array are padded to that.
inline constexpr index_t sublanes = 8, lanes = 128;

/// Padded elements of a rows × cols array in memory: the smaller of rows → 8, cols → 128 and rows → 128, cols → 8,
/// since either extent may be the fastest one.
/// Example: padded_elements(64, 1000) == 64 * 1024, padded_elements(128, 1000) == 128 * 1000
[[nodiscard]] constexpr index_t padded_elements(index_t rows, index_t cols) noexcept {
  return (std::min)(round_up(rows, sublanes) * round_up(cols, lanes), round_up(rows, lanes) * round_up(cols, sublanes));
}

/// Resource that limits an op on a TPU core.
enum class bound {
  mxu,           // the array multiplies
  fill,          // the array fills, drains or shifts weights: too few rows stream past each tile
  weight_fetch,  // the array waits for weights from memory (TPU v1)
  hbm,           // memory
  vpu,           // the vector unit
  ici,           // the links to other cores
  host,          // the host's data feed
};
[[nodiscard]] constexpr std::string_view to_string(bound b) noexcept {
  constexpr std::string_view names[] = {"mxu", "fill", "weight fetch", "hbm", "vpu", "ici", "host"};
  return names[static_cast<int>(b)];
}

/// Modelled op on one core: each resource's time at full rate, the elapsed time, and the limiting resource.
///
/// `roof_flop_per_s` is the lowered roof of this shape: useful FLOP over the time of the busiest resource at its full
/// rate, including the array's fragmentation, fill and weight fetch. The achieved rate never exceeds it, because
/// elapsed_s only adds efficiencies below 1, imperfect overlap and latency.
struct modelled_op {
  std::string name;
  ridgepoint::pass pass = ridgepoint::pass::forward;
  std::string shape;
  double mxu_s = 0;           // rows stream through the array
  double fill_s = 0;          // visible shift, skew and drain
  double weight_fetch_s = 0;  // stalls for weights
  double hbm_s = 0, vpu_s = 0, ici_s = 0, host_s = 0;
  double array_share = 1, stream_share = 1;  // of the arrays' and of memory's rate that this op reaches
  double overhead_s = 0;                     // latency, in elapsed_s
  double elapsed_s = 0;
  tpu::bound bound = tpu::bound::mxu;
  double utilisation = 0;  // useful FLOP / (elapsed_s · peak of the core's arrays), 0 to 1
  double roof_flop_per_s = 0;
  work receipt = {};         // compulsory traffic
  std::uint64_t bytes = 0;   // actual memory traffic, including padding and re-reads
  std::uint64_t repeat = 1;  // identical ops in a row; each takes elapsed_s
  index_t channels = 0;      // of an image that an op without a product reads; 0: not an image

  /// Time that the arrays are occupied, at full efficiency.
  [[nodiscard]] double array_s() const noexcept { return mxu_s + fill_s + weight_fetch_s; }
  /// Time of the busiest resource at its full rate: no implementation can be faster.
  [[nodiscard]] double least_s() const noexcept { return (std::max)({array_s(), hbm_s, vpu_s, ici_s, host_s}); }
  [[nodiscard]] double total_s() const noexcept { return elapsed_s * static_cast<double>(repeat); }
  /// 1 if the start of an op takes time, else 0.
  [[nodiscard]] std::uint64_t launches() const noexcept { return overhead_s > 0 ? 1 : 0; }
};

/// Names the bound and derives utilisation and roof from the resource times; every model_…() ends with it.
/// The bound is the resource with the longest time at its achieved rate.
inline void conclude(modelled_op& op, double peak_flop_per_s) {
  const bound array = op.weight_fetch_s > (std::max)(op.mxu_s, op.fill_s) ? bound::weight_fetch
                      : op.fill_s > op.mxu_s                              ? bound::fill
                                                                          : bound::mxu;
  const std::pair<double, bound> resources[] = {{op.array_s() / op.array_share, array},
                                                {op.hbm_s / op.stream_share, bound::hbm},
                                                {op.vpu_s, bound::vpu},
                                                {op.ici_s, bound::ici},
                                                {op.host_s, bound::host}};
  op.bound = std::max_element(std::begin(resources), std::end(resources), [](const auto& a, const auto& b) {
               return a.first < b.first;
             })->second;
  const auto flop = static_cast<double>(op.receipt.flop), matrix = static_cast<double>(op.receipt.matrix_flop);
  op.roof_flop_per_s = op.least_s() > 0 ? flop / op.least_s() : 0;
  op.utilisation = op.elapsed_s > 0 ? matrix / (op.elapsed_s * peak_flop_per_s) : 0;
}

/// C(m×n) = A(m×k)·B(k×n) on one core. B is the operand that a plain product keeps in the array.
struct matmul_geometry {
  index_t m = 0, k = 0, n = 0;
  index_t a_bytes = 2, b_bytes = 2, c_bytes = 2;  // per element, in memory
  index_t extra_values = 0;                       // also read, at a_bytes each: operands of a fused epilogue
  std::string name = {};
  ridgepoint::pass pass = ridgepoint::pass::forward;
};

namespace detail {

/// Time of a product on the array, at full rate: the three parts of array_s in seconds.
struct array_time {
  double mxu_s = 0, fill_s = 0, weight_fetch_s = 0;
  std::uint64_t fetched_bytes = 0;  // of weights, through the FIFO
  [[nodiscard]] double total_s() const noexcept { return mxu_s + fill_s + weight_fetch_s; }
};

/// Passes for operands wider than the array's: one per pair of parts. 16-bit activations run at half speed on TPU v1,
/// 16 × 16 bits at a quarter. Arrays that multiply floating point round wider operands instead.
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
  // Shares of the arrays' cycles, scaled to the core's time; idle cycles of an array count as drain.
  const double second = 1 / (on.clock_hz * static_cast<double>(on.mxus_per_core));
  return {second * static_cast<double>(c.active), second * static_cast<double>(c.shift + c.drain + c.idle),
          second * static_cast<double>(c.stall), fetches ? c.tiles * on.tile_bytes() : 0};
}

/// Cheapest choice of the matrix kept in the array: B, or A or C (where the array can) if that saves more than 1 %.
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

/// Sets the elapsed time of a product from its resource times and shares.
inline void settle(const chip& on, modelled_op& op) {
  const double product_s = overlap(op.array_s() / op.array_share, op.hbm_s / op.stream_share, on.fit.overlap_exponent);
  op.elapsed_s = op.overhead_s + (std::max)(product_s, op.vpu_s);
  conclude(op, on.peak_flop_per_s());
}
/// Completes an op with `array` on the arrays and `bytes` through memory, whose widest operand has elements of
/// `widest_bytes`, and sets its elapsed time.
inline void finish_product(const chip& on, modelled_op& op, const array_time& array, double bytes,
                           index_t widest_bytes) {
  op.mxu_s = array.mxu_s, op.fill_s = array.fill_s, op.weight_fetch_s = array.weight_fetch_s;
  op.bytes = rounded(bytes) + array.fetched_bytes;
  op.hbm_s = bytes / on.hbm_bytes_per_s;
  op.overhead_s = on.fit.op_latency_s;
  const index_t own_bytes = on.dtype == "bf16" ? 2 : on.operand_bytes;  // of the arrays; memory may hold wider values
  op.array_share = widest_bytes > own_bytes ? on.fit.mxu_efficiency : 1;
  op.stream_share = on.fit.product_stream;
  settle(on, op);
}

}  // namespace detail

/// Models a product on one core: t = overlap(array cycles / (clock · efficiency), bytes / (share · HBM rate)) +
/// latency.
///
/// The array keeps B or, where that is cheaper, A (or C). Memory moves every operand once, padded to 8 × 128, plus the
/// re-reads that VMEM's size forces. With a weight FIFO (TPU v1) weights reach the array through it and activations are
/// on chip, so that memory time is the FIFO's stalls. The efficiency applies to products that convert an operand
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

/// Fuses an elementwise op into a product: results pass through it on their way to memory, as in TPU compilers. The op
/// takes no time of its own and adds only its further reads (`more_bytes`) and arithmetic. ReLU's backward pass after
/// backward-data reads the activations: 2 bytes a value, as in ParaDnn's traces.
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
