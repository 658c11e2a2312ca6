// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <array>

#include <ridgepoint/data/cifar.hpp>
#include <support/allocations.hpp>
#include <support/mutate.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;
using namespace std::string_literals;

TEST_CASE("damaged CIFAR files: no crash, no invalid label, no partial result, bounded memory") {
  const temporary_directory there;
  const std::array<std::string, 3> words{"\x0a"s, "\xff\xff"s, std::string(3073, '\x09')};
  int count = 0, taken = 0, refused = 0;
  for (const rp::cifar_format& format : {rp::cifar10_format, rp::cifar100_format}) {
    std::string file;
    for (int i = 0; i < 3; ++i)
      file += std::string(static_cast<std::size_t>(format.record_bytes()), static_cast<char>(i));
    count += mutate::for_each(file, 1500, words, [&](const std::string& mutant) {
      write_bytes(there / "file", mutant);
      rp::cifar_images images;
      allocations::reset();
      const std::size_t before = allocations::live();
      try {
        rp::read_cifar(there / "file", format, images);
        ++taken;
        CHECK(images.pixels.size() == images.labels.size() * rp::cifar_format::image_bytes);
        CHECK(
            std::all_of(images.labels.begin(), images.labels.end(), [&](int label) { return label < format.classes; }));
      } catch (const rp::data_error& refusal) {
        ++refused;
        CHECK(std::string_view(refusal.what()).find("file") != std::string_view::npos);
        CHECK(images.size() == 0);
        CHECK(images.pixels.empty());
      }
      CHECK(allocations::peak() - before <= 2 * mutant.size() + (std::size_t{1} << 16));
    });
  }
  CHECK(count >= 3000);
  CHECK(taken + refused == count);
  CHECK(taken > 100);
  CHECK(refused > 500);
  MESSAGE(count, " mutants, ", taken, " read, ", refused, " refused");
}
