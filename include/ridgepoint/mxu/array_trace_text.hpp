// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/array_trace.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::systolic {

[[nodiscard]] constexpr std::string_view to_string(array_phase phase) noexcept {
  constexpr std::string_view names[] = {"active", "stall", "shift", "drain"};
  return names[static_cast<int>(phase)];
}
/// What the array waits for, or does, in a phase.
[[nodiscard]] constexpr std::string_view explain(array_phase phase, dataflow flow) noexcept {
  switch (phase) {
    case array_phase::active:
      return "operands enter";
    case array_phase::stall:
      return "nothing enters: the next tile is still on its way from memory";
    case array_phase::shift:
      return flow == dataflow::output_stationary ? "nothing enters: results shift out"
                                                 : "nothing enters: a tile shifts into the shadow weights";
    case array_phase::drain:
      break;
  }
  return "nothing enters: the last sums are still on their way";
}
/// A whole number without a fraction, others with up to six digits.
[[nodiscard]] inline std::string value_text(float value) { return concat(value); }

/// How text is coloured: not, or with the escape codes of terminals.
enum class ink { plain, ansi };

namespace detail {

/// `text` in a field of `width` columns, in the middle.
[[nodiscard]] inline std::string centred(const std::string& text, std::size_t columns, std::size_t width) {
  const std::size_t space = width > columns ? width - columns : 0;
  return std::string(space / 2, ' ') + text + std::string(space - space / 2, ' ');
}
[[nodiscard]] inline std::string painted(ink with, std::string_view code, const std::string& text) {
  return with == ink::ansi ? concat("\033[", code, 'm', text, "\033[0m") : text;
}

}  // namespace detail

/// One cycle as text: a box per processing element with operand and weight above, the sum below. Operands that wait to
/// enter stand at the left, results that leave stand below. With escape codes of a terminal if wanted.
[[nodiscard]] inline std::string text(const array_trace& trace, const array_frame& frame, ink with) {
  const auto rows = static_cast<std::size_t>(trace.shape.rows), cols = static_cast<std::size_t>(trace.shape.cols);
  constexpr std::size_t width = 11;
  std::size_t queue = 0;
  for (const array_frame& f : trace.frames)
    for (const auto& w : f.waiting) queue = (std::max)(queue, w.size());
  const std::size_t left = queue * 4;
  std::string rule(left + 2, ' ');
  for (std::size_t c = 0; c < cols; ++c) rule += '+' + std::string(width, '-');
  rule += "+\n";

  std::string out = concat("cycle ", frame.cycle + 1, " of ", trace.counters.cycles, "  ", to_string(frame.phase), ": ",
                           explain(frame.phase, trace.options.flow));
  if (trace.options.fetch_cycles != 0)
    out += concat("  [FIFO ", frame.tiles_in_fifo, frame.fetching ? ", next tile arriving]" : "]");
  out += '\n' + rule;
  for (std::size_t r = 0; r < rows; ++r) {
    std::string waiting;
    for (const auto& e : frame.waiting[r]) waiting.insert(0, ' ' + (e ? to_string(*e) : "   "));
    std::string upper = std::string(left > waiting.size() ? left - waiting.size() : 0, ' ') +
                        detail::painted(with, "36", waiting) + (waiting.empty() ? "  " : " >");
    std::string lower(left + 2, ' ');
    for (std::size_t c = 0; c < cols; ++c) {
      const traced_element& e = frame.elements[r * cols + c];
      const std::string weight = e.weight ? to_string(*e.weight) : e.works ? "0" : "";
      const std::string product = e.works ? concat(e.operand ? to_string(*e.operand) : "0", "*", weight) : weight;
      const std::string sum = e.works    ? concat("= ", value_text(e.sum))
                              : e.shadow ? concat('(', to_string(*e.shadow), ')')
                                         : "";
      const std::string_view code = e.takes_weight ? "1;33" : e.works ? "1;36" : "2";
      upper += '|' + detail::painted(with, code, detail::centred(product, product.size(), width));
      lower += '|' + detail::painted(with, e.works ? "32" : "2", detail::centred(sum, sum.size(), width));
    }
    out.append(upper).append("|\n").append(lower).append("|\n").append(rule);
  }
  std::string below(left + 2, ' ');
  for (std::size_t c = 0; c < cols; ++c) {
    std::string result;
    for (const traced_result& one : frame.results)
      if (one.column == static_cast<int>(c))
        result = concat(to_string(one.at), one.complete ? " = " : " : ", value_text(one.value));
    below += ' ' + detail::painted(with, "1;32", detail::centred(result, result.size(), width));
  }
  return out + below.substr(0, below.find_last_not_of(' ') + 1) + '\n';
}

/// What is computed on what, in one line.
[[nodiscard]] inline std::string headline(const array_trace& trace) {
  const gemm_extent& e = trace.extent;
  return concat("C(", e.m, 'x', e.n, ") = A(", e.m, 'x', e.k, ") * B(", e.k, 'x', e.n, ") on a ", trace.shape.rows, 'x',
                trace.shape.cols, ' ', to_string(trace.options.flow), " array: ", trace.counters.cycles, " cycles, ",
                trace.counters.tiles, trace.counters.tiles == 1 ? " tile" : " tiles",
                "; a and b hold 1, 2, 3 ... row by row, a00 first");
}
/// The counters, and what the closed form says.
[[nodiscard]] inline std::string summary(const array_trace& trace) {
  const array_counters& n = trace.counters;
  const auto elements = static_cast<std::uint64_t>(trace.shape.rows * trace.shape.cols);
  const double percent = 100 * n.utilisation(elements);
  return concat("cycles ", n.cycles, " = active ", n.active, " + stall ", n.stall, " + shift ", n.shift, " + drain ",
                n.drain, "\nMACs   ", n.useful_macs, " useful, ", n.unused_macs, " unused; utilisation ",
                static_cast<float>(percent),
                " %\nclosed form: ", count_cycles(trace.shape, trace.extent, trace.options).cycles, " cycles\n");
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::systolic
