// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/roofline/machine.hpp>
#include <ridgepoint/roofline/strict_json.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Converts a machine to a JSON document, schema "ridgepoint.machine", version 1.
[[nodiscard]] inline json to_json_document(const machine& m) {
  json ceilings = json::array();
  for (const ceiling& c : m.ceilings) {
    json one{{"kind", to_string(c.kind)}, {"operation", c.operation}, {"isa", c.isa},
             {"dtype", c.dtype},          {"level", c.level},         {"capacity_bytes", c.capacity_bytes},
             {"threads", c.threads},      {"per_s", c.per_s},         {"source", c.source}};
    if (c.measured)
      one["measured"] = {{"median", c.measured->median},   {"min", c.measured->min},
                         {"max", c.measured->max},         {"cv", c.measured->cv},
                         {"samples", c.measured->samples}, {"top_gap", c.measured->top_gap}};
    if (c.set_bytes > 0) one["set_bytes"] = c.set_bytes;
    ceilings.push_back(std::move(one));
  }
  json document{{"schema", "ridgepoint.machine"}, {"schema_version", 1},    {"name", m.name},
                {"description", m.description},   {"clock_hz", m.clock_hz}, {"ceilings", std::move(ceilings)}};
  if (m.launch_s > 0) document["launch_s"] = m.launch_s;
  return document;
}

/// Throws: data_error that names the problem; see check(machine).
[[nodiscard]] inline machine machine_from_json(const json_reader& in) {
  in.require_schema("ridgepoint.machine");
  machine m{.name = in.text("name"),
            .description = in.text("description"),
            .ceilings = {},
            .clock_hz = in.number("clock_hz", 0),
            .launch_s = in.has("launch_s") ? in.number("launch_s", 0, 1) : 0};
  for (const json_reader& one : in.objects("ceilings")) {
    const std::string kind = one.text("kind");
    require<data_error>(kind == "compute" || kind == "bandwidth", one.path("kind"), " is ", kind,
                        "; must be compute or bandwidth");
    ceiling c{.kind = kind == "compute" ? ceiling_kind::compute : ceiling_kind::bandwidth,
              .operation = one.text("operation"),
              .isa = one.text("isa"),
              .dtype = one.text("dtype"),
              .level = one.text("level"),
              .capacity_bytes = one.count("capacity_bytes"),
              .threads = static_cast<int>(one.count("threads", 1 << 20)),
              .per_s = one.number("per_s", 1, 1e24),
              .measured = {},
              .source = one.text("source"),
              .set_bytes = one.has("set_bytes") ? one.count("set_bytes") : 0};
    if (one.has("measured")) {
      const json_reader s = one.object("measured");
      c.measured = spread{.median = s.number("median", 0),
                          .min = s.number("min", 0),
                          .max = s.number("max", 0),
                          .cv = s.number("cv", 0),
                          .samples = static_cast<int>(s.count("samples", 1 << 30))};
      const spread& from = *c.measured;  // without a gap in the file, the median bounds it
      const double median_gap = from.max > 0 ? 1 - from.median / from.max : 0;
      c.measured->top_gap = s.has("top_gap") ? s.number("top_gap", 0, 1) : median_gap;
    }
    m.ceilings.push_back(std::move(c));
  }
  check<data_error>(m, in.prefix());
  return m;
}

/// Loads a machine file of up to 1 MiB.
/// Throws: data_error if it cannot be read or is not a machine; the message names the position in the document.
[[nodiscard]] inline machine load_machine(const std::string& path) {
  const json document = parse_strict(read_file(path, 1 << 20), path);
  return machine_from_json({document, path + ": "});
}

/// Writes a machine file atomically. Throws: data_error if it cannot be written.
inline void save_machine(const std::string& path, const machine& m) { save_json(path, to_json_document(m)); }

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
