// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/cpu/gemm_schedule.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/add_columns.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// A sum of many terms, each of `size` values, in chunks of adjacent terms that threads add up, each for itself: as
/// many as wanted, at most 16, of 8 MiB. They depend on the shape alone, and so do the bits.
template <class T>
struct chunked_sum {
  index_t terms = 0, size = 0;
  index_t chunks = 0, chunk = 0;  // how many, and terms of one
  std::size_t bytes = 0;          // of the chunks' sums

  chunked_sum() = default;
  chunked_sum(index_t terms_, index_t size_, index_t wanted) noexcept : terms(terms_), size(size_) {
    if (terms == 0) return;
    const index_t room = (8 << 20) / (std::max<index_t>(size, 1) * static_cast<index_t>(sizeof(T)));
    chunk = ceil_div(terms, std::clamp<index_t>(wanted, 1, std::clamp<index_t>(room, 1, std::min<index_t>(16, terms))));
    chunks = ceil_div(terms, chunk);
    keep();
  }
  /// A sum of the same chunks with other values.
  [[nodiscard]] chunked_sum of_size(index_t other) const noexcept {
    chunked_sum alike = *this;
    alike.size = other;
    alike.keep();
    return alike;
  }
  [[nodiscard]] index_t begin(index_t number) const noexcept { return number * chunk; }
  [[nodiscard]] index_t end(index_t number) const noexcept { return std::min(terms, (number + 1) * chunk); }
  /// Where a chunk's sum goes: to the result itself where there is but one.
  [[nodiscard]] T* sum(index_t number, T* result, std::byte* sums) const noexcept {
    return chunks == 1 ? result : reinterpret_cast<T*>(sums) + number * step();
  }
  /// result ← the chunks' sums, added in their order; zeros where there are none.
  void finish(const native_cpu& on, T* result, const std::byte* sums) const noexcept {
    if (chunks == 1) return;
    if (chunks == 0) return std::fill_n(result, size, T(0)), void();
    const T* const first = reinterpret_cast<const T*>(sums);
    for_parts(on, size, [&](index_t begin, index_t end) {
      for (index_t i = begin; i < end; ++i) {
        T total = first[i];
        for (index_t number = 1; number < chunks; ++number) total += first[number * step() + i];
        result[i] = total;
      }
    });
  }

 private:
  void keep() noexcept { bytes = chunks > 1 ? static_cast<std::size_t>(chunks) * piece_bytes<T>(size) : 0; }
  [[nodiscard]] index_t step() const noexcept { return static_cast<index_t>(piece_bytes<T>(size) / sizeof(T)); }
};

using kernels::add_columns;

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
