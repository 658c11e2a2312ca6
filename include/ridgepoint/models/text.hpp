// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/losses.hpp>
#include <ridgepoint/graph/optimisers.hpp>
#include <ridgepoint/models/learning.hpp>
#include <ridgepoint/models/study_data.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// Adam of Keras in 2017: 1e-3, 0.9, 0.999, ε 1e-8.
struct keras_2017_adam : nn::adam {
  constexpr keras_2017_adam() noexcept : nn::adam{.options = {.epsilon = 1e-8}} {}
};
/// Initialiser of Keras' embeddings: uniform in ±0.05.
[[nodiscard]] inline double keras_embedding(random_stream& random, fan) { return random.uniform(-0.05, 0.05); }

/// Common extents of study D's networks on text: a vocabulary, and the number of tokens in a text.
struct text_extents {
  index_t vocabulary = 0, steps = 0;
};
/// Both extents as parameters of a model with a member `text`: "vocabulary" and "length". The second is not named
/// "steps", which means training steps on a command line.
template <class Model>
[[nodiscard]] constexpr auto text_parameters() noexcept {
  using option = model_parameter<Model>;
  return std::array<option, 2>{{option::template of<&Model::text, &text_extents::vocabulary>("vocabulary"),
                                option::template of<&Model::text, &text_extents::steps>("length")}};
}

/// Study D's imdb_bidirectional_lstm, Keras' example: 100 tokens of 20,000 → embedding 128 → LSTM of 64 units in both
/// directions, concatenated → dropout 0.5 → the logit of a positive review; 2,658,945 parameters.
///
/// Per sample 19,661,056 matrix FLOP forward and three times that in training, each of the 100 steps counted. Gates are
/// sigmoids; Keras used hard sigmoids in 2017.
struct imdb_bidirectional_lstm {
  static constexpr std::string_view name = "imdb-bidirectional-lstm";
  static constexpr index_t batch = 32;
  static constexpr int epochs = 4;
  static constexpr study_texts texts{.from = study_texts::set::reviews};
  using loss = nn::binary_cross_entropy;
  using optimiser = keras_2017_adam;

  text_extents text{.vocabulary = 20'000, .steps = 100};

  static constexpr auto parameters() noexcept { return text_parameters<imdb_bidirectional_lstm>(); }
  node build(graph& net) const {
    return net.input({text.steps}, element::i32) |
           nn::embedding{.vocabulary = text.vocabulary, .width = 128, .initial = keras_embedding} |
           nn::bidirectional<nn::lstm>{.cell = {.units = 64, .recurrent_initial = nn::orthogonal}} |
           nn::dropout{.rate = 0.5F} | nn::dense{.units = 1};
  }
};

/// Study D's imdb_fasttext, Keras' example: 400 tokens → embedding 50 → their mean → the logit of a positive review.
/// With words only (ngrams = 1), a vocabulary of 20,000: 1,000,051 parameters. With ngrams = 2, pairs of adjacent words
/// get ids above the vocabulary; their number depends on the reviews, about 1.2 million ids in all; parameters are 50
/// per id and 51.
///
/// 100 matrix FLOP forward, 300 in training: most of the time is the update of every vector, 28 bytes a parameter.
/// Example: rp::models::imdb_fasttext{.ngrams = 2, .pairs = reviews.vocabulary - 20'001}
struct imdb_fasttext {
  static constexpr std::string_view name = "imdb-fasttext";
  static constexpr index_t batch = 32;
  static constexpr int epochs = 5;
  static constexpr study_texts texts{.from = study_texts::set::reviews};
  using loss = nn::binary_cross_entropy;
  using optimiser = keras_2017_adam;

  text_extents text{.vocabulary = 20'000, .steps = 400};
  index_t ngrams = 1, pairs = 1'179'999;  // pairs: used only if ngrams = 2

  static constexpr auto parameters() noexcept {
    using option = model_parameter<imdb_fasttext>;
    return std::array<option, 3>{{text_parameters<imdb_fasttext>()[0], text_parameters<imdb_fasttext>()[1],
                                  option::of<&imdb_fasttext::ngrams>("ngrams")}};
  }
  /// Number of ids of words and pairs, including the unused id between them.
  [[nodiscard]] constexpr index_t ids() const noexcept { return text.vocabulary + (ngrams == 1 ? 0 : 1 + pairs); }
  /// Throws: value_error unless ngrams is 1 or 2; and as the layers do.
  node build(graph& net) const {
    require<value_error>(ngrams == 1 || ngrams == 2, name, ": ngrams is ", ngrams, "; must be 1 or 2");
    return net.input({text.steps}, element::i32) |
           nn::embedding{.vocabulary = ids(), .width = 50, .initial = keras_embedding} | nn::global_avg_pool1d{} |
           nn::dense{.units = 1};
  }
};

/// RMSProp of Keras in 2017, with a learning rate of 0.01.
struct text_rmsprop : nn::rmsprop_keras {
  constexpr text_rmsprop() noexcept
      : nn::rmsprop_keras{.learning_rate = 0.01, .options = {.rho = 0.9, .epsilon = 1e-8}} {}
};

/// Study D's lstm_text_generation, Keras' example: 40 characters of 57, one-hot → LSTM of 128 units, the last state →
/// logits of the next character; 102,585 parameters.
///
/// Per sample 7,592,192 matrix FLOP forward, 20,441,856 in training (the layer's input has no gradient, its state has),
/// each of the 40 steps counted. Gates are sigmoids; Keras used hard sigmoids in 2017.
struct lstm_text_generation {
  static constexpr std::string_view name = "lstm-text-generation";
  static constexpr index_t batch = 128;
  static constexpr int epochs = 10;
  static constexpr study_texts texts{.from = study_texts::set::characters, .given = study_texts::form::one_hot};
  using loss = nn::softmax_cross_entropy;
  using optimiser = text_rmsprop;

