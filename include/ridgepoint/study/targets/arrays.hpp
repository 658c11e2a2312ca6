// SPDX-License-Identifier: MIT
#pragma once

#include <cstring>
#include <random>

#include <ridgepoint/core/csv.hpp>
#include <ridgepoint/mxu/chips.hpp>
#include <ridgepoint/mxu/memory.hpp>
#include <ridgepoint/mxu/scalesim.hpp>
#include <ridgepoint/mxu/systolic_array.hpp>
#include <ridgepoint/reference/gemm.hpp>
#include <ridgepoint/study/target.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

namespace detail {

/// Counts differences from the contract and from the closed form, for random products on one array with random options.
struct array_differences {
  std::size_t cases = 0, results = 0, counters = 0;

  template <class Format, int R, int C>
  void draw(std::mt19937& random, std::size_t count) {
    using systolic::dataflow;
    using operand = array_operand_t<Format>;
    using sum = array_sum_t<Format>;
    const auto between = [&](index_t low, index_t high) {
      return low + static_cast<index_t>(random() % static_cast<unsigned>(high - low + 1));
    };
    for (std::size_t i = 0; i < count; ++i) {
      const dataflow flow = static_cast<dataflow>(i % 3);
      const systolic::gemm_extent e{between(1, 2 * R + 3), between(1, 2 * R + 3), between(1, 2 * C + 3)};
      const bool stationary = flow != dataflow::output_stationary;
      const systolic::array_options options{
          .flow = flow,
          .fetch_cycles = stationary ? static_cast<std::uint64_t>(between(0, 3 * R)) : 0,
          .fifo_depth = between(1, 4),
          .accumulator_rows = stationary ? between(0, 2 * R) : 0,
          .mxus = between(1, 3),
          .accumulator_planes = static_cast<int>(between(1, 2))};
      std::vector<operand> a(static_cast<std::size_t>(e.m * e.k)), b(static_cast<std::size_t>(e.k * e.n));
      const auto value = [&] {
        return static_cast<operand>(std::same_as<operand, float> ? static_cast<float>(between(-9999, 9999)) / 777.0F
                                                                 : static_cast<float>(between(-128, 127)));
      };
      for (operand& x : a) x = value();
      for (operand& x : b) x = value();
      std::vector<sum> c(static_cast<std::size_t>(e.m * e.n)), contract(c.size());
      const matrix_view<const operand> av{a.data(), e.m, e.k}, bv{b.data(), e.k, e.n};
      const systolic::array_counters counted =
          systolic::systolic_array<Format, R, C>(options).multiply(av, bv, {c.data(), e.m, e.n});
      execute(reference, array_gemm_args<Format>{
                             .a = av, .b = bv, .c = {contract.data(), e.m, e.n}, .depth = stationary ? R : e.k});
      ++cases;
      results += std::memcmp(c.data(), contract.data(), c.size() * sizeof(sum)) != 0 ? 1U : 0U;
      counters += counted == count_cycles({R, C}, e, options) ? 0U : 1U;
    }
  }
};

}  // namespace detail

/// Compares the cycle-exact array with the closed form (cycles and counters) and with the numeric contract (bits).
[[nodiscard]] inline target_result compare_array(const std::filesystem::path&) {
  std::mt19937 random(2017);
  detail::array_differences d;
  d.draw<bfloat16, 4, 4>(random, 1500);
  d.draw<bfloat16, 7, 3>(random, 1200);
  d.draw<std::int8_t, 5, 9>(random, 1200);
  d.draw<float, 8, 8>(random, 900);
  d.draw<bfloat16, 16, 16>(random, 300);
  d.draw<std::int8_t, 32, 32>(random, 60);
  d.draw<bfloat16, 128, 128>(random, 3);
  const auto count = [](std::size_t n) { return static_cast<double>(n); };
  constexpr evidence by_rule = evidence::definitional;
  return {.lines = {{"products, all dataflows", count(d.cases), 5000, demand::at_least, 5000, by_rule},
                    {"results that differ from the contract in a bit", count(d.results), 0, demand::equal, 0, by_rule},
                    {"cycles and counters that differ from the closed form", count(d.counters), 0, demand::equal, 0,
                     by_rule}},
          .differing = d.results + d.counters};
}

