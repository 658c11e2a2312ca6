// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/data/grey_image.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Draws an embryo of one to four cells as a microscope with light from one side shows it, 480 × 480: everything is
/// transparent, and what is seen of it is how steep it is towards the light, bright or dark against a middle grey.
///
/// Cells lie over one another inside a shell and have together the same volume, however many there are, so that
/// neither size nor light tells their number; small round bodies and debris are no cells. An embryo has a size, a
/// shell, a contrast and a grain; each image of it another place, order and light.
/// All arithmetic is on integers, so that the same random streams give the same bytes whatever the compiler, the flags
/// or the mathematical library.
class embryo_painter {
 public:
  static constexpr int side = 480, most_cells = 4;

  /// Draws what all images of an embryo have in common.
  explicit embryo_painter(random_stream embryo) noexcept : random_(embryo) {
    radius_ = between(70, 86);
    shell_ = radius_ * between(130, 155) / 100;
    shell_tenths_ = between(5, 9);
    contrast_ = between(45, 85);
    grain_ = between(6, 18);
  }

  /// One image. Requires: 1 <= cells <= most_cells.
  [[nodiscard]] grey_image draw(int cells, random_stream frame) {
    random_ = frame;
    choose_light();
    choose_grain();
    bodies_.clear();
    middle_ = {side + between(-24, 24), side + between(-24, 24)};
    place_cells(cells);
    const std::size_t inside = bodies_.size();
    place_debris();
    grey_image image = black_image(side, side);
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        const int seen = 128 + shade_at(x, y, inside) + about_zero(2);
        image.at(y, x) = static_cast<std::uint8_t>(std::clamp(seen, 0, 255));
      }
    return image;
  }

 private:
  static constexpr std::int64_t one = 1024;  // of directions and of places inside a body, whose border is there
  static constexpr int grain_side = 12, grain_points = side / grain_side + 1;
  struct point {
    std::int64_t x, y;  // in half pixels
  };
  /// An ellipse: what is (dx, dy) from its middle is at (a·dx + b·dy, b·dx + d·dy) / 65536 in a circle of radius one.
  struct body {
    point middle;
    std::int64_t radius, a, b, d;
    std::int64_t height;  // in greys where it is steepest
  };

  int between(std::int64_t low, std::int64_t high) noexcept {
    return static_cast<int>(low + random_.below(static_cast<std::uint32_t>(high - low + 1)));
  }
  /// Bell shaped, |value| <= reach.
  int about_zero(int reach) noexcept { return (between(-reach, reach) + between(-reach, reach)) / 2; }

  void choose_light() noexcept {
    const std::int64_t t = between(-180, 180);  // tan(angle / 2): up to 20 degrees either way, from the upper left
    const std::int64_t cosine = (one * one - t * t) * one / (one * one + t * t),
                       sine = 2 * t * one * one / (one * one + t * t);
    light_ = {724 * (cosine - sine) / one, 724 * (cosine + sine) / one};
    slope_ = {about_zero(26), about_zero(26)};
  }
  void choose_grain() {
    lattice_.resize(grain_points * grain_points);
    for (int& value : lattice_) value = about_zero(256);
  }

  [[nodiscard]] body body_at(point middle, std::int64_t radius, std::int64_t height) noexcept {
    const std::int64_t scale = 65536 * one / (2 * radius), e = about_zero(140), f = about_zero(140);
    return {middle, radius, scale * (one + e) / one, scale * f / one, scale * (one - e) / one, height};
  }
  /// A place within `reach` pixels of the middle.
  [[nodiscard]] point place_within(std::int64_t reach) noexcept {
    std::int64_t x = 0, y = 0;
    do x = between(-2 * reach, 2 * reach), y = between(-2 * reach, 2 * reach);
    while (x * x + y * y > 4 * reach * reach);
    return {middle_.x + x, middle_.y + y};
  }
  /// The square of how near the nearest body is: 1024² where both touch from outside, 0 where their middles do.
  [[nodiscard]] std::int64_t clearance(point at, std::int64_t radius) const noexcept {
    std::int64_t least = 4 * one * one;
    for (const body& other : bodies_) {
      const std::int64_t x = at.x - other.middle.x, y = at.y - other.middle.y, sum = 2 * (radius + other.radius);
      least = (std::min)(least, (x * x + y * y) * one * one / (sum * sum));
    }
    return least;
  }
  /// Each division halves a cell: radii of 1, ∛½ and ∛¼. They lie 6/10 of what is side by side from one another, or as
  /// near to that as 60 tries come.
  void place_cells(int cells) {
    const std::array<std::int64_t, 3> radii{radius_, radius_ * 794 / 1000, radius_ * 630 / 1000};
    for (int i = 0; i < cells; ++i) {
      const std::size_t divisions = cells == 1 ? 0 : cells == 2 || (cells == 3 && i == 0) ? 1 : 2;
      const std::int64_t radius = radii[divisions] * between(94, 106) / 100;
      const std::int64_t reach = std::max<std::int64_t>(shell_ - radius - 2, 1);
      point at = place_within(reach);
      for (int tries = 0; tries < 60 && clearance(at, radius) < 36 * one * one / 100; ++tries)
        if (const point other = place_within(reach); clearance(other, radius) > clearance(at, radius)) at = other;
      bodies_.push_back(body_at(at, radius, contrast_ * between(85, 115) / 100));
    }
  }
  /// Polar bodies inside the shell, dirt anywhere.
  void place_debris() {
    for (int i = between(0, 2); i > 0; --i) {
      const std::int64_t radius = between(9, 17), height = contrast_ * between(50, 90) / 100;
      bodies_.push_back(body_at(place_within(shell_ - radius), radius, height));
    }
    for (int i = between(0, 4); i > 0; --i) {
      const std::int64_t height = contrast_ * between(40, 110) / 100, radius = between(5, 16);
      bodies_.push_back(body_at(place_within(220), radius, height));
    }
  }

  /// The sum of what is steep there. The first `cells` bodies are cells.
  [[nodiscard]] int shade_at(int x, int y, std::size_t cells) const noexcept {
    const point at{2 * x + 1, 2 * y + 1};
    std::int64_t shade = (slope_.x * (x - side / 2) + slope_.y * (y - side / 2)) / side;
    bool inside = false;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const body& b = bodies_[i];
      const std::int64_t dx = at.x - b.middle.x, dy = at.y - b.middle.y;
      if (dx * dx + dy * dy > 7 * b.radius * b.radius) continue;  // beyond 1.3 radii: nothing reaches so far
      const std::int64_t u = (b.a * dx + b.b * dy) / 65536, v = (b.b * dx + b.d * dy) / 65536;
      const std::int64_t square = (u * u + v * v) / one;
      if (square > one) continue;
      inside = inside || i < cells;
      shade -= towards_light(u, v) * (one / 5 + square * square / one) / one * b.height / one;  // steepest at the rim
    }
    shade -= shell_shade(at);
    return static_cast<int>(shade) + grain_at(x, y) * (inside ? grain_ : grain_ / 3) / 256;
  }
  [[nodiscard]] std::int64_t towards_light(std::int64_t u, std::int64_t v) const noexcept {
    return (u * light_.x + v * light_.y) / one;
  }
  /// A ring rises to its middle line and falls to the other side.
  [[nodiscard]] std::int64_t shell_shade(point at) const noexcept {
    const std::int64_t u = (at.x - middle_.x) * one / (2 * shell_), v = (at.y - middle_.y) * one / (2 * shell_);
    const std::int64_t width = 2 * shell_tenths_ * one / 100, across = (u * u + v * v) / one - one - width;
    if (across < -width || across > width) return 0;
    return towards_light(u, v) * across / width * contrast_ / (2 * one);
  }
  /// Bilinear between the points of the lattice.
  [[nodiscard]] int grain_at(int x, int y) const noexcept {
    const int i = y / grain_side, j = x / grain_side, fy = y % grain_side, fx = x % grain_side;
    const auto* const upper = &lattice_[static_cast<std::size_t>(i * grain_points + j)];
    const auto* const lower = upper + grain_points;
    return ((upper[0] * (grain_side - fx) + upper[1] * fx) * (grain_side - fy) +
            (lower[0] * (grain_side - fx) + lower[1] * fx) * fy) /
           (grain_side * grain_side);
  }

  random_stream random_;
  std::int64_t radius_ = 0, shell_ = 0, shell_tenths_ = 0, contrast_ = 0;
  int grain_ = 0;
  point light_{}, slope_{}, middle_{};
  std::vector<int> lattice_;
  std::vector<body> bodies_;  // cells first
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
