// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/chart.hpp>

#include "support/near.hpp"
#include "synthetic.hpp"

namespace rp = ridgepoint;

TEST_CASE("a chart has one slope per level, one flat roof per distinct peak, one marker per row with FLOP") {
  const rp::chart c = rp::layout(synthetic::profile(), synthetic::machine());
  CHECK(c.roofs.size() == 6);
  CHECK(c.ridges.size() == 4);
  CHECK(c.points.size() == 2);
  CHECK(c.hidden == std::vector<std::size_t>{2});
  for (const rp::chart_roof& r : c.roofs) {
    CHECK(r.x0 <= r.x1);
    CHECK(r.y0 <= r.y1);
  }
}

TEST_CASE("marker area is proportional to the share of time") {
  const rp::chart c = rp::layout(synthetic::profile(), synthetic::machine());
  const double a = c.points[0].radius, b = c.points[1].radius;
  CHECK(a * a / (b * b) == near(5.0 / 3.0));
}

TEST_CASE("letters of rows at one place do not overlap") {
  rp::profile p = synthetic::profile();
  p.rows.assign(12, p.rows[0]);
  const rp::chart c = rp::layout(p, synthetic::machine());
  for (std::size_t i = 0; i < c.points.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      CHECK(std::hypot(c.pixel_x(c.points[i].label_x) - c.pixel_x(c.points[j].label_x),
                       c.pixel_y(c.points[i].label_y) - c.pixel_y(c.points[j].label_y)) > 10);
}

TEST_CASE("an empty profile gives a valid chart") {
  CHECK_NOTHROW(static_cast<void>(rp::layout({}, {})));
  CHECK_NOTHROW(static_cast<void>(rp::layout(synthetic::profile(), {})));
}
