// SPDX-License-Identifier: MIT
// Reads any bytes as an IDX file of images and as one of labels: values, or a data_error.
#include <fuzz/input.hpp>

#include <ridgepoint/data/idx.hpp>

namespace rp = ridgepoint;

template <int Rank>
void read_one(const std::filesystem::path& file) {
  try {
    const rp::idx content = rp::read_idx<Rank>(file);
    if (static_cast<std::size_t>(content.shape.size()) != content.values.size()) __builtin_trap();
  } catch (const rp::data_error&) {
  }
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = as_file(data, size);
  read_one<3>(file);
  read_one<1>(file);
  return 0;
}
