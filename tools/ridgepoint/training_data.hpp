// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <ridgepoint/data/characters.hpp>
#include <ridgepoint/data/cifar.hpp>
#if defined(RIDGEPOINT_HAS_PNG)
#include <ridgepoint/data/embryos.hpp>
#endif
#include <ridgepoint/data/image_datasets.hpp>
#include <ridgepoint/data/imdb.hpp>
#include <ridgepoint/data/mnist.hpp>
#include <ridgepoint/graph/dataset.hpp>
#include <ridgepoint/models/all.hpp>

#include "directory.hpp"
#include "measurement/synthetic/embryos.hpp"
#include "measurement/synthetic/figures.hpp"
#include "measurement/synthetic/noise.hpp"
#include "measurement/synthetic/reviews.hpp"
#include "measurement/synthetic/text.hpp"
#include "progress_bar.hpp"

namespace tool {

/// Help text of --data.
inline constexpr const char* which_data =
    "Directory of IDX, CIFAR-10, PNG or review files, or a text file (default: synthetic data in data/";

/// The choice among study C's images: how many of each class (0: all), and whether those for testing are rotated too.
struct embryo_choice {
  ridgepoint::index_t per_class = 0;
  bool rotated_test = false;
  friend bool operator==(const embryo_choice&, const embryo_choice&) = default;
};

/// The source of training data: a directory or file, or empty for synthetic data below `out`.
struct data_source {
  std::string path;
  int threads = 0;  // for preprocessing; 0: all cores
  std::filesystem::path out = {};
  embryo_choice embryos = {};
};

/// Throws: value_error if the data set has fewer samples than a batch.
inline void check_batch(const ridgepoint::any_dataset& data, ridgepoint::index_t batch) {
  ridgepoint::require<ridgepoint::value_error>(batch <= data.size(), "data set: has ", data.size(),
                                               " samples; must have at least a batch of ", batch);
}

/// Returns `directory`; if empty, data/`name` below `out`, where `write` creates synthetic data if they are missing.
/// Throws: data_error.
template <class Options>
std::string given_or_synthetic(const std::string& directory, const std::filesystem::path& out, std::string_view name,
                               void (*write)(const std::string&, const Options&, const ridgepoint::data_progress&)) {
  if (!directory.empty()) return directory;
  std::string drawn = (std::filesystem::path(data_directory("", out)) / name).string();
  progress_bar bar(ridgepoint::concat("drawing synthetic ", name, " into ", drawn));
  write(drawn, {}, [&](auto done, auto total) { bar.show(done, total); });
  return drawn;
}

/// Reads MNIST's four files from `directory`; if empty, synthetic digits.
/// Throws: data_error.
[[nodiscard]] inline ridgepoint::mnist_data load_digits(const std::string& directory,
                                                        const std::filesystem::path& out = {}) {
  return ridgepoint::mnist(given_or_synthetic(directory, out, "digits", ridgepoint::write_synthetic_digits));
}
/// Reads CIFAR-10's six files from `directory`; if empty, synthetic figures.
/// Throws: data_error.
[[nodiscard]] inline ridgepoint::cifar_data load_cifar10(const std::string& directory,
                                                         const std::filesystem::path& out) {
  return ridgepoint::cifar10(given_or_synthetic(directory, out, "cifar10", synthetic::write_figures));
}

#if defined(RIDGEPOINT_HAS_PNG)
[[nodiscard]] inline ridgepoint::embryo_options options_of(const embryo_choice& of) {
  ridgepoint::embryo_options options{.per_class = of.per_class};
  if (of.rotated_test) options.test_angles = options.angles;
  return options;
}
/// Reads study C's tree of PNG files.
/// Throws: data_error.
[[nodiscard]] inline ridgepoint::embryo_data load_embryos(const std::string& tree, int threads,
                                                          const embryo_choice& of) {
  ridgepoint::embryo_options options = options_of(of);
  options.threads = threads;
  progress_bar bar(ridgepoint::concat("preparing the images in ", tree));
  return ridgepoint::embryos(tree, options, [&](auto done, auto total) { bar.show(done, total); });
}
#endif

/// Returns the text file, or text.txt in a directory; if `path` is empty, a synthetic text.
/// Throws: data_error.
[[nodiscard]] inline std::string text_file(const std::string& path, const std::filesystem::path& out) {
  const std::string found = given_or_synthetic(path, out, "text", synthetic::write_text);
  const bool directory = std::filesystem::is_directory(found);
  return directory ? (std::filesystem::path(found) / synthetic::text_name).string() : found;
}
/// Reads reviews from IMDb's directories in `directory`; if empty, synthetic ones.
/// Throws: as imdb().
[[nodiscard]] inline ridgepoint::imdb_data<float> load_reviews(const std::string& directory,
                                                               const ridgepoint::imdb_options& options,
                                                               const std::filesystem::path& out) {
  return ridgepoint::imdb(given_or_synthetic(directory, out, "reviews", synthetic::write_reviews), options);
}

/// The training and test data of a network: images or texts as read, and their preprocessed forms.
class training_data {
 public:
  /// A text model takes the vocabulary of its text.
  /// Throws: data_error; unsupported if this build cannot read such files; value_error for a directory without data to
  /// read.
  template <class Model>
  training_data(Model& model, const data_source& from) {
    if constexpr (requires { Model::texts; }) read_texts(model, from.path, from.out);
    else read_images(model, from);
  }
  [[nodiscard]] const ridgepoint::any_dataset& train() const { return *train_.back(); }
  [[nodiscard]] const ridgepoint::any_dataset& test() const { return *test_.back(); }
  /// Returns the preprocessing time, which is part of reading.
  [[nodiscard]] double preprocess_s() const noexcept { return preprocess_s_; }
  /// Returns the directory of study C's images; empty for other data.
  [[nodiscard]] const std::string& embryo_tree() const noexcept { return embryo_tree_; }
  /// Returns the text for next-character tests; null if the data are not a text.
  [[nodiscard]] const ridgepoint::text_corpus* text() const {
    const auto* const sequences = dynamic_cast<const ridgepoint::character_sequences*>(test_.front().get());
    return sequences == nullptr ? nullptr : &sequences->text();
  }

