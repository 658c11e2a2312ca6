// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <iosfwd>
#include <string>
#include <vector>

#include <ridgepoint/core/tensor.hpp>

/// \file
/// Stream output of shapes, tensors and views. Elements must be in host memory.
/// Example:
///   std::cout << a.shape() << '\n' << a << '\n';
///   // 2x3
///   // [[1, 2, 3],
///   //  [4, 5, 6]]
namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Formats the float of the same value.
[[nodiscard]] inline std::string to_string(bfloat16 x) { return concat(static_cast<float>(x)); }
[[nodiscard]] inline std::string to_string(float16 x) { return concat(static_cast<float>(x)); }

namespace detail {

/// Elements in brackets, one pair per extent, in columns of equal width. Over 1000 elements, only the first three and
/// the last three of every extent are shown.
class bracketed {
 public:
  /// element(offset) returns the text of an element; strides in elements.
  template <class Element>
  bracketed(const shape& extents, std::vector<index_t> strides, const Element& element)
      : extents_(extents), strides_(std::move(strides)), edge_(extents.size() > 1000 ? 3 : 1000) {
    visit(0, 0, [&](index_t offset) { cells_.push_back(element(offset)); });
    for (const std::string& cell : cells_) width_ = (std::max)(width_, cell.size());
  }
  [[nodiscard]] std::string text() const {
    std::string out;
    auto cell = cells_.begin();
    write(out, 0, cell);
    return out;
  }

 private:
  using cell_iterator = std::vector<std::string>::const_iterator;

  [[nodiscard]] bool is_cut(int dimension) const { return extents_[dimension] > 2 * edge_; }
  /// Returns the number of entries shown along an extent, without the omitted ones.
  [[nodiscard]] index_t shown(int dimension) const { return is_cut(dimension) ? 2 * edge_ : extents_[dimension]; }

  template <class Visit>
  void visit(int dimension, index_t offset, const Visit& see) const {
    if (dimension == extents_.rank()) return see(offset);
    const index_t gap = is_cut(dimension) ? extents_[dimension] - 2 * edge_ : 0;
    for (index_t i = 0; i < shown(dimension); ++i)
      visit(dimension + 1, offset + (i < edge_ ? i : i + gap) * strides_[static_cast<std::size_t>(dimension)], see);
  }
  void write(std::string& out, int dimension, cell_iterator& cell) const {
    if (dimension == extents_.rank()) {
      out.append(width_ - cell->size(), ' ').append(*cell);
      ++cell;
      return;
    }
    const int below = extents_.rank() - dimension - 1;  // extents inside: 0 stays on the line, else one line end each
    std::string between = ",";
    if (below == 0) between += ' ';
    else between.append(static_cast<std::size_t>(below), '\n').append(static_cast<std::size_t>(dimension) + 1, ' ');
    out += '[';
    for (index_t i = 0; i < shown(dimension); ++i) {
      if (i > 0) out += between;
      if (i == edge_ && is_cut(dimension)) out.append("...").append(between);
      write(out, dimension + 1, cell);
    }
    out += ']';
  }

  shape extents_;
  std::vector<index_t> strides_;
  index_t edge_;
  std::vector<std::string> cells_;
  std::size_t width_ = 0;
};

template <class T>
[[nodiscard]] std::string elements_text(const T* data, const shape& extents, std::vector<index_t> strides) {
  return bracketed(extents, std::move(strides), [&](index_t offset) { return concat(data[offset]); }).text();
}

}  // namespace detail

inline std::ostream& operator<<(std::ostream& out, const shape& s) { return out << to_string(s); }
template <class T>
std::ostream& operator<<(std::ostream& out, const vector_view<T>& v) {
  return out << detail::elements_text(v.data, {v.size}, {v.stride});
}
template <class T>
std::ostream& operator<<(std::ostream& out, const matrix_view<T>& v) {
  return out << detail::elements_text(v.data, {v.rows, v.cols}, {v.row_stride, v.col_stride});
}
template <class T, std::size_t Rank>
std::ostream& operator<<(std::ostream& out, const tensor_view<T, Rank>& v) {
  return out << detail::elements_text(v.data, v.shape(), {v.strides.begin(), v.strides.end()});
}
template <class T>
std::ostream& operator<<(std::ostream& out, const tensor<T>& t) {
  std::vector<index_t> strides(static_cast<std::size_t>(t.shape().rank()), 1);
  for (std::size_t d = strides.size(); d-- > 1;) strides[d - 1] = strides[d] * t.shape()[static_cast<int>(d)];
  return out << detail::elements_text(t.data(), t.shape(), std::move(strides));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
