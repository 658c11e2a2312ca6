// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/dense_arguments.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Rows and channels of a normalised tensor, and checks of the other operands.
struct channels_of {
  std::string_view op;
  index_t rows, channels;

  template <class T>
  channels_of(std::string_view op_, const dense_operand<T>& x, std::string_view name)
      : op(op_), rows(x.count(op_, name)), channels(x.last()) {}
  /// Returns the data of a vector of channels; a null view gives null. Throws: shape_error for another size.
  template <class T>
  [[nodiscard]] const T* each(std::string_view name, const vector_input<T>& v) const {
    require<shape_error>(static_cast<index_t>(v.size()) == channels, op, ": ", name, " has ", v.size(),
                         " elements; must have ", channels);
    return v.data();
  }
  template <class T>
  [[nodiscard]] T* each(std::string_view name, const tensor_view<T, 1>& v) const {
    return data_of(op, name, v, {channels});
  }
  /// Returns the data of a vector of rows; null if absent. Throws: shape_error for another size.
  template <class T>
  [[nodiscard]] const T* each_row(std::string_view name, const vector_input<T>& v) const {
    require<shape_error>(static_cast<index_t>(v.size()) == rows, op, ": ", name, " has ", v.size(),
                         " elements; must have ", rows);
    return v.data();
  }
  template <class T>
  [[nodiscard]] T* each_row(std::string_view name, const tensor_view<T, 1>& v) const {
    return data_of(op, name, v, {rows});
  }
  /// Returns the data of an operand with the extents of x; null if absent. Throws: shape_error unless equal and dense.
  template <class T, class X>
  [[nodiscard]] T* like(std::string_view name, const dense_operand<T>& v, const dense_operand<X>& x) const {
    if (v.data == nullptr) return nullptr;
    require<shape_error>(v.extents == x.extents, op, ": ", name, " is ", v.extents, "; must be ", x.extents);
    static_cast<void>(v.count(op, name));
    return v.data;
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
