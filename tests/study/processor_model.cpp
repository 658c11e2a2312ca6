// SPDX-License-Identifier: MIT
#include <ridgepoint/study/processor_model.hpp>

#include <doctest/doctest.h>

#include <ridgepoint/models/paradnn.hpp>

#include "support/near.hpp"

namespace rp = ridgepoint;
namespace processor = ridgepoint::processor;
using processor::level;
using levels = std::vector<level>;

namespace {

/// Two cores of 100 GFLOP/s; 1 MB of cache with 20, memory with 10 GB/s for one core and 15 for both.
const processor::chip two_cores{.name = "two",
                                .description = "made up",
                                .cores = 2,
                                .core_flop_per_s = 100e9,
                                .levels = {{1e6, 20e9, 40e9}, {0, 10e9, 15e9}}};

template <class Model>
rp::compiled training(const Model& model, rp::index_t batch) {
  rp::graph net{std::string(Model::name)};
  const rp::node output = model.build(net);
  return rp::plan_training(net, output, typename Model::loss{}, typename Model::optimiser{}, {.batch = batch});
}

}  // namespace

TEST_CASE("processor: data that exceed a level come from the next for the rest") {
  processor::platform p{.on = two_cores, .with = {}};
  CHECK(p.bytes_per_s(1e3) == near(20e9));
  CHECK(p.bytes_per_s(1e6) == near(20e9));
  CHECK(1 / p.bytes_per_s(4e6) == near(0.25 / 20e9 + 0.75 / 10e9));
  p.cores = 2;
  CHECK(p.bytes_per_s(1e6) == near(40e9));
  CHECK(p.bytes_per_s(1e15) == near(15e9, 1e-6));
}

TEST_CASE("processor: a step takes its computation, its traffic, its turns and its ops") {
  processor::platform p{.on = two_cores, .with = {}};
  p.with.product = 2, p.with.window = 0.5, p.with.result_flop = 30, p.with.operand_traffic = 3;
  p.with.traffic = 1.5, p.with.op_s = 1e-6, p.with.recurrent_step_s = 2e-6;
  p.with.fixed_product_s = 1e-12, p.with.fixed_window_s = 3e-12, p.with.op_core_s = 1e-7;
  const auto of = [&](const processor::op_load& op, double set) {
    return modelled(p, {.ops = {{.load = op}}, .working_set = set}).step_s;
  };
  CHECK(of({}, 1e6) == near(1.1e-6));
  p.with.op_core_s = 0;
  CHECK(of({}, 1e6) == near(1e-6));
  CHECK(of({.product_flop = 1e9}, 1e6) == near(1e-6 + 2 * 1e9 / 100e9 + 1e-3));
  CHECK(of({.window_flop = 1e9}, 1e6) == near(1e-6 + 0.5 * 1e9 / 100e9 + 3e-3));
  CHECK(of({.results = 1e6}, 1e6) == near(1e-6 + 30e6 / 100e9));
  CHECK(of({.recurrent_steps = 7}, 1e6) == near(15e-6));
  p.with.image_flop = 6;
  CHECK(of({.image_values = 1e6}, 1e6) == near(1e-6 + 6e6 / 100e9));
  CHECK(of({.gate_bytes = 1e6}, 1e6) == near(1e-6));
  p.with.gate_traffic = 4;
  CHECK(of({.gate_bytes = 1e6}, 1e6) == near(1e-6 + 4e6 / 20e9));
  CHECK(of({.bytes = 1e6}, 1e6) == near(1e-6 + 1.5e6 / 20e9));
  CHECK(of({.operand_bytes = 1e6, .operand_set = 1e5}, 1e15) == near(1e-6 + 3e6 / 20e9));
  p.cores = 2;
  CHECK(of({.product_flop = 1e9}, 1e6) == near(1e-6 + 2 * 1e9 / 200e9 + 1e-3));
  const processor::step_load three{.ops = {{}, {.load = {.recurrent_steps = 1}, .name = "r"}, {}}, .working_set = 1};
  CHECK(modelled(p, three).step_s == near(5e-6));
  CHECK(modelled(p, three).ops[1].elapsed_s == near(3e-6));
  CHECK(modelled(p, three).ops[1].name == "r");
  CHECK(seconds(p.with, parts_of(p, three)) == near(5e-6));
  p.with.op_core_s = 1e-6;
  CHECK(modelled(p, three).step_s == near(11e-6));
  p.on.clock_hz = 2e9, p.with.flop_per_cycle = 16;  // of a narrower instruction set
  CHECK(p.flop_per_s() == 64e9);
  p.with.flop_per_cycle = 64;
  CHECK(p.flop_per_s() == 200e9);
}

