// SPDX-License-Identifier: MIT
#pragma once

/// What each copy of scale.cpp offers.
struct scale_table {
  int lanes;
  void (*scale)(float factor, float* x, int size);
};
