// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <ridgepoint/core/atomic_file.hpp>
#include <ridgepoint/core/shape.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

[[nodiscard]] constexpr std::uint32_t idx_magic(int rank) noexcept {
  return 0x0800U + static_cast<std::uint32_t>(rank);
}

}  // namespace detail

/// Writes an IDX file of unsigned bytes: whole or not at all.
/// Throws: data_error if it cannot be written, shape_error if the extents do not match the values or 32 bits.
inline void write_idx(const std::string& path, const shape& extents, std::span<const std::uint8_t> values) {
  require<shape_error>(extents.rank() >= 1 && static_cast<std::size_t>(extents.size()) == values.size(),
                       "write_idx: shape is ", extents, " for ", values.size(),
                       " values; must be as many, and rank >= 1");
  std::vector<std::uint8_t> header;
  const auto append = [&](std::uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) header.push_back(static_cast<std::uint8_t>(number >> shift));
  };
  append(detail::idx_magic(extents.rank()));
  for (const index_t extent : extents) {
    require<shape_error>(extent <= 0xFFFFFFFF, "write_idx: extent is ", extent, "; must fit 32 bits");
    append(static_cast<std::uint32_t>(extent));
  }
  atomic_file file(path);
  file.write(header.data(), header.size());
  file.write(values.data(), values.size());
  file.commit();
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
