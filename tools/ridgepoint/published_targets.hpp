// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/roofline/strict_json.hpp>
#include <ridgepoint/study/target.hpp>

namespace tool {

namespace rp = ridgepoint;

/// One of the publications that the project reproduces.
struct publication {
  std::string_view key, title, by, link;  // key: "A" to "E"
};
[[nodiscard]] const std::vector<publication>& publications();

/// Everything published that the TPU model is compared with.
[[nodiscard]] std::vector<rp::study::target> tpu_targets();
/// Everything published that the GPU model is compared with.
[[nodiscard]] std::vector<rp::study::target> gpu_targets();
/// The CPU model against sweeps that were measured on the CPU.
[[nodiscard]] std::vector<rp::study::target> cpu_targets();

/// "within 10 %"; "shown" if nothing is demanded.
[[nodiscard]] std::string demanded(const rp::study::comparison& c);
/// Returns a target with its comparisons, as --json writes them.
[[nodiscard]] rp::json document(const rp::study::target& t, const rp::study::target_result& r);

}  // namespace tool
