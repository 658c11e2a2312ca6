// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <vector>

#include <ridgepoint/graph/batches_ahead.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// All samples of a feeder in the backend's memory, from where each batch is gathered: what the host gives to an epoch
/// is their order.
template <std::floating_point T, backend Backend>
  requires gathers_rows<Backend>
class resident_batches {
 public:
  /// Takes all of them; check(count) looks at what was taken.
  /// Throws: where it takes them, and what check throws; what the backend throws if they do not fit.
  template <class Check>
  resident_batches(const network<T, Backend>& of, feeder<T>& batches, const Check& check)
      : of_(of), columns_(of), order_(of.program().on().allocate(bytes_of_order(batches.size()))) {
    const index_t batch = of.made().batch;
    const Backend& on = of.program().on();
    for (const fed_column& c : columns_.all) held_.push_back(on.allocate(row_bytes(c) * count_of(batches)));
    batches.in_order();
    std::vector<std::byte> converted(columns_.bytes);
    for (index_t first = 0; first < batches.size(); first += batch) {
      const index_t count = (std::min)(batch, batches.size() - first);
      batches.take(first, count);
      check(count);
      for (std::size_t c = 0; c < held_.size(); ++c) {
        const fed_column& column = columns_.all[c];
        const host_values<T> from = fed_columns::of(batches, c);
        convert_elements(converted.data(), column.type, from.data(), from.type(), from.size());
        on.upload(static_cast<std::byte*>(held_[c].data()) + static_cast<std::size_t>(first) * row_bytes(column),
                  converted.data(), static_cast<std::size_t>(count) * row_bytes(column));
      }
    }
  }
  /// What so many samples take.
  [[nodiscard]] static std::size_t bytes(const network<T, Backend>& of, index_t samples) {
    std::size_t all = bytes_of_order(samples);
    for (const fed_column& c : fed_columns(of).all) all += row_bytes(of, c) * static_cast<std::size_t>(samples);
    return all;
  }
  /// The order of the samples from now on.
  void begin_epoch(std::span<const index_t> order) const {
    of_.program().on().upload(order_.data(), order.data(), order.size_bytes());
  }
  /// Feeds the network with batch number `number` of the order.
  void take(index_t number) const {
    const index_t batch = of_.made().batch;
    for (std::size_t c = 0; c < held_.size(); ++c)
      of_.program().on().gather_rows(of_.program().at()(columns_.all[c].to), held_[c].data(),
                                     row_bytes(columns_.all[c]),
                                     static_cast<const index_t*>(order_.data()) + number * batch, batch);
  }

 private:
  [[nodiscard]] static std::size_t count_of(const feeder<T>& batches) {
    return static_cast<std::size_t>(batches.size());
  }
  [[nodiscard]] static std::size_t bytes_of_order(index_t samples) {
    return static_cast<std::size_t>(checked_mul(samples, sizeof(index_t)));
  }
  [[nodiscard]] static std::size_t row_bytes(const network<T, Backend>& of, const fed_column& c) {
    return c.bytes / static_cast<std::size_t>(of.made().batch);
  }
  [[nodiscard]] std::size_t row_bytes(const fed_column& c) const { return row_bytes(of_, c); }

  const network<T, Backend>& of_;
  fed_columns columns_;
  typename Backend::buffer order_;
  std::vector<typename Backend::buffer> held_;  // by column
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
