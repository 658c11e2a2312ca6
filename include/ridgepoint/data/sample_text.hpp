// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/data/character_vocabulary.hpp>
#include <ridgepoint/data/sample_logits.hpp>
#include <ridgepoint/graph/session.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// How a network goes on with a text.
struct sample_text_options {
  index_t characters = 400;  // that are drawn
  double temperature = 0.5;  // what Keras' example calls diversity: sample_logits()
  std::uint64_t seed = 42;   // of what is drawn
};

/// How a network that gives logits of the next character goes on with a text: each is drawn with sample_logits() and
/// put behind the last ones, from which the next is drawn. The same seed gives the same text wherever logits are the
/// same.
///
/// The network takes the characters as character_sequences gives them, a one among zeros or ids, one sample at a time;
/// no layer carries anything from step to step. `begin` must have as many characters as it takes, or more, of
/// which it sees the last.
/// Throws: shape_error for a network with a batch or several inputs, or another number of characters than the
/// vocabulary; value_error for a text that is too short or has other characters, less than 0 characters to draw, a
/// network that carries a state, and where sample_logits() does.
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
                       "sample_text: the network carries a state from step to step; must carry none, for it is given "
                       "each character again");
  const shape &x = made.input_shapes[0], &y = made.output_shapes[0];
  const bool of_ids = x.rank() == 1;
  const index_t length = x[0], width = letters.size();
  require<shape_error>((of_ids || x == shape{length, width}) && y == shape{width}, "sample_text: the network makes ", y,
                       " of ", x, "; must make ", width, " logits, of ids or as many numbers for each character");
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
