// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/html_json.hpp>

namespace rp = ridgepoint;

TEST_CASE("a page holds its charts as specification and as SVG, and the library only if it is given") {
  const std::string chart = rp::chart_markup({{"description", "</script>"}}, "wider");
  CHECK(chart.find("<div class='chart wide wider'><script type='application/json'>"
                   "{\"description\":\"\\u003c/script>\"}</script>"
                   "<svg role='img' aria-label='&lt;/script&gt;' viewBox='-4 -8 ") == 0);
  const std::string text = rp::page("a<b", chart, ""), drawn = rp::page("a<b", chart, "var v = '</script>';");
  CHECK(text.find("<title>a&lt;b</title>") != std::string::npos);
  CHECK(rp::page("a\n\x1b[2J\xff", "", "").find("<title>a\\n\\x1b[2J\\xff</title>") != std::string::npos);
  CHECK(text.find(chart) != std::string::npos);
  CHECK(text.find("<script>var v") == std::string::npos);
  CHECK(drawn.find("<script>var v = '<\\/script>';</script>") != std::string::npos);
}
