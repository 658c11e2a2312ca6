// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A box in pixels: its centre and its extents.
struct box {
  double x = 0, y = 0, w = 0, h = 0;
};

/// Area of what two boxes share over the area of what either covers.
[[nodiscard]] inline double overlap_of(const box& a, const box& b) noexcept {
  const auto shared = [](double a_at, double a_size, double b_at, double b_size) {
    const double first = (std::max)(a_at - a_size / 2, b_at - b_size / 2);
    const double last = (std::min)(a_at + a_size / 2, b_at + b_size / 2);
    return (std::max)(0.0, last - first);
  };
  const double both = shared(a.x, a.w, b.x, b.w) * shared(a.y, a.h, b.y, b.h);
  return both / (a.w * a.h + b.w * b.h - both);
}

/// The four numbers that make a box of an anchor: ((x − xₐ)/wₐ, (y − yₐ)/hₐ, ln(w/wₐ), ln(h/hₐ)).
[[nodiscard]] inline std::array<double, 4> offsets_of(const box& of, const box& anchor) noexcept {
  return {(of.x - anchor.x) / anchor.w, (of.y - anchor.y) / anchor.h, std::log(of.w / anchor.w),
          std::log(of.h / anchor.h)};
}

/// RetinaNet's anchors of a square image: at each place of maps of an 8th, 16th, 32nd, 64th and 128th of its pixels,
/// rounded up, 9 boxes, of 3 areas and 3 shapes each. 32 pixels on the largest map, twice as much on each next.
class pyramid_anchors {
 public:
  static constexpr int maps = 5, each = 9;

  explicit constexpr pyramid_anchors(index_t pixels) noexcept : pixels_(pixels) {}

  /// Places along one side of map number `map`. Throws: value_error unless there is one.
  [[nodiscard]] constexpr index_t side(int map) const {
    require<value_error>(map >= 0 && map < maps, "pyramid_anchors: map is ", map, "; must be 0 to ", maps - 1);
    return ceil_div(pixels_, index_t{8} << map);
  }
  [[nodiscard]] constexpr index_t count() const {
    index_t places = 0;
    for (int map = 0; map < maps; ++map) places += side(map) * side(map);
    return each * places;
  }
  /// use(number, anchor) for all, the largest map first, row by row.
  template <class Use>
  void for_each(const Use& use) const {
    index_t number = 0;
    for (int map = 0; map < maps; ++map) {
      const double stride = static_cast<double>(pixels_) / static_cast<double>(side(map));
      for (index_t i = 0; i < side(map) * side(map); ++i)
        for (int k = 0; k < each; ++k) {
          const int third = k % 3, shape = k / 3 - 1;
          const double size = 32 * std::exp2(map + third / 3.0), narrow = std::exp2(shape / 2.0);
          const index_t row = i / side(map), column = i % side(map);
          use(number++, box{(static_cast<double>(column) + 0.5) * stride, (static_cast<double>(row) + 0.5) * stride,
                            size / narrow, size * narrow});
        }
    }
  }

 private:
  index_t pixels_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
