// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include <ridgepoint/core/shape.hpp>
#include <ridgepoint/graph/program.hpp>
#include <ridgepoint/roofline/environment.hpp>
#include <ridgepoint/roofline/measure.hpp>
#include <ridgepoint/roofline/profile.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// Measures body() on a backend in seconds: with elapsed_s(body) if the backend has it, else with the host's clock.
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

/// Called after each measured step with the steps done and the total; the total grows if the host was busy.
using step_progress = std::function<void(int done, int total)>;

/// Returns the row of the transfer of `bytes` from the data to the memory that the step reads.
[[nodiscard]] inline profile_row data_row(const shape& extents, std::uint64_t bytes) {
  return {.layer = "data",
          .pass = pass::feed,
          .shape = to_string(extents),
          .receipt = {.bytes = {.inputs = bytes, .outputs = bytes}},
          .footprint_bytes = 2 * bytes};
}

namespace detail {

/// A unit of execution of a program: a call, or a chain of calls.
struct timed_calls {
  std::size_t first = 0;
  const call_chain* chain = nullptr;  // null: a single call
  [[nodiscard]] std::size_t end() const noexcept { return chain == nullptr ? first + 1 : chain->end; }
};
template <backend Backend>
[[nodiscard]] std::vector<timed_calls> timed_calls_of(const program<Backend>& steps) {
  std::vector<timed_calls> all;
  auto chain = steps.chains().begin();
  for (std::size_t c = 0; c < steps.call_count();) {
    const bool begins = chain != steps.chains().end() && chain->first == c;
    all.push_back({.first = c, .chain = begins ? &*chain : nullptr});
    c = begins ? chain++->end : c + 1;
  }
  return all;
}

/// Returns the row of a unit of execution. A chain is named after all its layers; its FLOP are the sum over its ops,
/// its bytes the remaining traffic.
template <backend Backend>
[[nodiscard]] profile_row row_of(const program<Backend>& steps, const timed_calls& timed) {
  const std::size_t first = timed.first;
  const planned_call& call = steps.plan().calls[first];
  profile_row row{.layer = call.info.layer,
                  .pass = call.info.pass,
                  .shape = call.info.shape,
                  .receipt = call.info.receipt,
                  .footprint_bytes = steps.plan().footprint_bytes(call),
                  .backend = steps.executed_by(first),
                  .algorithm = steps.info(first).algorithm,
                  .executed_flop = steps.info(first).executed.flop};
  if (timed.chain == nullptr) return row;
  row.algorithm = call.op->name;
  for (std::size_t c = first + 1; c < timed.end(); ++c) {
    const planned_call& next = steps.plan().calls[c];
    if (next.info.layer != steps.plan().calls[c - 1].info.layer) row.layer += '+' + next.info.layer;
    row.algorithm += concat('+', next.op->name);
    row.receipt += next.info.receipt;
  }
  row.executed_flop = row.receipt.flop;
  row.receipt.bytes = timed.chain->bytes;
  row.footprint_bytes = timed.chain->footprint_bytes;
  return row;
}

/// Seconds of each unit of execution per step; then feed(), and last whole steps.
struct step_times {
  std::vector<std::vector<double>> elapsed_s;
  disturbance meanwhile;
};

/// Times `count` steps call by call and as many whole steps, alternating, and records other load on the machine.
template <class Clock, backend Backend, class Feed, class Finish>
[[nodiscard]] step_times time_steps(const program<Backend>& steps, int count, Feed& feed, Finish& finish,
                                    const std::function<void()>& after_run) {
  const Backend& on = steps.on();
  const std::vector<timed_calls> timed = timed_calls_of(steps);
  const std::size_t calls = timed.size();
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
        steps.run_unrecorded(timed[c].first, timed[c].end());
        on.synchronize();
      });
    finish();
    after_run();
  }
  const spread whole = spread_of(t.elapsed_s.back());
  t.meanwhile = watch.so_far();
  if (count >= 10) t.meanwhile.slowdown = whole.median / whole.min;  // with fewer steps, the first ones dominate
  return t;
}

}  // namespace detail

/// Times a program call by call over `count` steps, and as many whole steps, alternating so that both see the same
/// machine state; a chain is one call. feed() supplies the next batch, finish() ends a step; feed() is reported as row
/// `data`.
///
/// A row is the median over its steps, and step_s the median over the whole steps; step_s minus the sum of the rows is
/// the residual. If the host was busy, everything is repeated once, and the attempt with the faster step counts; with
/// several ranks, if the host of any of them was.
template <class Clock = std::chrono::steady_clock, backend Backend, class Feed, class Finish>
[[nodiscard]] profile measure_steps(const program<Backend>& steps, int count, profile_row data, Feed&& feed,
                                    Finish&& finish, const step_progress& on_progress = {},
                                    gradient_exchange* exchange = nullptr) {
  require<value_error>(count >= 1, "profile: steps is ", count, "; must be >= 1");
  const auto median_s = [](const std::vector<double>& samples) { return spread_of(samples).median; };
  int done = 0, total = count;
  const auto tell = [&] {
    if (on_progress) on_progress(++done, total);
  };
  detail::step_times times = detail::time_steps<Clock>(steps, count, feed, finish, tell);
  const double busy = times.meanwhile.busy() ? 1 : 0;
  if ((exchange == nullptr ? busy : exchange->largest(busy)) > 0) {
    total += count;
    detail::step_times again = detail::time_steps<Clock>(steps, count, feed, finish, tell);
    if (median_s(again.elapsed_s.back()) < median_s(times.elapsed_s.back())) times = std::move(again);
    times.meanwhile.attempts = 2;
  }

  const Backend& on = steps.on();
  const std::vector<detail::timed_calls> timed = detail::timed_calls_of(steps);
  profile result{.title = {}, .backend = on.name(), .rows = {}, .step_s = median_s(times.elapsed_s.back())};
  result.meanwhile = times.meanwhile;
  if constexpr (requires { on.thread_count(); }) result.threads = on.thread_count();
  data.elapsed_s = median_s(times.elapsed_s[timed.size()]);
  result.rows.push_back(std::move(data));
  for (std::size_t c = 0; c < timed.size(); ++c) {
    result.rows.push_back(detail::row_of(steps, timed[c]));
    result.rows.back().elapsed_s = median_s(times.elapsed_s[c]);
  }
  const auto own = [&](const profile_row& row) { return row.backend.empty() || row.backend == result.backend; };
  if (std::all_of(result.rows.begin(), result.rows.end(), own))
    for (profile_row& row : result.rows) row.backend.clear();
  return result;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
