// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/nearest_name.hpp>
#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/models/imagenet.hpp>
#include <ridgepoint/models/learning.hpp>
#include <ridgepoint/models/mnist.hpp>
#include <ridgepoint/models/paradnn.hpp>
#include <ridgepoint/models/random_batch.hpp>
#include <ridgepoint/models/small_images.hpp>
#include <ridgepoint/models/text.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// Every reference network. A model has a name, a batch, epochs, a loss, an optimiser, and build(graph), which returns
/// its output: Model{}.build(net), or configured<Model>(values).build(net) for a model with parameters(). It is trained
/// with learning<Model>(options); a model with several outputs also has objectives(graph), see objectives_of(). A new
/// model is one struct in the file of its family and one entry here.
using all =
    type_list<mnist_mlp, mnist_cnn, mnist_autoencoder, keras_mnist_mlp, keras_mnist_cnn, cifar10_cnn, resnet_18,
              resnet_32, embryo_cnn, resnet_50, mobilenet_v1, squeezenet, densenet_121, vgg_16, retinanet, paradnn_fc,
              paradnn_cnn, paradnn_rnn, paradnn_gru, paradnn_lstm, mnist_rnn, mnist_lstm, imdb_bidirectional_lstm,
              imdb_fasttext, lstm_text_generation, text_generator_keras, transformer_base, transformer_big>;

/// Models that random_batch supports: all but detectors, which need boxes.
using of_random_batch = decltype(all{} - type_list<retinanet>{});

/// Calls use.template operator()<Model>() for the model with the given name, in any case.
/// Throws: value_error, listing the names, if no model has that name.
template <class Use, class... Models>
decltype(auto) with_model(type_list<Models...>, std::string_view name, Use&& use) {
  using result = decltype((use.template operator()<Models>(), ...));
  result made{};
  if (((same_name(name, Models::name) && (made = use.template operator()<Models>(), true)) || ...)) return made;
  const std::vector<std::string_view> known{Models::name...};
  throw value_error(concat("model is \"", name, "\"; must be one of: ", names_of(known), did_you_mean(name, known)));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
