// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <span>
#include <type_traits>
#include <utility>

#include <ridgepoint/core/buffer.hpp>
#include <ridgepoint/core/view.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A dense row-major tensor that owns host memory, 64-byte aligned, zero on construction.
///
/// Example:
///   rp::tensor<float> a({128, 784});
///   a.matrix()(3, 5) = 1.0F;                                // 128x784 view
template <class T>
  requires std::is_trivially_copyable_v<T>
class tensor {
 public:
  tensor() : tensor(ridgepoint::shape{0}) {}
  /// Throws: shape_error if the size in bytes does not fit; std::bad_alloc.
  explicit tensor(const ridgepoint::shape& extents)
      : shape_(extents), memory_(static_cast<std::size_t>(checked_mul(extents.size(), sizeof(T)))) {
    std::fill_n(data(), size(), T{});
  }
  tensor(const tensor& other) : tensor(other.shape_) { std::copy_n(other.data(), size(), data()); }
  /// Leaves `other` empty.
  tensor(tensor&& other) noexcept
      : shape_(std::exchange(other.shape_, ridgepoint::shape{0})), memory_(std::move(other.memory_)) {}
  tensor& operator=(tensor other) noexcept {
    std::swap(shape_, other.shape_);
    std::swap(memory_, other.memory_);
    return *this;
  }
  ~tensor() = default;

  [[nodiscard]] const ridgepoint::shape& shape() const noexcept { return shape_; }
  [[nodiscard]] index_t size() const noexcept { return shape_.size(); }
  [[nodiscard]] T* data() noexcept { return static_cast<T*>(memory_.data()); }
  [[nodiscard]] const T* data() const noexcept { return static_cast<const T*>(memory_.data()); }
  [[nodiscard]] std::span<T> values() noexcept { return {data(), static_cast<std::size_t>(size())}; }
  [[nodiscard]] std::span<const T> values() const noexcept { return {data(), static_cast<std::size_t>(size())}; }
  [[nodiscard]] T& operator[](index_t i) noexcept { return data()[i]; }
  [[nodiscard]] const T& operator[](index_t i) const noexcept { return data()[i]; }

  /// All but the innermost dimension as rows. A tensor of rank 1 is one row.
  [[nodiscard]] matrix_view<T> matrix() { return {data(), row_count(), shape_[-1]}; }
  [[nodiscard]] matrix_view<const T> matrix() const { return {data(), row_count(), shape_[-1]}; }

 private:
  [[nodiscard]] index_t row_count() const {
    index_t rows = 1;
    for (int d = 0; d + 1 < shape_.rank(); ++d) rows *= shape_[d];
    return rows;
  }
  ridgepoint::shape shape_;
  host_buffer memory_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
