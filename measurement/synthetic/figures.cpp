// SPDX-License-Identifier: MIT
#include "figures.hpp"

#include <functional>
#include <string_view>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/files.hpp>
#include <ridgepoint/data/cifar.hpp>

namespace synthetic {

namespace rp = ridgepoint;

namespace {
/// Writes images first … first + count − 1 of a seed's infinite stream as a file of CIFAR-10, atomically.
void write_part(const std::string& path, std::uint64_t seed, std::uint64_t first, rp::index_t count,
                const std::function<void(rp::index_t)>& drawn) {
  rp::atomic_file file(path);
  std::array<std::uint8_t, rp::cifar_format::image_bytes> pixels;
  for (rp::index_t i = 0; i < count; ++i) {
    rp::random_stream random(seed, first + static_cast<std::uint64_t>(i));
    const auto label = static_cast<std::uint8_t>(random.below(figure_painter::figures));
    figure_painter(random).draw(label, pixels);
    file.write(&label, 1);
    file.write(pixels.data(), pixels.size());
    if (i % 512 == 511 || i + 1 == count) drawn(i + 1);
  }
  file.commit();
}
}  // namespace

void write_figures(const std::string& directory, const figures_options& options, const rp::data_progress& progress) {
  constexpr auto names = rp::cifar_names::train10;
  constexpr auto parts = static_cast<rp::index_t>(names.size());
  rp::require<rp::value_error>(options.train >= parts && options.test >= 1, "synthetic cifar: ", options.train,
                               " train and ", options.test, " test images; must be >= ", parts, " and >= 1");
  rp::detail::drawn_files files{
      .what = "synthetic images",
      .directory = directory,
      .note = "synthetic-cifar10.txt",
      .origin = rp::concat("ridgepoint synthetic cifar-10, version 1, seed ", options.seed, ", ", options.train,
                           " train and ", options.test, " test images\n"),
      .names = {names.begin(), names.end()},
      .others = {}};
  files.names.emplace_back(rp::cifar_names::test10);
  if (!rp::detail::begin_drawing(files)) return;

  const auto draw = [&](std::string_view name, std::uint64_t stream, rp::index_t count, rp::index_t before) {
    write_part(rp::detail::in_directory(directory, name), options.seed, stream, count, [&](rp::index_t done) {
      if (progress) progress(before + done, options.train + options.test);
    });
  };
  for (rp::index_t part = 0; part < parts; ++part) {
    const rp::index_t first = part * options.train / parts, end = (part + 1) * options.train / parts;
    draw(names[static_cast<std::size_t>(part)], static_cast<std::uint64_t>(first), end - first, first);
  }
  constexpr std::uint64_t test_stream = std::uint64_t{1} << 32;  // separates test images from training images
  draw(rp::cifar_names::test10, test_stream, options.test, options.train);
}

}  // namespace synthetic
