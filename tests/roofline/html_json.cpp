// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/html_json.hpp>

#include "synthetic.hpp"

namespace rp = ridgepoint;

TEST_CASE("the page holds picture, table, ceilings and the run itself, and asks the network for nothing") {
  const std::string page = rp::html(synthetic::profile(), synthetic::machine(), rp::observe_environment());
  for (const char* part :
       {"<!doctype html>", "<svg", "residual", "Ceilings of synthetic", "id='run'", "ridgepoint.roofline"})
    CHECK_MESSAGE(page.find(part) != std::string::npos, part);
  CHECK(page.find("src=") == std::string::npos);
  CHECK(page.find("href=") == std::string::npos);
}

TEST_CASE("neither names nor the script bundle can break out of their place") {
  rp::profile p = synthetic::profile();
  p.title = p.rows[0].layer = "</script><!--<b>&\"";
  const std::string page = rp::html(p, synthetic::machine(), {}, "var a = '</script>';");
  CHECK(page.find("</script><!--") == std::string::npos);
  CHECK(page.find("<b>") == std::string::npos);
  CHECK(page.find("var a = '<\\/script>';") != std::string::npos);
}
