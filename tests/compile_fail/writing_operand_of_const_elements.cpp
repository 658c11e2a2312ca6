// SPDX-License-Identifier: MIT
// expect: an op reads pointers to const and writes pointers to non-const
#include <ridgepoint/ops/operand.hpp>

namespace rp = ridgepoint;

#ifdef FIXED
using pointer = float*;
#else
using pointer = const float*;
#endif

int main() { return rp::operand::output("y", pointer{}, 8).empty() ? 1 : 0; }
