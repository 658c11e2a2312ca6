// SPDX-License-Identifier: MIT
// ridgepoint gpu <network>: a training step on a model of a GPU, op by op, as text, JSON and a roofline page.
#include <filesystem>
#include <iostream>
#include <memory>

#include <ridgepoint/gpu/step.hpp>
#include <ridgepoint/roofline/html_json.hpp>
#include <ridgepoint/roofline/machine_json.hpp>
#include <ridgepoint/study/modelled_profile.hpp>

#include "command_files.hpp"
#include "commands.hpp"
#include "directory.hpp"
#include "gpu_format.hpp"
#include "machine_models.hpp"
#include "modelled_network.hpp"
#include "number_option.hpp"
#include "one_of.hpp"
#include "vega_bundle.hpp"

namespace rp = ridgepoint;

namespace tool::gpu {

struct options {
  std::string chip = "v100", software = "recorded", precision, ceilings, out = ".";
  std::size_t rows = 40;
  tool::step_options step;

  [[nodiscard]] rp::gpu::platform platform() const {
    rp::gpu::platform p{rp::gpu::find_chip(chip), rp::gpu::find_software(software)};
    if (!ceilings.empty()) {
      const rp::machine measured = rp::load_machine(ceilings);
      p.on = with_ceilings(std::move(p.on), measured);
      p.with = with_ceilings(std::move(p.with), measured);
    }
    p.in = tool::gpu_format(precision, p.on);
    check(p);
    return p;
  }
};

int run(const tool::known_network& network, const options& o) {
  const rp::gpu::platform p = o.platform();
  const std::filesystem::path directory = tool::made_directory("gpu", o.out);
  const std::string json = (directory / "gpu.json").string(), page = (directory / "gpu.html").string();
  tool::check_files({.written = {json, page}, .read = {o.ceilings}});
  const tool::trained_network of = tool::with_options(network, o.step);
  rp::graph net(of.name);
  const auto objectives = of.build(net);
  const auto made = rp::plan_training(net, objectives, of.optimiser, of.options);
  rp::gpu::modelled_step step = tool::modelled_on(p, made);
  step.title = tool::title_of(network, o.step) + ", training";
  std::cout << rp::study::table(step, o.rows)
            << rp::printable(rp::concat(p.on.name, ": ", p.on.description, "; ", p.on.fit.source)) << '\n'
            << rp::printable(rp::concat(p.with.name, ": ", p.with.description, "; ", p.with.source)) << '\n';
  const rp::profile profile = rp::study::as_profile(step);
  const rp::machine roofs = rp::study::roofs_of(p);
  rp::save_roofline(json, profile, roofs, std::nullopt);
  rp::save_html(page, profile, roofs, std::nullopt, tool::vega_bundle());
  std::cout << "wrote " << rp::printable(json) << " and " << rp::printable(page) << '\n';
  return tool::ok;
}

/// Returns "gpu paradnn-fc" and so on: one command per network, its parameters as options.
std::unique_ptr<tool::command> network_command(const tool::known_network& network) {
  return std::make_unique<tool::command>(
      rp::concat("gpu ", network.name), rp::concat("Model a step of ", network.name, " on a GPU, op by op"),
      [&network](CLI::App& app) -> tool::action {
        const auto o = std::make_shared<options>();
        app.add_option("--chip", o->chip, rp::names_of(rp::gpu::published_chips()))->capture_default_str();
        app.add_option("--ceilings", o->ceilings,
                       "Machine file whose ceilings replace the data sheet and fitted constants");
        app.add_option("--software", o->software, rp::names_of(rp::gpu::known_software()))->capture_default_str();
        app.add_option("--precision", o->precision, "Format of products (default: f16 on tensor cores, else f32)")
            ->transform(tool::one_of({"f32", "tf32", "f16"}));
        tool::add_model_options(app, network, o->step, "Samples per step");
        app.add_option("--rows", o->rows, "Rows of the table; the rest is summed")
            ->check(tool::number_in(0, 1'000'000))
            ->capture_default_str();
        app.add_option("--out", o->out, "Directory for gpu.json and gpu.html")->capture_default_str();
        app.footer("No training and no GPU: every number is modelled.");
        return [o, &network] { return run(network, *o); };
      });
}
const auto commands = tool::network_commands(network_command);

}  // namespace tool::gpu
