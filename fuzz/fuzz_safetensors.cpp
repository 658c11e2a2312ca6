// SPDX-License-Identifier: MIT
// Parses any bytes as a safetensors file, and as a header with the correct length: tensors that survive a round trip,
// or a data_error.
#include <cstring>

#include <ridgepoint/graph/safetensors.hpp>

namespace rp = ridgepoint;

namespace {

void read_one(const std::string& bytes) {
  try {
    const rp::safetensors s = rp::parse_safetensors(bytes, "fuzz");
    const std::string again = rp::to_bytes(s);
    if (rp::to_bytes(rp::parse_safetensors(again, "fuzz")) != again) __builtin_trap();
  } catch (const rp::data_error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  read_one(bytes);
  const std::size_t values = size > 0 ? data[0] % size : 0;  // bytes after the header
  const std::uint64_t header = size - values;
  read_one(std::string(reinterpret_cast<const char*>(&header), sizeof header) + bytes);
  return 0;
}
