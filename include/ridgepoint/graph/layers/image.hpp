// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layer.hpp>
#include <ridgepoint/ops/window.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::nn {

/// How much is put around an image: `valid` nothing, `same` what gives ⌈extent / stride⌉ outputs, or a number per side.
/// Example: nn::conv2d{.filters = 64, .kernel = 7, .stride = 2, .padding = rp::padding2d{3, 3, 3, 3}}
class padding_rule {
 public:
  constexpr padding_rule() noexcept = default;  // valid
  constexpr padding_rule(padding2d sides) noexcept : sides_(sides) {}
  /// What `same` is made of.
  struct as_tensorflow {};
  constexpr explicit padding_rule(as_tensorflow) noexcept : same_(true) {}

  /// The padding of an image. Numbers that are not positive or absurdly large are left to the geometry's check.
  [[nodiscard]] constexpr padding2d of(spatial extent, spatial taps, spatial stride, spatial dilation = 1) const {
    constexpr index_t most = index_t{1} << 30;
    bool sound = true;
    for (const spatial& s : {taps, stride, dilation}) sound = sound && s.h > 0 && s.w > 0 && s.h < most && s.w < most;
    return same_ && sound ? same_padding(extent, taps, stride, dilation) : sides_;
  }
  [[nodiscard]] constexpr bool is_same() const noexcept { return same_; }

 private:
  bool same_ = false;  // first: behind two spatial of {2, 2} GCC 12 at -O2 with AVX-512 fills the sides with 2 as well
  padding2d sides_ = {};
};
inline constexpr padding_rule valid{};
inline constexpr padding_rule same{padding_rule::as_tensorflow{}};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::nn

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {
/// Throws: shape_error unless a sample is (h, w, c).
void check_image(std::string_view layer, const shape& in);

/// Backward passes of a convolution with these arguments, their operands to be filled in: the gradient of the filter
/// and of the bias, if db exists, then that of the input, if somebody wants it.
template <class Weights, class Data>
void lower_convolution_backward(lowering& to, const Weights& weights, const Data& data, const slot& dy,
                                const slot& db) {
  const slot x = to.input(), w = to.parameter(0);
  const slot dw = to.parameter_gradient(0);
  to.add_call({.pass = pass::backward_weights, .shape = to_string(weights.geometry)}, [=](const addresses& at) {
    Weights a = weights;
    a.x = at(x), a.dy = at(dy), a.dw = at(dw), a.db = at(db);
    return a;
  });
  if (!to.needs_input_gradient()) return;
  const slot dx = to.input_gradient();
  to.add_call({.shape = to_string(data.geometry)}, [=](const addresses& at) {
    Data a = data;
    a.dy = at(dy), a.w = at(w), a.dx = at(dx);
    return a;
  });
}
}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

#if !RIDGEPOINT_COMPILED
#include <ridgepoint/graph/layers/image-inl.hpp>
#endif
