// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <ridgepoint/core/quantile.hpp>
#include <ridgepoint/study/processor_model.hpp>
#include <ridgepoint/study/targets/fc.hpp>

#include "measured_versions.hpp"
#include "tpu_targets.hpp"

/// ParaDnn's figures that compare platforms, number formats and kinds of ops, and its table of observations.
namespace tool {

/// Kinds of a TPU's ops, as its profiler names them.
enum class hlo_kind { product, input_fusion, loop_fusion, max_pool_grad, all_reduce };
/// Returns the kind of a modelled op: reductions are fused with their inputs, other ops are loops over elements.
[[nodiscard]] inline hlo_kind kind_of(const rp::tpu::modelled_op& op) {
  const auto is = [&](std::string_view layer) { return op.name.starts_with(layer); };
  if (op.bound == rp::tpu::bound::ici) return hlo_kind::all_reduce;
  if (op.receipt.matrix_flop > 0 || is("attention")) return hlo_kind::product;
  if (is("max_pool") && op.pass != rp::pass::forward) return hlo_kind::max_pool_grad;
  const bool reduces = op.pass != rp::pass::update &&
                       (is("batch_norm") || is("layer_norm") || is("softmax") || is("avg_pool") || is("embedding"));
  return reduces ? hlo_kind::input_fusion : hlo_kind::loop_fusion;
}

/// Compares the shares of the device's time by kind of op with Fig. 3's, of ResNet-50 and the Transformer.
inline rp::study::target_result compare_op_mix(const std::filesystem::path&) {
  const rp::tpu::chip& on = rp::tpu::find_chip("v2");
  rp::study::target_result r{.lines = {}};
  const auto add = [&]<class Model>(const Model& model, rp::index_t batch, double input, double loop, double pool,
                                    double reduce) {
    const rp::tpu::modelled_step step = modelled(on, training_plan(model, batch / on.cores()), on.cores());
    std::map<hlo_kind, double> percent;
    for (const rp::tpu::modelled_op& op : step.ops) percent[kind_of(op)] += 100 * op.total_s() / step.device_s;
    const auto line = [&](const char* kind, hlo_kind of, double theirs) {
      r.lines.push_back({rp::concat(Model::name, ": ", kind, ", % of the device's time"), percent[of], theirs});
    };
    const double none = std::nan("");
    line("products", hlo_kind::product, none);
    line("input fusion: normalisations, softmax", hlo_kind::input_fusion, input);
    line("loop fusion: elementwise, updates", hlo_kind::loop_fusion, loop);
    line("gradient of max-pooling", hlo_kind::max_pool_grad, pool);
    line("all-reduce", hlo_kind::all_reduce, reduce);
  };
  const double none = std::nan("");
  add(rp::models::resnet_50{}, 1024, 9.0, none, 2.9, 1.1);
  add(rp::models::transformer_base{}, 512, 9.0, 7.0, none, 3.9);
  r.note =
      "the profiler's names; the published Transformer also spends 12.3 % on formatting data, which is not modelled. "
      "Its 9 % for ResNet-50 is of fusions that memory binds";
  return r;
}

/// Speed-ups of one machine over another: 2nd, 9th, 50th, 91st and 98th percentile, as ParaDnn's boxes.
inline void add_box(rp::study::target_result& r, const std::string& what, const std::vector<double>& ours,
                    const std::vector<double>& theirs = {}, rp::study::evidence basis = rp::study::evidence::hold_out) {
  for (const int percent : {2, 9, 50, 91, 98})
    r.lines.push_back({rp::concat(what, ", percentile ", percent), rp::quantile(ours, percent / 100.0),
                       theirs.empty() ? std::nan("") : rp::quantile(theirs, percent / 100.0), rp::study::demand::none,
                       0, basis});
}

/// Returns a training step of a network of a family.
[[nodiscard]] inline rp::compiled plan_of(std::string_view name, const sweep_network& network, rp::index_t batch) {
  const auto value = [&](std::string_view of) {
    return std::ranges::find(network.parameters, of, [](const auto& p) { return p.first; })->second;
  };
  if (name == "fc")
    return training_plan(
        rp::models::paradnn_fc{
            .layers = value("layers"), .nodes = value("nodes"), .inputs = value("inputs"), .outputs = value("outputs")},
        batch);
  if (name == "cnn") {
    const rp::index_t blocks = value("blocks");
    return training_plan(rp::models::paradnn_cnn{.bottleneck = value("bottleneck") == 1,
                                                 .blocks = {blocks, blocks, blocks, blocks},
                                                 .filters = value("filters"),
                                                 .pixels = value("pixels"),
                                                 .outputs = value("outputs")},
                         batch);
  }
  return training_plan(rp::models::paradnn_rnn{.layers = value("layers"),
                                               .width = value("width"),
                                               .vocabulary = value("vocabulary"),
                                               .steps = value("steps")},
                       batch);
}

/// Steps of a family's drawn networks on the CPU, the GPU and the TPU; NaN: does not fit.
struct three_steps {
  double cpu_s = 0, gpu_s = 0, tpu_s = 0, cpu_utilisation = 0;
};
[[nodiscard]] inline std::vector<three_steps> steps_on_three(std::string_view name) {
  const sweep_grid grid = published_grid(std::string(name), extent_of_sweep::drawn);
  const family f = family_of(name, grid);
  rp::study::sweep_chips chips{rp::tpu::find_chip("v2"), rp::tpu::find_chip("v3"), f.gpu};
  const rp::processor::platform& cpu = rp::processor::find_platform("cpu32-compiled");
  std::vector<three_steps> all;
  for (const sweep_network& network : f.networks)
    for (const rp::index_t batch : f.batches) {
      const rp::study::sweep_row row = sweep_one(chips, network, batch);
      const rp::compiled made = plan_of(name, network, batch);
      const double cpu_s = modelled(cpu, made).step_s;
      constexpr double peak_flop_per_s = 2e12;  // of the paper's CPU
      all.push_back({cpu_s, row.gpu_step_s, row.fits ? row.step_s : std::nan(""),
                     static_cast<double>(made.plan.receipt().matrix_flop) / (cpu_s * peak_flop_per_s)});
    }
  return all;
}

/// Compares speed-ups between TPU, GPU and CPU as ParaDnn's boxes: against the 176 networks measured on TPU and GPU,
/// and modelled for three machines.
inline rp::study::target_result compare_boxes(const std::filesystem::path& data) {
  using rp::study::fc_shape, rp::study::measured_step;
  const rp::tpu::chip& board = rp::tpu::find_chip("v2");
  const rp::gpu::platform gpu = rp::study::paradnn_gpu();
  const auto key = [](const fc_shape& s) { return std::tuple(s.layers, s.node, s.input, s.output, s.batch); };
  std::map<std::tuple<index_t, index_t, index_t, index_t, index_t>, double> on_tpu;
  for (const measured_step& m : rp::study::load_fc_steps((data / "paradnn_tpu_fc.csv").string()))
    on_tpu[key(m.shape)] = m.step_s;
  std::vector<double> ours, theirs;
  for (const measured_step& m : rp::study::load_fc_steps((data / "paradnn_gpu_fc.csv").string()))
    if (const auto found = on_tpu.find(key(m.shape)); found != on_tpu.end()) {
      theirs.push_back(m.step_s / found->second);
      ours.push_back(fc_step(gpu, m.shape).step_s / fc_step(board, m.shape, board.cores()).step_s);
    }
  rp::study::target_result r{.lines = {}, .rows = theirs.size()};
  add_box(r, rp::concat("FC, TPU over GPU, ", theirs.size(), " measured networks"), ours, theirs,
          rp::study::evidence::calibration);
  for (const auto& [name, title] : {std::pair{"fc", "FC"}, {"cnn", "CNN"}, {"rnn", "RNN"}}) {
    std::vector<double> tpu_gpu, gpu_cpu, tpu_cpu;
    double used = 0;
    for (const three_steps& s : steps_on_three(name)) {
      used = std::max(used, 100 * s.cpu_utilisation);
      if (!std::isnan(s.gpu_s)) gpu_cpu.push_back(s.cpu_s / s.gpu_s);
      if (!std::isnan(s.tpu_s)) tpu_cpu.push_back(s.cpu_s / s.tpu_s);
      if (!std::isnan(s.gpu_s) && !std::isnan(s.tpu_s)) tpu_gpu.push_back(s.gpu_s / s.tpu_s);
    }
    add_box(r, rp::concat(title, ", TPU over GPU"), tpu_gpu);
    add_box(r, rp::concat(title, ", GPU over CPU"), gpu_cpu);
    add_box(r, rp::concat(title, ", TPU over CPU"), tpu_cpu);
    r.lines.push_back({rp::concat(title, " on the CPU, highest utilisation of 2 TFLOP/s, %"), used,
                       name == std::string_view("rnn") ? 46 : std::nan("")});
  }
  const highest_of_sweep rnn = highest_of(modelled_family_of("rnn"));
  r.lines.push_back({"RNN on TPU v2, highest utilisation, % (published: below 26)", rnn.board, 26});
  r.lines.push_back(
      {"RNN on V100, highest utilisation of the peak in f16, % (published: below 9)", gpu_of_f16(rnn), 9});
  r.note =
      "a box reaches from the 9th to the 91st percentile, its whiskers from the 2nd to the 98th. Modelled are the "
      "networks of the heat maps, and the CPU as study D's 32 virtual CPUs with AVX2; the paper's points of GPU and "
      "TPU over CPU are in pictures only";
  return r;
}

/// Returns a family of ParaDnn's networks as in its heat maps; `bottleneck` selects the blocks of "cnn".
[[nodiscard]] inline family drawn_family(std::string_view name, rp::index_t bottleneck = 0) {
  sweep_grid grid = published_grid(name, extent_of_sweep::drawn);
  for (auto& [parameter, values] : grid.parameters)
    if (parameter == "bottleneck") values = {bottleneck};
  return family_of(name, grid);
}

/// Speed-ups of a family's networks and batches on `after` over `before`, where they fit both.
[[nodiscard]] inline std::vector<double> gains_on_gpu(const family& of, const rp::gpu::platform& before,
                                                      const rp::gpu::platform& after) {
  std::vector<double> gains;
  for (const sweep_network& network : of.networks)
    for (const rp::index_t batch : of.batches) {
      const placed_gpu_step slow = network.model_gpu(before, batch), fast = network.model_gpu(after, batch);
      if (slow.fits && fast.fits) gains.push_back(slow.step.step_s / fast.step.step_s);
    }
  return gains;
}
/// Returns the platform of a family's GPU with another number format, in which its host also copies images.
[[nodiscard]] inline rp::gpu::platform with_format(const family& of, rp::gpu::number_format in) {
  rp::gpu::platform p = of.gpu;
  if (of.copies_images)
    p.with.feed_s_per_value *= static_cast<double>(bytes_of(in)) / static_cast<double>(bytes_of(p.in));
  p.in = in;
  return p;
}

/// Compares number formats of 16 and 32 bits on V100 and TPU v2.
inline rp::study::target_result compare_formats(const std::filesystem::path&) {
  const rp::tpu::chip& narrow = rp::tpu::find_chip("v2");
  rp::tpu::chip wide = narrow;
  wide.operand_bytes = 4;  // stored in f32; products are of bf16 in both cases
  rp::study::target_result r{.lines = {}};
  const auto add = [&](const char* title, std::string_view name, rp::index_t bottleneck, double on_tpu) {
    using enum rp::gpu::number_format;
    const family f = drawn_family(name, bottleneck);
    const std::vector<double> gpu = gains_on_gpu(f, with_format(f, f32), with_format(f, f16));
    std::vector<double> tpu;
    for (const sweep_network& network : f.networks)
      for (const rp::index_t batch : f.batches) {
        // The bytes of FC's own model come from traces in bf16; so its plan is modelled.
        const rp::compiled made = plan_of(name, network, rp::tpu::batch_per_core(narrow, batch, narrow.cores()));
        const placed_step bf16 = place_plan(made, narrow, narrow.cores()), wider = place_plan(made, wide, wide.cores());
        if (bf16.fits && wider.fits) tpu.push_back(wider.step.step_s / bf16.step.step_s);
      }
    const auto line = [&](const char* on, const char* formats, const std::vector<double>& of, double theirs) {
      r.lines.push_back({rp::concat(title, " on ", on, ", ", formats, ": median"), rp::median(of), std::nan("")});
      r.lines.push_back(
          {rp::concat(title, " on ", on, ", ", formats, ": 90th percentile"), rp::quantile(of, 0.9), theirs});
    };
    line("TPU v2", "bf16 over f32", tpu, on_tpu);
    line("V100", "f16 over f32", gpu, std::nan(""));
  };
  add("FC", "fc", 0, 1.8);
  add("CNN, bottleneck blocks", "cnn", 1, 1.8);
  add("CNN, residual blocks", "cnn", 0, 1.3);
  r.note =
      "the published gains on TPU are of the whole change of format; ours keep the arrays' products in bf16, and "
      "change what "
      "is stored. Those on V100 are published together with newer software only: FC 5.2, CNN 2.9";
  return r;
}

/// Models a plan on a TPU whose compiler fuses no ops: each reads its operands from memory and writes its results.
[[nodiscard]] inline rp::tpu::modelled_step without_fusion(const rp::tpu::chip& on, const rp::compiled& made,
                                                           rp::index_t cores) {
  const rp::tpu::modelled_step fused = modelled(on, made, cores);
  std::vector<rp::tpu::modelled_op> ops;
  rp::index_t channels = 0;  // of the last image
  const auto append = [&](const rp::planned_call& call, rp::tpu::modelled_op op) {
    if (op.channels > 0) channels = op.channels;
    const bool of_image = op.channels > 0 || call.op == rp::op_id_of<rp::add_args<float>>;
    if (of_image && op.receipt.matrix_flop == 0)
      op = rp::tpu::detail::padded(on, std::move(op), rp::tpu::detail::padding_of(made.batch, channels));
    ops.push_back(std::move(op));
  };
  rp::study::for_each_modelled<rp::tpu::modelled_op>(on, on.name, made.plan, rp::type_list<>{}, append);
  for (const rp::tpu::modelled_op& op : fused.ops)  // those that are no calls of the plan
    if (op.bound == rp::tpu::bound::ici || op.name.ends_with("(2nd pass)")) ops.push_back(op);
  return compose(on, std::move(ops), fused.infeed, static_cast<std::uint64_t>(made.trainable_size()), fused.batch,
                 cores);
}

/// Shows what the models know of ParaDnn's gains from newer software, next to the published 90th percentiles.
inline rp::study::target_result modelled_versions() {
  using enum rp::gpu::number_format;
  const rp::tpu::chip& v2 = rp::tpu::find_chip("v2");
  const family fc = drawn_family("fc"), residual = drawn_family("cnn", 0), bottleneck = drawn_family("cnn", 1);
  rp::study::target_result r{.lines = {}};
  const auto add = [&](std::string what, double ours, double theirs) {
    r.lines.push_back({std::move(what), ours, theirs});
  };
  const auto fusion = [&](std::string_view name, const family& of) {
    std::vector<double> gains;
    for (const sweep_network& network : of.networks)
      for (const rp::index_t batch : of.batches) {
        const rp::compiled made = plan_of(name, network, rp::tpu::batch_per_core(v2, batch, v2.cores()));
        if (fits(v2, rp::tpu::memory_of(made)))
          gains.push_back(without_fusion(v2, made, v2.cores()).step_s / modelled(v2, made, v2.cores()).step_s);
      }
    return rp::quantile(gains, 0.9);
  };
  const double unknown = std::nan("");
  add("FC on TPU v2: ops fused over separate (published: TensorFlow 1.12 over 1.7)", fusion("fc", fc), 7);
  add("CNN, residual blocks on TPU v2: the same", fusion("cnn", residual), 1.5);
  add("CNN, bottleneck blocks on TPU v2: the same", fusion("cnn", bottleneck), 2.5);
  add("RNN on TPU v2: not modelled", unknown, 9.7);
  add("LSTM and GRU on TPU v2: not modelled", unknown, 6.3);
  const auto half_over_single = [](const std::vector<const family*>& families) {
    std::vector<double> gains;
    for (const family* of : families)
      for (const double each : gains_on_gpu(*of, with_format(*of, f32), with_format(*of, f16))) gains.push_back(each);
    return rp::quantile(gains, 0.9);
  };
  add("FC on V100: f16 over f32 (published: with newer versions)", half_over_single({&fc}), 5.2);
  add("CNN on V100: the same", half_over_single({&residual, &bottleneck}), 2.9);
  add("RNN on V100, f32: not modelled", unknown, 1.086);
  return r;
}

/// Adds to modelled_versions() what was measured here, from files of the folder.
inline rp::study::target_result compare_versions(const std::filesystem::path& data) {
  rp::study::target_result r = modelled_versions();
  version_gains measured = measured_versions(data);
  for (rp::study::comparison& line : measured.lines) {
    line.what = "measured, " + line.what, line.basis = rp::study::evidence::definitional;
    r.lines.push_back(std::move(line));
  }
  r.note = rp::concat(
      "90th percentiles of speed-ups over the networks of the heat maps. What changed from version to version is not "
      "published: our ratios are of one difference that is known, and not judged. Study D's versions are in "
      "study-d-text and, on CPUs, in study-d-relative. Measured gains are geometric means over rows, from files "
      "versions_*.json in the folder of --data",
      measured.cpu_models.empty() ? ", which has none" : ", on " + rp::names_of(measured.cpu_models),
      ": compilers by ridgepoint flags --compiler A --compiler B --json FILE; oneDNN and PyTorch by ridgepoint bench "
      "--json FILE, once with each version");
  return r;
}

/// Judges the fourteen observations of ParaDnn's first table.
inline rp::study::target_result compare_observations(const std::filesystem::path& data) {
  using enum rp::study::demand;
  using rp::study::evidence;
  const modelled_family &fc = modelled_family_of("fc"), &cnn = modelled_family_of("cnn"),
                        &rnn = modelled_family_of("rnn");
  const highest_of_sweep of_fc = highest_of(fc), of_cnn = highest_of(cnn), of_rnn = highest_of(rnn);
  const double unknown = std::nan("");
  rp::study::target_result r{.lines = {}};
  const auto add = [&](std::string what, double ours, double theirs, rp::study::demand wanted, double limit,
                       evidence basis = evidence::hold_out) {
    r.lines.push_back({std::move(what), ours, theirs, wanted, limit, basis});
  };
  const auto median_over_gpu = [](const modelled_family& of, const auto& selects) {
    std::vector<double> ratios;
    for (const rp::study::sweep_row& row : of.rows)
      if (!std::isnan(row.over_gpu) && selects(row)) ratios.push_back(row.over_gpu);
    return rp::median(std::move(ratios));
  };
  const auto of_batch = [&](index_t batch) {
    return median_over_gpu(fc, [=](const rp::study::sweep_row& row) { return row.batch == batch; });
  };
  const auto of_width = [&](const modelled_family& of, index_t width) {
    return median_over_gpu(of, [=](const rp::study::sweep_row& row) { return row.network->width == width; });
  };
  if (const auto fit = utilisation_weights(fc.rows))
    add("1. depth is not exploited: weight of layers in FC's utilisation over that of nodes",
        fit->of("layers").weight / fit->of("nodes").weight, 0.123 / 0.466, at_most, 0.5, evidence::calibration);
  double all = 0, below = 0;
  const rp::tpu::chip& v2 = rp::tpu::find_chip("v2");
  for (const sweep_point& p : published_grid("fc", extent_of_sweep::drawn).points()) {
    const auto& v = p.parameters;
    const rp::study::fc_shape shape{v.at("layers"), v.at("nodes"), v.at("inputs"), v.at("outputs"), p.batch};
    all += 1, below += rp::study::flop_per_byte(v2, shape) < rp::study::detail::quoted_ridge(v2) ? 1 : 0;
  }
  add("2. memory binds many: FC networks below the ridge, %", 100 * below / all, 100 * 191 / 230.0, at_least, 50,
      evidence::chosen);
  add("3. chips communicate: FC's highest utilisation on 8 cores over 1", of_fc.board / of_fc.one, 0.62, points, 0.1,
      evidence::calibration);
  const rp::study::target_result networks = compare_real_networks(data);
  double most_gained = 0;
  for (const rp::study::comparison& line : networks.lines)
    if (line.what.find("samples/s gained without infeed") != std::string::npos && !line.what.starts_with("resnet-50"))
      most_gained = std::max(most_gained, line.ours);
  add("4. infeed: most gained without it, % (published: at least 34)", most_gained, 34, at_least, 34);
  add("5. TPU v3 over v2: highest of CNN, end to end", of_cnn.faster, 2.31, within, 0.1, evidence::chosen);
  add("6. the largest FC networks fit the CPU only, %", ours_of(compare_memory(data), "64 layers of 8192"), 100, equal,
      0);
  add("7. large batches prefer the TPU: FC over GPU, batch 16384, median", of_batch(16384), 11.0, at_least, 1,
      evidence::calibration);
  add("   small batches the GPU: the same, batch 64", of_batch(64), 0.82, at_most, 1, evidence::calibration);
  add("8. small FC prefer the TPU: over GPU, 32 nodes, median", of_width(fc, 32), 5.8, at_least, 1,
      evidence::calibration);
  add("   large ones the GPU: the same, 8192 nodes", of_width(fc, 8192), 0.37, at_most, 1, evidence::calibration);
  add("9. larger CNN gain more: TPU over GPU, 64 filters over 16", of_width(cnn, 64) / of_width(cnn, 16), unknown,
      at_least, 1);
  add("10. CNN: highest utilisation of the TPU over the GPU's", of_cnn.board / of_cnn.gpu, 2, within, 0.5);
  add("    RNN: the same, of the peak in f16", of_rnn.board / gpu_of_f16(of_rnn), 3, within, 0.5);
  add("11. the GPU gains more from wide RNN: TPU over GPU, 900 units over 100", of_width(rnn, 900) / of_width(rnn, 100),
      unknown, at_most, 1);
  const rp::study::target_result formats = compare_formats(data), versions = modelled_versions();
  add("12. software of TPU, 7 months, FC: fusion of ops alone", ours_of(versions, "FC on TPU v2: ops fused"), 7,
      rp::study::demand::none, 0);
  add("13. 16 bits on TPU v2: FC, 90th percentile", ours_of(formats, "FC on TPU v2, bf16 over f32: 90th percentile"),
      1.8, at_least, 1.2);
  add("    16 bits on V100: the same", ours_of(formats, "FC on V100, f16 over f32: 90th percentile"), unknown, at_least,
      1.2);
  add("14. software of GPU, FC: 16 bits alone", ours_of(versions, "FC on V100: f16 over f32"), 5.2,
      rp::study::demand::none, 0);
  r.note = rp::concat(r.judged() - r.differences(), " of ", r.judged(),
                      " demands hold; of the software's versions the models know a part only: see versions");
  return r;
}

}  // namespace tool
