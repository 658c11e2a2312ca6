// SPDX-License-Identifier: MIT
#include "measurement/flags/floating_point.hpp"

#include <doctest/doctest.h>

TEST_CASE("floating-point operation and width of instructions") {
  using enum measurement::floating_work;
  const struct {
    const char *mnemonic, *operands;
    measurement::floating_work work;
    int bits;
  } cases[] = {{"vfmadd231ps", "(%rax),%zmm1,%zmm0", fused, 512},
               {"vfnmsub132pd", "%ymm2,%ymm1,%ymm0", fused, 256},
               {"vfmaddsub213ps", "%xmm2,%xmm1,%xmm0", fused, 128},
               {"vfmadd213ss", "%xmm2,%xmm1,%xmm0", fused, 0},
               {"vfmaddps", "%ymm3,%ymm2,%ymm1,%ymm0", fused, 256},
               {"vdpbf16ps", "%zmm2,%zmm1,%zmm0", fused, 512},
               {"vfcmaddcph", "%zmm2,%zmm1,%zmm0", fused, 512},
               {"vfmulcph", "%zmm2,%zmm1,%zmm0", arithmetic, 512},
               {"mulps", "%xmm1,%xmm0", arithmetic, 128},
               {"vaddps", "(%rax){1to16},%zmm1,%zmm0", arithmetic, 512},
               {"vmaxpd", "(%rax),%ymm1,%ymm0", arithmetic, 256},
               {"vsqrtsd", "%xmm1,%xmm1,%xmm0", arithmetic, 0},
               {"divss", "%xmm1,%xmm0", arithmetic, 0},
               {"vhaddps", "%ymm1,%ymm1,%ymm0", arithmetic, 256},
               {"fmulp", "%st,%st(1)", arithmetic, 0},
               {"fsubrs", "(%rax)", arithmetic, 0},
               {"fldt", "(%rax)", other, 0},
               {"vmovups", "(%rax),%ymm0", other, 256},
               {"vbroadcastss", "(%rax),%ymm0", other, 256},
               {"vcmpltps", "%zmm1,%zmm0,%k1", other, 512},
               {"movss", "(%rax),%xmm0", other, 0},
               {"ucomisd", "%xmm1,%xmm0", other, 0},
               {"vpmaxsd", "%ymm2,%ymm1,%ymm0", none, 0},  // on integers
               {"paddd", "%xmm1,%xmm0", none, 0},
               {"vmovdqu", "(%rax),%ymm0", none, 0},
               {"fxsave", "(%rax)", none, 0},
               {"add", "$0x20,%rax", none, 0},
               {"sub", "%rax,%rdx", none, 0},
               {"push", "%rbp", none, 0},
               {"vzeroupper", "", none, 0},
               {"", "", none, 0},
               {"v", "", none, 0},
               {"vps", "", none, 0}};
  for (const auto& c : cases) {
    CAPTURE(c.mnemonic);
    const auto use = measurement::floating_use_of({.mnemonic = c.mnemonic, .operands = c.operands});
    CHECK(use.work == c.work);
    CHECK(use.bits == c.bits);
  }
}
