// SPDX-License-Identifier: MIT
#include "named_machine.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <optional>
#include <sstream>

#include <ridgepoint/core/nearest_name.hpp>
#include <ridgepoint/gpu/data_parallel.hpp>
#include <ridgepoint/gpu/step.hpp>
#include <ridgepoint/mxu/chip_json.hpp>
#include <ridgepoint/roofline/machines.hpp>
#include <ridgepoint/roofline/plot.hpp>
#include <ridgepoint/roofline/profile_json.hpp>
#include <ridgepoint/roofline/table.hpp>
#include <ridgepoint/study/modelled_profile.hpp>
#include <ridgepoint/study/network_chart_json.hpp>

#include "command_files.hpp"
#include "measurement/shown.hpp"
#include "step_memory.hpp"
#include "tpu_chip.hpp"

namespace tool {
namespace {

namespace rp = ridgepoint;
namespace study = ridgepoint::study;
using measurement::shown;

// Names and files.

/// Returns published ceilings of a machine without a model: a CPU.
const rp::machine* published_ceilings(std::string_view name) {
  for (const rp::machine& m : rp::published_machines())
    if (rp::same_name(m.name, name)) return &m;
  return nullptr;
}

/// Makes texts of a file safe to print.
void make_fit(rp::machine& m) {
  m.name = shown(m.name, 80);
  m.description = shown(m.description);
  for (rp::ceiling& c : m.ceilings)
    for (std::string* text : {&c.operation, &c.isa, &c.dtype, &c.level, &c.source}) *text = shown(*text, 80);
}
void make_fit(rp::profile& p) {
  for (std::string* text : {&p.title, &p.backend, &p.dtype}) *text = shown(*text, 80);
  for (rp::profile_row& row : p.rows) row.layer = shown(row.layer, 48), row.shape = shown(row.shape, 80);
}

/// Returns "mnist-mlp" of "modelled: mnist-mlp layers=4, training" and "mnist-mlp layers=4".
std::string network_of(std::string title) {
  constexpr std::string_view modelled = "modelled: ";
  if (title.starts_with(modelled)) title.erase(0, modelled.size());
  return title.substr(0, title.find_first_of(" ,"));
}

/// Returns an entry of a file's environment; empty if missing.
std::string text_or_empty(const rp::json_reader& at, const char* key) {
  return at.has(key) ? shown(at.text(key), 80) : "";
}

/// Returns where and when a file's step was measured.
std::string reported_measurement(const rp::json_reader& at, const rp::profile& p, const rp::machine& m) {
  const std::string when = text_or_empty(at, "time"), cpu = text_or_empty(at, "cpu_model"),
                    version = text_or_empty(at, "version");
  return rp::concat("by ", where_it_ran(p, m), " on ", m.name, m.name == cpu || cpu.empty() ? "" : ", host " + cpu,
                    ", ", when.empty() ? "at a time that was not recorded" : when,
                    version.empty() ? "" : ", version " + version);
}

saved_step step_from(const rp::json_reader& in, const std::string& network) {
  rp::roofline_record record = rp::roofline_from_json(in);
  rp::profile& p = record.profile;
  make_fit(p);
  make_fit(record.machine);
  rp::require<rp::data_error>(network_of(p.title) == network, in.path("profile"), ".title is ", p.title,
                              "; must be a step of ", network);
  const auto check_time = [&](double s, std::string_view what) {
    rp::require<rp::data_error>(s >= 1e-12 && s <= 1e9, in.path("profile"), ": ", what, " takes ", s,
                                " s; must be 1e-12 to 1e9 s");
  };
  check_time(p.step_s, "the step");
  for (const rp::profile_row& row : p.rows)
    if (row.elapsed_s != 0) check_time(row.elapsed_s, row.layer);
  const bool measured = in.has("environment");
  study::chart_step s{.name = {}, .origin = measured ? study::origin::measured : study::origin::modelled};
  s.how = measured ? reported_measurement(in.object("environment"), p, record.machine)
                   : rp::concat(p.backend, ", roofs of ", record.machine.name);
  s.profile = std::move(p);
  s.machine = std::move(record.machine);
  return {std::move(s)};
}

named_machine machine_from(const std::string& file, const std::string& network) {
  const rp::json document = rp::parse_strict(rp::read_file(file, 16 << 20), file);
  const rp::json_reader in(document, file + ": ");
  std::error_code failure;
  named_machine made{.name = shown(file, 40),
                     .identity = "file " + std::filesystem::weakly_canonical(file, failure).string(),
                     .is = this_host{}};
  const std::string schema = in.text("schema");
  rp::require<rp::data_error>(
      schema == "ridgepoint.roofline" || schema == "ridgepoint.machine" || schema == "ridgepoint.tpu_chip",
      in.path("schema"), " is ", shown(schema, 40),
      "; must be ridgepoint.roofline, ridgepoint.machine or ridgepoint.tpu_chip");
  if (schema == "ridgepoint.roofline") {
    made.is = step_from(in, network);
  } else if (schema == "ridgepoint.tpu_chip") {
    made.is = rp::tpu::chip_from_json(in);
  } else {
    const std::string when = in.has("environment") ? text_or_empty(in.object("environment"), "time") : "";
    ceilings_alone alone{rp::machine_from_json(in), when};
    make_fit(alone.machine);
    made.is = std::move(alone);
  }
  return made;
}

const std::vector<std::string>& machine_names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names{"host"};
    for (const rp::gpu::chip& c : rp::gpu::published_chips()) names.push_back(c.name);
    std::ranges::move(tpu_names(), std::back_inserter(names));
    for (const study_processor& p : study_processors()) names.push_back(p.name);
    names.emplace_back("skylake-vm");
    return names;
  }();
  return all;
}

