// SPDX-License-Identifier: MIT
// Reads any bytes as a CIFAR-10 and as a CIFAR-100 file: images, or a data_error.
#include <fuzz/input.hpp>

#include <ridgepoint/data/cifar.hpp>

namespace rp = ridgepoint;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = as_file(data, size);
  for (const rp::cifar_format& format : {rp::cifar10_format, rp::cifar100_format}) {
    rp::cifar_images images;
    try {
      rp::read_cifar(file, format, images);
      if (images.pixels.size() != images.labels.size() * rp::cifar_format::image_bytes) __builtin_trap();
      for (const int label : images.labels)
        if (label >= format.classes) __builtin_trap();
    } catch (const rp::data_error&) {
      if (images.size() != 0) __builtin_trap();
    }
  }
  return 0;
}
