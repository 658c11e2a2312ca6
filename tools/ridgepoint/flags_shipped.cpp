// SPDX-License-Identifier: MIT
#include "flags_shipped.hpp"

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/models/all.hpp>

#include "own_program.hpp"

namespace tool {
namespace {

namespace rp = ridgepoint;
namespace fs = std::filesystem;

/// Returns the folder of <ridgepoint/…>: in a build a link to the sources next to the programs, else the install
/// prefix.
fs::path header_folder() {
  const fs::path built = flags_folder() / "include", prefix = flags_folder().parent_path().parent_path().parent_path();
  std::error_code failure;
  return fs::exists(built, failure) ? built : prefix / "include";
}

flags_source shipped_source(const char* name, const std::vector<std::string>& include) {
  flags_source source{.file = flags_folder() / name, .folder = {}, .options = {"-std=c++20"}, .include = include};
  source.include.push_back(header_folder().string());
  std::error_code failure;
  for (const fs::path& needed : {source.file, header_folder() / "ridgepoint" / "core" / "config.hpp"})
    rp::require<rp::data_error>(fs::exists(needed, failure), "flags: ", needed.string(),
                                ": no such file; must be installed with this program, or give a --source");
  return source;
}

/// Returns a filter for the rows of a network's training step.
std::string steps_of(const std::string& networks) { return "^(" + networks + ")/step/"; }

/// Returns the networks that the study timed with both sets of flags; its fastText also reads pairs of words.
std::string study_d_networks() {
  namespace models = rp::models;
  std::string names = rp::concat(models::imdb_fasttext::name, "/ngrams:2");
  [&]<class... Models>(rp::type_list<Models...>) {
    ((names += rp::concat('|', Models::name)), ...);
  }(rp::type_list<models::keras_mnist_mlp, models::keras_mnist_cnn, models::cifar10_cnn,
                  models::imdb_bidirectional_lstm, models::lstm_text_generation, models::text_generator_keras>{});
  return names;
}

}  // namespace

fs::path flags_folder() { return own_program().parent_path().parent_path() / "share" / "ridgepoint" / "flags"; }

shipped_benchmarks shipped_for(const std::string& what, const std::vector<std::string>& include) {
  constexpr double benchmark_s = 0.01;
  if (what == "kernels") return {.source = shipped_source("kernels.cpp", include), .benchmark_s = benchmark_s};
  const bool is_study = what == "study-d";
  if (!is_study)
    static_cast<void>(rp::models::with_model(rp::models::of_random_batch{}, what, []<class Model>() { return true; }));
  return {.source = shipped_source("networks.cpp", include),
          .filter = steps_of(is_study ? study_d_networks() : what),
          .every_core = true,
          .benchmark_s = benchmark_s};
}

flags_source ceilings_source(const std::vector<std::string>& include) {
  return shipped_source("ceilings.cpp", include);
}

}  // namespace tool
