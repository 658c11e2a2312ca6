// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>

#include <ridgepoint/graph/compile.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// One value of a network: an input, or the output of a layer.
struct layer_summary {
  std::string name;        // "dense_1"
  shape output;            // of one sample
  index_t parameters = 0;  // values, trainable or not
  index_t trainable = 0;
  work forward = {};  // of one sample; zero if fused into another layer, as an activation into dense
};

/// Layers, parameters, work and memory of a network, without executing it. Created by graph::summary(); prints as a
/// table.
struct network_summary {
  std::string name;
  std::vector<layer_summary> layers;  // in order of definition
  shape output = {};                  // the first, of one sample
  index_t batch = 1;
  ridgepoint::precision precision = ridgepoint::precision::f32;
  plan_memory memory = {};  // of the plan, for the whole batch
  work step = {};           // of the plan: one batch, including training if requested

  /// Returns the network as one layer.
  [[nodiscard]] layer_summary total() const {
    layer_summary sum{.name = "total", .output = output};
    for (const layer_summary& each : layers) {
      sum.parameters += each.parameters;
      sum.trainable += each.trainable;
      sum.forward += each.forward;
    }
    return sum;
  }
};

/// Formats the layers, their totals, and the plan's memory as a table.
[[nodiscard]] std::string to_string(const network_summary& s);
inline std::ostream& operator<<(std::ostream& out, const network_summary& s) { return out << to_string(s); }

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if !RIDGEPOINT_COMPILED
#include <ridgepoint/graph/summary-inl.hpp>
#endif
