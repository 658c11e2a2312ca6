// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include <ridgepoint/roofline/environment.hpp>
#include <ridgepoint/roofline/machine_json.hpp>
#include <ridgepoint/roofline/placement.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Contents of roofline.json: a profile and the machine it is placed on.
struct roofline_record {
  ridgepoint::machine machine;
  ridgepoint::profile profile;
};

namespace detail {

/// Converts the environment of a measurement, with `further` suspicions about its result.
[[nodiscard]] inline json to_json_document(const environment& e, const std::vector<std::string>& further = {}) {
  std::vector<std::string> doubts = suspicions(e);
  doubts.insert(doubts.end(), further.begin(), further.end());
  return {{"cpu_model", e.cpu_model},
          {"hypervisor", e.hypervisor},
          {"governor", e.governor},
          {"cores_allowed", e.cores_allowed},
          {"cores_quota", e.cores_quota},
          {"load_1min", e.load_1min},
          {"ticks", e.ticks},
          {"steal_ticks", e.steal_ticks},
          {"steal_share", e.steal_share},
          {"mxcsr", e.mxcsr},
          {"flush_to_zero", e.flush_to_zero},
          {"denormals_are_zero", e.denormals_are_zero},
          {"debug_build", e.debug_build},
          {"fast_math", e.fast_math},
          {"compiler", e.compiler},
          {"version", e.version},
          {"time", e.time},
          {"variables", e.variables},
          {"suspicions", doubts}};
}
[[nodiscard]] inline json to_json_document(const placement& p) {
  return {{"bound", p.bound},
          {"level", p.level},
          {"flop_per_byte", p.flop_per_byte},
          {"flop_per_s", p.flop_per_s},
          {"bytes_per_s", p.bytes_per_s},
          {"attainable_flop_per_s", p.attainable_flop_per_s},
          {"roof_s", p.roof_s},
          {"efficiency", p.efficiency},
          {"undecided", p.undecided},
          {"above_roof", p.above_roof},
          {"fewer_flop", p.fewer_flop},
          {"gain", p.gain}};
}
/// Converts a missing value to null.
[[nodiscard]] inline json to_json_document(const std::optional<double>& value) {
  return value ? json(*value) : json(nullptr);
}
[[nodiscard]] inline json to_json_document(const disturbance& d) {
  return {{"other_cores", d.other_cores},
          {"steal_share", d.steal_share},
          {"slowdown", d.slowdown},
          {"attempts", d.attempts}};
}
[[nodiscard]] inline disturbance disturbance_from(const json_reader& in) {
  return {.other_cores = in.number("other_cores", 0),
          .steal_share = in.number("steal_share", 0, 1),
          .slowdown = in.number("slowdown", 1),
          .attempts = static_cast<int>(in.count("attempts", 1 << 20))};
}
[[nodiscard]] inline element dtype_from(const json_reader& in) {
  const std::string name = in.text("dtype");
  for (const element e : {element::f32, element::f64, element::bf16, element::f16, element::i8})
    if (to_string(e) == name) return e;
  throw data_error(concat(in.path("dtype"), " is ", name, "; must be f32, f64, bf16, f16 or int8"));
}
[[nodiscard]] inline pass pass_from(const json_reader& in) {
  const std::string name = in.text("pass");
  for (const pass p : {pass::forward, pass::backward_data, pass::backward_weights, pass::update, pass::feed})
    if (to_string(p) == name) return p;
  throw data_error(concat(in.path("pass"), " is ", name, "; must be ", to_string(pass::forward), ", ",
                          to_string(pass::backward_data), ", ", to_string(pass::backward_weights), ", ",
                          to_string(pass::update), " or ", to_string(pass::feed)));
}

}  // namespace detail

