// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

/// The tables, figures, systems and methods that the five studies publish, and what answers each of them.
namespace tool {

enum class answer_state {
  compared,  // our number is next to the published one
  works,     // we compute or draw it; no published number is available
  partly,    // a part is missing
  missing
};
[[nodiscard]] constexpr std::string_view to_string(answer_state s) noexcept {
  constexpr std::string_view names[] = {"compared", "works", "partly", "missing"};
  return names[static_cast<int>(s)];
}

/// Something that a study publishes.
struct printed_item {
  std::string_view study;  // key of the publication, "A" to "E"
  std::string_view what;   // table, figure, system or method
  std::string_view
      answer;              // arguments of `ridgepoint`, as "validate gpu --only study-a", or a page such as docs/tpu.md
  std::string_view lines;  // beginnings or parts of that target's lines, separated by |; empty: all of them
  answer_state state = answer_state::compared;
  std::string_view reason = {};  // unless the state is `compared`: why not
};
[[nodiscard]] std::span<const printed_item> printed_items();

}  // namespace tool
