// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/html_json.hpp>

#include "synthetic.hpp"

namespace rp = ridgepoint;

TEST_CASE("the page holds chart, table, ceilings and the run itself, and loads nothing from the network") {
  const std::string page = rp::html(synthetic::profile(), synthetic::machine(), rp::observe_environment());
  for (const char* part : {"<!doctype html>", "vega-lite/v5.json", "<svg role='img'", "residual",
                           "ridge: ", "!: ", "Ceilings of synthetic", "id='run'", "ridgepoint.roofline"})
    CHECK_MESSAGE(page.find(part) != std::string::npos, part);
  CHECK(page.find("src=") == std::string::npos);
  CHECK(page.find("href=") == std::string::npos);
}

TEST_CASE("the page shows the algorithms of rows if the backend reports them") {
  rp::profile p = synthetic::profile();
  CHECK(rp::html(p, synthetic::machine(), {}).find("<th>algorithm</th>") == std::string::npos);
  p.rows[0].algorithm = "in small steps";
  p.rows[0].executed_flop = 3'000'000;
  p.rows[0].elapsed_s = 1e-3;
  const std::string page = rp::html(p, synthetic::machine(), {});
  CHECK(page.find("<th>gain</th><th>algorithm</th>") != std::string::npos);
  CHECK(page.find(">133</td><td>in small steps</td>") != std::string::npos);
}

TEST_CASE("suspicions are on the page; suspicions about the environment only for measured profiles") {
  rp::profile p = synthetic::profile();
  p.rows[1].elapsed_s = 1e-3;
  rp::environment at;
  at.debug_build = true;
  const std::string measured = rp::html(p, synthetic::machine(), at);
  const std::string modelled = rp::html(p, synthetic::machine(), std::nullopt);
  for (const std::string& page : {measured, modelled})
    CHECK(page.find("<p class='doubt'>1 of 3 rows are above their roof") != std::string::npos);
  CHECK(measured.find("<p class='doubt'>this is a debug build") != std::string::npos);
  CHECK(modelled.find("this is a debug build") == std::string::npos);
}

TEST_CASE("a modelled page has no threads and no residual below rounding; a busy host is its first doubt") {
  rp::profile p = synthetic::profile();
  CHECK(rp::html(p, synthetic::machine(), {}).find("<td>residual</td>") != std::string::npos);
  CHECK(rp::html(p, synthetic::machine(), {}).find("1 thread; step") != std::string::npos);
  p.meanwhile.slowdown = 2;
  CHECK(rp::html(p, synthetic::machine(), rp::environment{}).find("<p class='doubt'>busy host: ") != std::string::npos);
  p = {.title = "modelled", .backend = "model of TPU v2", .threads = 0, .rows = {}, .step_s = 0.3};
  for (int i = 0; i < 3; ++i) p.rows.push_back({.layer = "a", .shape = "", .elapsed_s = 0.1});
  const std::string page = rp::html(p, synthetic::machine(), std::nullopt);
  CHECK(page.find("thread; step") == std::string::npos);
  CHECK(page.find("model of TPU v2; step 300") != std::string::npos);
  CHECK(page.find("<td>residual</td>") == std::string::npos);
}

TEST_CASE("names and the script bundle are escaped") {
  rp::profile p = synthetic::profile();
  p.title = p.rows[0].layer = "</script><!--<b>&\"";
  const std::string page = rp::html(p, synthetic::machine(), {}, "var a = '</script>';");
  CHECK(page.find("</script><!--") == std::string::npos);
  CHECK(page.find("<b>") == std::string::npos);
  CHECK(page.find("var a = '<\\/script>';") != std::string::npos);
}
