// SPDX-License-Identifier: MIT
// ridgepoint mxu trace: a small product on a systolic array, cycle by cycle, in the terminal or as a picture.
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <thread>

#include <ridgepoint/core/atomic_file.hpp>
#include <ridgepoint/mxu/array_trace_html.hpp>
#include <ridgepoint/mxu/array_trace_text.hpp>

#include "commands.hpp"
#include "writable.hpp"

namespace rp = ridgepoint;
namespace sys = rp::systolic;

namespace tool::mxu_trace {

constexpr rp::index_t largest = 6;  // rows and columns of an array worth looking at
constexpr std::uint64_t most_cycles = 500;

struct options {
  sys::gemm_extent extent{4, 3, 3};
  rp::index_t rows = 0, cols = 0;  // 0: as many as the product needs
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
  rp::require<rp::value_error>(cycles <= most_cycles, "trace: the product takes ", cycles, " cycles; must be at most ",
                               most_cycles);
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
  tool::check_writable(o.svg);
  tool::check_writable(o.html);
  const sys::array_trace trace = record(o);
  if (!o.quiet) print(trace, o);
  std::cout << sys::summary(trace);
  if (!o.svg.empty()) rp::write_file(o.svg, sys::svg(trace));
  if (!o.html.empty()) rp::write_file(o.html, sys::html(trace));
  return tool::ok;
}

const tool::command command(
    "mxu trace", "Show a product on a systolic array, cycle by cycle", [](CLI::App& app) -> tool::action {
      const auto o = std::make_shared<options>();
      app.add_option("--m", o->extent.m, "Rows of A and C")->capture_default_str();
      app.add_option("--k", o->extent.k, "Columns of A, rows of B")->capture_default_str();
      app.add_option("--n", o->extent.n, "Columns of B and C")->capture_default_str();
      app.add_option("--rows", o->rows, "Rows of the array, 1 to 6 (default: what the product needs, at most 4)");
      app.add_option("--cols", o->cols, "Columns of the array, 1 to 6 (default: what the product needs, at most 4)");
      app.add_option("--dataflow", o->flow, "What stays in the array: ws (weights), os (outputs), is (inputs)")
          ->check(CLI::IsMember({"ws", "os", "is"}))
          ->capture_default_str();
      app.add_option("--fetch", o->fetch_cycles, "Cycles in which memory delivers a tile")->capture_default_str();
      app.add_option("--fifo", o->fifo_depth, "Tiles the FIFO holds")->capture_default_str();
      app.add_option("--accumulators", o->accumulator_rows, "Rows of accumulators (0: as many as needed)")
          ->capture_default_str();
      app.add_option("--planes", o->planes, "Accumulator planes of an output-stationary array, 1 or 2")
          ->capture_default_str();
      app.add_flag("--animate", o->animate, "Draw the cycles over one another, if this is a terminal");
      app.add_option("--delay", o->delay_ms, "Milliseconds between cycles")
          ->check(CLI::Range(0, 60'000))
          ->capture_default_str();
      app.add_flag("--quiet", o->quiet, "Print only the summary");
      app.add_option("--svg", o->svg, "Write all cycles as one picture");
      app.add_option("--html", o->html, "Write a page to step through");
      return [o] { return run(*o); };
    });

}  // namespace tool::mxu_trace
