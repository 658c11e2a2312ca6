// SPDX-License-Identifier: MIT
#include "versus_network.hpp"

#include <ridgepoint/core/random.hpp>

#include "measurement/peers/network_problem.hpp"
#include "network_description.hpp"
#include "networks.hpp"

namespace tool {
namespace {

namespace rp = ridgepoint;

template <class T>
std::string bytes_of_values(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// Ids are below it; 0 where the network takes numbers.
rp::index_t ids_below(const rp::graph& net) {
  for (const auto& each : net.nodes())
    if (const auto* layer = each.layer ? each.layer->target<rp::nn::embedding>() : nullptr) return layer->vocabulary;
  return 0;
}

/// A batch of a network, drawn at random.
class random_batch {
 public:
  explicit random_batch(const peer::described_network& of) : batch_(of.options.batch) {
    for (const auto& each : of.net.nodes())
      if (!each.layer) add_input(each, ids_below(of.net));
    for (std::size_t l = 0; l < of.objectives.size(); ++l) add_targets(peer::target_name(l), of.objectives[l], of.net);
  }
  void write(const std::string& file) const { rp::write_safetensors(file, all_); }

 private:
  [[nodiscard]] std::vector<std::int32_t> below(rp::index_t bound, rp::index_t count) {
    std::vector<std::int32_t> ids(static_cast<std::size_t>(count));
    for (std::int32_t& id : ids) id = static_cast<std::int32_t>(random_.below(static_cast<std::uint32_t>(bound)));
    return ids;
  }
  void add(const std::string& name, const rp::shape& sample, const std::vector<std::int32_t>& ids) {
    all_.tensors.push_back({name, "I32", rp::batched(batch_, sample), bytes_of_values(ids)});
  }
  void add(const std::string& name, const rp::shape& sample, const std::vector<float>& numbers) {
    all_.tensors.push_back({name, "F32", rp::batched(batch_, sample), bytes_of_values(numbers)});
  }
  /// Pixels or ids.
  void add_input(const rp::detail::graph_node& input, rp::index_t bound) {
    const rp::index_t count = batch_ * input.output.size();
    if (input.type == rp::element::i32) return add(input.name, input.output, below(bound, count));
    std::vector<float> pixels(static_cast<std::size_t>(count));
    for (float& v : pixels) v = static_cast<float>(random_.uniform());
    add(input.name, input.output, pixels);
  }
  /// Labels, or sides where the loss tells two apart; or, where values are learnt, the pixels themselves.
  void add_targets(const std::string& name, const rp::objective& of, const rp::graph& net) {
    const rp::shape &made = of.output.extents(), &sample = net.nodes()[0].output;
    if (of.loss.target() == rp::element::i32) {
      add(name, {made.begin(), made.end() - 1}, below(made[-1], batch_ * of.loss.targets(made)));
    } else if (of.loss.counts_correct()) {
      const auto sides = below(2, batch_ * made.size());
      add(name, made, std::vector<float>(sides.begin(), sides.end()));
    } else {
      rp::require<rp::shape_error>(made == sample, "versus network: ", net.name(), " makes ", made, " of ", sample,
                                   "; must be the same to learn its own input");
      rp::safetensor own = all_.tensors[0];
      own.name = name;
      all_.tensors.push_back(std::move(own));
    }
  }

  rp::index_t batch_;
  rp::random_stream random_{1};
  rp::safetensors all_;
};

template <class Model>
versus_problem write_model(const peer::network_files& files, const rp::models::parameter_values& parameters,
                           rp::index_t batch, const rp::cpu& ours) {
  const peer::described_network whole = peer::described<Model>(parameters, batch);
  const typename Model::optimiser optimiser;
  const described_training training{.objectives = whole.objectives,
                                    .options = whole.options,
                                    .threads = ours.thread_count(),
                                    .weight_decay = optimiser.weight_decay};
  rp::write_file(files.description(), network_json(whole.net, training, optimiser_json(optimiser)));
  random_batch(whole).write(files.batch());

  auto trainer = peer::without_dropout(whole).trainer(ours);
  trainer.save_parameters(files.weights());
  const peer::network_batch data(files);
  versus_problem problem{.shape = rp::concat(Model::name, '/', batch),
                         .request = rp::concat("network f32 ", Model::name, ' ', batch)};
  for (const auto& [name, value] : parameters) {
    problem.shape += rp::concat(' ', name, '=', value);
    problem.request += rp::concat(' ', name, '=', value);
  }
  problem.operand_bytes = trainer.memory().bytes();
  const peer::network_feed feed = data.feed(trainer);
  problem.losses = {feed.step(trainer)};
  problem.losses.push_back(feed.step(trainer));
  return problem;
}

}  // namespace

versus_problem write_network(const std::filesystem::path& folder, const std::string& name,
                             const rp::models::parameter_values& parameters, rp::index_t batch, const rp::cpu& ours) {
  return rp::models::with_model(peer::compared_networks{}, name, [&]<class Model>() {
    return write_model<Model>({folder}, parameters, batch > 0 ? batch : usual_batch<Model>(), ours);
  });
}

std::string compared_batches() { return which_batch(peer::compared_networks{}); }

std::string compared_network_names() { return names(peer::compared_networks{}); }

void add_network_options(CLI::App& app, rp::models::parameter_values& to) {
  add_parameter_options(app, to, peer::compared_networks{});
}

}  // namespace tool
