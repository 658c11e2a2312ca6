// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace fake {

/// Returns whether there is a fake cuDNN.
bool has_cudnn();

/// The engines that cuDNN finds: all, only fallback engines, none, or ten (numbers 30 to 39) that satisfy the
/// requirements of any call.
enum class engines { all, fallback, none, ten };
void set_engines(engines found);
/// Sets the engine that fails whenever it runs; 0: none.
void set_failing_engine(std::int64_t number);

/// Returns the number of the engine that ran last, 0 before the first: 10 uses tensor floats, 14 Winograd with a
/// workspace of 3000 bytes, 15 FFT with 2000, 20 the products of the definition with 2500.
std::int64_t last_engine();

/// The recurrent layers of the fake cuDNN: all algorithms; only the standard algorithm; all planned, but only the
/// standard one computes; all planned, but none computes; none; or cuDNN without its library of recurrent layers.
enum class cells { all, standard, standard_when_run, none_when_run, none, not_there };
void set_cells(cells has);

/// The algorithm and math type of the last run, -1 before the first: numbers of cudnnRNNAlgo_t and cudnnMathType_t.
struct cell_run {
  int algorithm = -1, products = -1;
};
cell_run last_cell();

}  // namespace fake
