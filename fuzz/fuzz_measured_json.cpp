// SPDX-License-Identifier: MIT
// Parses any bytes as a file of results: a set that can be compared with itself, or a data_error.
#include <ridgepoint/study/comparison.hpp>
#include <ridgepoint/study/measured/load_json.hpp>

namespace study = ridgepoint::study;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const study::measured_set set = study::read_measured(text, "fuzz");
    if (!study::differences(set, set).empty()) __builtin_trap();
    const study::compared_sets all = study::compare(set, set, {.bootstrap = {.resamples = 10}});
    if (all.count(study::verdict::faster) + all.count(study::verdict::slower) != 0) __builtin_trap();
  } catch (const ridgepoint::data_error&) {
  }
  return 0;
}
