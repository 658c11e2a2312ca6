// SPDX-License-Identifier: MIT
#pragma once

struct sum_table {
  float (*unkeyed_sum)(const float* x, int size);
  float (*keyed_sum)(const float* x, int size);
  float (*sorted_first)(const float* x, int size);
};