TEST_CASE("processor: the roofs of a measured machine are its chip's") {
  rp::machine m;
  m.name = "m";
  const auto add = [&](rp::ceiling_kind kind, const char* level_name, int threads, double per_s, std::uint64_t bytes) {
    rp::ceiling c;
    c.kind = kind, c.operation = "load", c.threads = threads, c.per_s = per_s;
    (kind == rp::ceiling_kind::compute ? c.dtype : c.level) = level_name;
    c.capacity_bytes = bytes;
    m.ceilings.push_back(c);
  };
  using enum rp::ceiling_kind;
  add(compute, "f32", 1, 100e9, 0), add(compute, "f32", 4, 390e9, 0);
  CHECK_THROWS_WITH_AS(static_cast<void>(processor::chip_of(m)), doctest::Contains("must have both"), rp::value_error);
  add(bandwidth, "L2", 1, 50e9, 1 << 20), add(bandwidth, "L2", 4, 200e9, 4 << 20);
  add(bandwidth, "L3", 1, 30e9, 32 << 20), add(bandwidth, "L3", 4, 60e9, 32 << 20);
  add(bandwidth, "DRAM", 1, 12e9, 0), add(bandwidth, "DRAM", 4, 20e9, 0);
  const processor::chip c = processor::chip_of(m);
  CHECK(c.cores == 4);
  CHECK(c.core_flop_per_s == 100e9);
  CHECK(c.levels == levels{{4 << 20, 50e9, 200e9}, {32 << 20, 30e9, 60e9}, {0, 12e9, 20e9}});
}

TEST_CASE("processor: the loads of a step come from its plan") {
  const rp::compiled fc = training(rp::models::paradnn_fc{.layers = 4, .nodes = 32, .inputs = 200, .outputs = 20}, 8);
  const processor::step_load load = processor::load_of(fc);
  const double fed = 4 * 8 * 200;
  double flop = 0, bytes = 0, results = 0, operands = 0;
  for (const processor::loaded_op& each : load.ops) {
    const processor::op_load& op = each.load;
    flop += op.product_flop, bytes += op.bytes, results += op.results, operands += op.operand_bytes;
    CHECK(op.recurrent_steps == 0);
    CHECK(op.operand_set == op.operand_bytes);  // one product each
  }
  CHECK(flop == static_cast<double>(fc.plan.receipt().matrix_flop));
  CHECK(bytes == 2 * fed + static_cast<double>(fc.plan.receipt().bytes.total()));
  const double forward = 8 * (4 * 32 + 20), weights = 200 * 32 + 3 * 32 * 32 + 32 * 20, data = 8 * 4 * 32;
  CHECK(results == forward + weights + data);
  CHECK(operands > 4 * results);
  CHECK(load.working_set == fed + static_cast<double>(fc.plan.memory().bytes()));

  const rp::compiled rnn = training(rp::models::paradnn_rnn{.layers = 2, .width = 8, .vocabulary = 9, .steps = 5}, 3);
  double turns = 0, gates = 0;
  for (const processor::loaded_op& op : processor::load_of(rnn).ops)
    turns += op.load.recurrent_steps, gates += op.load.gate_bytes;
  CHECK(turns == 2 * 2 * 5);              // layers, passes, steps
  CHECK(gates == 2 * 4 * turns * 3 * 8);  // written and read, samples, units

  const rp::compiled cnn = training(
      rp::models::paradnn_cnn{.bottleneck = true, .blocks = {1, 1, 1, 1}, .filters = 2, .pixels = 200, .outputs = 3},
      1);
  double windows = 0, products = 0;
  for (const processor::loaded_op& op : processor::load_of(cnn).ops) {
    windows += op.load.window_flop, products += op.load.product_flop;
    CHECK((op.load.image_values > 0) == (op.load.window_flop > 0));
  }
  CHECK(windows > 0);
  CHECK(windows + products == static_cast<double>(cnn.plan.receipt().matrix_flop));
}

