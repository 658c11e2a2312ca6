// SPDX-License-Identifier: MIT
#include "bench_network.hpp"

#include <ridgepoint/models/random_batch.hpp>

#include "known_network.hpp"
#include "measurement/peers/network_problem.hpp"
#include "network_description.hpp"

namespace tool {
namespace {

namespace rp = ridgepoint;

template <class T>
std::string bytes_of_values(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

void write_batch(const std::string& file, const peer::described_network& of) {
  const rp::models::random_batch drawn(of.net, of.objectives, of.options.batch);
  rp::safetensors all;
  const auto add = [&](const std::string& name, const rp::models::random_batch::column& values) {
    const rp::shape whole = rp::batched(of.options.batch, values.sample);
    if (values.ids.empty()) all.tensors.push_back({name, "F32", whole, bytes_of_values(values.numbers)});
    else all.tensors.push_back({name, "I32", whole, bytes_of_values(values.ids)});
  };
  for (const auto& each : drawn.inputs()) add(each.name, each);
  for (std::size_t l = 0; l < drawn.targets().size(); ++l) add(peer::target_name(l), drawn.targets()[l]);
  rp::write_safetensors(file, all);
}

/// A network as every process trains it, and its optimiser as JSON.
struct described_model {
  peer::described_network network;
  std::string optimiser;
  double weight_decay;
};

bench_problem write_model(const peer::network_files& files, const described_model& model, std::string_view name,
                          const rp::models::parameter_values& parameters, rp::index_t batch, int losses,
                          const std::string& type, const rp::cpu& ours) {
  const peer::described_network& whole = model.network;
  const described_training training{.objectives = whole.objectives,
                                    .options = whole.options,
                                    .threads = ours.thread_count(),
                                    .weight_decay = model.weight_decay};
  rp::write_file(files.description(), network_json(whole.net, training, model.optimiser));
  write_batch(files.batch(), whole);

  auto trainer = peer::without_dropout(whole).trainer(ours);
  trainer.save_parameters(files.weights());
  const peer::network_batch data(files);
  bench_problem problem{.shape = rp::concat(name, '/', batch),
                        .request = rp::concat("network ", type, ' ', name, ' ', batch),
                        .loss_share = type == "bf16" ? 1e-2 : 1e-3};
  for (const auto& [parameter, value] : parameters) {
    problem.shape += rp::concat(' ', parameter, '=', value);
    problem.request += rp::concat(' ', parameter, '=', value);
  }
  problem.operand_bytes = trainer.memory().bytes();
  const peer::network_feed feed = data.feed(trainer);
  for (int step = 0; step < losses; ++step) problem.losses.push_back(feed.step(trainer));
  return problem;
}

}  // namespace

bench_problem write_network(const std::filesystem::path& folder, const std::string& name,
                            const rp::models::parameter_values& parameters, rp::index_t batch, int losses,
                            const std::string& type, const rp::cpu& ours) {
  return rp::models::with_model(peer::compared_networks{}, name, [&]<class Model>() {
    const rp::index_t samples = batch > 0 ? batch : rp::models::usual_batch<Model>();
    const typename Model::optimiser optimiser;
    const described_model model{peer::described<Model>(parameters, samples), optimiser_json(optimiser),
                                optimiser.weight_decay};
    return write_model({folder}, model, Model::name, parameters, samples, losses, type, ours);
  });
}

std::string compared_batches() { return which_batch(known(peer::compared_networks{})); }

CLI::Option* add_compared_network(CLI::App& app, std::string& to) {
  return add_network_argument(app, "network", to, known(peer::compared_networks{}));
}

}  // namespace tool
