// SPDX-License-Identifier: MIT
// expect: gemm: c must be a mutable matrix of float or double
#include <ridgepoint/reference/gemm.hpp>

namespace rp = ridgepoint;

#ifdef FIXED
using element = float;
#else
using element = char;
#endif

int main() {
  element a[6] = {}, c[4] = {};
  rp::gemm<element>(rp::reference, {a, 2, 3}, {a, 3, 2}, {c, 2, 2});
}
