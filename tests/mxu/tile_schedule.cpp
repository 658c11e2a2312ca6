// SPDX-License-Identifier: MIT
#include <ridgepoint/mxu/tile_schedule.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>

namespace rp = ridgepoint;
using namespace rp::systolic;

static_assert(count_cycles({128, 128}, {.m = 8192, .k = 8192, .n = 16384}).cycles == 67'109'246);

namespace {

constexpr gemm_extent some{.m = 100, .k = 200, .n = 300};

array_options with(void (*change)(array_options&)) {
  array_options o;
  change(o);
  return o;
}

}  // namespace

TEST_CASE("count_cycles: one tile costs 2R + C + M - 2, an output-stationary fold 2R + C + K - 2") {
  CHECK(count_cycles({4, 3}, {.m = 7, .k = 4, .n = 3}).cycles == 2 * 4 + 3 + 7 - 2);
  CHECK_THROWS_AS(static_cast<void>(cut_into_tiles({0, 3}, some, {})), rp::shape_error);
  for (const int planes : {1, 2})
    CHECK(count_cycles({4, 3}, {.m = 4, .k = 7, .n = 3},
                       {.flow = dataflow::output_stationary, .accumulator_planes = planes})
              .cycles == 2 * 4 + 3 + 7 - 2);
  CHECK(count_cycles({4, 3}, {.m = 3, .k = 4, .n = 7}, {.flow = dataflow::input_stationary}).cycles ==
        2 * 4 + 3 + 7 - 2);
}

TEST_CASE("count_cycles: edge tiles cost as much as full ones and leave MACs unused") {
  const array_counters full = count_cycles({128, 128}, {.m = 50, .k = 640, .n = 640});
  const array_counters edge = count_cycles({128, 128}, {.m = 50, .k = 600, .n = 600});
  CHECK(edge.cycles == full.cycles);
  CHECK(edge.useful_macs == 50 * 600 * 600);
  CHECK(edge.unused_macs == full.useful_macs - edge.useful_macs);
  const array_counters tpu1 = count_cycles({256, 256}, {.m = 96, .k = 600, .n = 600});  // Jouppi 2017: 600² in 9 tiles
  CHECK(tpu1.tiles == 9);
  CHECK(tpu1.useful_macs * 9 * 256 * 256 == (tpu1.useful_macs + tpu1.unused_macs) * 600 * 600);
}

TEST_CASE("count_cycles: accumulator rows split the stream, and every chunk passes all tiles") {
  const array_counters one = count_cycles({8, 8}, {.m = 1000, .k = 64, .n = 64});
  const array_counters cut = count_cycles({8, 8}, {.m = 1000, .k = 64, .n = 64}, {.accumulator_rows = 256});
  CHECK(one.tiles == 64);
  CHECK(cut.tiles == 4 * 64);
  CHECK(cut.active == one.active);
  CHECK(cut.cycles == one.cycles);  // chunks of at least R rows hide the shift
}

TEST_CASE("count_cycles: arrays share strips and the memory port") {
  const gemm_extent e{.m = 256, .k = 512, .n = 512};
  const array_counters one = count_cycles({128, 128}, e), two = count_cycles({128, 128}, e, {.mxus = 2});
  CHECK(two.tiles == one.tiles);
  CHECK(two.cycles == 128 + 8 * 256 + 254);
  CHECK(two.idle == 0);
  const array_counters three = count_cycles({128, 128}, e, {.mxus = 3});  // 4 strips: 2, 1, 1
  CHECK(three.cycles == two.cycles);
  CHECK(three.idle == 2 * 4 * 256);
  const array_options slow{.fetch_cycles = 1000, .mxus = 2};
  CHECK(count_cycles({128, 128}, e, slow).cycles == 2000 + 128 + 7 * 2000 + 256 + 254);
  CHECK(count_cycles({128, 128}, {.m = 8, .k = 8, .n = 8}, {.fetch_cycles = 10, .mxus = 2}).idle == 10 + 128 + 8 + 254);
}

