// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <array>
#include <string>

#include <ridgepoint/data/cifar.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;

namespace {

/// Returns `count` images with bytes 0, 1, 2 …, of classes 0, 1, 2 …
rp::cifar_images counted_images(rp::index_t count, int classes) {
  rp::cifar_images images;
  for (rp::index_t i = 0; i < count; ++i) images.labels.push_back(static_cast<std::uint8_t>(i % classes));
  images.pixels.resize(static_cast<std::size_t>(count * rp::cifar_format::image_bytes));
  for (std::size_t i = 0; i < images.pixels.size(); ++i) images.pixels[i] = static_cast<std::uint8_t>(i % 251);
  return images;
}
/// Returns the images as the bytes of a file; label bytes other than the class are 0.
std::string cifar_file(const rp::cifar_format& format, const rp::cifar_images& images) {
  std::string bytes;
  auto pixels = images.pixels.begin();
  for (const std::uint8_t label : images.labels) {
    bytes.append(static_cast<std::size_t>(format.label_at), '\0');
    bytes += static_cast<char>(label);
    bytes.append(pixels, pixels + rp::cifar_format::image_bytes);
    pixels += rp::cifar_format::image_bytes;
  }
  return bytes;
}

}  // namespace

TEST_CASE("a file in CIFAR's formats reads back record by record") {
  const temporary_directory there;
  for (const rp::cifar_format& format : {rp::cifar10_format, rp::cifar100_format}) {
    const rp::cifar_images images = counted_images(7, format.classes);
    write_bytes(there / "file", cifar_file(format, images));
    CHECK(read_bytes(there / "file").size() == static_cast<std::size_t>(7 * format.record_bytes()));
    rp::cifar_images read;
    rp::read_cifar(there / "file", format, read);
    CHECK(read.labels == images.labels);
    CHECK(read.pixels == images.pixels);
    write_bytes(there / "file", cifar_file(format, counted_images(2, format.classes)));
    rp::read_cifar(there / "file", format, read);  // appends to those
    CHECK(read.size() == 9);
    CHECK(read.labels[8] == 1);
    CHECK(std::equal(images.pixels.begin(), images.pixels.begin() + 2 * 3072, read.pixels.begin() + 7 * 3072));
  }
  CHECK(rp::cifar10_format.record_bytes() == 3073);
  CHECK(rp::cifar100_format.record_bytes() == 3074);
}

TEST_CASE("a record is a label and three colour planes; samples interleave the colours of a pixel") {
  rp::cifar_images images = counted_images(3, 10);
  const rp::cifar_dataset data(images, 10);
  CHECK(data.size() == 3);
  CHECK(data.sample_shape() == rp::shape{32, 32, 3});
  CHECK(data.classes() == 10);
  CHECK(data.stays_the_same());
  const std::array<rp::index_t, 2> rows{2, 0};
  std::vector<float> x(2 * 3072);
  std::array<std::int32_t, 2> labels{};
  data.gather(rows, x.data(), labels.data());
  CHECK(labels == std::array<std::int32_t, 2>{2, 0});
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t p = 0; p < 1024; p += 33)
      for (std::size_t c = 0; c < 3; ++c)
        CHECK(x[i * 3072 + p * 3 + c] ==
              static_cast<float>(images.pixels[static_cast<std::size_t>(rows[i]) * 3072 + c * 1024 + p]) / 255.0F);
}

TEST_CASE("a file that is not a CIFAR file is refused, and nothing is added") {
  const temporary_directory there;
  rp::cifar_images images = counted_images(2, 10);
  const auto refused = [&](const std::string& bytes, const rp::cifar_format& format, const char* because) {
    write_bytes(there / "file", bytes);
    CHECK_THROWS_WITH_AS(rp::read_cifar(there / "file", format, images), doctest::Contains(because), rp::data_error);
    CHECK(images.size() == 2);
    CHECK(images.pixels.size() == 2 * 3072);
  };
  refused("", rp::cifar10_format, "file: has 0 bytes; must have a multiple of 3073");
  refused(std::string(3072, '\0'), rp::cifar10_format, "file: has 3072 bytes; must have a multiple of 3073");
  refused(std::string(2 * 3073, '\0'), rp::cifar100_format, "has 6146 bytes; must have a multiple of 3074");
  std::string wrong(3 * 3073, '\0');
  wrong[2 * 3073] = 10;
  refused(wrong, rp::cifar10_format, "file: label of record 2 is 10; must be 0 to 9");
  std::string group(3074, '\0');
  group[1] = 100;
  refused(group, rp::cifar100_format, "file: label of record 0 is 100; must be 0 to 99");
  group[0] = '\xff', group[1] = 99;  // the group is ignored
  write_bytes(there / "file", group);
  CHECK_NOTHROW(rp::read_cifar(there / "file", rp::cifar100_format, images));
  CHECK_THROWS_WITH_AS(rp::read_cifar(there / "absent", rp::cifar10_format, images), doctest::Contains("no such file"),
                       rp::data_error);
  CHECK_THROWS_AS(rp::read_cifar(there.path(), rp::cifar10_format, images), rp::data_error);
}

TEST_CASE("CIFAR-10 is six files, CIFAR-100 two; the error for a missing file lists all") {
  const temporary_directory there;
  rp::index_t count = 0;
  for (const auto name : rp::cifar_names::train10) {
    ++count;
    write_bytes(there / name, cifar_file(rp::cifar10_format, counted_images(count, 10)));
  }
  CHECK_THROWS_WITH_AS(
      static_cast<void>(rp::cifar10(there.path())),
      doctest::Contains("has no test_batch.bin; must hold data_batch_1.bin to data_batch_5.bin and test_batch.bin"),
      rp::data_error);
  write_bytes(there / rp::cifar_names::test10, cifar_file(rp::cifar10_format, counted_images(4, 10)));
  const rp::cifar_data ten = rp::cifar10(there.path());
  CHECK(ten.train.size() == 1 + 2 + 3 + 4 + 5);
  CHECK(ten.test.size() == 4);
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::cifar100(there.path())),
                       doctest::Contains("has no train.bin; must hold train.bin and test.bin"), rp::data_error);
  write_bytes(there / rp::cifar_names::train100, cifar_file(rp::cifar100_format, counted_images(120, 100)));
  write_bytes(there / rp::cifar_names::test100, cifar_file(rp::cifar100_format, counted_images(3, 100)));
  const rp::cifar_data hundred = rp::cifar100(there.path());
  CHECK(hundred.train.size() == 120);
  CHECK(hundred.train.classes() == 100);
}
