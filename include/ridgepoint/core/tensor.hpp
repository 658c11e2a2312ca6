// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include <ridgepoint/core/arguments.hpp>
#include <ridgepoint/core/types.hpp>
#include <ridgepoint/core/view.hpp>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Untyped host memory, 64-byte aligned, freed by its owner. Contents are undefined at first.
///
/// From 2 MiB on it uses huge pages where the system has them: a column of a 4 MiB matrix touches a page per row, more
/// than the first-level TLB holds.
class host_buffer {
 public:
  host_buffer() = default;
  /// Throws: std::bad_alloc.
  explicit host_buffer(std::size_t bytes) : bytes_(bytes) {
    if (bytes == 0) return;
    const std::size_t boundary = bytes < huge_page_bytes ? alignment_bytes : huge_page_bytes;
    const std::size_t padded = (bytes + boundary - 1) / boundary * boundary;
    if (padded < bytes) throw std::bad_alloc();
    data_.reset(std::aligned_alloc(boundary, padded));
    if (!data_) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
    if (boundary == huge_page_bytes)
      madvise(data_.get(), padded, MADV_HUGEPAGE);  // only a hint: failure changes nothing
#endif
  }
  /// Moves the memory; `other` becomes empty.
  host_buffer(host_buffer&& other) noexcept
      : data_(std::move(other.data_)), bytes_(std::exchange(other.bytes_, std::size_t{0})) {}
  host_buffer& operator=(host_buffer&& other) noexcept {
    data_ = std::move(other.data_);
    bytes_ = std::exchange(other.bytes_, std::size_t{0});
    return *this;
  }
  ~host_buffer() = default;

  [[nodiscard]] void* data() const noexcept { return data_.get(); }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return bytes_; }

 private:
  static constexpr std::size_t huge_page_bytes = std::size_t{1} << 21;
  struct release {
    void operator()(void* p) const noexcept { std::free(p); }
  };
  std::unique_ptr<void, release> data_;
  std::size_t bytes_ = 0;
};

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

/// A type with extents and strides, like std::mdspan.
template <class X, class T, std::size_t Rank>
concept mdspan_like = std::remove_cvref_t<X>::rank()
== Rank&& requires(const X& x, std::size_t r) {
  { x.data_handle() } -> std::convertible_to<T*>;
  { x.extent(r) } -> std::convertible_to<index_t>;
  { x.stride(r) } -> std::convertible_to<index_t>;
};

/// A non-owning tensor of compile-time rank: element (i, j, …) is data[i·strides[0] + j·strides[1] + …], strides in
/// elements. The memory may belong to any backend: a view never reads it.
///
/// Converts from an rp::tensor, a contiguous range that outlives it (rank 1: a vector, a span), a std::mdspan, or a
/// pointer with extents and, unless row-major and dense, strides. Ranks 1 and 2 also convert from vector_view and
/// matrix_view.
/// Example:
///   const rp::tensor_view<const float, 4> x(image);             // n×h×w×c
///   const rp::tensor_view<float, 3> y(data, {2, 3, 4});         // y(1, 2, 3) is data[23]
template <class T, std::size_t Rank>
struct tensor_view {
  using extents_type = std::array<index_t, Rank>;

  T* data = nullptr;
  extents_type extents{}, strides{};

