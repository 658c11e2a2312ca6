// SPDX-License-Identifier: MIT
#include <ridgepoint/study/charts_json.hpp>

#include <doctest/doctest.h>

#include <ridgepoint/mxu/chips.hpp>
#include <ridgepoint/study/paradnn_fc.hpp>

#include "support/near.hpp"

namespace rp = ridgepoint;
namespace study = ridgepoint::study;

namespace {

study::sweep_network fc(rp::index_t layers, rp::index_t node) {
  const auto shape = [=](rp::index_t batch) { return study::fc_shape{layers, node, 2000, 1000, batch}; };
  return {{{"layers", layers}, {"nodes", node}},
          node,
          true,
          [=](const rp::tpu::chip& on, rp::index_t batch, rp::index_t cores) {
            return study::placed_step{fc_step(on, shape(batch), cores), fits(on, fc_memory(shape(batch), cores))};
          },
          [=](const rp::gpu::platform& on, rp::index_t batch) {
            return study::placed_gpu_step{fc_step(on, shape(batch)), fc_bytes(on, shape(batch)) <= 16e9};
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
  CHECK(r.gpu_step_s == fc_step(chips.gpu, s).step_s);
  CHECK(r.over_gpu == near(r.gpu_step_s / r.step_s));
  const double faster = fc_step(chips.board, s, 1).device_s / r.device_s;  // eight cores over one
  CHECK(1 / (r.non_parallel_share + (1 - r.non_parallel_share) / 8) == near(faster));
  const study::sweep_network large = fc(32, 8192);
  const study::sweep_row oom = sweep_one(chips, large, 64);
  CHECK_FALSE(oom.fits);
  CHECK(std::isnan(oom.speed_up));
  CHECK(std::isnan(oom.over_gpu));
  const study::sweep_network deep = fc(128, 8192);
  CHECK(std::isnan(sweep_one(chips, deep, 64).gpu_step_s));
}

TEST_CASE(
    "sweep: a heat map is the drawn slice, with ## for steps out of memory; speed-ups are by class and end to end") {
  const study::sweep_chips chips{rp::tpu::find_chip("v2"), rp::tpu::find_chip("v3")};
  const std::vector<study::sweep_network> networks{fc(32, 64), fc(32, 2048), fc(32, 8192)};
  std::vector<study::sweep_row> rows;
  for (const study::sweep_network& n : networks)
    for (const rp::index_t batch : {64, 16384}) rows.push_back(sweep_one(chips, n, batch));
  const study::heat_map m = map_of(rows, "used", "nodes", 100, study::used_percent);
  CHECK(m.x == std::vector<rp::index_t>{64, 16384});
  CHECK(m.y == std::vector<rp::index_t>{64, 2048, 8192});
  CHECK(m.at(2, 0) == -1);
  CHECK(m.at(1, 1) > 50);
  CHECK(count(text(m), "##") == 2);
  const study::box_chart faster = speed_ups(rows, "v3 over v2");
  CHECK(faster.boxes.back().name == "end to end");
  CHECK(faster.boxes.back().count == 4);
  const study::box_chart over_gpu = speed_ups_over_gpu(rows, "v2 over v100");
  REQUIRE(over_gpu.boxes.size() == 3);
  CHECK(over_gpu.boxes[1].name == "batch 16384");
  CHECK(over_gpu.boxes.back().count == 4);
}

TEST_CASE("sweep: heat maps of the board and of the GPU each show what fits their own memory") {
  const study::sweep_chips chips{rp::tpu::find_chip("v2"), rp::tpu::find_chip("v3")};
  const study::sweep_network network = fc(12, 8192);
  const std::vector<study::sweep_row> rows{sweep_one(chips, network, 64)};
  CHECK(map_of(rows, "board", "nodes", 100, study::used_percent).at(0, 0) == -1);
  CHECK(map_of(rows, "infeed", "nodes", 100, study::infeed_percent).at(0, 0) == -1);
  CHECK(map_of(rows, "GPU", "nodes", 100, study::gpu_used_percent).at(0, 0) == near(100 * rows[0].gpu_utilisation));
}

TEST_CASE("amdahl_share: inverts Amdahl's law") {
  for (const double share : {0.0, 0.088, 0.16, 1.0})
    CHECK(study::amdahl_share(1 / (share + (1 - share) / 8), 8) == near(share));
  CHECK(study::amdahl_share(10, 8) < 0);  // more than linear
  CHECK_THROWS_WITH_AS(static_cast<void>(study::amdahl_share(0, 8)), doctest::Contains("must be > 0 by at least 2"),
                       rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(study::amdahl_share(1, 1)), rp::value_error);
}

TEST_CASE("sweep: batch and width decide the utilisation of fully connected networks; too few rows have no weights") {
  const study::sweep_chips chips{rp::tpu::find_chip("v2"), rp::tpu::find_chip("v3")};
  std::vector<study::sweep_network> networks;
  for (const rp::index_t layers : {4, 16, 64})
    for (const rp::index_t node : {32, 512, 2048, 4096}) networks.push_back(fc(layers, node));
  std::vector<study::sweep_row> rows;
  for (const study::sweep_network& n : networks)
    for (const rp::index_t batch : {64, 1024, 4096, 16384}) rows.push_back(sweep_one(chips, n, batch));
  const auto fit = utilisation_weights(rows);
  REQUIRE(fit);
  CHECK(fit->weights.size() == 3);
  CHECK(fit->of("nodes").weight > fit->of("layers").weight);
  CHECK(fit->of("batch").weight > fit->of("layers").weight);
  CHECK(fit->rows < rows.size());  // those that do not fit are left out
  CHECK(chart_of(*fit, "weights").bars.size() == 3);
  rows.resize(6);
  CHECK_FALSE(utilisation_weights(rows));
  CHECK_FALSE(study::utilisation_weights({}));
}

TEST_CASE(
    "sweep: the page has every chart for Vega-Lite and as SVG, loads nothing from the network and says that it is "
    "modelled") {
  const study::sweep_chips chips{rp::tpu::find_chip("v2"), rp::tpu::find_chip("v3")};
  const study::sweep_network network = fc(4, 2048);
  std::vector<study::sweep_row> rows;
  for (const rp::index_t batch : {256, 512, 1024, 2048, 4096, 8192}) rows.push_back(sweep_one(chips, network, batch));
  const std::string page = sweep_page(rows, chips, "<fc>", "nodes");
  CHECK(count(page, "<div class='chart") == 7);
  CHECK(count(page, "vega-lite/v5.json") == 7);
  CHECK(page.find("Modelled: &lt;fc&gt; on TPU v2, 8 cores") != std::string::npos);
  CHECK(count(page, "<svg ") == 7);
  CHECK(page.find("What decides the utilisation") != std::string::npos);
  CHECK(page.find("\nnodes: 2048") != std::string::npos);  // in the tooltip
  CHECK(page.find("src=") == std::string::npos);
  CHECK(page.find("href=") == std::string::npos);
}
