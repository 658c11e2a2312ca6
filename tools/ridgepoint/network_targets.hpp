// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/core/csv.hpp>
#include <ridgepoint/study/target.hpp>

#include "study_trainings.hpp"

/// Sizes of the studies' networks: parameters and FLOP against the published ones.
namespace tool {

/// Adds a network's parameters and FLOP per sample, which must equal the table's.
template <class Model>
void add_sizes(rp::study::target_result& r, const rp::csv_table& t, const char* row_name, const Model& model) {
  const rp::compiled training = training_plan(model, 1), inference = inference_plan(model, 1);
  for (std::size_t row = 0; row < t.size(); ++row) {
    if (t.text(row, t.column("model")) != row_name) continue;
    const auto add = [&](const char* what, double ours, const char* column) {
      r.lines.push_back({rp::concat(Model::name, ": ", what), ours, t.number(row, t.column(column)),
                         rp::study::demand::equal, 0, rp::study::evidence::definitional});
    };
    add("parameters", static_cast<double>(training.trainable_size()), "trainable_params");
    add("FLOP forward", static_cast<double>(inference.plan.receipt().matrix_flop), "fwd_flops_per_sample(2/MAC)");
    add("FLOP in training", static_cast<double>(training.plan.receipt().matrix_flop),
        "train_flops_per_sample(no dX of first layer)");
    ++r.rows;
    return;
  }
  throw rp::data_error(rp::concat(t.source(), ": has no model ", row_name));
}
/// Adds a number that is printed with fewer digits.
inline void add_rounded(rp::study::target_result& r, std::string what, double ours, double theirs, double limit) {
  r.lines.push_back(
      {std::move(what), ours, theirs, rp::study::demand::within, limit, rp::study::evidence::definitional});
}
[[nodiscard]] inline rp::csv_table table_of_networks(const std::filesystem::path& data) {
  return rp::load_csv((data / "model_totals.csv").string());
}

inline rp::study::target_result compare_networks_a(const std::filesystem::path& data) {
  const rp::csv_table t = table_of_networks(data);
  rp::study::target_result r{.lines = {}};
  add_sizes(r, t, "study_a_mlp", rp::models::mnist_mlp{});
  add_sizes(r, t, "study_a_cnn", rp::models::mnist_cnn{});
  add_sizes(r, t, "study_a_rnn", rp::models::mnist_rnn{});
  add_sizes(r, t, "study_a_lstm", rp::models::mnist_lstm{});
  add_sizes(r, t, "study_a_autoencoder", rp::models::mnist_autoencoder{});
  r.note = "parameters are printed by the study's notebooks; FLOP follow from the layers";
  return r;
}

inline rp::study::target_result compare_networks_b(const std::filesystem::path& data) {
  rp::study::target_result r{.lines = {}};
  add_sizes(r, table_of_networks(data), "study_b_resnet32", rp::models::resnet_32{});
  const rp::compiled inference = inference_plan(rp::models::resnet_32{}, rp::models::resnet_32::batch);
  double convolutions = 0, product = 0, first = 0;
  for (const rp::planned_call& call : inference.plan.calls) {
    const auto flop = static_cast<double>(call.info.receipt.matrix_flop);
    (call.info.layer.starts_with("dense") ? product : convolutions) += flop;
    if (first <= 0) first = flop;
  }
  add_rounded(r, "profile: FLOP of the convolutions, batch 128", convolutions, 17.63e9, 0.0005);
  add_rounded(r, "profile: FLOP of the first of them", first, 113.25e6, 0.0005);
  add_rounded(r, "profile: FLOP of the last layer", product, 163.84e3, 0.0005);
  const rp::compiled training = training_plan(rp::models::resnet_32{}, 1);
  double variables = static_cast<double>(training.trainable_size());  // … and the momentum of each
  for (const auto& p : training.parameters) variables += static_cast<double>(p.spec.extents.size());
  add_rounded(r, "profile: variables with momentum and moving statistics", variables, 930.58e3, 0.0005);
  r.note = "TensorFlow's documentation prints a profile of this network";
  return r;
}

inline rp::study::target_result compare_networks_c(const std::filesystem::path& data) {
  rp::study::target_result r{.lines = {}};
  add_sizes(r, table_of_networks(data), "study_c_embryo_cnn", rp::models::embryo_cnn{});
  return r;
}

inline rp::study::target_result compare_networks_d(const std::filesystem::path& data) {
  const rp::csv_table t = table_of_networks(data);
  rp::study::target_result r{.lines = {}};
  add_sizes(r, t, "study_d_mnist_mlp", rp::models::keras_mnist_mlp{});
  add_sizes(r, t, "study_d_mnist_cnn", rp::models::keras_mnist_cnn{});
  add_sizes(r, t, "study_d_cifar10_cnn", rp::models::cifar10_cnn{});
  add_sizes(r, t, "study_d_imdb_bilstm", rp::models::imdb_bidirectional_lstm{});
  add_sizes(r, t, "study_d_lstm_textgen", rp::models::lstm_text_generation{});
  add_sizes(r, t, "study_d_text_generator_keras", rp::models::text_generator_keras{});
  return r;
}

/// Compares ParaDnn's real networks with their publications, and the sizes of its own over the paper's ranges.
inline rp::study::target_result compare_networks_e(const std::filesystem::path& data) {
  const rp::csv_table t = table_of_networks(data);
  rp::study::target_result r{.lines = {}};
  add_sizes(r, t, "resnet50_v1.5_224", rp::models::resnet_50{});
  add_sizes(r, t, "mobilenet_v1_1.0_224", rp::models::mobilenet_v1{});
  add_sizes(r, t, "densenet121_224", rp::models::densenet_121{});
  add_sizes(r, t, "squeezenet1.0_224", rp::models::squeezenet{});
  const auto parameters = [](const auto& model) {
    return static_cast<double>(training_plan(model, 1).trainable_size());
  };
  add_rounded(r, "transformer-base: parameters", parameters(rp::models::transformer_base{}), 65e6, 0.04);
  add_rounded(r, "transformer-big: parameters", parameters(rp::models::transformer_big{}), 213e6, 0.04);
  const auto fc = [](rp::index_t layers, rp::index_t node, rp::index_t input, rp::index_t output) {
    return static_cast<double>(rp::study::fc_shape{layers, node, input, output, 1}.parameters());
  };
  const auto exact = [&](const char* what, double ours, double theirs) {
    r.lines.push_back({what, ours, theirs, rp::study::demand::equal, 0, rp::study::evidence::definitional});
  };
  exact("FC measured on TPU v2: fewest parameters", fc(4, 32, 2000, 200), 73'800);
  add_rounded(r, "FC measured on TPU v2: most parameters", fc(32, 4096, 8000, 1000), 557.1e6, 0.001);
  using rp::models::paradnn_cnn;
  const auto cnn = [&](rp::index_t bottleneck, rp::index_t blocks, rp::index_t filters, rp::index_t pixels) {
    return parameters(paradnn_cnn{.bottleneck = bottleneck == 1,
                                  .blocks = {blocks, blocks, blocks, blocks},
                                  .filters = filters,
                                  .pixels = pixels,
                                  .outputs = 1000});
  };
  exact("CNN, 1 residual block, 16 filters, 200 pixels: parameters", cnn(0, 1, 16, 200), 438'744);
  exact("CNN, 4 residual blocks, 32 filters, 250 pixels: parameters", cnn(0, 4, 32, 250), 6'962'248);
  exact("CNN, 8 bottleneck blocks, 64 filters, 300 pixels: parameters", cnn(1, 8, 64, 300), 82'296'616);
  const auto recurrent = [&](auto model, rp::index_t layers, rp::index_t width) {
    model.layers = layers, model.width = width, model.vocabulary = 512, model.steps = 50;
    return parameters(model);
  };
  exact("RNN, 1 layer of 100: parameters", recurrent(rp::models::paradnn_rnn{}, 1, 100), 123'012);
  exact("GRU, 13 layers of 900: parameters", recurrent(rp::models::paradnn_gru{}, 13, 900), 64'137'212);
  exact("LSTM, 13 layers of 900: parameters", recurrent(rp::models::paradnn_lstm{}, 13, 900), 85'208'912);
  r.note =
      "the Transformers' published sizes are rounded and count a vocabulary of about 37,000; CNN and RNN were counted "
      "from the published code";
  return r;
}

}  // namespace tool