/// Returns the names between commas, some perhaps empty.
std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream in(list + ',');
  for (std::string name; std::getline(in, name, ',');) names.push_back(name);
  return names;
}

constexpr rp::index_t most_gpus = 1 << 16;

named_machine machine_named(std::string_view command, const std::string& name, const std::string& network);

/// Returns the GPUs of a name such as 2xk80; nothing if the name has no such form.
std::optional<named_machine> several_gpus(std::string_view command, const std::string& name,
                                          const std::string& network) {
  const std::size_t digits = name.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string::npos || (name[digits] != 'x' && name[digits] != 'X')) return std::nullopt;
  named_machine one = machine_named(command, name.substr(digits + 1), network);
  const rp::index_t gpus = digits > 6 ? most_gpus + 1 : std::stoll(name);
  rp::require<rp::value_error>(std::holds_alternative<rp::gpu::chip>(one.is) && one.gpus == 1, command, ": ",
                               shown(name, 40), " names several of ", one.name, "; must be a published GPU");
  rp::require<rp::value_error>(gpus >= 1 && gpus <= most_gpus, command, ": ", shown(name, 40),
                               " has a number of GPUs that must be 1 to ", most_gpus);
  one.name = rp::concat(gpus, 'x', one.name), one.identity = rp::concat(gpus, ' ', one.identity), one.gpus = gpus;
  return one;
}

named_machine machine_named(std::string_view command, const std::string& name, const std::string& network) {
  if (name.ends_with(".json")) return machine_from(name, network);
  if (std::optional<named_machine> several = several_gpus(command, name, network)) return std::move(*several);
  if (rp::same_name(name, "host")) return {"host", "host", this_host{}};
  for (const rp::gpu::chip& c : rp::gpu::published_chips())
    if (rp::same_name(c.name, name)) return {c.name, "GPU " + c.name, c};
  if (const rp::tpu::chip* const c = published_tpu(name)) return {"tpu-" + c->name, "TPU " + c->name, *c};
  for (study_processor& p : study_processors())
    if (rp::same_name(p.name, name)) return {p.name, "CPU " + p.name, std::move(p)};
  const rp::machine* const published = published_ceilings(name);
  rp::require<rp::value_error>(published != nullptr, command, ": no machine is called \"", shown(name, 40),
                               "\"; must be one of ", tool::known_machines(), ", or a file ending in .json",
                               rp::did_you_mean(name, {machine_names().begin(), machine_names().end()}));
  return {published->name, "ceilings " + published->name, ceilings_alone{*published, ""}};
}

