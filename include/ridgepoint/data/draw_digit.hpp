// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>

#include <ridgepoint/core/config.hpp>
#include <ridgepoint/core/random.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Point of a pen stroke, in a box of 100 × 100, y downwards; `lift` ends a stroke.
struct pen_point {
  std::int32_t x = 0, y = 0;
  friend constexpr bool operator==(pen_point, pen_point) = default;
};

/// Shape of a digit: strokes through points, smooth inside a stroke, with corners where strokes meet.
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

/// Glyphs of the synthetic digits, grouped by digit.
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

/// Side of a synthetic digit, in pixels.
inline constexpr int digit_side = 28;

/// Draws one digit with random glyph, slant, size, position, paper distortion, pen, pressure, grain and stray marks.
///
/// All arithmetic is on integers, so that the same random stream gives the same bytes with any compiler, flags or
/// mathematical library. Positions are in 1/256 pixel, matrices in 1/65536.
class digit_painter {
 public:
  explicit digit_painter(random_stream random) noexcept : random_(random) {}

  /// Draws digit_side² pixels, row by row, 255 at full ink. Requires: 0 <= digit <= 9.
  void draw(int digit, std::span<std::uint8_t> pixels) noexcept {
    ink_.fill(-dry);
    choose_hand();
    write(choose_glyph(digit));
    if (random_.below(3) == 0) scratch();
    develop(pixels);
  }

 private:
  using fixed = std::int32_t;
  static constexpr fixed pixel = 256, dry = 1 << 24;
  static constexpr int warp_cells = 4;
  struct point {
    fixed x = 0, y = 0;
  };

  /// Returns a uniform value in [low, high].
  fixed between(fixed low, fixed high) noexcept {
    return low + static_cast<fixed>(random_.below(static_cast<std::uint32_t>(high - low + 1)));
  }
  /// Returns a value around zero, bell-shaped, |value| <= reach.
  fixed about_zero(fixed reach) noexcept {
    return (between(-reach, reach) + between(-reach, reach) + between(-reach, reach)) / 3;
  }

  const digit_glyph& choose_glyph(int digit) noexcept {
    const auto first =
        std::find_if(digit_glyphs.begin(), digit_glyphs.end(), [=](const auto& g) { return g.digit == digit; });
    const auto count = std::count_if(first, digit_glyphs.end(), [=](const auto& g) { return g.digit == digit; });
    return first[random_.below(static_cast<std::uint32_t>(count))];
  }

  /// Chooses the map from paper to image: rotation · shear · scale, a shift, and a smooth distortion on a coarse grid.
  void choose_hand() noexcept {
    constexpr std::int64_t one = 65536;
    const std::int64_t t = about_zero(12000);  // tan(angle / 2): up to 20 degrees either way
    const std::int64_t cosine = (one * one - t * t) * one / (one * one + t * t),
                       sine = 2 * t * one * one / (one * one + t * t);
    const std::int64_t scale_x = between(8800, 15000), scale_y = between(10400, 15800);  // pixels per unit of the glyph
    const std::int64_t slant = about_zero(32000) * scale_y / one;
    matrix_ = {(cosine * scale_x) / one, (cosine * slant - sine * scale_y) / one, (sine * scale_x) / one,
               (sine * slant + cosine * scale_y) / one};
    shift_ = {digit_side * pixel / 2 + about_zero(9 * pixel / 2), digit_side * pixel / 2 + about_zero(9 * pixel / 2)};
    for (point& by : warp_) by = {about_zero(5 * pixel / 2), about_zero(5 * pixel / 2)};
    radius_ = between(200, 400);
    pressure_ = about_zero(110);
  }

  point place(pen_point p) noexcept {
    const std::int64_t x = (p.x - 50) * pixel + about_zero(10 * pixel), y = (p.y - 50) * pixel + about_zero(10 * pixel);
    return {static_cast<fixed>((matrix_[0] * x + matrix_[1] * y) / 65536) + shift_.x,
            static_cast<fixed>((matrix_[2] * x + matrix_[3] * y) / 65536) + shift_.y};
  }

  void write(const digit_glyph& glyph) noexcept {
    std::array<point, 24> stroke{};
    int size = 0;
    point last{};
    for (int i = 0; i <= glyph.size; ++i) {
      const bool ends = i == glyph.size || glyph.points[static_cast<std::size_t>(i)] == digit_glyph::lift;
      if (ends) {
        draw_stroke({stroke.data(), static_cast<std::size_t>(size)}, radius_);
        last = stroke[static_cast<std::size_t>(size - 1)];
        size = 0;
        continue;
      }
      const auto now = static_cast<std::size_t>(i);
      const bool corner = i >= 2 && size == 0 && glyph.points[now - 2] == glyph.points[now];  // meets the last stroke
      stroke[static_cast<std::size_t>(size++)] = corner ? last : place(glyph.points[now]);
    }
  }

