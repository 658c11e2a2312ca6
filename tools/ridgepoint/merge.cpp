// SPDX-License-Identifier: MIT
// ridgepoint merge: joins the rows of sweeps, such as shards, into one file, also in the form that ParaDnn publishes.
#include <iostream>
#include <memory>
#include <set>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/roofline/format.hpp>

#include "command_files.hpp"
#include "commands.hpp"
#include "one_of.hpp"
#include "sweep_rows.hpp"

namespace rp = ridgepoint;

namespace tool::merge {

struct options {
  std::vector<std::string> files;
  std::string out, format = "rows", machine;
};

/// Rows of all files in order, without rows that are equal to an earlier one or replaced.
struct merged_rows {
  tool::keyed_rows by_key;
  std::size_t repeated = 0;
  std::set<std::string> hosts = {};

  [[nodiscard]] const std::vector<tool::recorded_row>& rows() const noexcept { return by_key.rows(); }
};

/// Throws: data_error for two different rows of one point on one machine if neither replaces the other; as
/// read_sweep_rows().
merged_rows merge_rows(const std::vector<std::string>& files) {
  merged_rows all;
  std::vector<std::string> origins;  // files of the rows
  for (const std::string& file : files) {
    const tool::sweep_rows read = tool::read_sweep_rows(file);
    all.repeated += read.replaced;
    for (const tool::recorded_row& row : read.rows()) {
      if (!row.host.empty()) all.hosts.insert(row.host);
      const auto [relation, at] = all.by_key.add(row);
      origins.resize(all.rows().size());
      rp::require<rp::data_error>(relation != row_relation::contradiction, file, ": ", row.key(),
                                  " differs from the row in ", origins[at], "; must be there once");
      if (relation == row_relation::first || relation == row_relation::later) origins[at] = file;
      if (relation != row_relation::first) ++all.repeated;
    }
    if (read.cut) std::cerr << "ignored half a line at the end of " << rp::printable(file) << '\n';
  }
  return all;
}

/// "layer_4-node_32-input_2000-output_200-bs_64", as ParaDnn labels a fully connected network; others begin with the
/// network.
std::string paradnn_label(const tool::sweep_point& p) {
  std::string label;
  const auto add = [&](std::string_view name, rp::index_t value) {
    label += rp::concat(label.empty() ? "" : "-", name, '_', value);
  };
  if (p.network == "paradnn-fc") {
    for (const char* name : {"layer", "node", "input", "output"})
      if (const auto at = p.parameters.find(std::string(name) + 's'); at != p.parameters.end()) add(name, at->second);
  } else {
    label = p.network;
    for (const auto& [name, value] : p.parameters) add(name, value);
  }
  add("bs", p.batch);
  return label;
}

/// Returns the columns of ParaDnn's published files: GFLOP/s, parameters, steps/s, GFLOP per step, samples/s. Its
/// "intensity" is FLOP ÷ (4 · parameters), which is no arithmetic intensity.
rp::json paradnn_columns(const std::vector<tool::recorded_row>& rows, const std::string& machine) {
  rp::json columns = {
      {"labels", rp::json::array()},          {"intensity", rp::json::array()},    {"flops", rp::json::array()},
      {"params", rp::json::array()},          {"step_per_sec", rp::json::array()}, {"fl", rp::json::array()},
      {"example_per_sec", rp::json::array()}, {"err_jobs", rp::json::array()},     {"states", rp::json::array()}};
  for (const tool::recorded_row& row : rows) {
    if (row.machine != machine) continue;
    const std::string label = paradnn_label(row.point);
    if (row.state != "ok") {
      columns["err_jobs"].push_back(label);
      columns["states"].push_back(row.state == "out of memory" ? "OOM" : row.state);
      continue;
    }
    const rp::json_reader in(row.document, row.key() + ": ");
    const double step_s = *row.step_s, flop = in.number("matrix_flop", 0), parameters = in.number("parameters", 1);
    columns["labels"].push_back(label);
    columns["intensity"].push_back(flop / (4 * parameters));
    columns["flops"].push_back(1e-9 * flop / step_s);
    columns["params"].push_back(parameters);
    columns["step_per_sec"].push_back(1 / step_s);
    columns["fl"].push_back(1e-9 * flop);
    columns["example_per_sec"].push_back(static_cast<double>(row.point.batch) / step_s);
  }
  return columns;
}

int run(const options& o) {
  tool::check_files({.written = {o.out}, .read = o.files});
  const merged_rows all = merge_rows(o.files);
  std::string text;
  if (o.format == "paradnn") {
    std::set<std::string> machines;
    for (const tool::recorded_row& row : all.rows()) machines.insert(row.machine);
    const std::string machine = o.machine.empty() && machines.size() == 1 ? *machines.begin() : o.machine;
    rp::require<rp::value_error>(machines.contains(machine), "merge: --machine is \"", rp::printable(machine),
                                 "\"; must be one of ", rp::names_of(machines));
    rp::require<rp::value_error>(all.hosts.size() < 2 || machine != "host", "merge: the rows are of ", all.hosts.size(),
                                 " hosts; must be of one for --format paradnn");
    std::set<std::string> settings;
    for (const tool::recorded_row& row : all.rows())
      if (row.machine == machine) settings.insert(row.setting);
    rp::require<rp::value_error>(settings.size() < 2, "merge: rows of ", machine, " have the settings ",
                                 rp::names_of(settings), "; must have one for --format paradnn");
    text = rp::json_text(paradnn_columns(all.rows(), machine), -1) + '\n';
  } else {
    for (const tool::recorded_row& row : all.rows()) text += rp::json_text(row.document, -1) + '\n';
  }
  rp::write_file(o.out, text);
  std::cout << all.rows().size() << " rows in " << rp::printable(o.out);
  if (all.repeated > 0) std::cout << "; " << all.repeated << " repeated rows left out";
  if (!all.hosts.empty()) std::cout << "; measured on " << rp::names_of(all.hosts);
  std::cout << '\n';
  return tool::ok;
}

const tool::command command("merge", "Join files of sweep rows, such as shards", [](CLI::App& app) -> tool::action {
  const auto o = std::make_shared<options>();
  app.add_option("files", o->files, "Files of rows that sweep wrote")->check(tool::existing_path())->required();
  app.add_option("--out", o->out, "File to write")->required();
  app.add_option("--format", o->format, "rows, or paradnn: columns of ParaDnn's published files, of one machine")
      ->transform(tool::one_of({"rows", "paradnn"}))
      ->capture_default_str();
  app.add_option("--machine", o->machine, "Machine of --format paradnn (default: the only one)");
  app.footer(
      "Each row names its host: CPU model, threads and caches. Of two rows of a point, one that is out of time\n"
      "is left out.\n\nExample:\n"
      "  ridgepoint merge a/sweep_fc.jsonl b/sweep_fc.jsonl --out sweep_fc.jsonl");
  return [o] { return run(*o); };
});

}  // namespace tool::merge
