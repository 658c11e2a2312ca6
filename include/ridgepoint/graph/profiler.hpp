// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include <ridgepoint/core/shape.hpp>
#include <ridgepoint/graph/program.hpp>
#include <ridgepoint/roofline/host_watch.hpp>
#include <ridgepoint/roofline/profile.hpp>
#include <ridgepoint/roofline/spread.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// Seconds that body() takes on a backend: by its own events where it has elapsed_s(body), else by the host's clock.
template <class Clock, backend Backend, class Body>
[[nodiscard]] double seconds(const Backend& on, Body&& body) {
  if constexpr (requires {
                  { on.elapsed_s(body) } -> std::same_as<double>;
                }) {
    return on.elapsed_s(body);
  } else {
    const auto start = Clock::now();
    body();
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
}

}  // namespace detail

/// Told after each measured step how many of how many are done; they become more if the host was busy.
using step_progress = std::function<void(int done, int total)>;

/// The row of what brings `bytes` from where the data are to where the step reads them.
[[nodiscard]] inline profile_row data_row(const shape& extents, std::uint64_t bytes) {
  return {.layer = "data",
          .pass = pass::feed,
          .shape = to_string(extents),
          .receipt = {.bytes = {.inputs = bytes, .outputs = bytes}},
          .footprint_bytes = 2 * bytes};
}

namespace detail {

/// Seconds of every call in every step; behind the calls feed(), and last whole steps.
struct step_times {
  std::vector<std::vector<double>> elapsed_s;
  disturbance meanwhile;
};

/// Times `count` steps call by call and as many whole ones, in turns, and what else the machine does in that time.
template <class Clock, backend Backend, class Feed, class Finish>
[[nodiscard]] step_times time_steps(const program<Backend>& steps, int count, Feed& feed, Finish& finish,
                                    const std::function<void()>& told) {
  const Backend& on = steps.on();
  const std::size_t calls = steps.call_count();
  step_times t{.elapsed_s{calls + 2, std::vector<double>(static_cast<std::size_t>(count))}, .meanwhile = {}};
  const host_watch watch;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    t.elapsed_s[calls + 1][i] = seconds<Clock>(on, [&] {
      feed();
      steps.run();
      on.synchronize();
      finish();
    });
    t.elapsed_s[calls][i] = seconds<Clock>(on, feed);
    for (std::size_t c = 0; c < calls; ++c)
      t.elapsed_s[c][i] = seconds<Clock>(on, [&] {
        steps.run(c);
        on.synchronize();
      });
    finish();
    told();
  }
  const spread whole = spread_of(t.elapsed_s.back());
  t.meanwhile = watch.so_far();
  if (count >= 10) t.meanwhile.slowdown = whole.median / whole.min;  // of a few steps the first ones decide
  return t;
}

}  // namespace detail

/// Times a program call by call over `count` steps, and as many whole steps, taken in turns so that both see the same
/// machine. feed() brings the next batch, finish() what ends a step; feed() gets the row `data`.
///
/// A row is the median over its steps; so is step_s, over the whole steps: what the rows leave of it is the residual.
/// If the host was busy meanwhile, all is done once more, and the attempt with the faster step counts.
template <class Clock = std::chrono::steady_clock, backend Backend, class Feed, class Finish>
[[nodiscard]] profile measure_steps(const program<Backend>& steps, int count, profile_row data, Feed&& feed,
                                    Finish&& finish, const step_progress& told = {}) {
  require<value_error>(count >= 1, "profile: steps is ", count, "; must be >= 1");
  const auto median_s = [](const std::vector<double>& samples) { return spread_of(samples).median; };
  int done = 0, total = count;
  const auto tell = [&] {
    if (told) told(++done, total);
  };
  detail::step_times times = detail::time_steps<Clock>(steps, count, feed, finish, tell);
  if (times.meanwhile.busy()) {
    total += count;
    detail::step_times again = detail::time_steps<Clock>(steps, count, feed, finish, tell);
    if (median_s(again.elapsed_s.back()) < median_s(times.elapsed_s.back())) times = std::move(again);
    times.meanwhile.attempts = 2;
  }

  const Backend& on = steps.on();
  const std::size_t calls = steps.call_count();
  profile result{.title = {}, .backend = on.name(), .rows = {}, .step_s = median_s(times.elapsed_s[calls + 1])};
  result.meanwhile = times.meanwhile;
  if constexpr (requires { on.thread_count(); }) result.threads = on.thread_count();
  data.elapsed_s = median_s(times.elapsed_s[calls]);
  result.rows.push_back(std::move(data));
  for (std::size_t c = 0; c < calls; ++c) {
    const planned_call& call = steps.plan().calls[c];
    result.rows.push_back({.layer = call.info.layer,
                           .pass = call.info.pass,
                           .shape = call.info.shape,
                           .receipt = call.info.receipt,
                           .elapsed_s = median_s(times.elapsed_s[c]),
                           .footprint_bytes = steps.plan().footprint_bytes(call),
                           .backend = steps.executed_by(c),
                           .algorithm = steps.told(c).algorithm,
                           .executed_flop = steps.told(c).executed.flop});
  }
  const auto own = [&](const profile_row& row) { return row.backend.empty() || row.backend == result.backend; };
  if (std::all_of(result.rows.begin(), result.rows.end(), own))
    for (profile_row& row : result.rows) row.backend.clear();
  return result;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