  /// Draws a Catmull-Rom curve through the points, one dab of ink every 0.4 pixels or less.
  void draw_stroke(std::span<const point> p, fixed radius) noexcept {
    for (std::size_t i = 0; i + 1 < p.size(); ++i) {
      const point a = p[i == 0 ? 0 : i - 1], b = p[i], c = p[i + 1], d = p[(std::min)(i + 2, p.size() - 1)];
      const std::int64_t n = 2 + (std::max)(std::abs(c.x - b.x), std::abs(c.y - b.y)) / 100;
      for (std::int64_t k = 0; k <= n; ++k) {
        const auto on_curve = [&](std::int64_t v0, std::int64_t v1, std::int64_t v2, std::int64_t v3) {
          const std::int64_t sum = 2 * v1 * n * n * n + (v2 - v0) * k * n * n +
                                   (2 * v0 - 5 * v1 + 4 * v2 - v3) * k * k * n +
                                   (3 * v1 - v0 - 3 * v2 + v3) * k * k * k;
          return static_cast<fixed>(sum / (2 * n * n * n));
        };
        dab(bend({on_curve(a.x, b.x, c.x, d.x), on_curve(a.y, b.y, c.y, d.y)}),
            radius + pressure_ * static_cast<fixed>(i) / static_cast<fixed>(p.size()));
      }
    }
  }

  point bend(point p) const noexcept {
    constexpr fixed cell = digit_side * pixel / warp_cells;
    const fixed x = std::clamp(p.x, 0, cell * warp_cells - 1), y = std::clamp(p.y, 0, cell * warp_cells - 1);
    const fixed u = x % cell, v = y % cell;
    const auto corner = [&](int i, int j) {
      return warp_[static_cast<std::size_t>((y / cell + i) * (warp_cells + 1) + x / cell + j)];
    };
    const auto mix = [&](fixed point::*axis) {
      const std::int64_t top = std::int64_t{corner(0, 0).*axis} * (cell - u) + std::int64_t{corner(0, 1).*axis} * u;
      const std::int64_t bottom = std::int64_t{corner(1, 0).*axis} * (cell - u) + std::int64_t{corner(1, 1).*axis} * u;
      return static_cast<fixed>((top * (cell - v) + bottom * v) / (std::int64_t{cell} * cell));
    };
    return {p.x + mix(&point::x), p.y + mix(&point::y)};
  }

  /// Adds a dab: each pixel keeps the largest radius² − distance² of all dabs, positive inside the ink.
  void dab(point centre, fixed radius) noexcept {
    const fixed reach = radius + pixel;
    const int left = (std::max)(0, (centre.x - reach) / pixel),
              right = (std::min)(digit_side - 1, (centre.x + reach) / pixel);
    const int top = (std::max)(0, (centre.y - reach) / pixel),
              bottom = (std::min)(digit_side - 1, (centre.y + reach) / pixel);
    for (int row = top; row <= bottom; ++row)
      for (int col = left; col <= right; ++col) {
        const fixed dx = col * pixel + pixel / 2 - centre.x, dy = row * pixel + pixel / 2 - centre.y;
        auto& depth = ink_[static_cast<std::size_t>(row * digit_side + col)];
        depth = (std::max)(depth, radius * radius - dx * dx - dy * dy);
      }
  }

  /// Draws a stray mark: a short straight stroke anywhere.
  void scratch() noexcept {
    const point from{between(0, digit_side * pixel), between(0, digit_side * pixel)};
    const point to{from.x + between(-6 * pixel, 6 * pixel), from.y + between(-6 * pixel, 6 * pixel)};
    const std::array<point, 2> mark{from, to};
    draw_stroke(mark, between(160, radius_));
  }

  /// Converts depth of ink to grey: a soft edge about a pixel wide, the darkness of this pen, and grain.
  void develop(std::span<std::uint8_t> pixels) noexcept {
    const fixed darkness = between(150, 255), kind = between(0, 2), grain = kind * between(0, 40);
    std::uint32_t noise = 0;
    for (std::size_t i = 0; i < ink_.size(); ++i) {
      if (i % 4 == 0) noise = random_();
      const fixed distance = std::clamp(ink_[i] / (2 * radius_), -pixel, pixel);
      const fixed cover = std::clamp(pixel / 2 + distance, 0, pixel);
      const auto speckle = static_cast<fixed>(noise >> 8 * (i % 4) & 0xFF) - 128;
      pixels[i] = static_cast<std::uint8_t>(std::clamp((cover * darkness + speckle * grain) / pixel, 0, 255));
    }
  }

  random_stream random_;
  std::array<std::int64_t, 4> matrix_{};
  point shift_{};
  std::array<point, (warp_cells + 1) * (warp_cells + 1)> warp_{};
  fixed radius_ = pixel, pressure_ = 0;
  std::array<fixed, digit_side * digit_side> ink_{};  // radius² − distance², in 1/65536 pixel²
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