// Steps.

/// Returns the number format of a GPU's products; without a request f16 on chips with 16-bit units, else f32.
rp::gpu::number_format gpu_format(const std::string& requested, const rp::gpu::chip& on) {
  using enum rp::gpu::number_format;
  if (requested.empty()) return on.f16_flop_per_s > 0 ? f16 : f32;
  for (const rp::gpu::number_format format : {f32, tf32, f16})
    if (to_string(format) == requested) return format;
  throw rp::value_error(
      rp::concat("GPU ", on.name, ": --precision is ", requested, "; must be f32, tf32 or f16, which are modelled"));
}

step_on_machine modelled_step(rp::gpu::platform p, const std::string& on_what, const modelled_network& network) {
  check(p);
  rp::require<rp::value_error>(network.batch % network.gpus == 0, network.gpus, " GPUs ", p.on.name, ": the batch is ",
                               network.batch, "; must be a multiple");
  const shared_plan plan = network.training(network.batch / network.gpus);
  const rp::compiled& made = *plan;
  if (network.fed_per_s > 0) {
    p.with.feed_latency_s = 0;
    p.with.feed_s_per_value = 1 / (network.fed_per_s * static_cast<double>(fed_values(made)));
  }
  check_step_memory("GPU " + p.on.name, memory_on_gpu(p, made), static_cast<double>(p.on.memory_bytes));
  const rp::network_link& over = network.link.empty() ? rp::gpu::usual_link(p.on) : rp::find_link(network.link);
  rp::gpu::modelled_step step = data_parallel(p, modelled_on(p, made), made.trainable_size(), network.gpus, over);
  step.title = network.title + ", training";
  const double waits = step.feed_share();
  return {.step = {.name = {},
                   .origin = study::origin::modelled,
                   .how = rp::concat(on_what, "; software \"", p.with.name, "\": ", p.with.description),
                   .note = {},
                   .profile = study::as_profile(step),
                   .machine = study::roofs_of(p)},
          .table =
              [p, over, step = std::move(step), rows = network.rows](const study::chart_step&) {
                return rp::concat(
                    study::table(step, rows),
                    rp::printable(rp::concat(p.on.name, ": ", p.on.description, "; ", p.on.fit.source)), '\n',
                    rp::printable(rp::concat(p.with.name, ": ", p.with.description, "; ", p.with.source)), '\n',
                    step.gpus == 1 ? "" : rp::concat(over.name, ": ", over.description, "; ", over.source, '\n'));
              },
          .feed_share = waits};
}

step_on_machine placed(const rp::gpu::chip& on, const modelled_network& network) {
  return modelled_step({on, network.software, gpu_format(network.precision, on)}, "data sheet of " + on.description,
                       network);
}

