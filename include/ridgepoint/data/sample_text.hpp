// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/random.hpp>
#include <ridgepoint/data/text_corpus.hpp>
#include <ridgepoint/graph/session.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Returns class i with probability softmax(logits / temperature)(i), using one number from `random`.
///
/// A temperature below 1 favours likely classes: towards 0 the greatest logit wins (ties equally often), far above 1
/// all classes become equally likely. Computed in double.
/// Throws: value_error unless there are logits, none NaN or +∞, at least one finite (−∞ is never drawn), and the
/// temperature is finite and > 0; `random` is unchanged then.
/// Example: const std::int32_t next = rp::sample_logits<float>(logits, 0.5, random);
template <std::floating_point T>
[[nodiscard]] std::int32_t sample_logits(std::span<const T> logits, double temperature, random_stream& random) {
  require<value_error>(std::isfinite(temperature) && temperature > 0, "sample_logits: temperature is ", temperature,
                       "; must be finite and > 0");
  require<value_error>(!logits.empty(), "sample_logits: there are no logits; must be one or more");
  double greatest = -HUGE_VAL;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const double logit{logits[i]};
    require<value_error>(logit < HUGE_VAL, "sample_logits: logit ", i, " is ", logit, "; must be a number");
    greatest = logit > greatest ? logit : greatest;
  }
  require<value_error>(greatest > -HUGE_VAL, "sample_logits: every logit is ", greatest, "; one must be finite");
  const auto weight = [&](T logit) { return std::exp((double{logit} - greatest) / temperature); };
  double all = 0;
  for (const T logit : logits) all += weight(logit);
  double left = random.uniform() * all;  // uniform() is below 1 − 2⁻²⁵: rounding cannot pass the last class
  std::size_t drawn = 0;
  for (; drawn + 1 < logits.size(); ++drawn) {
    const double own = weight(logits[drawn]);
    if (left < own) break;
    left -= own;
  }
  return static_cast<std::int32_t>(drawn);
}

/// Options of text generation.
struct sample_text_options {
  index_t characters = 400;  // number of characters to draw
  double temperature = 0.5;  // "diversity" in Keras' example: sample_logits()
  std::uint64_t seed = 42;   // of the random stream
};

/// Continues a text with a network that computes logits of the next character: each character is drawn with
/// sample_logits() and appended to the network's input for the next one. The same seed and the same logits give the
/// same text.
///
/// The network takes characters in the form of character_sequences, one-hot or ids, one sample at a time, without a
/// state between calls. `begin` must have at least as many characters as the network takes; the last ones are used.
/// Throws: shape_error for a network with a batch or several inputs, or another number of characters than the
/// vocabulary; value_error for a text that is too short or has other characters, a negative number of characters to
/// draw, a network that carries a state, and as sample_logits() does.
/// Example:
///   const auto network = trainer.session({.batch = 1});
///   std::cout << rp::sample_text(network, text.vocabulary(), "forty characters that it knows, no fewer", {.seed = 7});
template <std::floating_point T, backend Backend>
[[nodiscard]] std::string sample_text(const session<T, Backend>& network, const character_vocabulary& letters,
                                      std::string_view begin, const sample_text_options& o = {}) {
  const compiled& made = network.answering().made();
  require<shape_error>(made.batch == 1 && made.input_shapes.size() == 1 && made.outputs.size() == 1, "sample_text: of ",
                       made.input_shapes.size(), " inputs and ", made.outputs.size(), " outputs in batches of ",
                       made.batch, "; must be one each, in batches of 1");
  require<value_error>(made.carried.empty(),
                       "sample_text: the network carries a state between steps; must be stateless, because it gets "
                       "all characters at each step");
  const shape &x = made.input_shapes[0], &y = made.output_shapes[0];
  const bool of_ids = x.rank() == 1;
  const index_t length = x[0], width = letters.size();
  require<shape_error>((of_ids || x == shape{length, width}) && y == shape{width}, "sample_text: the network makes ", y,
                       " of ", x, "; must make ", width, " logits, of ids or one-hot characters");
  require<value_error>(o.characters >= 0, "sample_text: characters is ", o.characters, "; must be >= 0");
  std::vector<std::int32_t> all = letters.encode(begin);
  const std::size_t given = all.size(), seen = static_cast<std::size_t>(length);
  require<value_error>(given >= seen, "sample_text: begins with ", given, " characters; must be ", length, " or more");

  random_stream random(o.seed);
  std::vector<T> logits(static_cast<std::size_t>(width)), ones(of_ids ? 0 : seen * static_cast<std::size_t>(width));
  for (index_t i = 0; i < o.characters; ++i) {
    const std::span<const std::int32_t> last = std::span(all).last(seen);
    std::fill(ones.begin(), ones.end(), T{0});
    for (std::size_t t = 0; t < seen && !of_ids; ++t)
      ones[t * logits.size() + static_cast<std::size_t>(last[t])] = T{1};
    network.run(of_ids ? host_values<T>(last) : host_values<T>(ones), logits);
    all.push_back(sample_logits<T>(logits, o.temperature, random));
  }
  return letters.decode(std::span(all).subspan(given));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
