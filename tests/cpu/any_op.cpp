// SPDX-License-Identifier: MIT
#include "support/any_op.hpp"

#include <ridgepoint/cpu/all.hpp>

#include "support/cpu_copies.hpp"

namespace rp = ridgepoint;

TEST_CASE("every op of the CPU accesses only the operands that it lists") {
  constexpr int samples = 100;  // different samples on each instruction set
  any_op::all_keep_to_their_operands(on_cpu(1), samples, rp::dispatched_ops{}, samples * tested::isa().number);
}
