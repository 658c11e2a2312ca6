// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/kernels/gemm/tile_shape.hpp>

/// Instruction set whose kernels are under test: from the environment's RIDGEPOINT_TESTED_COPY, or else ("shipped", or
/// unset) this program's own. It is a run-time value, so that tests of ops are compiled once for all instruction sets.
namespace tested {

struct isa_facts {
  std::string_view name;
  ridgepoint::kernels::vector_unit unit;
  int number = 0;  // index in their list
};

[[nodiscard]] inline const isa_facts& isa() {
  static const isa_facts found = []<class... Isa>(ridgepoint::isa::list<Isa...>) {
    const char* const set = std::getenv("RIDGEPOINT_TESTED_COPY");
    const std::string_view wanted = set == nullptr ? "shipped" : set;
    int number = 0;
    const std::string_view name = wanted == "shipped" ? ridgepoint::simd::native::name : wanted;
    isa_facts result{};
    if (!((result = {Isa::name, ridgepoint::kernels::unit_of<Isa>, number++}, Isa::name == name) || ...))
      throw std::invalid_argument("RIDGEPOINT_TESTED_COPY is not an instruction set");
    return result;
  }(ridgepoint::isa::all{});
  return found;
}

/// Values of type T in a register.
template <class T>
[[nodiscard]] ridgepoint::index_t lanes() {
  return isa().unit.lanes<T>();
}
/// Rows of the register tiles of GEMM, and columns of a packed panel.
[[nodiscard]] inline ridgepoint::index_t tile_rows() { return ridgepoint::kernels::tile_rows(isa().unit); }
template <class T>
[[nodiscard]] ridgepoint::index_t panel_width() {
  return ridgepoint::kernels::panel_width<T>(isa().unit);
}
/// True if a packed A holds each value once per lane (kernels::replicates_a).
template <class T>
[[nodiscard]] bool replicates_a() {
  return ridgepoint::kernels::replicates_a<T>(isa().unit);
}

}  // namespace tested
