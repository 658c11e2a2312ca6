// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include <ridgepoint/ops/prepare.hpp>

#include "support/guarded.hpp"

/// Runs a prepared call in memory of exactly the reported size: workspace and constants end at a page without access,
/// and start with garbage.
template <class Backend, class State, class Args>
void run_prepared(const Backend& on, const State& made, const Args& args) {
  const auto memory = [](std::size_t bytes) {
    guarded_vector<std::byte> all(static_cast<std::ptrdiff_t>(bytes), placement_in_page::at_the_end);
    std::fill_n(all.data(), all.size(), std::byte{0xff});  // NaN
    return all;
  };
  const auto workspace = memory(made.info.workspace_bytes), constants = memory(made.info.constant_bytes);
  if (made.info.constant_bytes != 0) make_constants(on, made, args, constants.data());
  execute(on, made, args, {.workspace = workspace.data(), .constants = constants.data()});
}
