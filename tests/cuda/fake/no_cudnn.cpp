// SPDX-License-Identifier: MIT
// For builds without cuDNN: has no fake cuDNN.
#include "cudnn.hpp"

bool fake::has_cudnn() { return false; }
void fake::set_engines(engines) {}
void fake::set_failing_engine(std::int64_t) {}
std::int64_t fake::last_engine() { return 0; }
void fake::set_cells(cells) {}
fake::cell_run fake::last_cell() { return {}; }
