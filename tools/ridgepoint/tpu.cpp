// SPDX-License-Identifier: MIT
// ridgepoint tpu <network>: a training step on a model of a TPU, op by op, as text, JSON and a roofline page.
#include <filesystem>
#include <iostream>
#include <memory>

#include <ridgepoint/models/learning.hpp>
#include <ridgepoint/mxu/chip_json.hpp>
#include <ridgepoint/mxu/chips.hpp>
#include <ridgepoint/roofline/html_json.hpp>
#include <ridgepoint/study/modelled_profile.hpp>

#include "command_files.hpp"
#include "commands.hpp"
#include "directory.hpp"
#include "machine_models.hpp"
#include "modelled_network.hpp"
#include "number_option.hpp"
#include "one_of.hpp"
#include "tpu_chip.hpp"
#include "vega_bundle.hpp"

namespace rp = ridgepoint;

namespace tool::tpu {

struct options {
  std::string chip = "v2", out = ".", save, precision;
  rp::index_t cores = 0;
  std::size_t rows = 40;
  tool::step_options step;
};

/// Throws: value_error for a number format other than the chip's, or an optimiser on an inference-only chip.
void check_fits(const options& o, const rp::tpu::chip& on) {
  rp::require<rp::value_error>(o.precision.empty() || o.precision == on.dtype, "tpu: --precision is ", o.precision,
                               ", but the arrays of ", on.name, " multiply ", on.dtype, "; must be ", on.dtype);
  rp::require<rp::value_error>(o.step.optimiser.empty() || on.fifo_tiles == 0, "tpu: ", on.name,
                               " only infers; --optimizer must not be given");
}

int run(const tool::known_network& network, const options& o) {
  const rp::tpu::chip on = tool::tpu_named(o.chip);
  check_fits(o, on);
  const std::filesystem::path directory = tool::made_directory("tpu", o.out);
  const std::string json = (directory / "tpu.json").string(), page = (directory / "tpu.html").string();
  tool::check_files({.written = {json, page, o.save}, .read = {tool::json_file(o.chip)}});
  const rp::index_t cores = o.cores != 0 ? o.cores : on.cores();
  const tool::trained_network of = tool::with_options(network, o.step);
  rp::graph net(of.name);
  const auto objectives = of.build(net);
  rp::compile_options share = of.options;
  share.batch = rp::tpu::batch_per_core(on, of.batch, cores);
  const bool trains = on.fifo_tiles == 0;
  const std::string title = tool::title_of(network, o.step);
  const auto place = [&](const auto& plan) {
    rp::tpu::modelled_step step = tool::modelled_on(on, plan, cores);
    step.title = title + (trains ? ", training" : ", inference");
    std::cout << rp::study::table(step, o.rows);
    const rp::tpu::step_memory needed = tool::memory_on_tpu(plan);
    const double gib = needed.bytes() / (1ULL << 30);
    if (trains && !rp::tpu::fits(on, needed))
      std::cout << "out of memory: needs " << rp::figures(gib) << " GiB per core, has "
                << rp::figures(static_cast<double>(on.hbm_bytes) / (1ULL << 30)) << '\n';
    return step;
  };
  const rp::tpu::modelled_step step = trains
                                          ? place(rp::plan_training(net, objectives, of.optimiser, share))
                                          : place(rp::plan_inference(net, rp::models::outputs_of(objectives), share));

  const rp::profile profile = rp::study::as_profile(step, on.dtype);
  const rp::machine roofs = rp::study::roofs_of(on, cores);
  rp::save_roofline(json, profile, roofs, std::nullopt);
  rp::save_html(page, profile, roofs, std::nullopt, tool::vega_bundle());
  if (!o.save.empty()) rp::tpu::save_chip(o.save, on);
  std::cout << "wrote " << rp::printable(json) << " and " << rp::printable(page) << '\n';
  return tool::ok;
}

/// Returns "tpu paradnn-fc" and so on: one command per network, its parameters as options.
std::unique_ptr<tool::command> network_command(const tool::known_network& network) {
  return std::make_unique<tool::command>(
      rp::concat("tpu ", network.name), rp::concat("Model a step of ", network.name, " on a TPU, op by op"),
      [&network](CLI::App& app) -> tool::action {
        const auto o = std::make_shared<options>();
        app.add_option("--chip", o->chip, "v1, v2, v2-spec, v3, v3-spec, or a .json file")->capture_default_str();
        app.add_option("--cores", o->cores, "Cores that share the batch (default: all of the board)")
            ->check(tool::number_in(1, 1 << 20));
        tool::add_model_options(app, network, o->step, "Samples per step of all cores");
        app.add_option("--precision", o->precision, "Format of the arrays; must be the chip's: int8 on v1, else bf16")
            ->transform(tool::one_of({"bf16", "f32", "int8"}));
        app.add_option("--rows", o->rows, "Rows of the table; the rest is summed")
            ->check(tool::number_in(0, 1'000'000))
            ->capture_default_str();
        app.add_option("--out", o->out, "Directory for tpu.json and tpu.html")->capture_default_str();
        app.add_option("--save-chip", o->save, "Write the chip to this file");
        app.footer(
            "No training: every number is modelled. So there are no options for data, epochs, threads, seed or "
            "backend; convolutions have one algorithm on the arrays.");
        return [o, &network] { return run(network, *o); };
      });
}

const auto commands = tool::network_commands(network_command);

}  // namespace tool::tpu
