// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "graph/toy.hpp"

/// A batch of toy::corners, by its number.
struct corner_batch {
  static constexpr ridgepoint::index_t size = 32;
  std::vector<float> x = std::vector<float>(size * 6);
  std::vector<std::int32_t> labels = std::vector<std::int32_t>(size);
  explicit corner_batch(int number) {
    std::vector<ridgepoint::index_t> rows;
    for (ridgepoint::index_t i = 0; i < size; ++i) rows.push_back(number * size + i);
    toy::corners().gather(rows, x.data(), labels.data());
  }
};
