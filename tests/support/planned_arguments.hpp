// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <ridgepoint/graph/plan.hpp>

/// The arguments of every call of one op in a plan, in order of execution, without any memory.
template <class Args>
std::vector<Args> planned_arguments(const ridgepoint::plan& steps) {
  ridgepoint::addresses nowhere;
  for (std::size_t i = 0; i < steps.planned_slots.size(); ++i) nowhere.add(nullptr);
  std::vector<Args> all;
  for (const ridgepoint::planned_call& call : steps.calls)
    if (call.op == ridgepoint::op_id_of<Args>) all.push_back(*static_cast<const Args*>(call.arguments(nowhere).get()));
  return all;
}
