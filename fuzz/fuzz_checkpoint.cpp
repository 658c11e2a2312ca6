// SPDX-License-Identifier: MIT
// Parses any bytes as a checkpoint: a checkpoint that survives a round trip, or a data_error.
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
  read_one(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