 private:
  using stages = std::vector<std::unique_ptr<ridgepoint::any_dataset>>;  // each reads the one before

  template <class Model>
  void read_images(const Model& model, const data_source& source) {
    using from = ridgepoint::models::study_images;
    const std::string& directory = source.path;
    const std::filesystem::path& out = source.out;
    constexpr from images = Model::images;
    if constexpr (images.from == from::set::digits) read(load_digits(directory, out));
    if constexpr (images.from == from::set::cifar10) read(load_cifar10(directory, out));
    if constexpr (images.from == from::set::embryos) read_embryos(source);
    if constexpr (images.from == from::set::noise) {
      check_noise<Model>(directory);
      draw<synthetic::random_samples>(Model::batch, {.count = 1, .sample = model.sample(), .classes = model.outputs});
    }
    if constexpr (images.made == from::change::training_moved) change<ridgepoint::augmented_images>(train_);
    if constexpr (images.made == from::change::standardised) change_both<ridgepoint::standardised_images>();
    if constexpr (images.made == from::change::own_targets) change_both<ridgepoint::own_targets>();
    if constexpr (images.made == from::change::enlarged)
      change_both<ridgepoint::enlarged_images>(7);  // 32 pixels to 224
    if constexpr (images.made == from::change::placed)
      change_both<ridgepoint::placed_images>(
          ridgepoint::placed_images::options{.pixels = model.pixels, .classes = model.classes});
  }
  template <class Model>
  void read_texts(Model& model, const std::string& directory, const std::filesystem::path& out) {
    using from = ridgepoint::models::study_texts;
    constexpr from texts = Model::texts;
    if constexpr (texts.from == from::set::characters) {
      constexpr bool ids = texts.given == from::form::ids;
      read(ridgepoint::text_sequences(text_file(directory, out), {.length = model.text.steps,
                                                                  .given = ids ? ridgepoint::characters_as::ids
                                                                               : ridgepoint::characters_as::one_hot}));
      model.text.vocabulary = text()->vocabulary().size();
    }
    if constexpr (texts.from == from::set::pairs) {
      const ridgepoint::index_t length = model.extents.steps, vocabulary = model.extents.vocabulary;
      read(ridgepoint::text_pairs(text_file(directory, out), {.length = length, .step = 2 * length}));
      ridgepoint::require<ridgepoint::value_error>(test().classes() <= vocabulary, Model::name, ": vocabulary is ",
                                                   vocabulary, ", but the text has ", test().classes(),
                                                   " different characters; must be at least that many");
    }
    if constexpr (texts.from == from::set::reviews) read_reviews(model, directory, out);
    if constexpr (texts.from == from::set::noise) {
      check_noise<Model>(directory);
      draw<synthetic::random_tokens>(Model::batch, {.count = 1, .length = model.steps, .vocabulary = model.vocabulary});
    }
    if constexpr (texts.losses > 1)
      for (stages* to : {&train_, &test_})
        to->push_back(std::make_unique<ridgepoint::several_targets>(
            std::vector<const ridgepoint::any_dataset*>(std::size_t{texts.losses}, to->back().get())));
  }
  template <class Model>
  void read_reviews(Model& model, const std::string& directory, const std::filesystem::path& out) {
    ridgepoint::imdb_options options{.vocabulary = model.text.vocabulary, .length = model.text.steps};
    if constexpr (requires { model.ngrams; }) options.bigrams = model.ngrams == 2;
    auto reviews = load_reviews(directory, options, out);
    if constexpr (requires { model.ngrams; })
      if (options.bigrams) model.pairs = reviews.vocabulary - 1 - model.text.vocabulary;
    read(std::move(reviews));
  }

