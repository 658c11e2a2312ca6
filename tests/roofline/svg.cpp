// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/svg.hpp>

#include "synthetic.hpp"

namespace rp = ridgepoint;

namespace {
std::size_t count(const std::string& text, std::string_view what) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++found;
  return found;
}
}  // namespace

TEST_CASE("the picture has every roof with its value, every ridge point, every row with arithmetic") {
  const std::string picture = rp::svg(synthetic::profile(), synthetic::machine());
  for (const char* words : {"L1 400 GB/s", "L2 200 GB/s", "L3 100 GB/s", "DRAM 10.0 GB/s", "f32 avx2 100 GFLOP/s",
                            "f32 sse4_2 50.0 GFLOP/s", "L1 0.250", "DRAM 10.0", "dense_1 forward 128x512x784"})
    CHECK_MESSAGE(picture.find(words) != std::string::npos, words);
  CHECK(count(picture, "class='mark'") == 2);
  CHECK(count(picture, "class='letter'") == 2);
  CHECK(count(picture, "class='ridge'") == 4);
}

TEST_CASE("names can not break out of the picture") {
  rp::profile p = synthetic::profile();
  p.title = p.rows[0].layer = "<script>&\"'\x01";
  const std::string picture = rp::svg(p, synthetic::machine());
  CHECK(picture.find("<script>") == std::string::npos);
  CHECK(picture.find("&lt;script&gt;&amp;&quot;&#39;?") != std::string::npos);
}

TEST_CASE("a mark above its roof is hollow") {
  rp::profile p = synthetic::profile();
  p.rows[0].elapsed_s /= 10;
  CHECK(count(rp::svg(p, synthetic::machine()), "class='mark above'") == 1);
}
