// SPDX-License-Identifier: MIT
#include <ridgepoint/study/sweep_page_json.hpp>

#include <doctest/doctest.h>

#include <ridgepoint/mxu/chips.hpp>
#include <ridgepoint/study/paradnn_fc.hpp>

#include "support/near.hpp"

namespace rp = ridgepoint;
namespace study = ridgepoint::study;

namespace {

study::sweep_network fc(rp::index_t layers, rp::index_t node) {
  return {{{"layers", layers}, {"nodes", node}},
          node,
          true,
          [=](const rp::tpu::chip& on, rp::index_t batch, rp::index_t cores) {
            const study::fc_shape s{layers, node, 2000, 1000, batch};
            return study::placed_step{fc_step(on, s, cores), fits(on, fc_memory(s, cores))};
          }};
}
std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("sweep: a row holds the board, one core of it and the newer board at twice the batch") {
  const study::sweep_chips chips{rp::tpu::find_chip("v2"), rp::tpu::find_chip("v3")};
  const study::sweep_network network = fc(4, 2048);
  const study::sweep_row r = sweep_one(chips, network, 4096);
  const study::fc_shape s{4, 2048, 2000, 1000, 4096}, twice{4, 2048, 2000, 1000, 8192};
  CHECK(r.fits);
  CHECK(r.step_s == fc_step(chips.board, s, 8).step_s);
  CHECK(r.one_core_utilisation == fc_step(chips.board, s, 1).quoted_utilisation());
  CHECK(r.speed_up == near(2 * r.step_s / fc_step(chips.newer, twice, 8).step_s));
  for (const double s_of : r.class_speed_up) CHECK(s_of <= 3.1);
  const study::sweep_network large = fc(32, 8192);
  const study::sweep_row oom = sweep_one(chips, large, 64);
  CHECK_FALSE(oom.fits);
  CHECK(std::isnan(oom.speed_up));
}

TEST_CASE(
    "sweep: a heat map is the drawn slice, with ## for steps out of memory; speed-ups are by class and end to end") {
  const study::sweep_chips chips{rp::tpu::find_chip("v2"), rp::tpu::find_chip("v3")};
  const std::vector<study::sweep_network> networks{fc(32, 64), fc(32, 2048), fc(32, 8192)};
  std::vector<study::sweep_row> rows;
  for (const study::sweep_network& n : networks)
    for (const rp::index_t batch : {64, 16384}) rows.push_back(sweep_one(chips, n, batch));
  const study::heat_map m = map_of(rows, "used", "nodes", 100, [](const auto& r) { return 100 * r.utilisation; });
  CHECK(m.x == std::vector<rp::index_t>{64, 16384});
  CHECK(m.y == std::vector<rp::index_t>{64, 2048, 8192});
  CHECK(m.at(2, 0) == -1);
  CHECK(m.at(1, 1) > 50);
  CHECK(count(text(m), "##") == 2);
  const study::box_chart faster = speed_ups(rows, "v3 over v2");
  CHECK(faster.boxes.back().name == "end to end");
  CHECK(faster.boxes.back().count == 4);
}

TEST_CASE(
    "sweep: the page has every chart for Vega-Lite and as SVG, loads nothing from the network and says that it is "
    "modelled") {
  const study::sweep_chips chips{rp::tpu::find_chip("v2"), rp::tpu::find_chip("v3")};
  const study::sweep_network network = fc(4, 2048);
  const std::vector<study::sweep_row> rows{sweep_one(chips, network, 4096), sweep_one(chips, network, 8192)};
  const std::string page = sweep_page(rows, chips, "<fc>", "nodes");
  CHECK(count(page, "<div class='chart") == 4);
  CHECK(count(page, "vega-lite/v5.json") == 4);
  CHECK(page.find("Modelled: &lt;fc&gt; on TPU v2, 8 cores") != std::string::npos);
  CHECK(count(page, "<svg ") == 4);
  CHECK(page.find("\nnodes: 2048") != std::string::npos);  // in the tooltip
  CHECK(page.find("src=") == std::string::npos);
  CHECK(page.find("href=") == std::string::npos);
}
