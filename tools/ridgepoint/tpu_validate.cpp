// SPDX-License-Identifier: MIT
// ridgepoint tpu validate: the TPU model against everything published it can be held against, each error shown.
// ridgepoint tpu calibrate: the fitted constants of TPU v2, derived again from the published measurements.
#include <iostream>
#include <memory>

#include <ridgepoint/core/atomic_file.hpp>
#include <ridgepoint/mxu/chip_json.hpp>
#include <ridgepoint/roofline/text_table.hpp>
#include <ridgepoint/study/calibrate.hpp>
#include <ridgepoint/study/targets/all.hpp>

#include "commands.hpp"
#include "tpu_graphs.hpp"
#include "writable.hpp"

namespace rp = ridgepoint;
using rp::study::comparison;
using rp::study::demand;
using rp::study::evidence;

namespace tool::tpu_validate {

struct options {
  std::string data, json, chip;
  std::vector<std::string> only;
};

std::string demanded(const comparison& c) {
  switch (c.wanted) {
    case demand::equal:
      return "equal";
    case demand::within:
      return rp::concat("within ", rp::figures(100 * c.limit), " %");
    case demand::points:
      return rp::concat("within ", rp::figures(c.limit), " points");
    case demand::at_most:
      return rp::concat("at most ", rp::figures(c.limit));
    case demand::at_least:
      return rp::concat("at least ", rp::figures(c.limit));
    case demand::none:
      break;
  }
  return "shown";
}
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

const std::vector<rp::study::target>& all_targets() {
  static const std::vector<rp::study::target> all = [] {
    std::vector<rp::study::target> targets = rp::study::tpu_targets();
    targets.push_back({"cnn-rnn", "TPU v2 and v3: CNN and RNN, published maxima", {}, tool::compare_graphs});
    return targets;
  }();
  return all;
}
const rp::study::target& target_named(const std::string& name) {
  std::string known;
  for (const rp::study::target& t : all_targets()) {
    if (t.name == name) return t;
    known += (known.empty() ? "" : ", ") + t.name;
  }
  throw rp::value_error(rp::concat("validate: no target is called ", name, "; must be one of ", known));
}

rp::json document(const rp::study::target& t, const rp::study::target_result& r) {
  rp::json lines = rp::json::array();
  for (const comparison& c : r.lines) {
    rp::json line{{"what", c.what}, {"ours", c.ours}, {"basis", to_string(c.basis)}, {"demanded", demanded(c)}};
    if (c.wanted != demand::none) line["holds"] = c.holds();
    if (!std::isnan(c.theirs)) line["theirs"] = c.theirs;
    if (!std::isnan(c.error())) line["error"] = c.error();
    lines.push_back(std::move(line));
  }
  return {{"target", t.name},
          {"title", t.title},
          {"verdict", r.verdict()},
          {"rows", r.rows},
          {"judged", r.judged()},
          {"not_met", r.differences()},
          {"differences", r.differing.value_or(r.differences())},
          {"errors", std::move(lines)},
          {"note", r.note}};
}

int validate(const options& o) {
  rp::json documents = rp::json::array();
  bool short_of_one = false;
  std::vector<const rp::study::target*> targets;
  for (const std::string& name : o.only) targets.push_back(&target_named(name));
  if (o.only.empty())
    for (const rp::study::target& t : all_targets()) targets.push_back(&t);
  tool::check_writable(o.json);
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
  if (!o.json.empty()) rp::write_file(o.json, documents.dump(2) + '\n');
  return short_of_one ? tool::failed : tool::ok;
}

int calibrate(const options& o) {
  tool::check_writable(o.chip);
  rp::tpu::chip on = rp::tpu::find_chip("v2");
  const rp::tpu::calibration before = on.fit;
  on.fit = rp::study::fit_all(on, o.data);
  rp::text_table table{.head = {"constant", "fitted", "in the program"}, .align = "lrr"};
  std::map<std::string, double> stored;
  rp::tpu::detail::for_each_constant(before, [&](const char* name, double value) { stored[name] = value; });
  rp::tpu::detail::for_each_constant(on.fit, [&](const char* name, double value) {
    table.rows.push_back({name, rp::figures(value, 4), rp::figures(stored[name], 4)});
  });
  std::cout << "TPU v2-8, from traces and step times of networks with 4 or 32 layers and input 2000; copy_stream is "
               "quoted, not fitted\n\n"
            << table.text();
  if (!o.chip.empty()) rp::tpu::save_chip(o.chip, on);
  return on.fit == before ? tool::ok : tool::failed;
}

const tool::command validate_command(
    "tpu validate", "Compare the TPU model with published measurements, each error shown",
    [](CLI::App& app) -> tool::action {
      const auto o = std::make_shared<options>();
      app.add_option("--data", o->data, "Directory with the published tables (paradnn_tpu_fc.csv, scalesim.csv …)")
          ->required();
      app.add_option("--only", o->only, "Only this target; may be repeated")->allow_extra_args(false);
      app.add_option("--json", o->json, "Write one object per target to this file");
      return [o] { return validate(*o); };
    });
const tool::command calibrate_command(
    "tpu calibrate", "Fit TPU v2's constants again; exit code 1 if they changed", [](CLI::App& app) -> tool::action {
      const auto o = std::make_shared<options>();
      app.add_option("--data", o->data, "Directory with ParaDnn's published tables")->required();
      app.add_option("--chip", o->chip, "Write v2 with these constants to this file");
      return [o] { return calibrate(*o); };
    });

}  // namespace tool::tpu_validate
