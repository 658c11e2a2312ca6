// SPDX-License-Identifier: MIT
#pragma once

#include <map>

#include <ridgepoint/core/csv.hpp>
#include <ridgepoint/mxu/chips.hpp>
#include <ridgepoint/mxu/matmul.hpp>
#include <ridgepoint/study/target.hpp>

/// \file
/// Compares TPU v1 with the hardware counters of Jouppi et al., ISCA 2017.
namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// An application of TPU v1 as one stream of weight tiles.
struct v1_app {
  std::string name;
  index_t batch = 0;
  double wide_share = 0;  // of the tiles that multiply 16-bit activations, at half speed
  double non_matrix = 0;  // share of time outside matrix instructions, an input
};

/// Shares of all cycles in which the array multiplies, waits for weights, or shows a tile shifting in.
struct v1_shares {
  double active = 0, stall = 0, shift = 0;
};

/// Closed form: a long stream of tiles, narrow and wide ones in proportion, scaled to the matrix share of the time.
[[nodiscard]] inline v1_shares model_v1(const tpu::chip& on, const v1_app& app) {
  constexpr std::uint64_t tiles = 1'000'000;
  const auto narrow = static_cast<std::uint64_t>(std::llround((1 - app.wide_share) * tiles));
  const std::uint64_t fetch = systolic::fetch_cycles(on.tile_bytes(), on.hbm_bytes_per_s, on.clock_hz);
  v1_shares cycles;
  double all = 0;
  for (const auto& [count, rows] : {std::pair(narrow, app.batch), std::pair(tiles - narrow, 2 * app.batch)}) {
    if (count == 0) continue;
    const systolic::array_counters c =
        count_stream(on.array, {.tiles = count,
                                .rows = static_cast<std::uint64_t>(rows),
                                .fetch_cycles = fetch,
                                .fifo_depth = static_cast<std::uint64_t>(on.fifo_tiles)});
    cycles.active += static_cast<double>(c.active), cycles.stall += static_cast<double>(c.stall);
    cycles.shift += static_cast<double>(c.shift);
    all += static_cast<double>(c.cycles - c.drain);
  }
  const double scale = (1 - app.non_matrix) / all;
  return {scale * cycles.active, scale * cycles.stall, scale * cycles.shift};
}

namespace detail {

/// Rows of jouppi2017_tables.csv by application.
[[nodiscard]] inline std::map<std::string, std::map<std::string, double>> load_v1_counters(
    const std::filesystem::path& p) {
  const csv_table t = load_csv(p.string());
  std::map<std::string, std::map<std::string, double>> apps;
  for (std::size_t row = 0; row < t.size(); ++row)
    for (const char* column : {"tpu_batch", "ops_per_weight_byte", "array_active_pct", "useful_macs_pct_peak",
                               "weight_stall_pct", "weight_shift_pct", "non_matrix_pct", "tops_measured"})
      apps[t.text(row, t.column("app"))][column] = t.number(row, t.column(column));
  return apps;
}

/// Share of 16-bit activations. LSTM0's rate is half of the rate of its useful MACs, so all its activations have 16
/// bits; for LSTM1, whose counters are in between, half have.
[[nodiscard]] inline double v1_wide_share(const std::string& app) {
  return app == "LSTM0" ? 1 : app == "LSTM1" ? 0.5 : 0;
}

/// `chosen` where the share was chosen to match the counters.
[[nodiscard]] inline evidence v1_evidence(const std::string& app) {
  return v1_wide_share(app) > 0 ? evidence::chosen : evidence::hold_out;
}

}  // namespace detail

