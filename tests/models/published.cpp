// SPDX-License-Identifier: MIT
// Checks networks against their published parameters and matrix FLOP, in total and layer by layer.
#include <doctest/doctest.h>

#include <map>
#include <string>

#include <ridgepoint/models/all.hpp>

#include "counts.hpp"
#include "support/reference_data.hpp"

namespace rp = ridgepoint;

namespace {

template <class Network>
void check_published(rp::index_t parameters, std::uint64_t forward, std::uint64_t training) {
  const counts c(Network{});
  CHECK(c.parameters == parameters);
  CHECK(c.forward == forward);
  CHECK(c.training == training);
}

}  // namespace

TEST_CASE("study A: SimpleRNN and LSTM; a first layer's input has no gradient, its state has one") {
  check_published<rp::models::mnist_rnn>(338'186, 18'756'608, 55'868'416);
  check_published<rp::models::mnist_lstm>(1'345'034, 75'011'072, 223'427'584);
}
TEST_CASE("study D: networks on text") {
  check_published<rp::models::lstm_text_generation>(102'585, 7'592'192, 20'441'856);
  check_published<rp::models::imdb_bidirectional_lstm>(2'658'945, 19'661'056, 58'983'168);
  check_published<rp::models::text_generator_keras>(456'894, 17'967'872, 53'903'616);
}

TEST_CASE("model_totals.csv: parameters and matrix FLOP of the networks that the library has" *
          doctest::test_suite("reference_data")) {
  std::map<std::string, reference_data::row> totals;
  for (const auto& row : reference_data::read_csv(reference_data::folder() / "model_totals.csv"))
    totals[row.at("model")] = row;
  const auto check = [&](const char* name, const counts& c) {
    CAPTURE(name);
    const reference_data::row& row = totals.at(name);
    CHECK(std::to_string(c.parameters) == row.at("trainable_params"));
    CHECK(std::to_string(c.forward) == row.at("fwd_flops_per_sample(2/MAC)"));
    CHECK(std::to_string(c.training) == row.at("train_flops_per_sample(no dX of first layer)"));
  };
  check("study_a_mlp", counts(rp::models::mnist_mlp{}));
  check("study_a_cnn", counts(rp::models::mnist_cnn{}));
  check("study_a_rnn", counts(rp::models::mnist_rnn{}));
  check("study_a_lstm", counts(rp::models::mnist_lstm{}));
  check("study_a_autoencoder", counts(rp::models::mnist_autoencoder{}));
  check("study_b_resnet32", counts(rp::models::resnet_32{}));
  check("study_c_embryo_cnn", counts(rp::models::embryo_cnn{}));
  check("study_d_mnist_mlp", counts(rp::models::keras_mnist_mlp{}));
  check("study_d_mnist_cnn", counts(rp::models::keras_mnist_cnn{}));
  check("study_d_cifar10_cnn", counts(rp::models::cifar10_cnn{}));
  check("study_d_imdb_bilstm", counts(rp::models::imdb_bidirectional_lstm{}));
  check("study_d_lstm_textgen", counts(rp::models::lstm_text_generation{}));
  check("study_d_text_generator_keras", counts(rp::models::text_generator_keras{}));
  check("resnet50_v1.5_224", counts(rp::models::resnet_50{}));
  check("mobilenet_v1_1.0_224", counts(rp::models::mobilenet_v1{}));
  check("densenet121_224", counts(rp::models::densenet_121{}));
  check("squeezenet1.0_224", counts(rp::models::squeezenet{}));
}

namespace {

template <class Network>
layer_counts of_network() {
  layer_counts all = layers_of(Network{});
  std::sort(all.begin(), all.end());
  return all;
}
layer_counts of_table(const char* name) {
  layer_counts all;
  for (const auto& row : reference_data::read_csv(reference_data::folder() / name))
    if (row.at("layer") != "TOTAL" && row.at("params") != "0")
      all.emplace_back(std::stoull(row.at("params")), std::stoull(row.at("fwd_flops")));
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

TEST_CASE("published tables, layer by layer" * doctest::test_suite("reference_data")) {
  CHECK(of_network<rp::models::mnist_mlp>() == of_table("layers_study_a_mlp.csv"));
  CHECK(of_network<rp::models::mnist_cnn>() == of_table("layers_study_a_cnn.csv"));
  CHECK(of_network<rp::models::mnist_autoencoder>() == of_table("layers_study_a_autoencoder.csv"));
  CHECK(of_network<rp::models::resnet_32>() == of_table("layers_study_b_resnet32.csv"));
  CHECK(of_network<rp::models::embryo_cnn>() == of_table("layers_study_c_embryo_cnn.csv"));
  CHECK(of_network<rp::models::keras_mnist_mlp>() == of_table("layers_study_d_mnist_mlp.csv"));
  CHECK(of_network<rp::models::keras_mnist_cnn>() == of_table("layers_study_d_mnist_cnn.csv"));
  CHECK(of_network<rp::models::cifar10_cnn>() == of_table("layers_study_d_cifar10_cnn.csv"));
  CHECK(of_network<rp::models::mnist_rnn>() == of_table("layers_study_a_rnn.csv"));
  CHECK(of_network<rp::models::mnist_lstm>() == of_table("layers_study_a_lstm.csv"));
  CHECK(of_network<rp::models::lstm_text_generation>() == of_table("layers_study_d_lstm_textgen.csv"));
  CHECK(of_network<rp::models::imdb_bidirectional_lstm>() == of_table("layers_study_d_imdb_bilstm.csv"));
  CHECK(of_network<rp::models::imdb_fasttext>() == of_table("layers_study_d_imdb_fasttext_unigram.csv"));
  CHECK(of_network<rp::models::text_generator_keras>() == of_table("layers_study_d_text_generator_keras.csv"));
  const layer_counts resnet50 = of_table("layers_resnet50_v1.5_224.csv");
  CHECK(resnet50.size() == 53 + 53 + 1);
  CHECK(of_network<rp::models::paradnn_cnn>() == resnet50);
  CHECK(of_network<rp::models::resnet_50>() == resnet50);
}
