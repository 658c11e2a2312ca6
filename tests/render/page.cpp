// SPDX-License-Identifier: MIT
// page OUTPUT.html [VEGA.js]: a page of the synthetic profile, for render.sh.
#include <ridgepoint/roofline/html_json.hpp>

#include <filesystem>

#include "roofline/synthetic.hpp"

namespace rp = ridgepoint;

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const bool given = argc > 2 && std::filesystem::is_regular_file(argv[2]);
  const std::string bundle = given ? rp::read_file(argv[2], 16 << 20) : "";
  rp::save_html(argv[1], synthetic::profile(), synthetic::machine(), rp::observe_environment(), bundle);
}
