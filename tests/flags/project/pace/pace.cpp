// SPDX-License-Identifier: MIT
#include "pace.hpp"

#ifndef NDEBUG
#error "must be built without assertions"
#endif

double pace() {
#ifdef __OPTIMIZE__
  return 2;
#else
  return 1;
#endif
}
