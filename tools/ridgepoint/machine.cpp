// SPDX-License-Identifier: MIT
// ridgepoint machine: measures this machine's ceilings with every instruction set it runs, or its GPU's, or shows a
// published machine.
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>

#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/cpu/probe.hpp>
#include <ridgepoint/cuda/probe.hpp>
#include <ridgepoint/roofline/machines.hpp>
#include <ridgepoint/roofline/profile_json.hpp>
#include <ridgepoint/roofline/table.hpp>

#include "command_files.hpp"
#include "commands.hpp"
#include "measurement/doubts.hpp"
#include "number_option.hpp"
#include "tpu_chip.hpp"

namespace rp = ridgepoint;

namespace tool::machine {

struct options {
  std::string json, show, chip, isa;
  int threads = 0;
  bool list = false, gpu = false;
};

void list_published() {
  for (const rp::machine& m : rp::published_machines()) std::cout << m.name << "  " << m.description << '\n';
}

/// Returns the instruction set that `isa` or else RIDGEPOINT_ISA requests; empty if neither does.
/// Throws: value_error, unsupported.
std::string asked_for(const std::string& isa) {
  const char* const forced = std::getenv("RIDGEPOINT_ISA");
  const bool any = isa.empty() && (forced == nullptr || *forced == '\0');
  const std::string picked = rp::simd::pick_variant(ridgepoint_dispatch_variants, isa).isa;
  return any ? "" : picked;
}

/// Measures the ceilings of every instruction set this CPU runs (or of the requested one), as one machine.
rp::machine measure(const options& o) {
  rp::machine host;
  for (const auto* v = ridgepoint_dispatch_variants; v->isa != nullptr; ++v) {
    if (o.isa.empty() ? !rp::simd::cpu_runs(v->isa) : o.isa != v->isa) continue;
    const rp::cpu on(o.threads, v->isa);
    std::cerr << "measuring " << rp::printable(on.name()) << " ...\n";
    rp::machine one = rp::probe(on, {.budget_s = o.isa.empty() ? 2.0 : 8.0});
    one.ceilings.insert(one.ceilings.begin(), host.ceilings.begin(), host.ceilings.end());
    host = std::move(one);
  }
  return host;
}

/// Prints the GPU, or why there is no GPU, in one line.
void say_gpus() {
  if (const int count = rp::gpu_count(); count > 0) std::cerr << "GPU: " << rp::printable(rp::cuda().name()) << '\n';
  else std::cerr << "no GPU: " << rp::printable(ridgepoint_cuda()->why_none()) << '\n';
}

/// Measures the ceilings of the GPU; prints its kernel launch times.
rp::machine measure_gpu() {
  const rp::cuda on;
  std::cerr << "measuring " << rp::printable(on.name()) << " ...\n";
  const rp::probed_gpu probed = rp::probe(on);
  std::cout << "starting a kernel takes " << rp::quantity(probed.launch_s, "s", 3) << ", in a recording "
            << rp::quantity(probed.recorded_launch_s, "s", 3) << '\n';
  return probed.machine;
}

int run(options o) {
  if (o.list) return list_published(), tool::ok;
  tool::check_files({.written = {o.json, o.chip}, .read = {tool::json_file(o.show)}});
  std::optional<rp::tpu::chip> chip;
  if (!o.chip.empty()) chip = tool::tpu_named("machine: --chip needs a TPU, but --show", o.show);
  rp::machine m;
  std::optional<rp::environment> at;  // of a measurement only
  if (o.gpu) {
    at = rp::observe_environment();
    m = measure_gpu();
  } else if (o.show.empty()) {
    o.isa = asked_for(o.isa);
    at = rp::observe_environment();
    measurement::say_doubts(*at);
    m = measure(o);
    say_gpus();
    at->steal_share = measurement::say_stolen_time(*at);
  } else {
    m = o.show.ends_with(".json") ? rp::load_machine(o.show) : rp::find_machine(o.show);
  }
  const std::string dtype = m.peak() != nullptr ? "f32" : m.ceilings.front().dtype;
  const rp::roof_query query{.dtype = dtype, .isa = o.isa, .threads = o.threads};
  const std::vector<std::string> doubts = rp::suspicions(m, query);
  measurement::say_doubts(doubts);
  std::cout << rp::table(m, query);
  if (chip) rp::tpu::save_chip(o.chip, *chip);
  if (o.json.empty()) return tool::ok;
  rp::json document = rp::to_json_document(m);
  if (at) document["environment"] = rp::detail::to_json_document(*at, doubts);
  rp::save_json(o.json, document);
  return tool::ok;
}

const tool::command command(
    "machine", "Measure this machine's roofline ceilings, or show published ones", [](CLI::App& app) -> tool::action {
      const auto o = std::make_shared<options>();
      CLI::Option* const json = app.add_option("--json", o->json, "Write the ceilings to this file");
      CLI::Option* const show =
          app.add_option("--show", o->show, "Show a published machine or a .json file instead of measuring");
      app.add_option("--chip", o->chip, "Write the model of a shown TPU to this file, to edit for roofline --on")
          ->needs(show);
      CLI::Option* const gpu = app.add_flag("--gpu", o->gpu, "Measure the GPU instead of the CPU")->excludes(show);
      CLI::Option* const list = app.add_flag("--list", o->list, "List the published machines");
      CLI::Option* const isa =
          app.add_option("--isa", o->isa, "Measure only this instruction set (default: RIDGEPOINT_ISA, or all)");
      CLI::Option* const threads =
          app.add_option("--threads", o->threads, "Threads (default: all cores)")->check(tool::thread_counts());
      for (CLI::Option* const unused : {json, show, gpu, isa, threads}) list->excludes(unused);
      for (CLI::Option* const of_cpu : {isa, threads}) gpu->excludes(of_cpu);
      return [o] { return run(*o); };
    });

}  // namespace tool::machine
