// SPDX-License-Identifier: MIT
// page OUTPUT.html [VEGA.js [modelled | flags | chart]]: writes a page of the synthetic profile, for render.sh.
// Modelled: many
// rows with long names, far from the ridge points. Flags: a comparison of compiler flags. Chart: one network, three
// machines.
#include <ridgepoint/study/network_chart_json.hpp>

#include <filesystem>
#include <optional>
#include <string_view>

#include "measurement/flags/page_json.hpp"
#include "measurement/flags/page_sample.hpp"
#include "roofline/synthetic.hpp"
#include "study/network_chart_sample.hpp"

namespace rp = ridgepoint;

namespace {

rp::profile modelled() {
  rp::profile p{.title = "modelled: mnist-cnn, training",
                .backend = "model of TPU v3, 8 cores",
                .threads = 0,
                .rows = {},
                .step_s = 0};
  for (int i = 0; i < 36; ++i) {
    const auto scale = std::uint64_t{1} << i % 18;
    p.rows.push_back({rp::concat("convolution_", i, " ×7"), rp::pass::backward_weights,
                      "128x28x28x32 * 5x5x32x64 stride 1 padding 2 relu", synthetic::work_of(1000 * scale, 900'000),
                      1e-5, 900'000});
    p.step_s += p.rows.back().elapsed_s;
  }
  return p;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const bool given = argc > 2 && std::filesystem::is_regular_file(argv[2]);
  const std::string bundle = given ? rp::read_file(argv[2], 16 << 20) : "";
  const std::string_view kind = argc > 3 ? argv[3] : "";
  if (kind == "flags") rp::write_file(argv[1], measurement::flags_html(page_sample::page(), {}, bundle));
  else if (kind == "chart") rp::write_file(argv[1], html(network_chart_sample::chart(), bundle));
  else if (kind == "modelled") rp::save_html(argv[1], modelled(), synthetic::machine(), std::nullopt, bundle);
  else rp::save_html(argv[1], synthetic::profile(), synthetic::machine(), rp::observe_environment(), bundle);
}
