// SPDX-License-Identifier: MIT
// ridgepoint roofline: the main command. Measures this machine's ceilings, trains a network for some hundred steps, and
// places every op of the step on the roofline, as text, JSON and a page.
#include <filesystem>
#include <iostream>
#include <memory>

#include <ridgepoint/roofline/html_json.hpp>
#include <ridgepoint/roofline/plot.hpp>
#include <ridgepoint/roofline/table.hpp>

#include "backends.hpp"
#include "command_files.hpp"
#include "commands.hpp"
#include "directory.hpp"
#include "measured_training.hpp"
#include "vega_bundle.hpp"

namespace rp = ridgepoint;

namespace tool::roofline {

struct options {
  tool::training_options training;
  std::string out = ".";
};

/// Validates all input before measuring the ceilings.
int run(const options& o) {
  const std::filesystem::path directory = tool::made_directory("roofline", o.out);
  const std::string json = (directory / "roofline.json").string(), page = (directory / "roofline.html").string();
  tool::check_files({.written = {json, page}, .read = {tool::data_directory(o.training.data, directory)}});
  const tool::ready_training ready = tool::made_ready("roofline", o.training, directory);
  std::cout << "memory of a step: " << ready.memory << std::endl;
  const auto [machine, profile, at] = ready.measure();

  std::cout << '\n'
            << rp::table(machine, rp::roofs_for(profile)) << '\n'
            << rp::table(profile, machine) << '\n'
            << rp::plot(profile, machine);
  rp::save_roofline(json, profile, machine, at);
  rp::save_html(page, profile, machine, at, tool::vega_bundle());
  std::cout << "\nwrote " << rp::printable(json) << " and " << rp::printable(page) << '\n';
  return tool::ok;
}

const tool::command command("roofline", "Train a network for some steps and place every op on this machine's roofline",
                            [](CLI::App& app) -> tool::action {
                              const auto o = std::make_shared<options>();
                              tool::add_training_options(app, o->training, " below --out)");
                              app.add_option("--out", o->out,
                                             "Output directory: roofline.json, roofline.html, synthetic data")
                                  ->capture_default_str();
                              app.add_option("--backend", o->training.backend,
                                             rp::concat("Backend: ", tool::backend_names))
                                  ->capture_default_str();
                              return [o] { return run(*o); };
                            });

}  // namespace tool::roofline
