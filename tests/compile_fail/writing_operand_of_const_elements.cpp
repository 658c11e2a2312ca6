// SPDX-License-Identifier: MIT
// expect: what an op reads is a pointer to const, what it writes is not
#include <ridgepoint/ops/operand.hpp>

namespace rp = ridgepoint;

#ifdef FIXED
using pointer = float*;
#else
using pointer = const float*;
#endif

int main() { return rp::operand::output("y", pointer{}, 8).empty() ? 1 : 0; }
