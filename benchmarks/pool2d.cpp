// SPDX-License-Identifier: MIT
// bench_pool2d: the poolings of shapes/pool.csv, forward and backward.
#include "images.hpp"

void register_benchmarks();
void register_benchmarks() {
  suite::threads();
  suite::add_images("pool.csv", measurement::columns::pool, {"forward", "backward"});
}