TEST_CASE("processor: fit finds constants that predict other steps of the same machine") {
  processor::platform truth{.on = two_cores, .with = {}};
  truth.with.product = 1.4, truth.with.result_flop = 31, truth.with.operand_traffic = 2, truth.with.traffic = 1.7;
  truth.with.op_s = 4e-6, truth.with.op_core_s = 3e-6, truth.with.recurrent_step_s = 9e-6, truth.with.window = 0.7;
  truth.with.fixed_product_s = 2e-12, truth.with.fixed_window_s = 5e-12;
  std::vector<processor::measured_time> all;
  const auto add = [&](const rp::compiled& made) {
    const processor::step_load load = processor::load_of(made);
    for (truth.cores = 1; truth.cores <= 2; ++truth.cores)
      all.push_back({parts_of(truth, load), modelled(truth, load).step_s});
  };
  for (const rp::index_t nodes : {32, 256, 1024})
    for (const rp::index_t batch : {64, 1024})
      add(training(rp::models::paradnn_fc{.layers = 4, .nodes = nodes}, batch));
  for (const rp::index_t width : {32, 100, 500})
    for (const rp::index_t batch : {16, 64})
      add(training(rp::models::paradnn_rnn{.layers = 2, .width = width, .vocabulary = 32, .steps = 10}, batch));
  for (const rp::index_t batch : {1, 4})
    add(training(rp::models::paradnn_cnn{.blocks = {1, 1, 1, 1}, .filters = 16, .pixels = 200, .outputs = 10}, batch));
  std::vector<processor::measured_time> fitted, held_out;
  for (std::size_t i = 0; i < all.size(); ++i) (i / 2 % 2 == 0 ? fitted : held_out).push_back(all[i]);
  const processor::software found = processor::fit(fitted);
  for (const processor::measured_time& m : held_out) CHECK(seconds(found, m.of) == near(m.elapsed_s, 0.01));
  const processor::software few = processor::fit(fitted, processor::tensorflow_constants);
  CHECK(few.result_flop == 0);
  CHECK(few.operand_traffic == 0);
  CHECK(few.traffic > 0);
  CHECK_THROWS_AS(static_cast<void>(processor::fit({})), rp::value_error);
}

TEST_CASE("processor: products and convolutions take longer on study D's CPUs than at the peak") {
  for (const processor::platform& p : processor::published_platforms()) {
    CAPTURE(p.name);
    const auto elapsed_s = [&](const processor::op_load& op) { return seconds(p.with, parts_of(p, op, 1e6)); };
    CHECK(elapsed_s({.product_flop = 1e12}) > 1e12 / p.flop_per_s());
    if (p.on.name.starts_with("cpu")) CHECK(elapsed_s({.window_flop = 1e12}) > 1e12 / p.flop_per_s());
  }
}

TEST_CASE("processor: the studies' CPUs have roofs, and modelled steps are profiles") {
  const rp::compiled made = training(rp::models::paradnn_fc{.layers = 4, .nodes = 256}, 64);
  const processor::step_load load = processor::load_of(made);
  for (const processor::platform& p : processor::published_platforms()) {
    CAPTURE(p.name);
    CHECK(&processor::find_platform(p.name) == &p);
    const rp::machine roofs = roofs_of(p);
    CHECK(roofs.peak()->per_s == near(p.flop_per_s()));
    CHECK(roofs.levels() == std::vector<std::string>{"L1", "L2", "L3", "DRAM"});
    const processor::modelled_step step = modelled(p, load);
    CHECK(step.step_s == near(seconds(p.with, parts_of(p, load))));
    const rp::profile profile = as_profile(step);
    CHECK(profile.step_s == step.step_s);
    CHECK(profile.receipt().matrix_flop == made.plan.receipt().matrix_flop);
    double rows_s = 0;
    for (const rp::profile_row& row : profile.rows) rows_s += row.elapsed_s;
    CHECK(rows_s == near(step.step_s));
  }
  const auto flop_per_s = [](const char* name) { return processor::find_platform(name).flop_per_s(); };
  CHECK(flop_per_s("cpu8") == near(4 * 8 * 2.7e9));
  CHECK(flop_per_s("CPU16-compiled") == near(8 * 32 * 2.7e9));
  CHECK_THROWS_WITH_AS(static_cast<void>(processor::find_platform("cpu9")),
                       doctest::Contains("no platform is called cpu9; must be one of"), rp::value_error);
}