TEST_CASE("count_cycles: every cycle of every array has one phase; utilisation is ≤ 1 and grows with the stream") {
  std::mt19937 random(2);
  const auto draw = [&](rp::index_t from, rp::index_t to) {
    return std::uniform_int_distribution<rp::index_t>(from, to)(random);
  };
  int wrong = 0;
  for (int i = 0; i < 20'000; ++i) {
    const array_shape array{draw(1, 256), draw(1, 256)};
    gemm_extent e{draw(1, 2000), draw(1, 2000), draw(1, 2000)};
    array_options o{.flow = static_cast<dataflow>(draw(0, 2)), .mxus = draw(1, 4)};
    if (o.flow != dataflow::output_stationary) {
      o.fetch_cycles = static_cast<std::uint64_t>(draw(0, 3000));
      o.accumulator_rows = draw(0, 500);
    }
    const array_counters c = count_cycles(array, e, o);
    const auto arrays = static_cast<std::uint64_t>(o.mxus),
               elements = static_cast<std::uint64_t>(array.rows * array.cols);
    wrong += c.active + c.stall + c.shift + c.drain + c.idle != arrays * c.cycles;
    wrong += c.useful_macs + c.unused_macs != c.active * elements;
    wrong += c.utilisation(arrays * elements) > 1;
    rp::index_t& streamed = o.flow == dataflow::weight_stationary  ? e.m
                            : o.flow == dataflow::input_stationary ? e.n
                                                                   : e.k;
    streamed += draw(0, 500);
    wrong += count_cycles(array, e, o).cycles < c.cycles;
  }
  CHECK(wrong == 0);
}

TEST_CASE("count_cycles: sizes, extents and options out of range are refused") {
  const auto says = [](const array_shape& array, const gemm_extent& e, const array_options& o) -> std::string {
    try {
      static_cast<void>(count_cycles(array, e, o));
    } catch (const rp::shape_error& error) {
      return rp::concat("shape: ", error.what());
    } catch (const rp::value_error& error) {
      return rp::concat("value: ", error.what());
    }
    return "fine";
  };
  CHECK(says({0, 8}, some, {}) == "shape: systolic array: is 0x8; each side must be 1 to 65536");
  CHECK(says({8, 1'000'000'000}, some, {}) == "shape: systolic array: is 8x1000000000; each side must be 1 to 65536");
  CHECK(says({-4, 8}, some, {}).starts_with("shape: systolic array: is -4x8"));
  CHECK(says({8, 8}, {.m = 0, .k = 2, .n = 3}, {}) ==
        "shape: systolic array: product of 0x2 and 2x3; every extent must be >= 1");
  CHECK(says({8, 8}, some, with([](array_options& o) { o.fifo_depth = 0; })) ==
        "value: systolic array: FIFO of 0 tiles; must hold at least 1");
  CHECK(says({8, 8}, some, with([](array_options& o) { o.accumulator_rows = -1; })).starts_with("value: "));
  CHECK(says({8, 8}, some, with([](array_options& o) { o.mxus = 0; })).starts_with("value: systolic array: 0 arrays"));
  CHECK(says({8, 8}, some, with([](array_options& o) { o.accumulator_planes = 3; })).starts_with("value: "));
  CHECK(says({8, 8}, some, with([](array_options& o) {
               o.flow = dataflow::output_stationary;
               o.fetch_cycles = 9;
             })) == "value: systolic array: output-stationary streams both operands; fetch_cycles is 9, must be 0");
}

TEST_CASE("count_cycles: products whose counts overflow are refused, the largest valid ones are correct") {
  constexpr rp::index_t huge = rp::index_t{1} << 40;
  CHECK_THROWS_WITH_AS(static_cast<void>(count_cycles({8, 8}, {huge, huge, huge})), doctest::Contains("62 bits"),
                       rp::shape_error);
  constexpr rp::index_t most = std::numeric_limits<rp::index_t>::max();
  for (const gemm_extent& e : {gemm_extent{most, 1, 1}, gemm_extent{1, most, 1}, gemm_extent{1, 1, most}})
    for (const dataflow flow : {dataflow::weight_stationary, dataflow::output_stationary, dataflow::input_stationary})
      CHECK_THROWS_AS(static_cast<void>(count_cycles({1, 1}, e, {.flow = flow})), rp::shape_error);
  CHECK(count_cycles({1, 1}, {huge, 1, 1}).cycles == static_cast<std::uint64_t>(huge) + 1);
  CHECK_THROWS_AS(static_cast<void>(count_cycles({8, 8}, {1, 80, 80}, {.fetch_cycles = std::uint64_t{1} << 60})),
                  rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(count_cycles({1, 1}, {huge << 15, 1, 1}, {.mxus = 1024})), rp::shape_error);
}

TEST_CASE("weight FIFO: fetch time of a tile, and tiles larger than the FIFO") {
  CHECK(fetch_cycles(65536, 34e9, 700e6) == 1349);  // TPU v1
  CHECK(fifo_tiles(4 * 65536, 65536) == 4);
  CHECK_THROWS_WITH_AS(static_cast<void>(fifo_tiles(65535, 65536)),
                       "weight FIFO: holds 65535 bytes but a tile has 65536; must hold at least one tile",
                       rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(fifo_tiles(10, 0)), rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(fetch_cycles(65536, 0, 700e6)), rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(fetch_cycles(65536, std::nan(""), 700e6)), rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(fetch_cycles(65536, 1e-300, 700e6)), rp::value_error);
}
