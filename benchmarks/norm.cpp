// SPDX-License-Identifier: MIT
// bench_norm: batch and layer normalisation of shapes/norm.csv, forward, backward and for inference.
#include "images.hpp"

void register_benchmarks();
void register_benchmarks() {
  suite::threads();
  suite::add_images("norm.csv", measurement::columns::norm, {"forward", "backward", "inference"});
}
