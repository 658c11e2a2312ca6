// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::tpu {

/// How often a product reads each operand from HBM.
struct operand_reads {
  index_t a = 1, b = 1;
  friend constexpr bool operator==(const operand_reads&, const operand_reads&) = default;
};

/// Reads of A (m×k) and B (k×n) when VMEM holds a block of C in fp32 in one half, panels of A and B in the other.
///
/// A block of mb × nb values of C reads A once per block of columns, ⌈n/nb⌉ times in all, and B ⌈m/mb⌉ times. The block
/// is the cheapest of three: all rows, all columns, or square. An operand that fits a quarter of VMEM stays there and
/// is read once. Throws: shape_error if an extent is < 1.
[[nodiscard]] inline operand_reads block_for_vmem(std::uint64_t vmem_bytes, index_t m, index_t n, double a_bytes,
                                                  double b_bytes) {
  require<shape_error>(m >= 1 && n >= 1, "block_for_vmem: c is ", m, 'x', n, "; both must be >= 1");
  const auto values = static_cast<index_t>(std::min<std::uint64_t>(vmem_bytes, 1ULL << 50) / 8);
  const index_t block = std::max<index_t>(128 * 128, values);
  const auto side = static_cast<index_t>(std::sqrt(static_cast<double>(block)));
  const double resident = static_cast<double>(vmem_bytes) / 4;
  operand_reads best;
  double least = 0;
  for (const index_t rows : {m, block / (std::min)(n, block), side}) {
    const index_t mb = std::clamp<index_t>(rows, 1, (std::min)(m, block)), nb = std::clamp<index_t>(block / mb, 1, n);
    const operand_reads reads{a_bytes <= resident ? 1 : ceil_div(n, nb), b_bytes <= resident ? 1 : ceil_div(m, mb)};
    const double bytes = a_bytes * static_cast<double>(reads.a) + b_bytes * static_cast<double>(reads.b);
    if (exactly(least, 0) || bytes < least) least = bytes, best = reads;
  }
  return best;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::tpu