  text_extents text{.vocabulary = 57, .steps = 40};

  static constexpr auto parameters() noexcept { return text_parameters<lstm_text_generation>(); }
  node build(graph& net) const {
    return net.input({text.steps, text.vocabulary}) | nn::lstm{.units = 128, .recurrent_initial = nn::orthogonal} |
           nn::dense{.units = text.vocabulary};
  }
};

/// Adam of Keras in 2017, with a learning rate of 1e-3 / (1 + 1e-4·step).
struct text_generator_adam : nn::adam {
  constexpr text_generator_adam() noexcept
      : nn::adam{.options = {.epsilon = 1e-8}, .schedule = nn::inverse_time_decay{.decay = 1e-4}} {}
};

/// Study D's text_generator_keras: 40 characters of 57 → embedding 300 → LSTM of 128 units, the last state. Logits of
/// the next character are computed twice from it: directly, and through 512 and 256 units without bias, each with batch
/// normalisation and ReLU; 456,894 parameters and 1,536 moving statistics.
///
/// The loss is that of the second plus 0.2 times that of the first. Per sample 17,967,872 matrix FLOP forward and
/// three times that in training, each of the 40 steps counted. Gates are sigmoids; Keras used hard sigmoids in 2017.
struct text_generator_keras {
  static constexpr std::string_view name = "text-generator-keras";
  static constexpr index_t batch = 128;
  static constexpr int epochs = 10;
  static constexpr study_texts texts{.from = study_texts::set::characters, .losses = 2};
  using loss = nn::softmax_cross_entropy;
  using optimiser = text_generator_adam;

  text_extents text{.vocabulary = 57, .steps = 40};

  static constexpr auto parameters() noexcept { return text_parameters<text_generator_keras>(); }
  /// Returns the logits through both hidden layers, then the direct ones.
  [[nodiscard]] std::vector<objective> objectives(graph& net) const {
    const node state = net.input({text.steps}, element::i32) |
                       nn::embedding{.vocabulary = text.vocabulary, .width = 300, .initial = keras_embedding} |
                       nn::lstm{.units = 128, .recurrent_initial = nn::orthogonal};
    const node at_once = state | nn::dense{.units = text.vocabulary};
    node x = state;
    for (const index_t units : {512, 256})
      x = x | nn::dense{.units = units, .bias = false} | nn::batch_norm{} | nn::relu{};
    return {{x | nn::dense{.units = text.vocabulary}, loss{}}, {at_once, loss{}, 0.2}};
  }
  /// Returns the first of the objectives' outputs.
  node build(graph& net) const { return objectives(net)[0].output; }
};

/// Adam of the paper, with a learning rate of 1e-4.
struct transformer_adam : nn::adam {
  constexpr transformer_adam() noexcept
      : nn::adam{.learning_rate = 1e-4, .options = {.beta2 = 0.98, .epsilon = 1e-9}} {}
};
/// Initialiser of its embeddings: normal with deviation 1 / √width, so that √width times them match the positions'
/// size.
[[nodiscard]] inline double transformer_embedding(random_stream& random, fan f) {
  return nn::normal(random, 1 / std::sqrt(static_cast<double>(f.out)));
}

/// Extents and structure of a Transformer, as in the paper: normalisation after each sum, attention without bias, ReLU,
/// sinusoidal positions, and one table shared by the embeddings and the output projection. Without dropout and label
/// smoothing.
struct transformer {
  index_t layers = 6, width = 512, hidden = 2048, heads = 8, vocabulary = 37'000, steps = 64;

