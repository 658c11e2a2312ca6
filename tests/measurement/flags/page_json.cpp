// SPDX-License-Identifier: MIT
#include "measurement/flags/page_json.hpp"

#include <doctest/doctest.h>

#include "page_sample.hpp"

namespace {

void check_parts(const std::string& page, std::initializer_list<const char*> parts) {
  for (const char* part : parts) CHECK_MESSAGE(page.find(part) != std::string::npos, std::string(part));
}

}  // namespace

TEST_CASE("the page of flags contains ladders, roofs, tables, the terminal output, the machine and the run") {
  const std::string page = measurement::flags_html(page_sample::page(), {{"schema", "ridgepoint.flags"}});
  check_parts(
      page, {"<title>What flags buy: &lt;kernels&gt;.cpp</title>", "12 rounds: no interval is wide",
             "<p class='doubt'>load average is 3: &lt;other&gt; work", "vega-lite/v5.json", "ulp max: largest distance",
             "<h3>A, B &ensp;gemm/<wbr>256x256x256</h3>", "<h2>Roofs of the builds</h2>", "<h2>Rows</h2>",
             "<h2>Sets</h2>", "AMD EPYC &lt;9B45&gt;", "{\"schema\":\"ridgepoint.flags\"}",
             "kernels.cpp:3:1: error: &lt;broken&gt; &amp; &quot;quoted&quot;", "<td class='lost'>yes</td>",
             "NaN lost, which the base keeps", ">12k</td>",
             "./program &#39;--benchmark_filter=^training/mnist-mlp/kernels$&#39;</code>"});
  CHECK(page.find("src=") == std::string::npos);
  CHECK(page.find("href=") == std::string::npos);
}

TEST_CASE("the page of flags leaves out empty parts") {
  measurement::flags_page bare{.title = "t", .base = "a", .control = "a again", .sets = {{.set = {.name = "a"}}}};
  const std::string page = measurement::flags_html(bare, {});
  check_parts(page, {"<h2>Sets</h2>"});
  for (const char* part : {"Speed-ups", "Roofs", "<h2>Rows"})
    CHECK_MESSAGE(page.find(part) == std::string::npos, std::string(part));
  bare.rows.push_back(page_sample::row("sum", "a again", 1));
  const std::string timed = measurement::flags_html(bare, {});
  check_parts(timed, {"Speed-ups", "<h2>Rows"});
  CHECK(timed.find("ulp max") == std::string::npos);
}

TEST_CASE("names are escaped on the page of flags, and long ones are shortened") {
  const std::string page = measurement::flags_html(page_sample::page(), {});
  CHECK(page.find("</script><b>") == std::string::npos);
  CHECK(page.find("<std::map") == std::string::npos);
  check_parts(page, {"template&lt;aaaaaaaaaaaaaaa", "a…a"});
  CHECK(page.find(">template&lt;" + std::string(100, 'a')) == std::string::npos);
  CHECK(page.find("<span title='template&lt;" + std::string(4096, 'a') + "&gt;'>") != std::string::npos);
}

TEST_CASE("for many benchmarks the page of flags draws the first, and its table has all") {
  measurement::flags_page page{.title = "t", .base = "a", .control = "a again", .sets = {{.set = {.name = "a"}}}};
  for (int i = 0; i < 70; ++i) page.rows.push_back(page_sample::row("row" + std::to_string(i), "a again", 1));
  const std::string drawn = measurement::flags_html(page, {});
  check_parts(drawn, {"The first 60 of 70", ";row59</h3>", ">row69</td>"});
  CHECK(drawn.find(";row60</h3>") == std::string::npos);
}
