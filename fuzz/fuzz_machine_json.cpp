// SPDX-License-Identifier: MIT
// Parses any bytes as a machine file: a machine that passes every check and survives a round trip, or a data_error.
#include <ridgepoint/roofline/machine_json.hpp>

namespace rp = ridgepoint;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const rp::json document = rp::parse_strict(text, "fuzz");
    const rp::machine machine = rp::machine_from_json({document, "fuzz: "});
    rp::check(machine);
    static_cast<void>(rp::suspicions(machine));
    const rp::json again = rp::to_json_document(machine);
    if (rp::to_json_document(rp::machine_from_json({again, "again: "})) != again) __builtin_trap();
  } catch (const rp::data_error&) {
  }
  return 0;
}
