// SPDX-License-Identifier: MIT
#pragma once

/// Interface of each copy of scale.cpp.
struct scale_table {
  int lanes;
  void (*scale)(float factor, float* x, int size);
};
