// SPDX-License-Identifier: MIT
// ridgepoint cost: what a full training of a network takes and costs on machines, at prices of a month.
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/gpu/platform.hpp>
#include <ridgepoint/roofline/format.hpp>
#include <ridgepoint/roofline/strict_json.hpp>
#include <ridgepoint/roofline/text_table.hpp>
#include <ridgepoint/study/prices.hpp>

#include "command_files.hpp"
#include "commands.hpp"
#include "named_machine.hpp"
#include "number_option.hpp"
#include "one_of.hpp"
#include "progress_bar.hpp"
#include "step_options.hpp"
#include "trained_network.hpp"
#include "training_history.hpp"

namespace rp = ridgepoint;
namespace study = ridgepoint::study;

namespace tool::cost {

struct options {
  std::string network = "mnist-mlp", on = "k80,p100,v100,tpu-v2", software = "recorded", prices, date, history, json;
  rp::index_t epochs = 0, samples = 0;  // 0: the study's
  std::optional<double> accuracy, hours, usd;
  tool::step_options step;
};

/// A full training on one machine, or the reason why it cannot run there.
struct training {
  study::chart_step step;
  study::price price;
  double steps = 0;

  [[nodiscard]] bool runs() const noexcept { return step.origin != study::origin::none; }
  [[nodiscard]] double elapsed_s() const noexcept { return steps * step.profile.step_s; }
  [[nodiscard]] double usd() const noexcept { return study::cost_usd(elapsed_s(), price.usd_per_hour); }
};

/// Returns the price of a machine. Throws: value_error if it has none.
study::price price_of(const std::vector<study::price>& prices, const std::string& machine, const std::string& until) {
  const study::price* const found = find_price(prices, machine, until);
  rp::require<rp::value_error>(found != nullptr, "cost: ", machine, " has no price",
                               until.empty() ? "" : " up to " + until, "; --prices must name a file with the line ",
                               machine, ",PRICE,DATE,SOURCE");
  return *found;
}

/// Returns the prices of a file, and the studies' for machines that it lacks.
std::vector<study::price> prices_with(const std::string& file) {
  if (file.empty()) return study::published_prices();
  std::vector<study::price> prices = study::load_prices(file);
  for (const study::price& p : study::published_prices())
    if (find_price(prices, p.machine) == nullptr) prices.push_back(p);
  return prices;
}

/// Adds the machines' times and costs to `to`, a description of the training's length.
rp::json document(const std::vector<training>& all, const tool::modelled_network& network, rp::json to) {
  rp::json machines = rp::json::array();
  for (const training& t : all) {
    rp::json one{{"machine", t.step.name},
                 {"usd_per_hour", t.price.usd_per_hour},
                 {"price_date", t.price.date},
                 {"price_source", t.price.source}};
    if (t.runs()) one["step_s"] = t.step.profile.step_s, one["training_s"] = t.elapsed_s(), one["usd"] = t.usd();
    else one["reason"] = t.step.how;
    if (!t.step.note.empty()) one["note"] = t.step.note;
    machines.push_back(std::move(one));
  }
  to.update({{"schema", "ridgepoint.cost"},
             {"schema_version", 1},
             {"network", network.title},
             {"batch", network.batch},
             {"machines", std::move(machines)}});
  return to;
}

/// Returns the machine that costs least within deadline and budget; null if no machine is.
const training* cheapest(const std::vector<training>& all, const options& o) {
  const training* best = nullptr;
  for (const training& t : all) {
    if (!t.runs() || (o.hours && t.elapsed_s() > 3600 * *o.hours) || (o.usd && t.usd() > *o.usd)) continue;
    if (best == nullptr || t.usd() < best->usd()) best = &t;
  }
  return best;
}

int run(options o) {
  rp::require<rp::value_error>(o.date.empty() || study::is_month(o.date), "cost: --date is \"", rp::printable(o.date),
                               "\"; must be a year and month such as 2026-11");
  const std::string precision = std::exchange(o.step.precision, "");  // the models check it
  tool::trained_network of = tool::network_named(o.network, o.step, 0);
  o.step.precision = precision;
  const auto& known = *std::ranges::find(tool::known_networks(), of.name, &tool::known_network::name);
  if (o.step.batch == 0) of.batch = known.batch;
  const rp::index_t epochs = o.epochs > 0 ? o.epochs : of.epochs, samples = o.samples > 0 ? o.samples : known.samples;
  std::optional<tool::finished_epoch> reached;
  if (o.accuracy) reached = tool::first_epoch_with(*o.accuracy, o.history, {of.name, of.batch, o.step});
  rp::require<rp::value_error>(samples > 0 || reached, "cost: ", of.name,
                               " learns from random data; --samples must say how many make an epoch");
  const std::vector<tool::named_machine> machines = tool::machines_named("cost", o.on, of.name);
  std::vector<std::string> read = tool::machine_files(o.on);
  read.insert(read.end(), {o.prices, o.history});
  tool::check_files({.written = {o.json}, .read = read});
  const std::vector<study::price> prices = prices_with(o.prices);
  std::vector<study::price> asked;
  for (const tool::named_machine& m : machines) {
    rp::require<rp::value_error>(!m.is_host(), "cost: host is not modelled; measure it with ridgepoint roofline ",
                                 of.name, ", then --on must name its roofline.json");
    asked.push_back(price_of(prices, find_price(prices, m.name) != nullptr ? m.name : m.hardware(), o.date));
  }

  const tool::modelled_network network = tool::modelled_training(of, o.step, rp::gpu::find_software(o.software));
  const double steps = reached ? static_cast<double>(reached->steps)
                               : static_cast<double>(epochs) * static_cast<double>(rp::ceil_div(samples, of.batch));
  const std::string until =
      reached ? rp::concat("until a test accuracy of ", *o.accuracy, " as in ", o.history, ", epoch ", reached->epoch)
              : rp::concat(epochs, " epochs of ", samples, " samples");
  rp::json length{{"steps", steps}};
  if (reached) length.update({{"epochs", reached->epoch}, {"accuracy", *o.accuracy}, {"history", o.history}});
  else length.update({{"epochs", epochs}, {"samples", samples}});
  std::vector<study::chart_step> placed;
  placed.reserve(machines.size());
  for (const tool::named_machine& m : machines) placed.push_back(tool::step_or_reason(m, network));
  tool::check_one_runs("cost", placed);
  std::vector<training> all;
  all.reserve(placed.size());
  for (std::size_t i = 0; i < placed.size(); ++i) all.push_back({std::move(placed[i]), asked[i], steps});
  const auto base = std::ranges::find_if(all, &training::runs);

  std::cout << "modelled: " << network.title << ", batch " << of.batch << ", " << rp::printable(until) << ", " << steps
            << " steps\n\n";
  rp::text_table table{.head = {"machine", "step", "training", "USD/h", "since", "cost", "cost", "break-even"},
                       .units = {"", "", "", "", "", "USD", "of " + base->step.name, "USD/h"},
                       .align = "lrrrlrrr"};
  for (const training& t : all) {
    if (!t.runs()) continue;
    table.rows.push_back(
        {t.step.name, rp::quantity(t.step.profile.step_s, "s"), tool::duration_text(t.elapsed_s()),
         rp::figures(t.price.usd_per_hour), t.price.date, rp::figures(t.usd()), rp::figures(t.usd() / base->usd()),
         rp::figures(study::break_even_usd_per_hour(t.elapsed_s(), base->elapsed_s(), base->price.usd_per_hour))});
  }
  std::cout << table.text() << "break-even: cheaper than " << base->step.name << " below this price\n";
  for (const training& t : all) {
    if (!t.runs()) std::cout << t.step.name << ": cannot run it: " << t.step.how << '\n';
    if (!t.step.note.empty()) std::cout << t.step.name << ": " << t.step.note << '\n';
  }
  if (!o.json.empty()) rp::save_json(o.json, document(all, network, std::move(length)));
  const training* const best = cheapest(all, o);
  std::string within;
  if (o.hours) within += rp::concat(" within ", *o.hours, " h");
  if (o.usd) within += rp::concat(o.hours ? " and" : " within", " USD ", *o.usd);
  if (best == nullptr) std::cout << "no machine trains it" << within << '\n';
  else std::cout << "cheapest" << within << ": " << best->step.name << '\n';
  return best == nullptr ? tool::failed : tool::ok;
}

const tool::command command(
    "cost", "Compare what a full training takes and costs on machines", [](CLI::App& app) -> tool::action {
      const auto o = std::make_shared<options>();
      tool::add_network_argument(app, "network", o->network, tool::known_networks())->capture_default_str();
      app.add_option("--on", o->on, "Modelled machines, or roofline.json of a measured one; the first is the base")
          ->capture_default_str();
      app.add_option("--prices", o->prices, "CSV file: machine,usd_per_hour,date,source (default: the studies' prices)")
          ->check(tool::existing_path());
      app.add_option("--date", o->date, "Latest month of a price, as 2017-11 (default: each machine's last)");
      CLI::Option* const epochs = app.add_option("--epochs", o->epochs, "Epochs (default: the network's)")
                                      ->check(tool::number_in(1, 1'000'000));
      CLI::Option* const accuracy =
          app.add_option("--accuracy", o->accuracy, "Steps until this test accuracy, 0 to 1, in --history")
              ->check(tool::number_in(0.0, 1.0))
              ->excludes(epochs);
      accuracy->needs(app.add_option("--history", o->history, "File of train --json")
                          ->check(tool::existing_path())
                          ->needs(accuracy));
      app.add_option("--samples", o->samples, "Samples of an epoch (default: the study's)")
          ->check(tool::number_in<rp::index_t>(1, 1'000'000'000'000))
          ->excludes(accuracy);
      app.add_option("--hours", o->hours, "Deadline in hours")->check(tool::number_in(1e-6, 1e9));
      app.add_option("--usd", o->usd, "Budget in US dollars")->check(tool::number_in(1e-6, 1e9));
      tool::add_step_options(app, o->step);
      app.add_option("--precision", o->step.precision,
                     "Number format of GPUs: f32, tf32, f16 (default: f16 if the GPU has it)")
          ->transform(tool::one_of({"f32", "tf32", "f16"}));
      app.add_option("--software", o->software, "Software of GPUs: " + rp::names_of(rp::gpu::known_software()))
          ->capture_default_str();
      app.add_option("--json", o->json, "Write the comparison to this file");
      app.footer(
          "Start-up, validation and the host's own work are not included. Exit code 1: no machine is within\n"
          "--hours and --usd.\n\nExamples:\n"
          "  ridgepoint cost resnet-50\n"
          "  ridgepoint cost lstm-text-generation --on k80,p100 --date 2017-11 --hours 1\n"
          "  ridgepoint cost mnist-cnn --accuracy 0.98 --history train.json");
      return [o] { return run(*o); };
    });

}  // namespace tool::cost
