// SPDX-License-Identifier: MIT
// Parses any bytes as a ladder: sets of flags that only select code, or a data_error.
#include <algorithm>
#include <cstdint>

#include "measurement/flags/ladder_json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const measurement::ladder read = measurement::read_ladder(text, "fuzz");
    if (std::ranges::find(read.sets, read.base, &measurement::flag_set::name) == read.sets.end()) __builtin_trap();
    for (const measurement::flag_set& set : read.sets)
      if (!std::ranges::all_of(set.flags, [](const std::string& flag) { return flag.starts_with('-'); }))
        __builtin_trap();
  } catch (const ridgepoint::data_error&) {
  }
  return 0;
}
