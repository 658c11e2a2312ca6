// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <concepts>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <utility>

#include <ridgepoint/core/arguments.hpp>
#include <ridgepoint/core/buffer.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A dense row-major tensor that owns host memory, 64-byte aligned, zero on construction.
///
/// Ops take it directly, as a matrix or as all its values in order; print.hpp prints it.
/// Example:
///   rp::tensor<float> a({2, 3}, {1, 2, 3, 4, 5, 6});
///   a(1, 0) = 7;                                            // was 4
template <class T>
class tensor {
  static_assert(std::is_trivially_copyable_v<T>, "tensor: elements must be copied as bytes: numbers or plain structs");

 public:
  using value_type = T;

  tensor() : tensor(ridgepoint::shape{0}) {}
  /// Throws: shape_error if the size in bytes does not fit; std::bad_alloc.
  explicit tensor(const ridgepoint::shape& extents)
      : shape_(extents), memory_(static_cast<std::size_t>(checked_mul(extents.size(), sizeof(T)))) {
    std::fill_n(data(), size(), T{});
  }
  /// Copies these values, row by row.
  /// Throws: shape_error if their number differs.
  tensor(const ridgepoint::shape& extents, const vector_input<T>& values) : tensor(extents) {
    require<shape_error>(static_cast<index_t>(values.size()) == size(), "tensor: ", values.size(), " values for ",
                         extents, "; must be ", size());
    std::copy_n(values.data(), size(), data());
  }
  tensor(const ridgepoint::shape& extents, std::initializer_list<T> values)
      : tensor(extents, std::span<const T>(values.begin(), values.size())) {}
  tensor(const tensor& other) : tensor(other.shape_) { std::copy_n(other.data(), size(), data()); }
  /// Moves the tensor; `other` becomes empty.
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
  /// Returns all elements, in order. Not for a temporary, whose memory would be freed.
  [[nodiscard]] std::span<T> values() & noexcept { return {data(), static_cast<std::size_t>(size())}; }
  [[nodiscard]] std::span<const T> values() const& noexcept { return {data(), static_cast<std::size_t>(size())}; }
  template <class Self = tensor>
  std::span<const T> values() const&& {
    static_assert(std::is_void_v<Self>, "values() of a temporary: keep the tensor in a variable");
    return {};
  }
  [[nodiscard]] T* begin() noexcept { return data(); }
  [[nodiscard]] T* end() noexcept { return data() + size(); }
  [[nodiscard]] const T* begin() const noexcept { return data(); }
  [[nodiscard]] const T* end() const noexcept { return data() + size(); }
  /// Returns element i of all, in order; unchecked.
  [[nodiscard]] T& operator[](index_t i) noexcept { return data()[i]; }
  [[nodiscard]] const T& operator[](index_t i) const noexcept { return data()[i]; }
  /// Returns an element by one index per extent: a(row, column).
  /// Throws: shape_error for a wrong number of indices, or an index out of range.
  template <std::convertible_to<index_t>... Index>
  [[nodiscard]] T& operator()(Index... index) {
    return data()[position({static_cast<index_t>(index)...})];
  }
  template <std::convertible_to<index_t>... Index>
  [[nodiscard]] const T& operator()(Index... index) const {
    return data()[position({static_cast<index_t>(index)...})];
  }

  /// Returns the tensor as a matrix: rank 2 unchanged, rank 1 as one row. Not for a temporary: its memory would be
  /// freed.
  /// Throws: shape_error for another rank; use matrix(rows, cols) there.
  [[nodiscard]] matrix_view<T> matrix() & { return {data(), row_count(), shape_[-1]}; }
  [[nodiscard]] matrix_view<const T> matrix() const& { return {data(), row_count(), shape_[-1]}; }
  template <class Self = tensor>
  matrix_view<const T> matrix() const&& {
    static_assert(std::is_void_v<Self>, "matrix() of a temporary: keep the tensor in a variable");
    return {};
  }
  /// Returns all elements, in order, as rows of `cols` each: matrix(n * h * w, c) of an image.
  /// Throws: shape_error if the number of elements differs.
  [[nodiscard]] matrix_view<T> matrix(index_t rows, index_t cols) & { return {data(), checked(rows, cols), cols}; }
  [[nodiscard]] matrix_view<const T> matrix(index_t rows, index_t cols) const& {
    return {data(), checked(rows, cols), cols};
  }
  template <class Self = tensor>
  matrix_view<const T> matrix(index_t, index_t) const&& {
    static_assert(std::is_void_v<Self>, "matrix() of a temporary: keep the tensor in a variable");
    return {};
  }
  friend matrix_view<T> matrix_of(tensor& t) { return t.matrix(); }
  friend matrix_view<const T> matrix_of(const tensor& t) { return t.matrix(); }

 private:
  [[nodiscard]] index_t position(std::initializer_list<index_t> index) const {
    require<shape_error>(static_cast<int>(index.size()) == shape_.rank(), "tensor: ", index.size(), " indices into ",
                         shape_, "; must be ", shape_.rank());
    index_t at = 0;
    const index_t* extent = shape_.begin();
    for (const index_t i : index) {
      require<shape_error>(i >= 0 && i < *extent, "tensor: index ", i, " into ", shape_, "; must be 0 to ",
                           *extent - 1);
      at = at * *extent++ + i;
    }
    return at;
  }
  [[nodiscard]] index_t row_count() const {
    require<shape_error>(shape_.rank() == 1 || shape_.rank() == 2, "matrix: tensor is ", shape_,
                         "; must have 1 or 2 extents, or use matrix(rows, cols)");
    return shape_.rank() == 1 ? 1 : shape_[0];
  }
  [[nodiscard]] index_t checked(index_t rows, index_t cols) const {
    require<shape_error>(checked_mul(rows, cols) == size(), "matrix: tensor is ", shape_, ", seen as ", rows, 'x', cols,
                         "; sizes must be equal");
    return rows;
  }
  ridgepoint::shape shape_;
  host_buffer memory_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
