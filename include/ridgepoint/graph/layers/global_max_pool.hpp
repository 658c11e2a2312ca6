// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <ridgepoint/graph/layers/pool.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// The largest value of each channel over the whole image: (h, w, c) → (c). Of equal ones the first gets the gradient.
///
/// A byte remembers which of up to 256 pixels it was. Of a larger image the largest is found in steps: those of windows
/// of at most 16×16 side by side, then the largest of these; the first of equal ones is then one of the first window.
/// Example: x | nn::global_max_pool{} | nn::dense{.units = 10}
struct global_max_pool {
  static constexpr std::string_view name = "global_max_pool";

  /// Throws: shape_error for an input that is no image.
  [[nodiscard]] shape output(const shape& in) const;
  void forward(lowering& to) const;
  void backward(lowering& to) const;

 private:
  [[nodiscard]] static std::vector<pool2d_geometry> steps(const lowering& to);
};
#if RIDGEPOINT_DEFINES
RIDGEPOINT_DEFINITION shape global_max_pool::output(const shape& in) const {
  detail::check_image(name, in);
  return {in[2]};
}
RIDGEPOINT_DEFINITION void global_max_pool::forward(lowering& to) const {
  const std::vector<pool2d_geometry> all = steps(to);
  slot x = to.input();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const slot y = i + 1 < all.size() ? to.scratch(all[i].output_size()) : to.output();
    detail::lower_max_pool(to, all[i], x, y, to.training() ? to.saved(i, all[i].output_size(), element::u8) : slot{});
    x = y;
  }
}
RIDGEPOINT_DEFINITION void global_max_pool::backward(lowering& to) const {
  if (!to.needs_input_gradient()) return;
  const std::vector<pool2d_geometry> all = steps(to);
  slot dy = to.output_gradient();
  for (std::size_t i = all.size(); i-- > 0;) {
    const slot dx = i > 0 ? to.scratch(all[i].input_size()) : to.input_gradient();
    detail::lower_max_pool_backward(to, all[i], dy, to.saved(i, all[i].output_size(), element::u8), dx);
    dy = dx;
  }
}
RIDGEPOINT_DEFINITION std::vector<pool2d_geometry> global_max_pool::steps(const lowering& to) {
  const shape& in = to.input_shape();
  std::vector<pool2d_geometry> all;
  index_t h = in[1], w = in[2];
  do {
    constexpr index_t side = 16;
    const auto even = [](index_t extent) { return ceil_div(extent, ceil_div(extent, side)); };  // windows of one size
    const spatial window = h * w <= side * side ? spatial{h, w} : spatial{even(h), even(w)};
    all.push_back(detail::pool_geometry(name, in[0], {h, w, in[3]}, window, window, valid, rounding_rule::up));
    h = all.back().oh(), w = all.back().ow();
  } while (h * w > 1);
  return all;
}
#endif

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

#if RIDGEPOINT_COMPILED
namespace ridgepoint::inline RIDGEPOINT_ABI {
RIDGEPOINT_EXTERN template struct any_layer::model<nn::global_max_pool>;
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
#endif
