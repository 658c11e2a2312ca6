// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/machine.hpp>
#include <ridgepoint/roofline/machines.hpp>

#include "support/near.hpp"

namespace rp = ridgepoint;

TEST_CASE("every published machine is complete and every number has a source") {
  for (const rp::machine& m : rp::published_machines()) {
    CAPTURE(m.name);
    CHECK_NOTHROW(rp::check(m));
    for (const rp::ceiling& c : m.ceilings) CHECK_FALSE(c.source.empty());
    CHECK(&rp::find_machine(m.name) == &m);
  }
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::find_machine("k81")), doctest::Contains("must be one of skylake-vm, k80"),
                       rp::value_error);
}

TEST_CASE("published ridge points follow from the published ceilings") {
  const auto ridge = [](const char* name, const char* dtype) {
    return rp::find_machine(name).ridge_points({.dtype = dtype})[0].flop_per_byte();
  };
  CHECK(ridge("tpu-v2", "bf16") == near(75));
  CHECK(ridge("tpu-v3", "bf16") == near(117, 0.01));
  CHECK(ridge("v100", "f16") == near(139, 0.01));
  CHECK(ridge("skylake-vm", "f32") == near(120, 0.01));
  CHECK(ridge("tpu-v2-spec", "bf16") == near(65.5, 0.01));
  CHECK(ridge("tpu-v3-spec", "bf16") == near(137, 0.01));
  const double macs_per_weight_byte = ridge("tpu-v1", "int8") / 2;
  CHECK(macs_per_weight_byte > 1349);
  CHECK(macs_per_weight_byte < 1350);
}