/// Uses the largest number of cores that divides the batch evenly, unless a number is requested.
step_on_machine placed(const rp::tpu::chip& on, const modelled_network& network) {
  rp::require<rp::value_error>(network.precision.empty() || network.precision == on.dtype, "TPU ", on.name,
                               ": --precision is ", network.precision, ", but its arrays multiply ", on.dtype,
                               "; must be ", on.dtype);
  const rp::index_t cores = network.cores > 0 ? network.cores : std::gcd(network.batch, on.cores());
  const bool trains = on.fifo_tiles == 0 || !network.inference;
  const rp::index_t share = rp::tpu::batch_per_core(on, network.batch, cores);
  const shared_plan plan = trains ? network.training(share) : network.inference(share);
  const rp::compiled& made = *plan;
  rp::tpu::chip fed = on;
  if (network.fed_per_s > 0) {
    fed.fit.infeed_bytes_per_s = network.fed_per_s * static_cast<double>(fed_values(made) * on.operand_bytes);
    fed.fit.infeed_latency_s = fed.fit.label_bytes_per_s = 0;  // the rate is all that a step takes
  }
  rp::tpu::modelled_step step = modelled_on(fed, made, cores);
  if (trains)
    check_step_memory("TPU " + on.name + ", each core", memory_on_tpu(made).bytes(), static_cast<double>(on.hbm_bytes));
  step.title = network.title + (trains ? ", training" : ", inference");
  const double waits = (std::max)(0.0, step.infeed_share());
  return {.step = {.name = {},
                   .origin = study::origin::modelled,
                   .how = rp::concat(cores, " of ", on.cores(), " cores; ", on.description),
                   .note = {},
                   .profile = study::as_profile(step, on.dtype),
                   .machine = study::roofs_of(on, cores)},
          .table = [step = std::move(step),
                    rows = network.rows](const study::chart_step&) { return study::table(step, rows); },
          .feed_share = waits};
}

/// Returns the published GPU whose name is part of a machine's: "h200" of "cuda.NVIDIA H200".
std::optional<rp::gpu::chip> gpu_of(const rp::machine& m) {
  std::string name = m.name;
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const rp::gpu::chip& c : rp::gpu::published_chips())
    if (name.find(c.name) != std::string::npos) return c;
  return std::nullopt;
}

std::string measured_when(const ceilings_alone& alone) {
  return alone.when.empty() ? "" : ", measured " + alone.when + ',';
}

/// Describes a step by its profile and its chart.
std::string profile_text(const study::chart_step& step) {
  return rp::concat(rp::table(step.profile, step.machine), '\n', rp::plot(step.profile, step.machine));
}

/// Gives each op the time the machine's roofs allow: no implementation can be faster.
step_on_machine at_its_roofs(const ceilings_alone& alone, const modelled_network& network) {
  const rp::machine& m = alone.machine;
  rp::require<rp::value_error>(network.precision.empty() || network.precision == "f32", m.name, ": --precision is ",
                               network.precision, "; must be f32, which its model computes in");
  rp::profile p{.title = "modelled: " + network.title, .backend = "roofs of " + m.name, .threads = 0, .rows = {}};
  if (m.peak() == nullptr)
    for (const rp::ceiling& c : m.ceilings)
      if (c.kind == rp::ceiling_kind::compute) p.dtype = c.dtype;
  const shared_plan plan = network.training(network.batch);
  const rp::compiled& made = *plan;
  for (const rp::planned_call& call : made.plan.calls) {
    rp::profile_row row{.layer = call.info.layer,
                        .pass = call.info.pass,
                        .shape = call.info.shape,
                        .receipt = call.info.receipt,
                        .footprint_bytes = made.plan.footprint_bytes(call),
                        .launches = m.launch_s > 0 ? 1U : 0U};
    row.elapsed_s = place(m, p, row).roof_s;
    p.step_s += row.elapsed_s;
    p.rows.push_back(std::move(row));
  }
  rp::require<rp::unsupported>(p.step_s > 0, m.name, ": has no ceiling that takes time; must have one");
  return {.step = {.name = {},
                   .origin = study::origin::modelled,
                   .how = rp::concat("each op takes what the ceilings of ", m.name, measured_when(alone),
                                     " allow, which nothing can be faster than"),
                   .note = {},
                   .profile = std::move(p),
                   .machine = m},
          .table = profile_text};
}

