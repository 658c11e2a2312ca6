// SPDX-License-Identifier: MIT
// ridgepoint validate cpu|gpu|tpu: compares a model with measurements, published or of this machine, and prints each
// error.
#include <iostream>
#include <memory>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/roofline/strict_json.hpp>
#include <ridgepoint/roofline/text_table.hpp>

#include "command_files.hpp"
#include "commands.hpp"
#include "published_targets.hpp"

namespace rp = ridgepoint;
using rp::study::comparison;
using rp::study::demand;
using rp::study::evidence;

namespace tool::validate {

struct options {
  std::string data, json;
  std::vector<std::string> only;
};

std::string cell(double value) { return std::isnan(value) ? "" : rp::figures(value, 4); }

void print(const rp::study::target& t, const rp::study::target_result& r) {
  std::cout << t.name << ": " << t.title << "\n";
  if (!r.lines.empty()) {
    rp::text_table table{.head = {"", "ours", "theirs", "error, %", "basis", "demanded", ""}, .align = "lrrrlll"};
    for (const comparison& c : r.lines)
      table.rows.push_back({c.what, cell(c.ours), cell(c.theirs),
                            std::isnan(c.error()) ? "" : rp::figures(100 * c.error(), 2),
                            std::string(to_string(c.basis)), demanded(c),
                            c.wanted == demand::none ? ""
                            : c.holds()              ? "holds"
                                                     : "FALLS SHORT"});
    std::cout << table.text();
  }
  std::cout << r.verdict();
  if (r.rows > 0) std::cout << "; " << r.rows << " rows of data";
  if (r.judged() > 0) std::cout << "; " << r.differences() << " of " << r.judged() << " demands not met";
  std::cout << (r.note.empty() ? "" : "\nnote: " + r.note) << "\n\n";
}

/// Prints every target, or the requested ones, with a summary. Returns `failed` if a demand is not met.
/// Throws: value_error for a target that does not exist.
int run(const options& o, const std::vector<rp::study::target>& all) {
  rp::json documents = rp::json::array();
  bool short_of_one = false;
  std::vector<const rp::study::target*> targets;
  for (const std::string& name : o.only) {
    targets.push_back(&find_target(all, name));
    for (const std::string& file : targets.back()->files)  // without --only, targets without data are skipped
      rp::require<rp::data_error>(std::filesystem::exists(std::filesystem::path(o.data) / file), "validate: ", o.data,
                                  " has no ", file, "; --only ", name, " must have it");
  }
  if (o.only.empty())
    for (const rp::study::target& t : all) targets.push_back(&t);
  tool::check_files({.written = {o.json}, .read = {o.data}});
  rp::text_table summary{
      .head = {"target", "rows of data", "demands", "on hold-out", "definitional", "chosen", "not met", "verdict"},
      .align = "lrrrrrrl"};
  for (const rp::study::target* t : targets) {
    const rp::study::target_result r = evaluate(*t, o.data);
    print(*t, r);
    documents.push_back(document(*t, r));
    short_of_one |= r.differences() > 0;
    summary.rows.push_back({t->name, r.rows > 0 ? rp::concat(r.rows) : "", rp::concat(r.judged()),
                            rp::concat(r.judged(evidence::hold_out)), rp::concat(r.judged(evidence::definitional)),
                            rp::concat(r.judged(evidence::chosen)), rp::concat(r.differences()), r.verdict()});
  }
  std::cout << summary.text();
  if (!o.json.empty()) rp::save_json(o.json, documents);
  return short_of_one ? tool::failed : tool::ok;
}

/// Declares the options; `files` names some of the published tables.
tool::action prepared(CLI::App& app, const char* files, std::vector<rp::study::target> (*targets)()) {
  const auto o = std::make_shared<options>();
  app.add_option("--data", o->data, rp::concat("Directory of the published tables (", files, ")"))
      ->check(tool::existing_directory())
      ->required();
  app.add_option("--only", o->only, "Only this target, a published figure or table; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--json", o->json, "Write the comparison to this file, one object per target");
  return [o, targets] { return run(*o, targets()); };
}

const tool::command tpu_command("validate tpu", "Compare the TPU model with published measurements", [](CLI::App& app) {
  return prepared(app, "paradnn_tpu_fc.csv, scalesim.csv …", tpu_targets);
});
const tool::command gpu_command("validate gpu", "Compare the GPU model with published measurements", [](CLI::App& app) {
  return prepared(app, "paradnn_gpu_fc.csv, paradnn_tpu_fc.csv", gpu_targets);
});
const tool::command cpu_command("validate cpu", "Compare the CPU model with published measurements and your own",
                                [](CLI::App& app) {
                                  return prepared(app, "maxwoolf_summary.csv …; machine.json, sweep_fc.jsonl …",
                                                  cpu_targets);
                                });

}  // namespace tool::validate
