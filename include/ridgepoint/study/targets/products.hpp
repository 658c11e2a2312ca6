// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/csv.hpp>
#include <ridgepoint/mxu/all_reduce.hpp>
#include <ridgepoint/mxu/chips.hpp>
#include <ridgepoint/study/target.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// Two measurements on TPU v2 that the book "How to scale your model" prints (its chapter on profiling).
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
      "that the fitted efficiency does not apply, since operands in bf16 need no conversion, is a rule that this one "
      "measurement made us choose";
  return r;
}

/// COCOSSim's published timings of products on TPU v3: shown only, since dtype, overhead and number of arrays are not
/// documented.
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
  r.note = "small products there take 40 to 90 us more than any roof allows, so these rows judge nothing";
  return r;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study
