// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <ridgepoint/core/convert_elements.hpp>
#include <ridgepoint/core/supply.hpp>
#include <ridgepoint/graph/network.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Batches on their way to a network, two of them at most, while it learns from the one before. On a backend that does
/// not stage ahead: none.
template <std::floating_point T, backend Backend>
class batches_ahead {
 public:
  explicit batches_ahead(const network<T, Backend>&) {}

  /// Whether this batch was sent, and is still there.
  [[nodiscard]] bool holds(std::uint64_t) const noexcept { return false; }
  /// Sends what a feeder has taken, as batch `number`.
  void send(std::uint64_t, const feeder<T>&) const noexcept {}
  /// Feeds the network with a batch that is there.
  void take(std::uint64_t) const noexcept {}
  /// Returns when nothing is on its way.
  void finish() const noexcept {}
  /// Of both ends.
  [[nodiscard]] static std::size_t bytes(const network<T, Backend>&) noexcept { return 0; }
};

/// What of a batch goes where in a network, and from which of its inputs, then losses.
struct fed_column {
  slot to;
  element type;
  std::size_t offset, bytes;
};
/// The columns of a batch, one behind the other on boundaries of the backend's memory, and the bytes of all.
struct fed_columns {
  std::vector<fed_column> all;
  std::size_t bytes = 0;

  template <std::floating_point T, backend Backend>
  explicit fed_columns(const network<T, Backend>& of) {
    const auto add = [&](slot to, element type, index_t count) {
      const std::size_t size = static_cast<std::size_t>(count) * bytes_of(type);
      all.push_back({to, type, bytes, size});
      bytes += (size + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
    };
    const ridgepoint::plan& planned = of.program().plan();
    const batch_form& form = of.form();
    for (std::size_t i = 0; i < form.inputs.size(); ++i)
      add(of.made().inputs[i], planned[of.made().inputs[i]].type, form.batch * form.inputs[i].sample.size());
    for (std::size_t l = 0; l < form.targets.size(); ++l)
      add(of.made().losses[l].targets, planned[of.made().losses[l].targets].type, form.batch * form.targets[l].each);
  }
  /// What a feeder has taken for column c.
  template <std::floating_point T>
  [[nodiscard]] static host_values<T> of(const feeder<T>& batches, std::size_t c) {
    return c < batches.inputs() ? batches.x(c) : batches.targets(c - batches.inputs());
  }
};

template <std::floating_point T, backend Backend>
  requires stages_ahead<Backend>
class batches_ahead<T, Backend> {
 public:
  explicit batches_ahead(const network<T, Backend>& of)
      : columns_(of), lanes_{lane(of, columns_), lane(of, columns_)} {}

  [[nodiscard]] bool holds(std::uint64_t number) const noexcept { return lane_of(number).number == number; }
  void send(std::uint64_t number, const feeder<T>& batches) {
    lane& free = lane_of(number);
    free.number = none;
    auto* const to = static_cast<std::byte*>(free.area.open());
    for (std::size_t c = 0; c < columns_.all.size(); ++c) {
      const host_values<T> from = fed_columns::of(batches, c);
      convert_elements(to + columns_.all[c].offset, columns_.all[c].type, from.data(), from.type(), from.size());
    }
    free.area.send();
    free.number = number;
  }
  void take(std::uint64_t number) { lane_of(number).area.take(); }
  void finish() {
    for (lane& each : lanes_) each.area.finish();
  }
  [[nodiscard]] static std::size_t bytes(const network<T, Backend>& of) { return 2 * 2 * fed_columns(of).bytes; }

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  using staging = decltype(std::declval<const Backend&>().stage(std::span<const staged_part>()));
  /// Batches with even numbers go by one, those with odd ones by the other.
  struct lane {
    staging area;
    std::uint64_t number = none;

    lane(const network<T, Backend>& of, const fed_columns& columns)
        : area(of.program().on().stage(parts(of, columns))) {}
    [[nodiscard]] static std::vector<staged_part> parts(const network<T, Backend>& of, const fed_columns& columns) {
      std::vector<staged_part> all;
      for (const fed_column& c : columns.all) all.push_back({of.program().at()(c.to), c.offset, c.bytes});
      return all;
    }
  };
  [[nodiscard]] lane& lane_of(std::uint64_t number) noexcept { return lanes_[number % 2]; }
  [[nodiscard]] const lane& lane_of(std::uint64_t number) const noexcept { return lanes_[number % 2]; }

  fed_columns columns_;
  std::array<lane, 2> lanes_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
