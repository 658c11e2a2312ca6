// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>

#include <ridgepoint/core/atomic_file.hpp>
#include <ridgepoint/data/read_cifar.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Writes images first … first + count − 1 as a binary file of CIFAR: whole or not at all. A label byte that is no
/// class is 0.
/// Throws: data_error if it cannot be written; shape_error unless there are so many images, with 3072 pixels each.
inline void write_cifar(const std::string& path, const cifar_format& format, const cifar_images& images, index_t first,
                        index_t count) {
  require<shape_error>(
      checked_mul(images.size(), cifar_format::image_bytes) == static_cast<index_t>(images.pixels.size()),
      "write_cifar: ", images.pixels.size(), " pixels for ", images.size(), " labels; must be ",
      cifar_format::image_bytes, " each");
  require<shape_error>(first >= 0 && count >= 0 && count <= images.size() - first, "write_cifar: images ", first,
                       " and ", count, " from there; there must be so many, and are ", images.size());
  atomic_file file(path);
  for (index_t i = first; i < first + count; ++i) {
    for (index_t byte = 0; byte < format.label_bytes; ++byte) {
      const std::uint8_t label = byte == format.label_at ? images.labels[static_cast<std::size_t>(i)] : std::uint8_t{0};
      file.write(&label, 1);
    }
    file.write(images.pixels.data() + i * cifar_format::image_bytes, cifar_format::image_bytes);
  }
  file.commit();
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
