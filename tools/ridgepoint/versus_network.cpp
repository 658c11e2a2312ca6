// SPDX-License-Identifier: MIT
#include "versus_network.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <sstream>
#include <system_error>

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

/// Random pixels or ids, and random labels, or sides where the loss tells two apart; or, where values are learnt, the
/// pixels themselves.
void write_batch(const std::string& file, const peer::described_network& of) {
  const rp::shape &sample = of.net.nodes()[0].output, &made = of.output.extents();
  const rp::index_t batch = of.options.batch;
  rp::random_stream random(1);
  const auto below = [&](rp::index_t bound, rp::index_t count) {
    std::vector<std::int32_t> ids(static_cast<std::size_t>(count));
    for (std::int32_t& id : ids) id = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(bound)));
    return ids;
  };
  rp::safetensors all;
  std::vector<float> x;
  if (of.net.nodes()[0].type == rp::element::i32) {
    const auto ids = below(ids_below(of.net), batch * sample.size());
    all.tensors.push_back({"x", "I32", rp::batched(batch, sample), bytes_of_values(ids)});
  } else {
    x.resize(static_cast<std::size_t>(batch * sample.size()));
    for (float& v : x) v = static_cast<float>(random.uniform());
    all.tensors.push_back({"x", "F32", rp::batched(batch, sample), bytes_of_values(x)});
  }
  if (of.loss.target() == rp::element::i32) {
    all.tensors.push_back({"y", "I32", {batch}, bytes_of_values(below(made[-1], batch))});
  } else if (of.loss.counts_correct()) {
    const auto sides = below(2, batch * made.size());
    all.tensors.push_back(
        {"y", "F32", rp::batched(batch, made), bytes_of_values(std::vector<float>(sides.begin(), sides.end()))});
  } else {
    rp::require<rp::shape_error>(made == sample, "versus network: ", of.net.name(), " makes ", made, " of ", sample,
                                 "; must be the same to learn its own input");
    all.tensors.push_back({"y", "F32", rp::batched(batch, sample), bytes_of_values(x)});
  }
  rp::write_safetensors(file, all);
}

template <class Model>
versus_problem write_model(const peer::network_files& files, const rp::models::parameter_values& parameters,
                           rp::index_t batch, const rp::cpu& ours) {
  const peer::described_network whole = peer::described<Model>(parameters, batch);
  const typename Model::optimiser optimiser;
  const described_training training{.loss = std::string(Model::loss::name),
                                    .options = whole.options,
                                    .threads = ours.thread_count(),
                                    .weight_decay = optimiser.weight_decay};
  rp::write_file(files.description(), network_json(whole.net, whole.output, training, optimiser_json(optimiser)));
  write_batch(files.batch(), whole);

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
  problem.losses = {data.step(trainer)};
  problem.losses.push_back(data.step(trainer));
  return problem;
}

}  // namespace

temporary_folder::temporary_folder() {
  std::error_code failure;
  const std::filesystem::path place = std::filesystem::temp_directory_path(failure);
  rp::require<rp::data_error>(!failure, "temporary files: ", failure.message(), "; TMPDIR must be a folder");
  std::string name = (place / "ridgepoint-").string() + std::string(6, 'X');  // for mkdtemp to fill in
  rp::require<rp::data_error>(::mkdtemp(name.data()) != nullptr, name, ": can not be made; must be a folder's name");
  path_ = name;
}
temporary_folder::~temporary_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

versus_problem write_network(const std::filesystem::path& folder, const std::string& name,
                             const rp::models::parameter_values& parameters, rp::index_t batch, const rp::cpu& ours) {
  return rp::models::with_model(peer::compared_networks{}, name, [&]<class Model>() {
    return write_model<Model>({folder}, parameters, batch > 0 ? batch : Model::batch, ours);
  });
}

std::string compared_network_names() { return names(peer::compared_networks{}); }

void add_network_options(CLI::App& app, rp::models::parameter_values& to) {
  add_parameter_options(app, to, peer::compared_networks{});
}

std::filesystem::path found_program(const std::string& name) {
  const auto runs = [](const std::filesystem::path& file) {
    return std::filesystem::is_regular_file(file) && ::access(file.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos)
    return runs(name) ? std::filesystem::absolute(name) : std::filesystem::path();
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (std::filesystem::path file = std::filesystem::path(folder) / name; runs(file)) return file;
  return {};
}

}  // namespace tool
