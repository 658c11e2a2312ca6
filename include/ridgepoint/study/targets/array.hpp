// SPDX-License-Identifier: MIT
#pragma once

#include <cstring>
#include <random>

#include <ridgepoint/core/csv.hpp>
#include <ridgepoint/mxu/scalesim.hpp>
#include <ridgepoint/mxu/systolic_array.hpp>
#include <ridgepoint/reference/array_gemm.hpp>
#include <ridgepoint/study/target.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

namespace detail {

/// Random products on one array, each with random options: how many differ from the contract or from the closed form.
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

/// The cycle-exact array against the closed form (cycles and counters) and against the numeric contract (bits).
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

/// SCALE-Sim's reports, row by row: cycles, utilisations, SRAM accesses.
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study
