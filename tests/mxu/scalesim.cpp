// SPDX-License-Identifier: MIT
#include <ridgepoint/mxu/scalesim.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "support/near.hpp"
#include "support/reference_data.hpp"

namespace rp = ridgepoint;
using namespace rp::systolic;

namespace {

dataflow flow_of(const std::string& name) {
  return name == "ws"   ? dataflow::weight_stationary
         : name == "os" ? dataflow::output_stationary
                        : dataflow::input_stationary;
}

/// One row of a published table, read by column name.
struct table_row {
  const reference_data::row& fields;
  [[nodiscard]] rp::index_t number(const char* column) const { return std::stol(fields.at(column)); }
  [[nodiscard]] bool is(const char* column, std::uint64_t value) const {
    return std::to_string(value) == fields.at(column);
  }
  /// Compares with a value printed with `decimals` digits and without trailing zeros, to half a unit of the last digit.
  [[nodiscard]] bool prints(const char* column, double value, int decimals) const {
    return std::fabs(std::stod(fields.at(column)) - value) <= 0.5000001 * std::pow(10.0, -decimals);
  }
};

}  // namespace

TEST_CASE("scalesim: folds run one after another, and the three defects") {
  const gemm_extent e{.m = 2048, .k = 1024, .n = 1024};
  const scalesim_report ws = scalesim_v2({128, 128}, dataflow::weight_stationary, e);
  CHECK(ws.total_cycles + 1 == 64 * count_cycles({128, 128}, {.m = 2048, .k = 128, .n = 128}).cycles);  // defect 1
  CHECK(ws.total_cycles + 1 == 155'520);
  CHECK(count_cycles({128, 128}, e).cycles == 131'454);                               // with a shadow weight
  CHECK(ws.compute_util_pct == near(100.0 * 2048 / (2 * 128 + 2 * 128 + 2048 - 3)));  // defect 3
  const gemm_extent conv3 = scalesim_layer{15, 15, 3, 3, 256, 384, 1}.extent();       // SCALE-Sim 3.0.0's layer
  CHECK(scalesim_v2({32, 32}, dataflow::weight_stationary, conv3).total_cycles == 227'231);
  CHECK(scalesim_v2({32, 32}, dataflow::output_stationary, conv3).total_cycles == 170'351);
  const array_options serial{.flow = dataflow::output_stationary, .accumulator_planes = 1};
  const scalesim_report os = scalesim_v2({8, 4}, dataflow::output_stationary, {.m = 8, .k = 5, .n = 4});
  CHECK(os.total_cycles + 1 + 8 == count_cycles({8, 4}, {.m = 8, .k = 5, .n = 4}, serial).cycles);  // defect 2
  CHECK(os.ofmap_sram_writes == 8 * 4 + 8 + 4);
}

TEST_CASE("scalesim: a layer is a product") {
  CHECK(scalesim_layer{13, 13, 3, 3, 256, 384, 1}.extent() == gemm_extent{121, 2304, 384});
  CHECK(scalesim_layer{230, 230, 7, 7, 3, 64, 2}.extent() == gemm_extent{113 * 113, 147, 64});
  CHECK(scalesim_layer::gemm({7, 11, 9}).extent() == gemm_extent{7, 11, 9});
  CHECK_THROWS_AS(static_cast<void>(scalesim_layer{3, 3, 5, 5, 1, 1, 1}.extent()), rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(scalesim_layer{3, 3, 1, 1, 1, 1, 0}.extent()), rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(scalesim_v2({0, 4}, dataflow::weight_stationary, {1, 1, 1})), rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(scalesim_v1({4, 4}, dataflow::output_stationary, {1, 0, 1})), rp::shape_error);
  CHECK(scalesim_v2({1, 1}, dataflow::output_stationary, {1, 1, 1}).total_cycles == 0);
}

TEST_CASE("scalesim: every row of scalesim.csv, every column that has a rule" * doctest::test_suite("reference_data")) {
  const auto rows = reference_data::read_csv(reference_data::folder() / "scalesim.csv");
  CHECK(rows.size() == 196);
  int differences = 0, with_stalls = 0, dram = 0;
  for (const reference_data::row& fields : rows) {
    const table_row row{fields};
    const array_shape array{row.number("array_rows"), row.number("array_cols")};
    const dataflow flow = flow_of(fields.at("dataflow"));
    const scalesim_layer layer{row.number("ih"),  row.number("iw"),   row.number("fh"),    row.number("fw"),
                               row.number("cin"), row.number("cout"), row.number("stride")};
    const gemm_extent e = layer.extent();
    const array_mapping map = map_onto(flow, e);
    const auto stalls = static_cast<std::uint64_t>(row.number("stall_cycles"));  // of its memory model: an input
    const scalesim_report r = scalesim_v2(array, flow, e, stalls);
    CHECK((fields.at("mode") == "USER" || stalls == 0));
    with_stalls += stalls != 0;
    const bool equal =
        e == gemm_extent{row.number("M"), row.number("K"), row.number("N")} && map.over_rows == row.number("Sr") &&
        map.over_cols == row.number("Sc") && map.streamed == row.number("T") && row.is("row_folds", r.row_folds) &&
        row.is("col_folds", r.col_folds) && row.is("total_cycles", r.total_cycles) &&
        row.is("closed_form_cycles", r.total_cycles - stalls + 1) &&
        row.prints("overall_util_pct", r.overall_util_pct, 6) &&
        row.prints("mapping_eff_pct", r.mapping_efficiency_pct, 6) &&
        row.prints("compute_util_pct", r.compute_util_pct, 6) && row.is("ifmap_sram_reads", r.ifmap_sram_reads) &&
        row.is("filter_sram_reads", r.filter_sram_reads) && row.is("ofmap_sram_writes", r.ofmap_sram_writes);
    differences += !equal;
    if (fields.at("mode") != "CALC") continue;
    const auto image = static_cast<std::uint64_t>(layer.ih * layer.iw * layer.cin);
    const auto filters = static_cast<std::uint64_t>(e.k * e.n);
    if (const auto reads = scalesim_dram_reads(image, static_cast<std::uint64_t>(row.number("ifmap_sram_kB")) * 1024))
      ++dram, differences += !row.is("ifmap_dram_reads", *reads);
    if (const auto reads =
            scalesim_dram_reads(filters, static_cast<std::uint64_t>(row.number("filter_sram_kB")) * 1024))
      ++dram, differences += !row.is("filter_dram_reads", *reads);
  }
  MESSAGE(rows.size(), " rows (", with_stalls, " with stalls), ", dram, " DRAM counts, ", differences, " differences");
  CHECK(differences == 0);
}

TEST_CASE("scalesim: every row of scalesim_v1.csv" * doctest::test_suite("reference_data")) {
  int checked = 0, differences = 0;
  for (const reference_data::row& fields : reference_data::read_csv(reference_data::folder() / "scalesim_v1.csv")) {
    const table_row row{fields};
    const dataflow flow = flow_of(fields.at("dataflow"));
    const scalesim_v1_report r = scalesim_v1({row.number("array_rows"), row.number("array_cols")}, flow,
                                             {row.number("M"), row.number("K"), row.number("N")});
    differences += !row.is("cycles", r.cycles);
    if (r.util_pct) differences += !row.prints("util_pct", *r.util_pct, 4);
    CHECK(r.util_pct.has_value() == (flow != dataflow::output_stationary));
    ++checked;
  }
  MESSAGE(checked, " rows, ", differences, " differences");
  CHECK(checked == 63);
  CHECK(differences == 0);
}
