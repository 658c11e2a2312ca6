// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/chip.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::tpu {

/// Throws: Error unless every number of the chip is finite and in its range; the message names the field.
template <class Error = value_error>
void check(const chip& c) {
  require<Error>(!c.name.empty(), "chip: the name is empty; must name the chip");
  const auto positive = [&](const char* field, double value, double most = 1e24) {
    require<Error>(std::isfinite(value) && value > 0 && value <= most, "chip ", c.name, ": ", field, " is ", value,
                   "; must be > 0 and at most ", most);
  };
  const auto at_least = [&](const char* field, double value, double least, double most) {
    require<Error>(std::isfinite(value) && value >= least && value <= most, "chip ", c.name, ": ", field, " is ", value,
                   "; must be ", least, " to ", most);
  };
  require<Error>(c.dtype == "bf16" || c.dtype == "int8", "chip ", c.name, ": dtype is ", c.dtype,
                 "; must be bf16 or int8");
  const auto extent = [&](const char* field, index_t value, index_t least, index_t most) {
    require<Error>(value >= least && value <= most, "chip ", c.name, ": ", field, " is ", value, "; must be ", least,
                   " to ", most);
  };
  extent("operand_bytes", c.operand_bytes, 1, 4);
  extent("chips", c.chips, 1, 65536);
  extent("cores_per_chip", c.cores_per_chip, 1, 1024);
  extent("mxus_per_core", c.mxus_per_core, 1, 1024);
  extent("array.rows", c.array.rows, 1, systolic::array_shape::largest);
  extent("array.cols", c.array.cols, 1, systolic::array_shape::largest);
  extent("fifo_tiles", c.fifo_tiles, 0, 1 << 20);
  extent("accumulator_rows", c.accumulator_rows, 0, index_t{1} << 40);
  extent("vector_lanes", c.vector_lanes, 1, 1 << 20);
  extent("vector_sublanes", c.vector_sublanes, 1, 1 << 20);
  extent("vector_alus", c.vector_alus, 1, 1024);
  extent("ici_links", c.ici_links, 0, 1024);
  positive("clock_hz", c.clock_hz, 1e12);
  positive("quoted_flop_per_s", c.quoted_flop_per_s);
  positive("hbm_bytes_per_s", c.hbm_bytes_per_s);
  positive("hbm_bytes", static_cast<double>(c.hbm_bytes));
  positive("vmem_bytes", static_cast<double>(c.vmem_bytes));
  positive("special_share", c.special_share, 1);
  at_least("ici_bytes_per_s", c.ici_bytes_per_s, 0, 1e18);

  const calibration& f = c.fit;
  positive("mxu_efficiency", f.mxu_efficiency, 1);
  positive("product_stream", f.product_stream, 1);
  positive("update_stream", f.update_stream, 1);
  positive("elementwise_stream", f.elementwise_stream, 1);
  positive("copy_stream", f.copy_stream, 1);
  for (const auto& [field, p] : {std::pair("overlap_exponent", f.overlap_exponent),
                                 std::pair("infeed_overlap_exponent", f.infeed_overlap_exponent)})
    require<Error>(exactly(p, 0) || (std::isfinite(p) && p >= 1 && p <= 1000), "chip ", c.name, ": ", field, " is ", p,
                   "; must be 0 (the maximum) or 1 to 1000");
  at_least("op_latency_s", f.op_latency_s, 0, 1);
  at_least("all_reduce_latency_s", f.all_reduce_latency_s, 0, 1);
  at_least("all_reduce_bytes_per_s", f.all_reduce_bytes_per_s, 0, 1e18);
  at_least("infeed_latency_s", f.infeed_latency_s, 0, 10);
  at_least("infeed_bytes_per_s", f.infeed_bytes_per_s, 0, 1e18);
  at_least("label_bytes_per_s", f.label_bytes_per_s, 0, 1e18);
  at_least("loop_s_per_parameter", f.loop_s_per_parameter, 0, 1);
  const bool linked = c.chips == 1 || f.all_reduce_bytes_per_s > 0 || (c.ici_links >= 2 && c.ici_bytes_per_s > 0);
  require<Error>(linked, "chip ", c.name, ": ", c.chips, " chips on ", c.ici_links, " links of ", c.ici_bytes_per_s,
                 " bytes/s; must have at least 2 links and a rate, or a fitted all-reduce");
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::tpu
