// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/core/nearest_name.hpp>
#include <ridgepoint/core/types.hpp>
#include <ridgepoint/roofline/machines.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::gpu {

/// Format of the operands of products and of stored activations. Sums, variables and updates are always fp32.
enum class number_format { f32, tf32, f16 };
[[nodiscard]] constexpr std::string_view to_string(number_format f) noexcept {
  constexpr std::string_view names[] = {"f32", "tf32", "f16"};
  return names[static_cast<int>(f)];
}
/// Returns the bytes of an activation.
[[nodiscard]] constexpr index_t bytes_of(number_format f) noexcept { return f == number_format::f16 ? 2 : 4; }

/// Properties of a chip that no data sheet gives. docs/gpu_model.md explains how they were determined; `ridgepoint
/// calibrate gpu` derives them again.
struct calibration {
  double product_share = 1;  // fraction of the peak that products reach in full waves of large tiles
  double stream_share = 1;   // reachable fraction of the memory's rate
  std::string source = "nothing is fitted";
  friend bool operator==(const calibration&, const calibration&) = default;
};

/// One GPU as data. Figures of a published machine (roofline/machines.hpp) come from there.
/// Example: const rp::gpu::chip& v100 = rp::gpu::find_chip("v100");
///          v100.peak_flop_per_s(rp::gpu::number_format::f16)                                        // 125e12
struct chip {
  std::string name, description;
  std::string machine;                                                 // in roofline/machines.hpp
  index_t multiprocessors = 0;                                         // each computes one tile of a product
  double f32_flop_per_s = 0, tf32_flop_per_s = 0, f16_flop_per_s = 0;  // 0: not supported
  double memory_bytes_per_s = 0;
  std::uint64_t memory_bytes = 0;
  calibration fit = {};

  /// Returns the peak rate; 0 if the chip has no units for the format.
  [[nodiscard]] constexpr double peak_flop_per_s(number_format f) const noexcept {
    return f == number_format::f32 ? f32_flop_per_s : f == number_format::tf32 ? tf32_flop_per_s : f16_flop_per_s;
  }
  /// Returns the reachable bytes per second.
  [[nodiscard]] constexpr double stream_bytes_per_s() const noexcept { return memory_bytes_per_s * fit.stream_share; }
  friend bool operator==(const chip&, const chip&) = default;
};

namespace detail {

/// Returns values fitted to ParaDnn's published V100 step times, using only rows with 4 or 32 layers. `ridgepoint
/// calibrate gpu --data DIR` prints these numbers (study/gpu_calibrate.hpp).
inline calibration fitted_v100() {
  return {
      .product_share = 0.8072, .stream_share = 0.7086, .source = "fitted to ParaDnn's V100 step times, 4 or 32 layers"};
}

/// Returns a chip with the ceilings of a machine that contains `per_machine` of them.
inline chip on_machine(const char* name, index_t multiprocessors, std::uint64_t memory_gib, index_t per_machine = 1) {
  const machine& m = find_machine(name);
  const auto share = 1 / static_cast<double>(per_machine);
  const auto peak = [&](const char* dtype, const char* operation) {
    double best = 0;
    for (const ceiling& c : m.ceilings)
      if (c.dtype == dtype && c.operation == operation) best = (std::max)(best, c.per_s * share);
    return best;
  };
  chip c{.name = m.name,
         .description = m.description,
         .machine = m.name,
         .multiprocessors = multiprocessors,
         .f32_flop_per_s = peak("f32", "fma"),
         .tf32_flop_per_s = peak("tf32", "tensor core"),
         .f16_flop_per_s = peak("f16", "tensor core"),
         .memory_bytes_per_s = m.bandwidth(m.levels().front())->per_s * share,
         .memory_bytes = memory_gib << 30,
         .fit = fitted_v100()};
  if (c.name != "v100") c.fit.source += "; carried over from V100, not fitted";
  return c;
}

}  // namespace detail

/// Returns K80 (one of its two GPUs, as a process sees it), P100, V100, A100, H100, H200. Multiprocessor counts are
/// from NVIDIA's white paper of each architecture.
[[nodiscard]] inline const std::vector<chip>& published_chips() {
  static const std::vector<chip> all = [] {
    chip k80 = detail::on_machine("k80", 13, 12, 2);
    k80.description = "NVIDIA Tesla K80, one of the two GPUs of the board, boost clock";
    k80.fit.product_share = 0.37;  // clouds run it below boost clock
    k80.fit.source = "products: fitted to TensorFlow's ResNet-50, batch 64, May 2017; memory: carried over from V100";
    return std::vector<chip>{std::move(k80),
                             detail::on_machine("p100", 56, 16),
                             detail::on_machine("v100", 80, 16),
                             detail::on_machine("a100", 108, 40),
                             detail::on_machine("h100", 132, 80),
                             detail::on_machine("h200", 132, 141)};
  }();
  return all;
}

/// Returns a published chip by name. Throws: value_error with the known names if not found.
[[nodiscard]] inline const chip& find_chip(std::string_view name) {
  return find_named(published_chips(), name, "gpu: no chip");
}