  constexpr tensor_view() = default;
  constexpr tensor_view(T* data_, const extents_type& extents_) noexcept : data(data_), extents(extents_) {
    index_t step = 1;
    for (std::size_t r = Rank; r-- > 0; step *= extents[r]) strides[r] = step;
  }
  constexpr tensor_view(T* data_, const extents_type& extents_, const extents_type& strides_) noexcept
      : data(data_), extents(extents_), strides(strides_) {}
  constexpr tensor_view(const vector_view<T>& v) noexcept requires(Rank == 1)
      : tensor_view(v.data, {v.size}, {v.stride}) {}
  constexpr tensor_view(const matrix_view<T>& v) noexcept requires(Rank == 2)
      : tensor_view(v.data, {v.rows, v.cols}, {v.row_stride, v.col_stride}) {}
  /// Throws: shape_error if the tensor has another rank.
  tensor_view(tensor<std::remove_const_t<T>>& t) : tensor_view(t.data(), extents_of(t.shape())) {}
  tensor_view(const tensor<std::remove_const_t<T>>& t) requires std::is_const_v<T>
      : tensor_view(t.data(), extents_of(t.shape())) {}
  tensor_view(const tensor<std::remove_const_t<T>>&& t) = delete;  // of a temporary: keep the tensor in a variable
  template <class X>
    requires(Rank == 1 &&
             (std::is_lvalue_reference_v<X> ||
              std::ranges::enable_borrowed_range<std::remove_cv_t<X>>)&&std::convertible_to<X, std::span<T>>)
  constexpr tensor_view(X&& range) noexcept : tensor_view(std::data(range), {static_cast<index_t>(std::size(range))}) {}
  template <mdspan_like<T, Rank> X>
  constexpr tensor_view(const X& m) : data(m.data_handle()) {
    for (std::size_t r = 0; r < Rank; ++r)
      extents[r] = static_cast<index_t>(m.extent(r)), strides[r] = static_cast<index_t>(m.stride(r));
  }

  [[nodiscard]] static constexpr std::size_t rank() noexcept { return Rank; }
  [[nodiscard]] ridgepoint::shape shape() const { return {extents.begin(), extents.end()}; }
  /// Returns true if the elements are contiguous, row by row.
  [[nodiscard]] constexpr bool dense() const noexcept {
    index_t step = 1;
    bool follow = true, some = true;
    for (std::size_t r = Rank; r-- > 0; step *= extents[r]) {
      follow &= extents[r] <= 1 || strides[r] == step;
      some &= extents[r] > 0;
    }
    return follow || !some;
  }
  template <std::convertible_to<index_t>... Index>
    requires(sizeof...(Index) == Rank)
  [[nodiscard]] constexpr T& operator()(Index... index) const noexcept {
    const extents_type at{static_cast<index_t>(index)...};
    index_t offset = 0;
    for (std::size_t r = 0; r < Rank; ++r) offset += at[r] * strides[r];
    return data[offset];
  }

  constexpr operator tensor_view<const T, Rank>() const noexcept requires(!std::is_const_v<T>) {
    return {data, extents, strides};
  }
  constexpr operator vector_view<T>() const noexcept requires(Rank == 1) { return {data, extents[0], strides[0]}; }
  /// Converts a view of rank 2 to a matrix operand.
  friend constexpr matrix_view<T> matrix_of(const tensor_view& v) noexcept requires(Rank == 2) {
    return {v.data, v.extents[0], v.extents[1], v.strides[0], v.strides[1]};
  }

 private:
  [[nodiscard]] static extents_type extents_of(const ridgepoint::shape& s) {
    require<shape_error>(s.rank() == static_cast<int>(Rank), "tensor_view: tensor is ", s, "; must have ", Rank,
                         " extents");
    extents_type all{};
    for (std::size_t i = 0; i < Rank; ++i) all[i] = s.begin()[i];
    return all;
  }
};
template <class T, std::size_t Rank>
inline constexpr bool is_view<tensor_view<T, Rank>> = true;

/// A non-owning row-major matrix with compile-time extents: element (i, j) is data[i·Ld + j].
///
/// Example:
///   float data[6];
///   rp::static_view<float, 2, 3> a(data);                   // a(1, 2) is data[5]
template <class T, index_t Rows, index_t Cols, index_t Ld = Cols>
struct static_view {
  static_assert(Rows >= 1 && Cols >= 1, "static_view: extents must be at least 1");
  static_assert(Ld >= Cols, "static_view: rows run into each other; the leading dimension must be at least Cols");
  static constexpr index_t rows = Rows, cols = Cols, row_stride = Ld;
  T* data = nullptr;

  constexpr static_view() = default;
  constexpr explicit static_view(T* data_) noexcept : data(data_) {}

  [[nodiscard]] constexpr T& operator()(index_t i, index_t j) const noexcept { return data[i * Ld + j]; }
  constexpr operator static_view<const T, Rows, Cols, Ld>() const noexcept requires(!std::is_const_v<T>) {
    return static_view<const T, Rows, Cols, Ld>(data);
  }
  constexpr operator matrix_view<T>() const noexcept { return {data, Rows, Cols, Ld}; }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
