// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/nearest_name.hpp>
#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/models/cifar10_cnn.hpp>
#include <ridgepoint/models/densenet_121.hpp>
#include <ridgepoint/models/embryo_cnn.hpp>
#include <ridgepoint/models/imdb_bidirectional_lstm.hpp>
#include <ridgepoint/models/imdb_fasttext.hpp>
#include <ridgepoint/models/keras_mnist_cnn.hpp>
#include <ridgepoint/models/keras_mnist_mlp.hpp>
#include <ridgepoint/models/learning.hpp>
#include <ridgepoint/models/lstm_text_generation.hpp>
#include <ridgepoint/models/mnist_autoencoder.hpp>
#include <ridgepoint/models/mnist_cnn.hpp>
#include <ridgepoint/models/mnist_lstm.hpp>
#include <ridgepoint/models/mnist_mlp.hpp>
#include <ridgepoint/models/mnist_rnn.hpp>
#include <ridgepoint/models/mobilenet_v1.hpp>
#include <ridgepoint/models/objectives.hpp>
#include <ridgepoint/models/paradnn_cnn.hpp>
#include <ridgepoint/models/paradnn_fc.hpp>
#include <ridgepoint/models/paradnn_rnn.hpp>
#include <ridgepoint/models/random_batch.hpp>
#include <ridgepoint/models/resnet_18.hpp>
#include <ridgepoint/models/resnet_32.hpp>
#include <ridgepoint/models/resnet_50.hpp>
#include <ridgepoint/models/retinanet.hpp>
#include <ridgepoint/models/squeezenet.hpp>
#include <ridgepoint/models/text_generator_keras.hpp>
#include <ridgepoint/models/transformer.hpp>
#include <ridgepoint/models/vgg_16.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// Every reference network. A model has a name, a batch, epochs, a loss, an optimiser, and build(graph), which returns
/// its output: Model{}.build(net), or configured<Model>(values).build(net) for one with parameters(). It is trained
/// with learning<Model>(options); one with several outputs has objectives(graph) as well, see objectives_of(). A new
/// one is one file and one entry here.
using all =
    type_list<mnist_mlp, mnist_cnn, mnist_autoencoder, keras_mnist_mlp, keras_mnist_cnn, cifar10_cnn, resnet_18,
              resnet_32, embryo_cnn, resnet_50, mobilenet_v1, squeezenet, densenet_121, vgg_16, retinanet, paradnn_fc,
              paradnn_cnn, paradnn_rnn, paradnn_gru, paradnn_lstm, mnist_rnn, mnist_lstm, imdb_bidirectional_lstm,
              imdb_fasttext, lstm_text_generation, text_generator_keras, transformer_base, transformer_big>;

/// Those that random_batch can draw a batch for: detectors need boxes.
using of_random_batch = decltype(all{} - type_list<retinanet>{});

/// Calls use.template operator()<Model>() for the model of that name, in any case.
/// Throws: value_error, listing the names, if there is none.
template <class Use, class... Models>
decltype(auto) with_model(type_list<Models...>, std::string_view name, Use&& use) {
  using result = decltype((use.template operator()<Models>(), ...));
  std::string names;
  ((names += concat(names.empty() ? "" : ", ", Models::name)), ...);
  require<value_error>((same_name(name, Models::name) || ...), "model is \"", name, "\"; must be one of: ", names,
                       did_you_mean(name, {Models::name...}));
  result made{};
  static_cast<void>(((same_name(name, Models::name) && (made = use.template operator()<Models>(), true)) || ...));
  return made;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