/// The software that dispatches a step's kernels, and its choice of kernels. The host runs ahead of the device, so a
/// step takes the longer of the two times. The host prepares the next batch while it dispatches.
struct software {
  std::string name, description;
  bool fuses = false;           // bias and activation are fused into the product, an update is one kernel
  bool fuses_sequences = true;  // a recurrent layer is one library op, otherwise a loop over its steps
  double kernel_s = 2.5e-6;     // from the end of a short kernel to the end of the next: device time of each
  double host_s_per_op = 0, host_s_per_step = 0;
  index_t variables = 1;                                // per update: weights and bias are two
  index_t update_ops = 1, update_kernels = 1;           // per variable
  double update_traffic = 1;                            // bytes moved by an update ÷ minimum bytes
  index_t turn_ops = 0, turn_ops_back = 0;              // per step of an LSTM or GRU that is a loop
  index_t plain_turn_ops = 0, plain_turn_ops_back = 0;  // per step of a plain recurrent layer that is a loop
  index_t image_copies = 0, image_copies_f16 = 0;   // of each image of a convolution, to another order of its extents
  double feed_latency_s = 0, feed_s_per_value = 0;  // of the input pipeline, on the host
  double host_overlap_exponent = 0;                 // p in (dispatch^p + feed^p)^(1/p); 0: the maximum
  std::string source = "nothing is fitted";
  friend bool operator==(const software&, const software&) = default;
};

/// Returns TensorFlow 1 as ParaDnn ran it, Keras 2.0 on TensorFlow 1 as study D ran it in July and November 2017, and a
/// step recorded once as a CUDA graph.
///
/// Kernels of an update: TensorFlow 1 evaluates one expression per state, 40 bytes per parameter for RMSProp and Adam
/// where 28 would do; Keras 2.0 has no update op, but 11 elementwise ones. Ops per step of a recurrent layer are those
/// of the cell and of the loop around it (10), counted by hand: Keras' LSTM, TensorFlow's BasicLSTMCell and GRUCell, a
/// plain cell of either. A short kernel takes 2 to 3 µs: assumed.
///
/// cuDNN's 16-bit convolutions copy NCHW images to NHWC and back; Keras' images are NHWC, which TensorFlow 1 transposes
/// for cuDNN in fp32 too.
[[nodiscard]] inline const std::vector<software>& known_software() {
  static const std::vector<software> all = [] {
    const software tensorflow{.name = "tensorflow",
                              .description = "TensorFlow 1, each op dispatched by the host",
                              .host_s_per_op = 12.2e-6,
                              .variables = 2,
                              .update_kernels = 3,
                              .update_traffic = 40.0 / 28,
                              .turn_ops = 24,
                              .turn_ops_back = 48,
                              .plain_turn_ops = 14,
                              .plain_turn_ops_back = 28,
                              .image_copies_f16 = 1,
                              .feed_latency_s = 0.5354e-3,
                              .feed_s_per_value = 15.42e-9,
                              .host_overlap_exponent = 2.239,
                              .source = "fitted to ParaDnn's V100 step times, 4 or 32 layers"};
    software keras = tensorflow;
    keras.name = "keras";
    keras.description = "Keras 2.1 on TensorFlow 1, recurrent layers by cuDNN";
    keras.host_s_per_step = 5e-3;
    keras.update_ops = keras.update_kernels = 11;
    keras.update_traffic = 4;
    keras.image_copies = 1;
    keras.turn_ops = 40, keras.turn_ops_back = 80;
    keras.feed_latency_s = keras.feed_s_per_value = 0;
    keras.source = "TensorFlow's time per op; time per step fitted to study D's mnist_mlp on K80";
    software loops = keras;
    loops.name = "keras-loops";
    loops.description = "Keras 2.0 on TensorFlow 1, recurrent layers as loops of ops";
    loops.fuses_sequences = false;
    return std::vector<software>{tensorflow,
                                 keras,
                                 loops,
                                 {.name = "recorded",
                                  .description = "kernels of a step recorded once as a CUDA graph, data on the device",
                                  .fuses = true,
                                  .kernel_s = 2e-6,
                                  .source = "time of a short kernel assumed"}};
  }();
  return all;
}

/// Returns software by name. Throws: value_error with the known names if not found.
[[nodiscard]] inline const software& find_software(std::string_view name) {
  return find_named(known_software(), name, "gpu: no software");
}

/// A model's platform: a chip, software and a number format.
struct platform {
  chip on;
  software with;
  number_format in = number_format::f32;

  /// Returns the width of an activation relative to fp32.
  [[nodiscard]] constexpr double width() const noexcept { return static_cast<double>(bytes_of(in)) / 4; }
  friend bool operator==(const platform&, const platform&) = default;
};

/// True if this many bytes fit the GPU's memory.
[[nodiscard]] constexpr bool fits(const platform& p, double bytes) noexcept {
  return bytes <= static_cast<double>(p.on.memory_bytes);
}

/// Throws: value_error unless the chip supports the format and every rate and share is valid.
inline void check(const platform& p) {
  const auto positive = [&](const char* field, double value, double most) {
    require<value_error>(std::isfinite(value) && value > 0 && value <= most, "gpu ", p.on.name, ": ", field, " is ",
                         value, "; must be > 0 and at most ", most);
  };
  require<value_error>(p.on.peak_flop_per_s(p.in) > 0, "gpu ", p.on.name, ": has no units for ", to_string(p.in),
                       "; must be another format");
  positive("multiprocessors", static_cast<double>(p.on.multiprocessors), 1e6);
  positive("f32_flop_per_s", p.on.f32_flop_per_s, 1e24);
  positive("memory_bytes_per_s", p.on.memory_bytes_per_s, 1e24);
  positive("product_share", p.on.fit.product_share, 1);
  positive("stream_share", p.on.fit.stream_share, 1);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::gpu
