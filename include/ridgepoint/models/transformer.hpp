// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/losses.hpp>
#include <ridgepoint/graph/optimisers.hpp>
#include <ridgepoint/models/parameters.hpp>
#include <ridgepoint/models/study_texts.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// Adam as the paper has it, with a rate of 1e-4.
struct transformer_adam : nn::adam {
  constexpr transformer_adam() noexcept
      : nn::adam{.learning_rate = 1e-4, .options = {.beta2 = 0.98, .epsilon = 1e-9}} {}
};
/// How its embeddings start: normal with deviation 1 / √width, so that √width times them are as large as the positions.
[[nodiscard]] inline double transformer_embedding(random_stream& random, fan f) {
  return nn::normal(random, 1 / std::sqrt(static_cast<double>(f.out)));
}

/// The extents of a Transformer, and its parts as the paper has them: normalisation behind each sum, attention without
/// bias, ReLU, sinusoids as positions, and one table that is embedding and output projection in one. Dropout and label
/// smoothing are left out.
struct transformer {
  index_t layers = 6, width = 512, hidden = 2048, heads = 8, vocabulary = 37'000, steps = 64;

  /// V·d + N·(4d² + 2d·h + d + h + 4d) + N·(8d² + 2d·h + d + h + 6d) with d = width, h = hidden, N = layers.
  [[nodiscard]] constexpr index_t parameter_count() const noexcept {
    const index_t d = width, feed = 2 * d * hidden + d + hidden;
    return vocabulary * d + layers * (4 * d * d + feed + 4 * d) + layers * (8 * d * d + feed + 6 * d);
  }
  /// Multiply-adds of the forward pass of a pair of sequences of `steps` tokens each. The published formula counts what
  /// a token of the decoder does not see as well: layers·width·steps·(steps − 1) more.
  [[nodiscard]] constexpr index_t mac_count() const noexcept {
    const index_t d = width, n = steps, feed = 2 * d * hidden;
    return n * (layers * (4 * d * d + feed + 2 * n * d) + layers * (8 * d * d + feed + 4 * n * d) + vocabulary * d) -
           layers * d * n * (n - 1);
  }

  /// Source and target tokens → logits of the target's next ones. Trainers take the target's first.
  /// Throws: value_error for less than one layer; shape_error for another extent below one, or a width that the heads
  /// do not share.
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
  /// The decoder alone, whose tokens see those before them: a model of language.
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

/// What the two of the paper have in common, and their parameters. Where the paper translates, there is a text of which
/// a window is read and the next one learnt.
template <class Model>
struct transformer_model {
  static constexpr index_t batch = 32;
  static constexpr int epochs = 1;
  static constexpr study_texts texts{.from = study_texts::set::pairs};
  using loss = nn::softmax_cross_entropy;
  using optimiser = transformer_adam;

  static constexpr auto parameters() noexcept {
    return std::array<model_parameter<Model>, 6>{
        {{"layers", [](Model& m, index_t value) { m.extents.layers = value; }},
         {"width", [](Model& m, index_t value) { m.extents.width = value; }},
         {"hidden", [](Model& m, index_t value) { m.extents.hidden = value; }},
         {"heads", [](Model& m, index_t value) { m.extents.heads = value; }},
         {"vocabulary", [](Model& m, index_t value) { m.extents.vocabulary = value; }},
         {"length", [](Model& m, index_t value) { m.extents.steps = value; }}}};
  }
};

/// Transformer base: 6 + 6 layers of 512, 2,048 hidden, 8 heads, 37,000 tokens that both languages share; 63,045,632
/// parameters. Per pair of tokens of sequences of 64: 0.0642·10⁹ multiply-adds, as the formula counts.
struct transformer_base : transformer_model<transformer_base> {
  static constexpr std::string_view name = "transformer-base";
  static constexpr index_t batch_of_a_core = 2;  // of a step that takes one core about a second: commands' default
  transformer extents{};
  node build(graph& net) const { return extents.logits(net); }
};
/// Transformer big: 1,024 wide, 4,096 hidden, 16 heads; 214,171,648 parameters, 0.2164·10⁹ multiply-adds.
struct transformer_big : transformer_model<transformer_big> {
  static constexpr std::string_view name = "transformer-big";
  static constexpr index_t batch_of_a_core = 1;  // in about two
  transformer extents{.width = 1024, .hidden = 4096, .heads = 16};
  node build(graph& net) const { return extents.logits(net); }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
