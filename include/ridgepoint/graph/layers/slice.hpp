// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <numeric>

#include <ridgepoint/graph/layer.hpp>
#include <ridgepoint/ops/pad_channels.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// Part of an image or a sequence: (h, w, c) → (h, w, count) along the innermost extent, (count, w, c) along axis 0 and
/// (h, count, c) along axis 1, which begins at `first`.
///
/// What comes before the axis are the rows of a matrix, what comes after it lies together: a slice is what the gradient
/// of pad_channels() takes out, and its gradient is padded with zeros.
/// Example: x | nn::slice{.axis = 0, .first = 2, .count = 3}              // rows 2 to 4 of an image
struct slice {
  static constexpr std::string_view name = "slice";
  int axis = -1;                 // of the sample; negative: from the innermost one on
  index_t first = 0, count = 0;  // count to be given

  /// Throws: shape_error for an axis that is not there, and unless 0 ≤ first, 1 ≤ count and first + count fits.
  [[nodiscard]] shape output(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;

 private:
  [[nodiscard]] int axis_of(const shape& sample) const noexcept { return axis < 0 ? sample.rank() + axis : axis; }
  /// The matrix whose columns before … before + narrow − 1 are the slice.
  struct columns {
    index_t rows, wide, before, narrow;
  };
  [[nodiscard]] columns columns_of(const lowering& to) const;
};
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION shape slice::output(const shape& in) const {
  const int at = axis_of(in);
  require<shape_error>(at >= 0 && at < in.rank(), "slice: axis is ", axis, " of ", in, "; must be one of its ",
                       in.rank());
  const index_t extent = in[at];
  require<shape_error>(first >= 0 && count >= 1 && count <= extent && first <= extent - count, "slice: ", count,
                       " from ", first, " on, of ", extent, " along axis ", at, " of ", in, "; must fit");
  index_t extents[shape::max_rank] = {};
  std::copy(in.begin(), in.end(), extents);
  extents[at] = count;
  return {extents, extents + in.rank()};
}
RIDGEPOINT_DEFINITION slice::columns slice::columns_of(const lowering& to) const {
  const shape& in = to.input_shape();
  const int at = axis < 0 ? axis_of(in) : axis + 1;  // behind the batch
  const index_t together = std::accumulate(in.begin() + at + 1, in.end(), index_t{1}, std::multiplies{});
  const index_t wide = in[at] * together;
  return {.rows = in.size() / wide, .wide = wide, .before = first * together, .narrow = count * together};
}
RIDGEPOINT_DEFINITION void slice::forward(lowering& to) const {
  const columns c = columns_of(to);
  const slot x = to.input(), y = to.output();
  to.emit({.shape = concat(to.output_shape(), " of ", to.input_shape())}, [=](const addresses& at) {
    return pad_channels_backward_args<stored>{
        .before = c.before, .dy = {at(x), c.rows, c.wide}, .dx = {at(y), c.rows, c.narrow}};
  });
}
RIDGEPOINT_DEFINITION void slice::backward(lowering& to) const {
  if (!to.needs_input_gradient()) return;
  const columns c = columns_of(to);
  const slot dy = to.output_gradient(), dx = to.input_gradient();
  to.emit({.shape = concat(to.output_shape(), " to ", to.input_shape())}, [=](const addresses& at) {
    return pad_channels_args<stored>{
        .before = c.before, .x = {at(dy), c.rows, c.narrow}, .y = {at(dx), c.rows, c.wide}};
  });
}
#endif

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::slice>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#endif
