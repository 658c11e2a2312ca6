// SPDX-License-Identifier: MIT
// Any bytes as a checkpoint, as they are and with the right checksum: a checkpoint that survives a round trip, or a
// data_error.
#include <ridgepoint/graph/checkpoint.hpp>

namespace rp = ridgepoint;

namespace {

void read_one(const std::string& bytes) {
  try {
    const rp::checkpoint c = rp::parse_checkpoint(bytes, "fuzz");
    if (rp::to_bytes(c) != bytes) __builtin_trap();
  } catch (const rp::data_error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  read_one(bytes);
  rp::detail::put_value(bytes, rp::detail::checksum(bytes));
  read_one(bytes);
  return 0;
}
