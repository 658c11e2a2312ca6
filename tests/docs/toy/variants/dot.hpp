// SPDX-License-Identifier: MIT
#pragma once

/// Interface of each copy of dot.cpp: plain data with the same layout in every copy.
struct dot_table {
  int lanes;
  float (*dot)(const float* x, const float* y, int size);
};
