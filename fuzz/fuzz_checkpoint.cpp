// SPDX-License-Identifier: MIT
// Any bytes as a checkpoint, as they are and with the checksum that older versions wrote: a checkpoint that survives a
// round trip, or a data_error.
#include <ridgepoint/graph/checkpoint.hpp>

namespace rp = ridgepoint;

namespace {

void read_one(const std::string& bytes) {
  try {
    const rp::checkpoint c = rp::parse_checkpoint(bytes, "fuzz");
    const std::string again = to_bytes(to_safetensors(c));
    if (to_bytes(to_safetensors(rp::parse_checkpoint(again, "fuzz"))) != again) __builtin_trap();
  } catch (const rp::data_error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  read_one(bytes);
  const std::uint32_t checksum = rp::detail::checksum(bytes);
  bytes.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
  read_one(bytes);
  return 0;
}
