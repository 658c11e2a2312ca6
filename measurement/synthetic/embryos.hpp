// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/data/drawn_files.hpp>
#include <ridgepoint/data/image_processing.hpp>

namespace synthetic {

/// Draws an embryo of one to four cells like a microscope with light from one side, 480 × 480: everything is
/// transparent; the slope towards the light appears bright or dark against a middle grey.
///
/// Cells overlap inside a shell and have the same total volume for any number of cells, so that neither size nor light
/// reveals the number; small round bodies and debris are not cells. An embryo has a size, a shell, a contrast and a
/// grain; each of its images has other positions, order and light.
/// All arithmetic is on integers, so that the same random streams give the same bytes with any compiler, flags or
/// mathematical library.
class embryo_painter {
 public:
  static constexpr int side = 480, most_cells = 4;

  /// Draws the properties shared by all images of an embryo.
  explicit embryo_painter(ridgepoint::random_stream embryo) noexcept : random_(embryo) {
    radius_ = between(70, 86);
    shell_ = radius_ * between(130, 155) / 100;
    shell_tenths_ = between(5, 9);
    contrast_ = between(45, 85);
    grain_ = between(6, 18);
  }

  /// Draws one image. Requires: 1 <= cells <= most_cells.
  [[nodiscard]] ridgepoint::grey_image draw(int cells, ridgepoint::random_stream frame) {
    random_ = frame;
    choose_light();
    choose_grain();
    bodies_.clear();
    middle_ = {side + between(-24, 24), side + between(-24, 24)};
    place_cells(cells);
    const std::size_t inside = bodies_.size();
    place_debris();
    ridgepoint::grey_image image = ridgepoint::black_image(side, side);
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        const int seen = 128 + shade_at(x, y, inside) + about_zero(2);
        image.at(y, x) = static_cast<std::uint8_t>(std::clamp(seen, 0, 255));
      }
    return image;
  }

 private:
  static constexpr std::int64_t one = 1024;  // unit of directions and of positions inside a body: 1024 is its border
  static constexpr int grain_side = 12, grain_points = side / grain_side + 1;
  struct point {
    std::int64_t x, y;  // in half pixels
  };
  /// Ellipse: the point at (dx, dy) from its centre maps to (a·dx + b·dy, b·dx + d·dy) / 65536 in a circle of radius
  /// one.
  struct body {
    point middle;
    std::int64_t radius, a, b, d;
    std::int64_t height;  // in greys at the steepest point
  };

  int between(std::int64_t low, std::int64_t high) noexcept {
    return static_cast<int>(low + random_.below(static_cast<std::uint32_t>(high - low + 1)));
  }
  /// Returns a value around zero, bell-shaped, |value| <= reach.
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
  /// Returns a position within `reach` pixels of the centre.
  [[nodiscard]] point place_within(std::int64_t reach) noexcept {
    std::int64_t x = 0, y = 0;
    do x = between(-2 * reach, 2 * reach), y = between(-2 * reach, 2 * reach);
    while (x * x + y * y > 4 * reach * reach);
    return {middle_.x + x, middle_.y + y};
  }
  /// Returns the squared relative distance to the nearest body: 1024² if they touch from outside, 0 if centres
  /// coincide.
  [[nodiscard]] std::int64_t clearance(point at, std::int64_t radius) const noexcept {
    std::int64_t least = 4 * one * one;
    for (const body& other : bodies_) {
      const std::int64_t x = at.x - other.middle.x, y = at.y - other.middle.y, sum = 2 * (radius + other.radius);
      least = (std::min)(least, (x * x + y * y) * one * one / (sum * sum));
    }
    return least;
  }
  /// Places the cells. Each division halves a cell: radii of 1, ∛½ and ∛¼. Their distances are 6/10 of the sum of
  /// radii, or the best of 60 tries.
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
  /// Places polar bodies inside the shell, and debris anywhere.
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

  /// Returns the sum of the slopes at a pixel. The first `cells` bodies are cells.
  [[nodiscard]] int shade_at(int x, int y, std::size_t cells) const noexcept {
    const point at{2 * x + 1, 2 * y + 1};
    std::int64_t shade = (slope_.x * (x - side / 2) + slope_.y * (y - side / 2)) / side;
    bool inside = false;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const body& b = bodies_[i];
      const std::int64_t dx = at.x - b.middle.x, dy = at.y - b.middle.y;
      if (dx * dx + dy * dy > 7 * b.radius * b.radius) continue;  // beyond 1.3 radii: outside every ellipse
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
  /// Returns the slope of the shell: a ring that rises to its middle line and falls to the other side.
  [[nodiscard]] std::int64_t shell_shade(point at) const noexcept {
    const std::int64_t u = (at.x - middle_.x) * one / (2 * shell_), v = (at.y - middle_.y) * one / (2 * shell_);
    const std::int64_t width = 2 * shell_tenths_ * one / 100, across = (u * u + v * v) / one - one - width;
    if (across < -width || across > width) return 0;
    return towards_light(u, v) * across / width * contrast_ / (2 * one);
  }
  /// Interpolates bilinearly between the points of the lattice.
  [[nodiscard]] int grain_at(int x, int y) const noexcept {
    const int i = y / grain_side, j = x / grain_side, fy = y % grain_side, fx = x % grain_side;
    const auto* const upper = &lattice_[static_cast<std::size_t>(i * grain_points + j)];
    const auto* const lower = upper + grain_points;
    return ((upper[0] * (grain_side - fx) + upper[1] * fx) * (grain_side - fy) +
            (lower[0] * (grain_side - fx) + lower[1] * fx) * fy) /
           (grain_side * grain_side);
  }

  ridgepoint::random_stream random_;
  std::int64_t radius_ = 0, shell_ = 0, shell_tenths_ = 0, contrast_ = 0;
  int grain_ = 0;
  point light_{}, slope_{}, middle_{};
  std::vector<int> lattice_;
  std::vector<body> bodies_;  // cells first
};

/// Numbers of embryos and images. By default 80 embryos are for training, in 48,000 samples: a hundred steps of study
/// C.
struct embryos_options {
  std::uint64_t seed = 42;
  ridgepoint::index_t embryos = 100, images = 30;  // images: per embryo
};

/// Ensures that `directory` holds images of drawn embryos as the tree of PNG files that ridgepoint::embryos() reads,
/// as 2/E017_F004.png: image 4 of embryo 17, of two cells; creates them if missing. Embryos have one to four cells in
/// turn.
///
/// The same options give the same pixels on every machine, and the same bytes with the same libpng and zlib. A note
/// next to the files records their origin, so that another seed recreates them, and files of another origin are never
/// overwritten.
/// Throws: value_error for less than six embryos (0 and 5 are for testing), or less than four images of each;
/// data_error if the directory cannot be written or holds images without such a note, or more than these.
/// Example: synthetic::write_embryos("embryos", {.seed = 42, .embryos = 100, .images = 30});
void write_embryos(const std::string& directory, const embryos_options& options = {},
                   const ridgepoint::data_progress& progress = {});

}  // namespace synthetic
