// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/data/drawn_files.hpp>

namespace synthetic {

/// Draws one of ten figures as a colour image of 32 × 32: disc, ring, square, frame, triangle, cross, pair of discs,
/// half disc, stripes, chessboard.
///
/// Position, size, angle (up to 45 degrees either way) and all colours are random, so that no weighted sum of pixels
/// separates the figures; a gradient in the background, two dots and noise are added. All arithmetic is on integers, so
/// that the same random stream gives the same bytes with any compiler, flags or mathematical library.
class figure_painter {
 public:
  static constexpr int side = 32, figures = 10;

  explicit figure_painter(ridgepoint::random_stream random) noexcept : random_(random) {}

  /// Draws 1024 red, 1024 green and 1024 blue bytes, row by row. Requires: 0 <= figure < figures.
  void draw(int figure, std::span<std::uint8_t> pixels) noexcept {
    choose_place();
    choose_colours();
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        const colour seen = colour_at(figure, x, y);
        for (std::size_t c = 0; c < 3; ++c)
          pixels[c * side * side + static_cast<std::size_t>(y * side + x)] =
              static_cast<std::uint8_t>(std::clamp(seen[c] + about_zero(24), 0, 255));
      }
  }

 private:
  using colour = std::array<int, 3>;
  static constexpr std::int64_t one = 65536, pixel = 256;  // of the rotation; of places
  struct dot {
    std::int64_t x, y, radius;
    colour ink;
  };

  int between(std::int64_t low, std::int64_t high) noexcept {
    return static_cast<int>(low + random_.below(static_cast<std::uint32_t>(high - low + 1)));
  }
  /// Returns a value around zero, bell-shaped, |value| <= reach.
  int about_zero(int reach) noexcept { return (between(-reach, reach) + between(-reach, reach)) / 2; }
  colour any_colour() noexcept { return {between(20, 235), between(20, 235), between(20, 235)}; }

  void choose_place() noexcept {
    const std::int64_t t = between(-27000, 27000);  // tan(angle / 2)
    cosine_ = (one * one - t * t) * one / (one * one + t * t);
    sine_ = 2 * t * one * one / (one * one + t * t);
    radius_ = between(7 * pixel, 13 * pixel);
    const std::int64_t middle = side / 2 * pixel, reach = middle - radius_;
    x_ = middle + between(-reach, reach);
    y_ = middle + between(-reach, reach);
  }
  void choose_colours() noexcept {
    const auto differ = [&] {
      int sum = 0;
      for (std::size_t c = 0; c < 3; ++c) sum += std::abs(ink_[c] - paper_[c]);
      return sum >= 180;
    };
    do ink_ = any_colour(), paper_ = any_colour();
    while (!differ());
    for (colour& way : slope_) way = {about_zero(60), about_zero(60), about_zero(60)};
    for (dot& d : dots_)
      d = {between(0, side * pixel), between(0, side * pixel), between(pixel, 5 * pixel / 2), any_colour()};
  }

  /// Returns the mean of four points of a pixel, over the gradient; dots are on top.
  colour colour_at(int figure, int x, int y) const noexcept {
    const std::int64_t px = (2 * x + 1) * pixel / 2, py = (2 * y + 1) * pixel / 2;
    for (const dot& d : dots_)
      if ((px - d.x) * (px - d.x) + (py - d.y) * (py - d.y) <= d.radius * d.radius) return d.ink;
    int covered = 0;
    for (const int dx : {-64, 64})
      for (const int dy : {-64, 64}) covered += covers(figure, px + dx - x_, py + dy - y_) ? 1 : 0;
    colour seen{};
    for (std::size_t c = 0; c < 3; ++c) {
      const int shade = (slope_[0][c] * (x - side / 2) + slope_[1][c] * (y - side / 2)) / side;
      seen[c] = (covered * ink_[c] + (4 - covered) * paper_[c]) / 4 + shade;
    }
    return seen;
  }

  /// Whether a figure of radius 1000 about the origin covers a point, given in the image's frame.
  bool covers(int figure, std::int64_t dx, std::int64_t dy) const noexcept {
    const std::int64_t u = (cosine_ * dx + sine_ * dy) / one * 1000 / radius_,
                       v = (cosine_ * dy - sine_ * dx) / one * 1000 / radius_;
    const std::int64_t a = u < 0 ? -u : u, b = v < 0 ? -v : v, larger = (std::max)(a, b), smaller = (std::min)(a, b);
    const std::int64_t square = u * u + v * v;
    const auto band = [](std::int64_t at, std::int64_t width) { return (at + 900) / width % 2; };
    switch (figure) {
      case 0:
        return square <= 1000 * 1000;
      case 1:
        return square <= 1000 * 1000 && square >= 600 * 600;
      case 2:
        return larger <= 880;
      case 3:
        return larger <= 880 && larger >= 520;
      case 4:
        return v >= -500 && 1732 * a + 1000 * v <= 1000 * 1000;
      case 5:
        return larger <= 1000 && smaller <= 280;
      case 6:
        return (a - 560) * (a - 560) + v * v <= 420 * 420;
      case 7:
        return square <= 1000 * 1000 && v >= 0;
      case 8:
        return larger < 900 && band(u, 360) == 0;
      default:
        return larger < 900 && band(u, 600) == band(v, 600);
    }
  }

  ridgepoint::random_stream random_;
  std::int64_t cosine_ = one, sine_ = 0, radius_ = 0, x_ = 0, y_ = 0;
  colour ink_{}, paper_{};
  std::array<colour, 2> slope_{};  // to the right, down
  std::array<dot, 2> dots_{};
};

/// Numbers of images, and their seed.
struct figures_options {
  std::uint64_t seed = 42;
  ridgepoint::index_t train = 50'000, test = 10'000;  // numbers of images; at least one per file
};

/// Ensures that `directory` holds drawn figures, one class each, in the six files of CIFAR-10; creates them if missing.
///
/// The same options give the same bytes on every machine; every image has its own random stream, independent of the
/// number drawn. A note next to the files records their origin, so that changed options recreate them, and files of
/// another origin are never overwritten.
/// Throws: value_error for less than five training images or one test image; data_error if the directory cannot be
/// written or holds data files without such a note.
/// Example: synthetic::write_figures("cifar10", {.seed = 42, .train = 50'000, .test = 10'000});
void write_figures(const std::string& directory, const figures_options& options = {},
                   const ridgepoint::data_progress& progress = {});

}  // namespace synthetic
