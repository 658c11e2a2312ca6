// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <zlib.h>

/// PNG files by the specification, valid or invalid, independent of libpng.
namespace png {

inline std::string big_endian(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift);
  return bytes;
}
inline std::string chunk(std::string_view type, std::string_view data) {
  const std::string body = std::string(type) + std::string(data);
  const auto crc = crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big_endian(static_cast<std::uint32_t>(data.size())) + body + big_endian(static_cast<std::uint32_t>(crc));
}
inline std::string deflated(std::string_view bytes) {
  auto size = compressBound(static_cast<uLong>(bytes.size()));
  std::string packed(size, '\0');
  compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
           static_cast<uLong>(bytes.size()));
  packed.resize(size);
  return packed;
}

inline const std::string signature = "\x89PNG\r\n\x1a\n";
inline const std::string end = chunk("IEND", "");

struct header {
  std::uint32_t width = 1, height = 1;
  char depth = 8, colour = 0, interlaced = 0;
};
inline std::string ihdr(const header& h) {
  return chunk("IHDR", big_endian(h.width) + big_endian(h.height) + std::string{h.depth, h.colour, 0, 0, h.interlaced});
}
/// `rows`: a filter byte and the pixels of each row. `extra`: chunks before the pixels.
inline std::string file(const header& h, std::string_view rows, std::string_view extra = "") {
  return signature + ihdr(h) + std::string(extra) + chunk("IDAT", deflated(rows)) + end;
}

}  // namespace png