  template <class Data>
  void read(Data data) {
    if constexpr (requires { data.preprocess_s; }) preprocess_s_ = data.preprocess_s;
    train_.push_back(std::make_unique<decltype(data.train)>(std::move(data.train)));
    test_.push_back(std::make_unique<decltype(data.test)>(std::move(data.test)));
  }
  template <class Model>
  static void check_noise(const std::string& directory) {
    ridgepoint::require<ridgepoint::value_error>(directory.empty(), "data: ", Model::name, " learns from noise; ",
                                                 directory, " must not be given");
  }
  /// Draws ten batches of ParaDnn's networks by default, and one test batch.
  template <class Noise>
  void draw(ridgepoint::index_t batch, typename Noise::options of) {
    const auto add = [&](stages& to, ridgepoint::index_t batches, std::uint64_t seed) {
      of.count = batches * batch;
      of.seed = seed;
      to.push_back(std::make_unique<Noise>(of));
    };
    add(train_, 10, 1);
    add(test_, 1, 2);
  }
  void read_embryos([[maybe_unused]] const data_source& source) {
#if defined(RIDGEPOINT_HAS_PNG)
    embryo_tree_ = given_or_synthetic(source.path, source.out, "embryos", synthetic::write_embryos);
    read(load_embryos(embryo_tree_, source.threads, source.embryos));
#else
    throw ridgepoint::unsupported("data: embryos are PNG files; this build has no libpng");
#endif
  }
  template <class Changed>
  static void change(stages& to, const auto&... how) {
    to.push_back(std::make_unique<Changed>(dynamic_cast<const ridgepoint::dataset&>(*to.back()), how...));
  }
  template <class Changed>
  void change_both(const auto&... how) {
    change<Changed>(train_, how...);
    change<Changed>(test_, how...);
  }

  stages train_, test_;
  double preprocess_s_ = 0;
  std::string embryo_tree_;
};

}  // namespace tool
