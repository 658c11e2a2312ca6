// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/vega_json.hpp>

#include "support/near.hpp"
#include "synthetic.hpp"

namespace rp = ridgepoint;

TEST_CASE("the specification has log axes fixed by the machine and a datum per row with arithmetic") {
  const nlohmann::json v = rp::vega_specification(synthetic::profile(), synthetic::machine());
  CHECK(v["encoding"]["x"]["scale"]["type"] == "log");
  CHECK(v["encoding"]["x"]["scale"]["domain"][0] == near(0.01));
  CHECK(v["encoding"]["y"]["scale"]["domain"][1] == near(1e12));
  const auto& marks = v["layer"][v["layer"].size() - 2];
  CHECK(marks["name"] == "marks");
  REQUIRE(marks["data"]["values"].size() == 2);
  CHECK(marks["data"]["values"][0]["layer"] == "dense_1");
  CHECK(marks["data"]["values"][0]["y"] == near(80e9));
}
