// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <ridgepoint/cpu/parts.hpp>

#include "support/agreement.hpp"
#include "support/cpu_copies.hpp"
#include "support/tested_isa.hpp"

/// Sizes around a register, around the unrolled loop, and around the parts that threads share.
template <class T>
[[nodiscard]] std::vector<ridgepoint::index_t> cpu_sizes() {
  using agreement::around;
  std::vector<ridgepoint::index_t> sizes = around(tested::lanes<T>());
  for (const ridgepoint::index_t size : around(4 * tested::lanes<T>())) sizes.push_back(size);
  for (const ridgepoint::index_t size : around(ridgepoint::part_elements)) sizes.push_back(size);
  std::erase(sizes, 0);
  return sizes;
}
/// A size whose loop has a body and a tail.
template <class T>
[[nodiscard]] ridgepoint::index_t body_and_tail() {
  return 4 * tested::lanes<T>() + tested::lanes<T>() / 2 + 1;
}
