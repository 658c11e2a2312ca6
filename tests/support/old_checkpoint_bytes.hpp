// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include <ridgepoint/graph/checkpoint.hpp>
#include <ridgepoint/graph/old_checkpoint.hpp>

/// Checkpoints as older versions wrote them: see graph/old_checkpoint.hpp.
namespace old_format {

namespace rp = ridgepoint;

template <class T>
void put(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}
inline void put_text(std::string& out, std::string_view text) {
  put(out, static_cast<std::uint32_t>(text.size()));
  out += text;
}
/// The bytes with the checksum of all but the last four in their place, so that what is behind it is looked at.
[[nodiscard]] inline std::string sealed(std::string bytes) {
  if (bytes.size() < 4) return bytes;
  bytes.resize(bytes.size() - 4);
  put(bytes, rp::detail::checksum(bytes));
  return bytes;
}
/// Tensors of float, or all of double.
[[nodiscard]] inline std::string bytes_of(const rp::checkpoint& c) {
  std::string out("RPCHKPT\0", 8);
  put(out, std::uint32_t{2});
  put(out, !c.tensors.empty() && c.tensors[0].dtype == "F64" ? std::uint32_t{8} : std::uint32_t{4});
  put(out, c.step);
  put(out, c.learning_rate);
  put(out, static_cast<std::int64_t>(c.batch));
  put(out, c.seed);
  put_text(out, c.optimiser);
  put(out, static_cast<std::uint32_t>(c.tensors.size()));
  for (const rp::safetensor& t : c.tensors) {
    put_text(out, t.name);
    put(out, static_cast<std::uint32_t>(t.extents.rank()));
    for (const rp::index_t extent : t.extents) put(out, static_cast<std::int64_t>(extent));
    out += t.values;
  }
  return sealed(out + std::string(4, '\0'));
}

}  // namespace old_format
