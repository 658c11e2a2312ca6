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

/// Random pixels, and random labels; or, where values are learnt, the pixels themselves.
template <class Model>
void write_batch(const std::string& file, const rp::graph& net, const rp::node& output, rp::index_t batch) {
  const rp::shape image = net.nodes()[0].output;
  rp::random_stream random(1);
  std::vector<float> x(static_cast<std::size_t>(batch * image.size()));
  for (float& v : x) v = static_cast<float>(random.uniform());
  rp::safetensors all{.tensors = {{"x", "F32", rp::batched(batch, image), bytes_of_values(x)}}};
  if constexpr (peer::learns_labels<Model>) {
    std::vector<std::int32_t> y(static_cast<std::size_t>(batch));
    for (std::int32_t& v : y)
      v = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(output.extents()[-1])));
    all.tensors.push_back({"y", "I32", {batch}, bytes_of_values(y)});
  } else {
    rp::require<rp::shape_error>(output.extents() == image, "versus network: ", net.name(), " makes ", output.extents(),
                                 " of ", image, "; must be the same to learn its own input");
    all.tensors.push_back({"y", "F32", rp::batched(batch, image), bytes_of_values(x)});
  }
  rp::write_safetensors(file, all);
}

template <class Model>
versus_problem write_model(const peer::network_files& files, rp::index_t batch, const rp::cpu& ours) {
  const peer::described_network whole = peer::described<Model>();
  const typename Model::optimiser optimiser;
  const described_training training{.loss = std::string(Model::loss::name),
                                    .options = rp::models::learning<Model>({.batch = batch}),
                                    .threads = ours.thread_count(),
                                    .weight_decay = optimiser.weight_decay};
  rp::write_file(files.description(), network_json(whole.net, whole.output, training, optimiser_json(optimiser)));
  write_batch<Model>(files.batch(), whole.net, whole.output, batch);

  auto trainer = peer::network_trainer<Model>(ours, peer::without_dropout(whole), batch);
  trainer.save_parameters(files.weights());
  const peer::network_batch<Model> data(files);
  versus_problem problem{.shape = rp::concat(Model::name, '/', batch),
                         .request = rp::concat("network f32 ", Model::name, ' ', batch)};
  problem.operand_bytes = trainer.memory().bytes();
  problem.losses = {trainer.step(data.x, data.y)};
  problem.losses.push_back(trainer.step(data.x, data.y));
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

versus_problem write_network(const std::filesystem::path& folder, const std::string& name, rp::index_t batch,
                             const rp::cpu& ours) {
  return rp::models::with_model(peer::compared_networks{}, name, [&]<class Model>() {
    return write_model<Model>({folder}, batch > 0 ? batch : Model::batch, ours);
  });
}

std::string compared_network_names() { return names(peer::compared_networks{}); }

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
