// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include <ridgepoint/ops/prepare.hpp>

#include "peer.hpp"

namespace peer {

/// Sets a task to run a backend's prepared call, with its algorithm and its planner's prediction for one thread.
/// Requires: the problem outlives the task.
template <class Backend, class Args>
void run_prepared_call(task& t, const Backend& on, const Args& args, const ridgepoint::prepare_options& options = {}) {
  const auto call = std::make_shared<const ridgepoint::prepared<Backend, Args>>(on, args, options);
  t.run = [call] { call->run(); };
  t.detail = call->info().algorithm;
  if constexpr (requires { on.thread_count(); })
    if (on.thread_count() == 1) t.predicted_cycles = call->info().predicted_cycles;
}

}  // namespace peer
