// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace fake {

/// Whether there is a cuDNN that is played.
bool has_cudnn();

/// Which engines cuDNN finds: all of them, those it falls back on, none, or ten that compute as any call asks them to,
/// numbers 30 to 39.
enum class engines { all, fallback, none, ten };
void set_engines(engines found);
/// The number of the engine that fails whenever it runs; 0: none does.
void set_failing_engine(std::int64_t number);

/// The number of the engine that ran last, 0 before the first: 10 computes in tensor floats, 14 by Winograd's algorithm
/// with a workspace of 3000 bytes, 15 by Fourier's with 2000, 20 by the products of the definition with 2500.
std::int64_t last_engine();

/// Which recurrent layers cuDNN has: by all its algorithms, by the standard one alone, by that alone when it comes to
/// computing them, planned ones that it does not compute, none, or the part of cuDNN that has them is not there.
enum class cells { all, standard, standard_when_run, none_when_run, none, not_there };
void set_cells(cells has);

/// By which algorithm the last one was computed and how it multiplied, -1 before the first: numbers of cudnnRNNAlgo_t
/// and cudnnMathType_t.
struct cell_run {
  int algorithm = -1, products = -1;
};
cell_run last_cell();

}  // namespace fake
