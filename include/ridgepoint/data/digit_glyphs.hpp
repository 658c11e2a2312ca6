// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A point the pen passes through, in a box of 100 × 100, y downwards; `lift` ends a stroke.
struct pen_point {
  std::int32_t x = 0, y = 0;
  friend constexpr bool operator==(pen_point, pen_point) = default;
};

/// One way to write a digit: strokes through points, smooth inside a stroke, with corners where strokes meet.
struct digit_glyph {
  int digit;
  int size;  // points in use
  std::array<pen_point, 24> points;
  static constexpr pen_point lift{-1, -1};
};

namespace detail {
template <class... Points>
constexpr digit_glyph write_digit(int digit, Points... points) noexcept {
  return {digit, static_cast<int>(sizeof...(points)), {points...}};
}
inline constexpr pen_point lift = digit_glyph::lift;
}  // namespace detail

/// The handwriting that synthetic digits are drawn in; grouped by digit.
inline constexpr auto digit_glyphs = [] {
  using detail::lift, detail::write_digit;
  using at = pen_point;
  return std::array{
      write_digit(0, at{50, 4}, at{24, 18}, at{15, 52}, at{26, 86}, at{50, 96}, at{75, 85}, at{86, 50}, at{76, 17},
                  at{48, 5}),
      write_digit(0, at{62, 8}, at{36, 10}, at{16, 45}, at{20, 82}, at{45, 97}, at{74, 82}, at{84, 42}, at{66, 10},
                  at{52, 3}),
      write_digit(1, at{52, 3}, at{50, 50}, at{49, 97}),
      write_digit(1, at{30, 26}, at{54, 4}, lift, at{54, 4}, at{52, 50}, at{50, 97}),
      write_digit(1, at{30, 24}, at{52, 4}, lift, at{52, 4}, at{51, 96}, lift, at{28, 96}, at{76, 96}),
      write_digit(2, at{17, 28}, at{28, 8}, at{52, 3}, at{76, 15}, at{76, 38}, at{50, 66}, at{16, 95}, lift, at{16, 95},
                  at{48, 93}, at{85, 95}),
      write_digit(2, at{17, 24}, at{36, 5}, at{66, 6}, at{78, 28}, at{60, 62}, at{28, 92}, at{14, 86}, at{28, 74},
                  at{56, 88}, at{88, 94}),
      write_digit(3, at{18, 13}, at{45, 3}, at{73, 12}, at{74, 33}, at{42, 47}, lift, at{42, 47}, at{77, 57},
                  at{82, 80}, at{54, 97}, at{16, 88}),
      write_digit(3, at{18, 6}, at{76, 6}, lift, at{76, 6}, at{44, 41}, lift, at{44, 41}, at{79, 54}, at{80, 84},
                  at{50, 97}, at{17, 86}),
      write_digit(4, at{28, 5}, at{20, 36}, at{17, 58}, lift, at{17, 58}, at{50, 58}, at{86, 54}, lift, at{70, 18},
                  at{68, 58}, at{66, 98}),
      write_digit(4, at{66, 3}, at{13, 66}, lift, at{13, 66}, at{90, 65}, lift, at{66, 3}, at{64, 98}),
      write_digit(5, at{79, 5}, at{28, 6}, lift, at{28, 6}, at{22, 45}, lift, at{22, 45}, at{50, 36}, at{80, 52},
                  at{80, 80}, at{50, 97}, at{15, 88}),
      write_digit(5, at{82, 5}, at{36, 8}, lift, at{36, 8}, at{26, 43}, at{56, 40}, at{81, 62}, at{70, 90}, at{40, 97},
                  at{14, 87}),
      write_digit(6, at{70, 4}, at{40, 20}, at{20, 55}, at{24, 85}, at{50, 97}, at{77, 84}, at{75, 60}, at{50, 50},
                  at{24, 68}),
      write_digit(6, at{46, 3}, at{26, 40}, at{19, 72}, at{34, 95}, at{60, 95}, at{77, 76}, at{62, 58}, at{40, 60},
                  at{23, 78}),
      write_digit(7, at{14, 8}, at{83, 8}, lift, at{83, 8}, at{58, 48}, at{42, 97}),
      write_digit(7, at{14, 9}, at{84, 7}, lift, at{84, 7}, at{60, 46}, at{46, 97}, lift, at{34, 52}, at{80, 48}),
      write_digit(7, at{14, 24}, at{17, 7}, lift, at{17, 7}, at{50, 11}, at{82, 6}, lift, at{82, 6}, at{54, 50},
                  at{48, 97}),
      write_digit(8, at{74, 16}, at{48, 3}, at{24, 18}, at{36, 41}, at{66, 58}, at{80, 80}, at{50, 97}, at{21, 80},
                  at{36, 57}, at{66, 40}, at{77, 20}, at{66, 6}),
      write_digit(8, at{50, 4}, at{28, 14}, at{28, 36}, at{50, 46}, at{72, 36}, at{72, 14}, at{50, 4}, lift, at{50, 46},
                  at{22, 58}, at{20, 84}, at{50, 97}, at{80, 84}, at{78, 58}, at{50, 46}),
      write_digit(9, at{77, 20}, at{52, 4}, at{25, 16}, at{23, 40}, at{48, 53}, at{73, 40}, at{78, 16}, lift,
                  at{78, 16}, at{74, 58}, at{66, 98}),
      write_digit(9, at{74, 18}, at{48, 5}, at{24, 24}, at{34, 48}, at{60, 46}, at{77, 20}, lift, at{77, 20},
                  at{80, 58}, at{64, 92}, at{40, 97}, at{22, 86})};
}();

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
