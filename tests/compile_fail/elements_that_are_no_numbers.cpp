// SPDX-License-Identifier: MIT
// expect: constraint
// expect: scalar
#include <ridgepoint/ops/gemm.hpp>

namespace rp = ridgepoint;

#ifdef FIXED
using element = float;
#else
using element = char;
#endif

int main() { return static_cast<int>(sizeof(rp::gemm_args<element>) * 0); }
