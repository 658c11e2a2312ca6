// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <vector>

#include <ridgepoint/core/shape.hpp>
#include <ridgepoint/graph/program.hpp>
#include <ridgepoint/roofline/profile.hpp>
#include <ridgepoint/roofline/spread.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// Seconds that body() takes.
template <class Clock, class Body>
[[nodiscard]] double seconds(Body&& body) {
  const auto start = Clock::now();
  body();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace detail

/// The row of what brings `bytes` from where the data are to where the step reads them.
[[nodiscard]] inline profile_row data_row(const shape& extents, std::uint64_t bytes) {
  return {.layer = "data",
          .pass = pass::feed,
          .shape = to_string(extents),
          .receipt = {.bytes = {.inputs = bytes, .outputs = bytes}},
          .footprint_bytes = 2 * bytes};
}

/// Times a program call by call over `count` steps, and as many whole steps, taken in turns so that both see the same
/// machine. feed() brings the next batch, finish() what ends a step; feed() gets the row `data`.
///
/// A row is the median over its steps; so is step_s, over the whole steps: what the rows leave of it is the residual.
template <class Clock = std::chrono::steady_clock, backend Backend, class Feed, class Finish>
[[nodiscard]] profile measure_steps(const program<Backend>& steps, int count, profile_row data, Feed&& feed,
                                    Finish&& finish) {
  require<value_error>(count >= 1, "profile: steps is ", count, "; must be >= 1");
  const Backend& on = steps.on();
  const std::size_t calls = steps.call_count();
  std::vector<std::vector<double>> elapsed(calls + 2, std::vector<double>(static_cast<std::size_t>(count)));
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    elapsed[calls + 1][i] = detail::seconds<Clock>([&] {
      feed();
      steps.run();
      on.synchronize();
      finish();
    });
    elapsed[calls][i] = detail::seconds<Clock>(feed);
    for (std::size_t c = 0; c < calls; ++c)
      elapsed[c][i] = detail::seconds<Clock>([&] {
        steps.run(c);
        on.synchronize();
      });
    finish();
  }

  profile result{.title = {}, .backend = on.name(), .rows = {}, .step_s = spread_of(elapsed[calls + 1]).median};
  if constexpr (requires { on.thread_count(); }) result.threads = on.thread_count();
  data.elapsed_s = spread_of(elapsed[calls]).median;
  result.rows.push_back(std::move(data));
  for (std::size_t c = 0; c < calls; ++c) {
    const planned_call& call = steps.steps().calls[c];
    result.rows.push_back({.layer = call.info.layer,
                           .pass = call.info.pass,
                           .shape = call.info.shape,
                           .receipt = call.info.receipt,
                           .elapsed_s = spread_of(elapsed[c]).median,
                           .footprint_bytes = steps.steps().footprint_bytes(call)});
  }
  return result;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