step_on_machine placed(const ceilings_alone& alone, const modelled_network& network) {
  const std::optional<rp::gpu::chip> chip = gpu_of(alone.machine);
  if (!chip) return at_its_roofs(alone, network);
  const rp::gpu::chip on = with_ceilings(*chip, alone.machine);
  return modelled_step({on, with_ceilings(network.software, alone.machine), gpu_format(network.precision, on)},
                       rp::concat("ceilings of ", alone.machine.name, measured_when(alone), ", tiles of ", chip->name),
                       network);
}

step_on_machine placed(const study_processor& on, const modelled_network& network) {
  rp::require<rp::value_error>(network.precision.empty() || network.precision == "f32", "CPU ", on.name,
                               ": --precision is ", network.precision, "; must be f32, which its model computes in");
  return {modelled_on(on, *network.training(network.batch), network.title),
          [](const study::chart_step& step) { return rp::concat(profile_text(step), rp::printable(step.how), '\n'); }};
}

step_on_machine placed(const saved_step& saved, const modelled_network& network) {
  study::chart_step s = saved.step;
  const auto theirs = static_cast<double>(s.profile.receipt().matrix_flop),
             ours = static_cast<double>(network.training(network.batch)->plan.receipt().matrix_flop);
  if (std::abs(theirs - ours) > 0.01 * ours)
    s.note = rp::concat("its step has ", rp::figures(theirs / ours),
                        " times the multiply-adds of the others', another batch or other parameters: compare rates, "
                        "not times or samples/s");
  return {std::move(s), profile_text};
}

step_on_machine placed(const this_host&, const modelled_network&) { return {}; }

}  // namespace

std::string known_machines() { return rp::names_of(machine_names()); }

std::vector<std::string> machine_files(const std::string& list) {
  std::vector<std::string> files;
  for (const std::string& name : names_in(list)) files.push_back(json_file(name));
  return files;
}

std::vector<named_machine> machines_named(std::string_view command, const std::string& list,
                                          const std::string& network) {
  rp::require<rp::value_error>(!list.empty(), command, ": --on is empty; must name a machine: ", known_machines());
  std::vector<named_machine> machines;
  for (const std::string& name : names_in(list)) {
    const std::size_t most = study::detail::most_machines;
    rp::require<rp::value_error>(machines.size() < most, command, ": --on has more than ", most,
                                 " machines; must have 1 to ", most);
    named_machine one = machine_named(command, name, network);
    for (const named_machine& other : machines)
      rp::require<rp::value_error>(other.identity != one.identity, command, ": --on has ", one.name,
                                   " twice; must have it once");
    machines.push_back(std::move(one));
  }
  return machines;
}

bool has_feed(const named_machine& m) {
  const auto* const alone = std::get_if<ceilings_alone>(&m.is);
  return std::holds_alternative<rp::gpu::chip>(m.is) || std::holds_alternative<rp::tpu::chip>(m.is) ||
         (alone != nullptr && gpu_of(alone->machine));
}

step_on_machine placed_on(const named_machine& on, const modelled_network& network) {
  modelled_network shared = network;
  if (on.gpus > 1) shared.gpus = on.gpus;
  step_on_machine made = std::visit([&](const auto& is) { return placed(is, shared); }, on.is);
  made.step.name = on.name;
  return made;
}

study::chart_step step_or_reason(const named_machine& on, const modelled_network& network) {
  try {
    return placed_on(on, network).step;
  } catch (const rp::error& e) {
    return {.name = on.name, .origin = study::origin::none, .how = e.what()};
  }
}

void check_one_runs(std::string_view command, const std::vector<study::chart_step>& steps) {
  std::vector<std::string> reasons;
  for (const study::chart_step& step : steps) {
    if (step.origin != study::origin::none) return;
    reasons.push_back(rp::concat(step.name, " (", step.how, ')'));
  }
  throw rp::value_error(rp::concat(command, ": no machine of --on can run the step: ", rp::names_of(reasons)));
}

}  // namespace tool
