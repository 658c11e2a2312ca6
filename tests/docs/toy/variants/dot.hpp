// SPDX-License-Identifier: MIT
#pragma once

/// What each copy of dot.cpp offers: plain data, laid out alike in every copy.
struct dot_table {
  int lanes;
  float (*dot)(const float* x, const float* y, int size);
};
