// SPDX-License-Identifier: MIT
// expect: either: both backends must have the same type of buffer
#include <ridgepoint/core/either.hpp>

namespace rp = ridgepoint;

struct plain : rp::host_memory {
  [[nodiscard]] static std::string name() { return "plain"; }
};
struct elsewhere : plain {
#ifndef FIXED
  struct buffer : rp::host_buffer {};
  [[nodiscard]] static buffer allocate(std::size_t) { return {}; }
#endif
};

int main() {
  const rp::either on(plain{}, elsewhere{});
  static_cast<void>(on);
}
