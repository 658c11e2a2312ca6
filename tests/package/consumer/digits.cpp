// SPDX-License-Identifier: MIT
// Reads data and chooses a backend like README.md's project; here there is no data.
#include <string_view>

#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/data/mnist.hpp>

namespace rp = ridgepoint;

int main() {
  const rp::cpu on;
  try {
    static_cast<void>(rp::mnist("no_such_directory"));
  } catch (const rp::data_error& e) {
    return on.thread_count() >= 1 && std::string_view(e.what()).starts_with("mnist: no_such_directory") ? 0 : 1;
  }
  return 1;
}
