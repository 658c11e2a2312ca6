// SPDX-License-Identifier: MIT
// ridgepoint mxu trace: a small product on a systolic array, cycle by cycle, in the terminal or as a picture.
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <thread>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/mxu/array_trace.hpp>

#include "command_files.hpp"
#include "commands.hpp"
#include "number_option.hpp"
#include "one_of.hpp"

namespace rp = ridgepoint;
namespace sys = rp::systolic;

namespace tool::mxu_trace {

constexpr int largest = 6;  // rows and columns of a readable array
constexpr int most_cycles = 500;

struct options {
  sys::gemm_extent extent{4, 3, 3};
  rp::index_t rows = 0, cols = 0;  // 0: as the product needs
  std::string flow = "ws", svg, html;
  std::uint64_t fetch_cycles = 0;
  rp::index_t fifo_depth = 4, accumulator_rows = 0;
  int planes = 2, delay_ms = 400;
  bool animate = false, quiet = false;
};

sys::array_trace record(const options& o) {
  sys::array_options on{.fetch_cycles = o.fetch_cycles,
                        .fifo_depth = o.fifo_depth,
                        .accumulator_rows = o.accumulator_rows,
                        .accumulator_planes = o.planes};
  on.flow = o.flow == "ws"   ? sys::dataflow::weight_stationary
            : o.flow == "os" ? sys::dataflow::output_stationary
                             : sys::dataflow::input_stationary;
  const sys::array_mapping map = map_onto(on.flow, o.extent);
  const auto side = [](rp::index_t wanted, rp::index_t needed) {
    return wanted != 0 ? wanted : std::clamp<rp::index_t>(needed, 1, 4);
  };
  const sys::array_shape array{side(o.rows, map.over_rows), side(o.cols, map.over_cols)};
  const auto cycles = count_cycles(array, o.extent, on).cycles;
  rp::require<rp::value_error>(array.rows <= largest && array.cols <= largest, "trace: an array of ", array.rows, 'x',
                               array.cols, "; must be at most ", largest, 'x', largest);
  rp::require<rp::value_error>(cycles <= std::uint64_t{most_cycles}, "trace: the product takes ", cycles,
                               " cycles; must be at most ", most_cycles);
  return sys::record(array, o.extent, on);
}

void print(const sys::array_trace& trace, const options& o) {
  const bool terminal = isatty(STDOUT_FILENO) != 0, animate = o.animate && terminal;
  std::cout << sys::headline(trace) << "\n\n";
  std::size_t lines = 0;
  for (const sys::array_frame& frame : trace.frames) {
    if (animate && lines != 0) std::cout << "\033[" << lines << "A\033[J";
    const std::string picture = sys::text(trace, frame, terminal ? sys::ink::ansi : sys::ink::plain);
    lines = static_cast<std::size_t>(std::ranges::count(picture, '\n'));
    std::cout << picture;
    if (!animate) std::cout << '\n';
    std::cout.flush();
    if (animate) std::this_thread::sleep_for(std::chrono::milliseconds(o.delay_ms));
  }
}

int run(const options& o) {
  tool::check_files({.written = {o.svg, o.html}});
  const sys::array_trace trace = record(o);
  if (!o.quiet) print(trace, o);
  std::cout << sys::summary(trace);
  if (!o.svg.empty()) rp::write_file(o.svg, sys::svg(trace));
  if (!o.html.empty()) rp::write_file(o.html, sys::html(trace));
  return tool::ok;
}

const tool::command command(
    "mxu trace", "Simulate a matrix product on a systolic array, cycle by cycle", [](CLI::App& app) -> tool::action {
      const auto o = std::make_shared<options>();
      const auto number = [&app](const char* option, auto& value, int least, int most, const char* what) {
        return app.add_option(option, value, what)->check(tool::number_in(least, most));
      };
      // Larger products take more than most_cycles.
      number("--m", o->extent.m, 1, most_cycles, "Rows of A and C")->capture_default_str();
      number("--k", o->extent.k, 1, most_cycles, "Columns of A, rows of B")->capture_default_str();
      number("--n", o->extent.n, 1, most_cycles, "Columns of B and C")->capture_default_str();
      number("--rows", o->rows, 1, largest, "Rows of the array (default: the product's, at most 4)");
      number("--cols", o->cols, 1, largest, "Columns of the array (default: the product's, at most 4)");
      app.add_option("--dataflow", o->flow, "Stationary operand: ws (weights), os (outputs), is (inputs)")
          ->transform(tool::one_of({"ws", "os", "is"}))
          ->capture_default_str();
      number("--fetch", o->fetch_cycles, 0, most_cycles, "Cycles for memory to deliver a tile")->capture_default_str();
      number("--fifo", o->fifo_depth, 1, most_cycles, "Tiles the FIFO holds")->capture_default_str();
      number("--accumulators", o->accumulator_rows, 0, most_cycles, "Rows of accumulators (0: as many as needed)")
          ->capture_default_str();
      number("--planes", o->planes, 1, 2, "Accumulator planes of an output-stationary array")->capture_default_str();
      app.add_flag("--animate", o->animate, "Redraw each cycle in place (terminals only)");
      number("--delay", o->delay_ms, 0, 60'000, "Milliseconds between cycles")->capture_default_str();
      app.add_flag("--quiet", o->quiet, "Print only the summary");
      app.add_option("--svg", o->svg, "Write all cycles as one SVG picture");
      app.add_option("--html", o->html, "Write an HTML page to step through");
      return [o] { return run(*o); };
    });

}  // namespace tool::mxu_trace