/// Converts a profile on a machine to JSON, schema "ridgepoint.roofline", version 1. 1 multiply-add = 2 FLOP.
/// All suspicions are in the environment of a measured profile; a modelled profile has no environment.
[[nodiscard]] inline json to_json_document(const profile& p, const machine& on, const std::optional<environment>& at) {
  json rows = json::array();
  for (const profile_row& r : p.rows) {
    rows.push_back({{"layer", r.layer},
                    {"pass", to_string(r.pass)},
                    {"shape", r.shape},
                    {"elapsed_s", r.elapsed_s},
                    {"footprint_bytes", r.footprint_bytes},
                    {"flop", r.receipt.flop},
                    {"matrix_flop", r.receipt.matrix_flop},
                    {"special", r.receipt.special},
                    {"input_bytes", r.receipt.bytes.inputs},
                    {"weight_bytes", r.receipt.bytes.weights},
                    {"output_bytes", r.receipt.bytes.outputs},
                    {"placement", detail::to_json_document(place(on, p, r))}});
    if (p.dtype.empty() && has_ceilings(r.receipt.bytes.type)) rows.back()["dtype"] = to_string(r.receipt.bytes.type);
    if (!r.backend.empty()) rows.back()["backend"] = r.backend;
    if (r.launches > 0) rows.back()["launches"] = r.launches;
    if (r.algorithm.empty()) continue;
    rows.back()["algorithm"] = r.algorithm;
    rows.back()["executed_flop"] = r.executed_flop;
    rows.back()["executed_flop_per_s"] = r.elapsed_s > 0 ? static_cast<double>(r.executed_flop) / r.elapsed_s : 0;
  }
  json document{{"schema", "ridgepoint.roofline"},
                {"schema_version", 1},
                {"flop_per_mac", 2},
                {"machine", to_json_document(on)},
                {"profile",
                 {{"title", p.title},
                  {"backend", p.backend},
                  {"threads", p.threads},
                  {"dtype", p.dtype},
                  {"step_s", p.step_s},
                  {"residual_s", p.residual_s()},
                  {"step_efficiency", detail::to_json_document(step_score(on, p))},
                  {"meanwhile", detail::to_json_document(p.meanwhile)},
                  {"rows", std::move(rows)}}}};
  if (at) document["environment"] = detail::to_json_document(*at, suspicions(p, on));
  return document;
}

/// Writes roofline.json atomically. Throws: data_error if it cannot be written.
inline void save_roofline(const std::string& path, const profile& p, const machine& on,
                          const std::optional<environment>& at = observe_environment()) {
  save_json(path, to_json_document(p, on, at));
}

/// Recomputes placements. Throws: data_error that names the problem.
[[nodiscard]] inline roofline_record roofline_from_json(const json_reader& in) {
  in.require_schema("ridgepoint.roofline");
  const json_reader run = in.object("profile");
  roofline_record record{.machine = machine_from_json(in.object("machine")), .profile = {}};
  profile& p = record.profile;
  p.title = run.text("title");
  p.backend = run.text("backend");
  p.threads = static_cast<int>(run.count("threads", 1 << 20));
  p.dtype = run.text("dtype");
  p.step_s = run.number("step_s", 0);
  if (run.has("meanwhile")) p.meanwhile = detail::disturbance_from(run.object("meanwhile"));
  for (const json_reader& r : run.objects("rows"))
    p.rows.push_back({.layer = r.text("layer"),
                      .pass = detail::pass_from(r),
                      .shape = r.text("shape"),
                      .receipt = {.flop = r.count("flop"),
                                  .matrix_flop = r.count("matrix_flop"),
                                  .special = r.count("special"),
                                  .bytes = {.inputs = r.count("input_bytes"),
                                            .weights = r.count("weight_bytes"),
                                            .outputs = r.count("output_bytes"),
                                            .type = r.has("dtype") ? detail::dtype_from(r) : element::other}},
                      .elapsed_s = r.number("elapsed_s", 0),
                      .footprint_bytes = r.count("footprint_bytes"),
                      .backend = r.has("backend") ? r.text("backend") : "",
                      .algorithm = r.has("algorithm") ? r.text("algorithm") : "",
                      .executed_flop = r.has("executed_flop") ? r.count("executed_flop") : 0,
                      .launches = r.has("launches") ? r.count("launches", std::uint64_t{1} << 40) : 0});
  return record;
}

/// Reads roofline.json of up to 16 MiB. Throws: data_error as load_machine() does.
[[nodiscard]] inline roofline_record load_roofline(const std::string& path) {
  const json document = parse_strict(read_file(path, 16 << 20), path);
  return roofline_from_json({document, path + ": "});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
