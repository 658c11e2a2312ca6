// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/mxu/chip.hpp>
#include <ridgepoint/roofline/strict_json.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::tpu {

namespace detail {

/// Visits each number of a chip and of its fitted constants once: visit(name, member).
template <class Chip, class Visit>
void for_each_number(Chip& c, const Visit& visit) {
  visit("clock_hz", c.clock_hz);
  visit("quoted_flop_per_s", c.quoted_flop_per_s);
  visit("hbm_bytes_per_s", c.hbm_bytes_per_s);
  visit("special_share", c.special_share);
  visit("ici_bytes_per_s", c.ici_bytes_per_s);
}
template <class Chip, class Visit>
void for_each_count(Chip& c, const Visit& visit) {
  visit("operand_bytes", c.operand_bytes);
  visit("chips", c.chips);
  visit("cores_per_chip", c.cores_per_chip);
  visit("mxus_per_core", c.mxus_per_core);
  visit("array_rows", c.array.rows);
  visit("array_cols", c.array.cols);
  visit("hbm_bytes", c.hbm_bytes);
  visit("vmem_bytes", c.vmem_bytes);
  visit("fifo_tiles", c.fifo_tiles);
  visit("accumulator_rows", c.accumulator_rows);
  visit("vector_lanes", c.vector_lanes);
  visit("vector_sublanes", c.vector_sublanes);
  visit("vector_alus", c.vector_alus);
  visit("ici_links", c.ici_links);
}
template <class Calibration, class Visit>
void for_each_constant(Calibration& f, const Visit& visit) {
  visit("mxu_efficiency", f.mxu_efficiency);
  visit("product_stream", f.product_stream);
  visit("update_stream", f.update_stream);
  visit("elementwise_stream", f.elementwise_stream);
  visit("copy_stream", f.copy_stream);
  visit("overlap_exponent", f.overlap_exponent);
  visit("op_latency_s", f.op_latency_s);
  visit("all_reduce_latency_s", f.all_reduce_latency_s);
  visit("all_reduce_bytes_per_s", f.all_reduce_bytes_per_s);
  visit("infeed_latency_s", f.infeed_latency_s);
  visit("infeed_bytes_per_s", f.infeed_bytes_per_s);
  visit("label_bytes_per_s", f.label_bytes_per_s);
  visit("infeed_overlap_exponent", f.infeed_overlap_exponent);
  visit("loop_s_per_parameter", f.loop_s_per_parameter);
}

}  // namespace detail

/// Converts a chip to a JSON document, schema "ridgepoint.tpu_chip", version 1.
[[nodiscard]] inline json to_json_document(const chip& c) {
  json document{{"schema", "ridgepoint.tpu_chip"},
                {"schema_version", 1},
                {"name", c.name},
                {"description", c.description},
                {"machine", c.machine},
                {"dtype", c.dtype},
                {"output_stationary", c.output_stationary ? 1 : 0}};
  const auto write = [&](const char* name, const auto& value) { document[name] = value; };
  detail::for_each_number(c, write);
  detail::for_each_count(c, write);
  json fit{{"source", c.fit.source}};
  detail::for_each_constant(c.fit, [&](const char* name, double value) { fit[name] = value; });
  document["fit"] = std::move(fit);
  return document;
}

/// Throws: data_error that names the problem; see check(chip).
[[nodiscard]] inline chip chip_from_json(const json_reader& in) {
  in.require_schema("ridgepoint.tpu_chip");
  chip c;
  c.name = in.text("name");
  c.description = in.text("description");
  c.machine = in.text("machine");
  c.dtype = in.text("dtype");
  c.output_stationary = in.count("output_stationary", 1) == 1;
  detail::for_each_number(c, [&](const char* name, double& value) { value = in.number(name, 0); });
  detail::for_each_count(c, [&]<class T>(const char* name, T& value) { value = static_cast<T>(in.count(name)); });
  const json_reader fit = in.object("fit");
  c.fit.source = fit.text("source");
  detail::for_each_constant(c.fit, [&](const char* name, double& value) { value = fit.number(name, 0); });
  check<data_error>(c);
  return c;
}

/// Loads a chip file of up to 1 MiB.
/// Throws: data_error if it cannot be read or is not a chip; the message names the position in the document.
[[nodiscard]] inline chip load_chip(const std::string& path) {
  const json document = parse_strict(read_file(path, 1 << 20), path);
  return chip_from_json({document, path + ": "});
}

/// Writes a chip file atomically. Throws: data_error if it cannot be written.
inline void save_chip(const std::string& path, const chip& c) { save_json(path, to_json_document(c)); }

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::tpu