  /// Returns V·d + N·(4d² + 2d·h + d + h + 4d) + N·(8d² + 2d·h + d + h + 6d) with d = width, h = hidden, N = layers.
  [[nodiscard]] constexpr index_t parameter_count() const noexcept {
    const index_t d = width, feed = 2 * d * hidden + d + hidden;
    return vocabulary * d + layers * (4 * d * d + feed + 4 * d) + layers * (8 * d * d + feed + 6 * d);
  }
  /// Returns the multiply-adds of the forward pass of a pair of sequences of `steps` tokens each. The published formula
  /// also counts masked tokens of the decoder: layers·width·steps·(steps − 1) more.
  [[nodiscard]] constexpr index_t mac_count() const noexcept {
    const index_t d = width, n = steps, feed = 2 * d * hidden;
    return n * (layers * (4 * d * d + feed + 2 * n * d) + layers * (8 * d * d + feed + 4 * n * d) + vocabulary * d) -
           layers * d * n * (n - 1);
  }

  /// Builds source and target tokens → logits of the next target tokens. Trainers take the target's first.
  /// Throws: value_error for less than one layer; shape_error for another extent below one, or a width that is not a
  /// multiple of the heads.
  [[nodiscard]] node logits(graph& net) const {
    require<value_error>(layers >= 1, "transformer: layers is ", layers, "; must be >= 1");
    const auto table = std::make_shared<char>();
    const auto embedded = [&](const node& tokens) {
      const nn::embedding look_up{.vocabulary = vocabulary, .width = width, .initial = transformer_embedding};
      return apply(look_up, std::span(&tokens, 1), table) | nn::sinusoidal_positions{};
    };
    node source = embedded(net.input({steps}, element::i32));
    for (index_t layer = 0; layer < layers; ++layer) source = feed_forward(attend(source, {.heads = heads}));
    node target = embedded(net.input({steps}, element::i32));
    for (index_t layer = 0; layer < layers; ++layer) {
      target = attend(target, {.heads = heads, .causal = true});
      target = add(target, multi_head_attention(target, source, {.heads = heads})) | normalised;
      target = feed_forward(target);
    }
    return apply(nn::unembedding{.vocabulary = vocabulary, .initial = transformer_embedding}, std::span(&target, 1),
                 table);
  }
  /// Builds the decoder alone, where tokens see only preceding tokens: a language model.
  [[nodiscard]] node language_logits(graph& net) const {
    const auto table = std::make_shared<char>();
    const node tokens = net.input({steps}, element::i32);
    const nn::embedding look_up{.vocabulary = vocabulary, .width = width, .initial = transformer_embedding};
    node x = apply(look_up, std::span(&tokens, 1), table) | nn::sinusoidal_positions{};
    for (index_t layer = 0; layer < layers; ++layer) x = feed_forward(attend(x, {.heads = heads, .causal = true}));
    return apply(nn::unembedding{.vocabulary = vocabulary, .initial = transformer_embedding}, std::span(&x, 1), table);
  }

 private:
  static constexpr nn::layer_norm normalised{.epsilon = 1e-6};
  [[nodiscard]] static node attend(const node& x, const nn::multi_head_attention& how) {
    return add(x, x | how) | normalised;
  }
  [[nodiscard]] node feed_forward(const node& x) const {
    return add(x, x | nn::dense{.units = hidden} | nn::relu{} | nn::dense{.units = width}) | normalised;
  }
};

/// Common parts of the paper's two models, and their parameters. The paper translates; here a window of a text is the
/// source and the next window the target.
template <class Model>
struct transformer_model {
  static constexpr index_t batch = 32;
  static constexpr int epochs = 1;
  static constexpr study_texts texts{.from = study_texts::set::pairs};
  using loss = nn::softmax_cross_entropy;
  using optimiser = transformer_adam;

  static constexpr auto parameters() noexcept {
    using option = model_parameter<Model>;
    return std::array<option, 6>{{option::template of<&Model::extents, &transformer::layers>("layers"),
                                  option::template of<&Model::extents, &transformer::width>("width"),
                                  option::template of<&Model::extents, &transformer::hidden>("hidden"),
                                  option::template of<&Model::extents, &transformer::heads>("heads"),
                                  option::template of<&Model::extents, &transformer::vocabulary>("vocabulary"),
                                  option::template of<&Model::extents, &transformer::steps>("length")}};
  }
};

/// Transformer base: 6 + 6 layers of 512, 2,048 hidden, 8 heads, 37,000 tokens that both languages share; 63,045,632
/// parameters. Per token pair, in sequences of 64: 0.0642·10⁹ multiply-adds by the formula's count.
struct transformer_base : transformer_model<transformer_base> {
  static constexpr std::string_view name = "transformer-base";
  static constexpr index_t batch_of_a_core = 2;  // about a second per step on one core: commands' default
  transformer extents{};
  node build(graph& net) const { return extents.logits(net); }
};
/// Transformer big: 1,024 wide, 4,096 hidden, 16 heads; 214,171,648 parameters, 0.2164·10⁹ multiply-adds.
struct transformer_big : transformer_model<transformer_big> {
  static constexpr std::string_view name = "transformer-big";
  static constexpr index_t batch_of_a_core = 1;  // about two seconds
  transformer extents{.width = 1024, .hidden = 4096, .heads = 16};
  node build(graph& net) const { return extents.logits(net); }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
