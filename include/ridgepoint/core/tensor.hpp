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
  /// All elements, in order. Not of a temporary, whose memory would be gone.
  [[nodiscard]] std::span<T> values() & noexcept { return {data(), static_cast<std::size_t>(size())}; }
  [[nodiscard]] std::span<const T> values() const& noexcept { return {data(), static_cast<std::size_t>(size())}; }
  void values() const&& = delete;  // of a temporary: keep the tensor in a variable
  [[nodiscard]] T& operator[](index_t i) noexcept { return data()[i]; }
  [[nodiscard]] const T& operator[](index_t i) const noexcept { return data()[i]; }

  /// The tensor as a matrix: rank 2 as it is, rank 1 as one row. Not of a temporary, whose memory would be gone.
  /// Throws: shape_error for another rank: matrix(rows, cols) says how it is meant.
  [[nodiscard]] matrix_view<T> matrix() & { return {data(), row_count(), shape_[-1]}; }
  [[nodiscard]] matrix_view<const T> matrix() const& { return {data(), row_count(), shape_[-1]}; }
  void matrix() const&& = delete;  // of a temporary: keep the tensor in a variable
  /// All elements, in order, as rows of `cols` each: matrix(n * h * w, c) of an image.
  /// Throws: shape_error unless there are as many.
  [[nodiscard]] matrix_view<T> matrix(index_t rows, index_t cols) & { return {data(), checked(rows, cols), cols}; }
  [[nodiscard]] matrix_view<const T> matrix(index_t rows, index_t cols) const& {
    return {data(), checked(rows, cols), cols};
  }
  void matrix(index_t rows, index_t cols) const&& = delete;  // of a temporary: keep the tensor in a variable

 private:
  [[nodiscard]] index_t row_count() const {
    require<shape_error>(shape_.rank() == 1 || shape_.rank() == 2, "matrix: tensor is ", shape_,
                         "; must have 1 or 2 extents, or matrix(rows, cols) must say which are the rows");
    return shape_.rank() == 1 ? 1 : shape_[0];
  }
  [[nodiscard]] index_t checked(index_t rows, index_t cols) const {
    require<shape_error>(checked_mul(rows, cols) == size(), "matrix: tensor is ", shape_, ", seen as ", rows, 'x', cols,
                         "; must have as many elements");
    return rows;
  }
  ridgepoint::shape shape_;
  host_buffer memory_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
