// SPDX-License-Identifier: MIT
// ridgepoint models: lists the reference networks, or describes one: its layers, its work and its options.
#include <algorithm>
#include <iostream>
#include <memory>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/nearest_name.hpp>
#include <ridgepoint/graph/summary.hpp>
#include <ridgepoint/roofline/format.hpp>
#include <ridgepoint/roofline/text_table.hpp>

#include "commands.hpp"
#include "number_option.hpp"
#include "step_options.hpp"
#include "trained_network.hpp"

namespace rp = ridgepoint;

namespace tool::models {

struct options {
  std::string network;
  tool::step_options step;
};

/// Returns the summary of a training step.
rp::network_summary summary_of(const tool::trained_network& of) {
  rp::graph net(of.name);
  const std::vector<rp::objective> objectives = of.build(net);
  return net.summary(objectives, of.optimiser, of.options);
}

/// "layers=8, nodes=1024"; only the name of an option without one default.
std::string options_text(const tool::known_network& network) {
  std::vector<std::string> options;
  for (const tool::network_option& option : network.options)
    options.push_back(option.usual ? rp::concat(option.name, '=', *option.usual) : std::string(option.name));
  return rp::names_of(options);
}

void list() {
  rp::text_table table{.head = {"network", "parameters", "FLOP forward", "input", "batch", "options for --set"},
                       .units = {"", "", "one sample", "one sample", "", ""},
                       .align = "lrrlrl"};
  tool::step_options one;
  one.batch = 1;
  for (const tool::known_network& network : tool::known_networks()) {
    const rp::network_summary s = summary_of(tool::network_named(std::string(network.name), one, 0));
    const rp::layer_summary total = s.total();
    table.rows.push_back({std::string(network.name), rp::quantity(static_cast<double>(total.parameters), ""),
                          rp::quantity(static_cast<double>(total.forward.flop), "FLOP"), to_string(s.layers[0].output),
                          rp::concat(network.batch), options_text(network)});
  }
  std::cout << table.text() << "1 multiply-add = 2 FLOP; `ridgepoint models NETWORK` lists the layers of a network\n";
}

int run(const options& o) {
  if (o.network.empty()) {
    rp::require<rp::value_error>(
        o.step.network.empty() && o.step.batch == 0,
        "models: --set or --batch without a network; must name one, such as models paradnn-fc");
    list();
    return tool::ok;
  }
  const tool::trained_network of = tool::network_named(o.network, o.step, 0);
  const tool::known_network& network = *std::ranges::find(tool::known_networks(), of.name, &known_network::name);
  const std::string own = options_text(network);
  std::cout << of.name << o.step.network_text() << ": batch " << of.batch
            << (of.batch == network.batch ? "" : rp::concat(" (the model's: ", network.batch, ')')) << ", epochs "
            << of.epochs << "\noptions for --set, with defaults: " << (own.empty() ? "none" : own) << "\n\n"
            << summary_of(of);
  return tool::ok;
}

const tool::command command("models", "List the reference networks, or describe one: layers, parameters, FLOP",
                            [](CLI::App& app) -> tool::action {
                              const auto o = std::make_shared<options>();
                              tool::add_network_argument(app, "network", o->network, tool::known_networks());
                              tool::add_set_option(app, o->step.network);
                              app.add_option("--batch", o->step.batch, tool::which_batch(tool::known_networks()))
                                  ->check(tool::number_in(1, 1 << 30));
                              return [o] { return run(*o); };
                            });

}  // namespace tool::models