/// Compares ratios that need no assumption about an application's share of other work.
[[nodiscard]] inline target_result compare_v1_ratios(const std::filesystem::path& data) {
  const tpu::chip& on = tpu::find_chip("v1");
  const auto counters = detail::load_v1_counters(data / "jouppi2017_tables.csv");
  target_result r{.lines = {}};
  const auto add = [&](std::string what, double ours, double theirs, double limit,
                       evidence basis = evidence::hold_out) {
    r.lines.push_back({std::move(what), ours, theirs, demand::within, limit, basis});
  };
  const auto fetch = static_cast<double>(systolic::fetch_cycles(on.tile_bytes(), on.hbm_bytes_per_s, on.clock_hz));
  const auto rows = static_cast<double>(on.array.rows);
  for (const char* name : {"MLP0", "MLP1", "LSTM0", "LSTM1"}) {
    const auto& c = counters.at(name);
    const double matrix = c.at("array_active_pct") + c.at("weight_stall_pct") + c.at("weight_shift_pct");
    add(concat(name, ": tile period, cycles"), fetch, rows * matrix / c.at("weight_shift_pct"), 0.05);
    ++r.rows;
  }
  const auto& cnn = counters.at("CNN1");
  add("CNN1, fully connected part: tile period, cycles", fetch,
      rows * cnn.at("weight_stall_pct") / cnn.at("weight_shift_pct") + rows + cnn.at("tpu_batch"), 0.05);
  for (const char* name : {"MLP0", "MLP1", "LSTM0", "LSTM1", "CNN1"}) {
    const auto& c = counters.at(name);
    const v1_shares s = model_v1(
        on,
        {.name = name, .batch = static_cast<index_t>(c.at("tpu_batch")), .wide_share = detail::v1_wide_share(name)});
    add(concat(name, ": shift / stall"), s.shift / s.stall, c.at("weight_shift_pct") / c.at("weight_stall_pct"), 0.10,
        detail::v1_evidence(name));
  }
  ++r.rows;

  const systolic::array_counters tiles = count_cycles(on.array, {.m = 96, .k = 600, .n = 600});
  const double useful =
      static_cast<double>(tiles.useful_macs) / static_cast<double>(tiles.useful_macs + tiles.unused_macs);
  const auto& lstm1 = counters.at("LSTM1");
  add("LSTM1, 600x600 on 256x256: useful / active", useful,
      lstm1.at("useful_macs_pct_peak") / lstm1.at("array_active_pct"), 0.03);
  const auto tiles_us = [&](index_t side) {
    const auto count = static_cast<double>(ceil_div(600, side) * ceil_div(600, side));
    const auto bytes = static_cast<std::uint64_t>(side * side);
    return 1e6 * count * static_cast<double>(systolic::fetch_cycles(bytes, on.hbm_bytes_per_s, on.clock_hz)) /
           on.clock_hz;
  };
  add("600x600 as 9 tiles of 256x256, us", tiles_us(256), 18, 0.05);
  add("600x600 as 4 tiles of 512x512, us", tiles_us(512), 32, 0.05);
  return r;
}

/// Compares table 3's rows, given each application's share of time outside matrix instructions; and the roofline's
/// bounds.
[[nodiscard]] inline target_result compare_v1_counters(const std::filesystem::path& data) {
  const tpu::chip& on = tpu::find_chip("v1");
  const auto counters = detail::load_v1_counters(data / "jouppi2017_tables.csv");
  target_result r{.lines = {}, .rows = counters.size()};
  for (const auto& [name, limit] :
       {std::pair("MLP0", 0.10), std::pair("LSTM0", 0.10), std::pair("LSTM1", 0.10), std::pair("MLP1", 0.25)}) {
    const auto& c = counters.at(name);
    const v1_shares s = model_v1(on, {.name = name,
                                      .batch = static_cast<index_t>(c.at("tpu_batch")),
                                      .wide_share = detail::v1_wide_share(name),
                                      .non_matrix = c.at("non_matrix_pct") / 100});
    for (const auto& [what, ours, column] : {std::tuple(": array active, %", s.active, "array_active_pct"),
                                             std::tuple(": weight stall, %", s.stall, "weight_stall_pct"),
                                             std::tuple(": weight shift, %", s.shift, "weight_shift_pct")})
      r.lines.push_back(
          {concat(name, what), 100 * ours, c.at(column), demand::within, limit, detail::v1_evidence(name)});
  }
  for (const auto& [name, limit] : {std::pair("MLP0", 0.20), std::pair("MLP1", 0.20), std::pair("LSTM0", 0.20),
                                    std::pair("CNN0", 0.20), std::pair("LSTM1", 0.0), std::pair("CNN1", 0.0)}) {
    const auto& c = counters.at(name);
    const double roof = (std::min)(on.quoted_flop_per_s, 2 * c.at("ops_per_weight_byte") * on.hbm_bytes_per_s) / 1e12;
    r.lines.push_back({concat(name, ": roofline, TOPS (an upper bound)"), roof, c.at("tops_measured"),
                       limit > 0 ? demand::within : demand::none, limit});
    r.lines.push_back({concat(name, ": roofline minus measured, TOPS"), roof - c.at("tops_measured"), std::nan(""),
                       demand::at_least, 0});
  }
  tpu::chip fast = on;  // weight memory four times as fast
  fast.hbm_bytes_per_s *= 4;
  for (const char* name : {"MLP0", "LSTM1"}) {
    const auto& c = counters.at(name);
    const double other = c.at("non_matrix_pct") / 100, rows = c.at("tpu_batch") * (1 + detail::v1_wide_share(name));
    const auto period = [&](const tpu::chip& chip) {
      const auto fetch =
          static_cast<double>(systolic::fetch_cycles(chip.tile_bytes(), chip.hbm_bytes_per_s, chip.clock_hz));
      return (std::max)({fetch, rows, static_cast<double>(chip.array.rows)});
    };
    r.lines.push_back({concat(name, ": speed-up with four times the memory rate"),
                       1 / (other + (1 - other) * period(fast) / period(on)), 3, demand::none, 0,
                       detail::v1_evidence(name)});
  }
  r.note =
      "the share outside matrix instructions is taken from the table, as are the batches; LSTM activations of 16 bits "
      "(all of LSTM0's, half of LSTM1's) were chosen to match these counters. CNN rows need the order of "
      "instructions, which is not public";
  return r;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study
