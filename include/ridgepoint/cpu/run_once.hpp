// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/scratch.hpp>
#include <ridgepoint/cpu/cpu_backend.hpp>
#include <ridgepoint/ops/prepare.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Prepares a call and runs it once, in memory of the thread.
template <cpu_backend On, class Args>
void run_once(const On& on, const Args& a) {
  struct tag;
  const auto made = prepare(on, a, prepare_options{});
  execute(on, made, a, {.workspace = thread_scratch<tag>(made.info.workspace_bytes), .constants = nullptr});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
