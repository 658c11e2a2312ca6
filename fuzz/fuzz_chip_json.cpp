// SPDX-License-Identifier: MIT
// Parses any bytes as a TPU chip: a chip equal to the document, or a data_error.
#include <ridgepoint/mxu/chip_json.hpp>

namespace rp = ridgepoint;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const rp::json document = rp::parse_strict(text, "fuzz");
    const rp::json again = rp::tpu::to_json_document(rp::tpu::chip_from_json({document, "fuzz: "}));
    for (const auto& [key, value] : again.items())
      if (key != "fit" && document.at(key) != value) __builtin_trap();
    for (const auto& [key, value] : again.at("fit").items())
      if (document.at("fit").at(key) != value) __builtin_trap();
  } catch (const rp::data_error&) {
  }
  return 0;
}