/// Compares SCALE-Sim's reports, row by row: cycles, utilisations, SRAM accesses.
[[nodiscard]] inline target_result compare_scalesim(const std::filesystem::path& data) {
  using systolic::dataflow;
  const csv_table t = load_csv((data / "scalesim.csv").string());
  target_result r{.lines = {}, .rows = t.size()};
  std::size_t cycles = 0, shares = 0, accesses = 0, rows = 0;
  for (std::size_t row = 0; row < t.size(); ++row) {
    const auto number = [&](const char* column) { return t.number(row, t.column(column)); };
    const auto extent = [&](const char* column) { return static_cast<index_t>(number(column)); };
    const std::string& name = t.text(row, t.column("dataflow"));
    require<data_error>(name == "ws" || name == "os" || name == "is", t.source(), ": dataflow is ", name,
                        "; must be ws, os or is");
    const dataflow flow = name == "ws"   ? dataflow::weight_stationary
                          : name == "os" ? dataflow::output_stationary
                                         : dataflow::input_stationary;
    const systolic::scalesim_layer layer{extent("ih"),  extent("iw"),   extent("fh"),    extent("fw"),
                                         extent("cin"), extent("cout"), extent("stride")};
    const auto stalls = static_cast<std::uint64_t>(extent("stall_cycles"));
    const systolic::scalesim_report ours =
        scalesim_v2({extent("array_rows"), extent("array_cols")}, flow, layer.extent(), stalls);
    const auto same = [&](const char* column, std::uint64_t value) {
      return exactly(number(column), static_cast<double>(value));
    };
    const auto close = [&](const char* column, double value) { return std::abs(number(column) - value) < 0.51e-6; };
    const bool same_cycles = same("total_cycles", ours.total_cycles) && same("row_folds", ours.row_folds) &&
                             same("col_folds", ours.col_folds);
    const bool same_shares = close("overall_util_pct", ours.overall_util_pct) &&
                             close("mapping_eff_pct", ours.mapping_efficiency_pct) &&
                             close("compute_util_pct", ours.compute_util_pct);
    const bool same_accesses = same("ifmap_sram_reads", ours.ifmap_sram_reads) &&
                               same("filter_sram_reads", ours.filter_sram_reads) &&
                               same("ofmap_sram_writes", ours.ofmap_sram_writes);
    cycles += same_cycles ? 0 : 1, shares += same_shares ? 0 : 1, accesses += same_accesses ? 0 : 1;
    rows += same_cycles && same_shares && same_accesses ? 0 : 1;
  }
  const auto count = [](std::size_t n) { return static_cast<double>(n); };
  for (const auto& [what, differing] : {std::pair("rows that differ", rows), std::pair("in cycles or folds", cycles),
                                        std::pair("in a utilisation", shares), std::pair("in SRAM accesses", accesses)})
    r.lines.push_back({what, count(differing), 0, demand::equal, 0, evidence::chosen});
  r.differing = rows;
  r.note =
      "the rules were transcribed from the simulator that made these rows; stall cycles of its memory are an input";
  return r;
}

/// Compares two measurements on TPU v2 from the book "How to scale your model" (its chapter on profiling).
[[nodiscard]] inline target_result compare_single_ops(const std::filesystem::path&) {
  const tpu::chip& on = tpu::find_chip("v2");
  target_result r{.lines = {}};
  const systolic::array_counters c = count_cycles(on.array, {.m = 8192, .k = 8192, .n = 16384});
  const tpu::modelled_op op = tpu::model_matmul(on, {.m = 8192, .k = 8192, .n = 16384});
  r.lines.push_back({"bf16 [8192,8192]x[8192,16384] on one core, closed form, ms",
                     1e3 * static_cast<double>(c.cycles) / on.clock_hz, 96, demand::within, 0.02});
  r.lines.push_back({"the same as a modelled op, ms", 1e3 * op.elapsed_s, 96, demand::within, 0.02, evidence::chosen});
  const tpu::modelled_op fused = tpu::model_matmul(on, {.m = 8192, .k = 8192, .n = 16384, .b_bytes = 4});
  r.lines.push_back(
      {"the same with fp32 weights, with the efficiency fitted to training, ms", 1e3 * fused.elapsed_s, 96});
  const double half = tpu::torus_all_reduce_s(134.2e6, 4, 2, on.ici_bytes_per_s) / 2;
  r.lines.push_back({"reduce-scatter of 134 MB over a ring of 4, both directions, ms", 1e3 * half, 1.13});
  r.note =
      "that the fitted efficiency does not apply, since operands in bf16 need no conversion, is a rule chosen from "
      "this one measurement";
  return r;
}

/// Shows COCOSSim's published timings of products on TPU v3 without judging them, since dtype, overhead and number of
/// arrays are not documented.
[[nodiscard]] inline target_result show_v3_timings(const std::filesystem::path& data) {
  const csv_table t = load_csv((data / "cocossim_tpuv3.csv").string());
  const tpu::chip& on = tpu::find_chip("v3-spec");
  target_result r{.lines = {}};
  for (std::size_t row = 0; row < t.size(); ++row) {
    const std::string& name = t.text(row, t.column("workload"));
    index_t extent[3] = {};
    std::size_t from = name.find_last_of(' ') + 1, count = 0;
    const bool product = name.starts_with("Matmul") || name.starts_with("Conv");
    for (; product && count < 3 && from < name.size(); ++count) {
      const auto [end, failure] = std::from_chars(name.data() + from, name.data() + name.size(), extent[count]);
      if (failure != std::errc{}) break;
      from = static_cast<std::size_t>(end - name.data()) + 1;
    }
    if (count != 3) continue;
    ++r.rows;
    const tpu::modelled_op op = tpu::model_matmul(on, {.m = extent[0], .k = extent[1], .n = extent[2]});
    r.lines.push_back({name + ", us (one core)", 1e6 * op.elapsed_s, t.number(row, t.column("tpu_v3_measured_us"))});
  }
  r.note = "small products there take 40 to 90 us more than any roof allows, so these rows are shown only";
  return r;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study
