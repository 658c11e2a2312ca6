// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <ridgepoint/data/sample_text.hpp>
#include <ridgepoint/data/text_corpus.hpp>
#include <ridgepoint/graph/trainer.hpp>

namespace tool {

/// Returns a network's continuations of a piece of text, drawn with the seed, at the temperatures of Keras' example.
template <class Trainer>
[[nodiscard]] std::string text_samples(const Trainer& of, const ridgepoint::text_corpus& text,
                                       ridgepoint::index_t characters, std::uint64_t seed) {
  const auto network = of.session({.batch = 1});
  const ridgepoint::index_t length = network.answering().made().input_shapes.at(0)[0];
  ridgepoint::random_stream random(seed);
  const auto first = random.below(static_cast<std::uint32_t>(text.size() - length + 1));
  const std::string begin = text.vocabulary().decode(text.ids().subspan(first, static_cast<std::size_t>(length)));
  std::string all = ridgepoint::concat("\nwhat it writes after \"", ridgepoint::printable(begin, "\n"), "\":\n");
  for (const double temperature : {0.2, 0.5, 1.0, 1.2})
    all += ridgepoint::concat(
        "temperature ", temperature, ": \"",
        ridgepoint::printable(
            ridgepoint::sample_text(network, text.vocabulary(), begin,
                                    {.characters = characters, .temperature = temperature, .seed = seed}),
            "\n"),
        "\"\n");
  return all;
}

}  // namespace tool
