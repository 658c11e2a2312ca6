// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>

#include <ridgepoint/graph/compile.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// One value of a network: an input, or what a layer makes.
struct layer_summary {
  std::string name;        // "dense_1"
  shape output;            // of one sample
  index_t parameters = 0;  // values, trainable or not
  index_t trainable = 0;
  work forward = {};  // of one sample; nothing where another layer takes the work in, as dense does its activation
};

/// What a network is made of and what it takes, nothing executed. Made by graph::summary(); prints as a table.
struct network_summary {
  std::string name;
  std::vector<layer_summary> layers;  // in the order they were described
  shape output = {};                  // the first, of one sample
  index_t batch = 1;
  ridgepoint::precision precision = ridgepoint::precision::f32;
  plan_memory memory = {};  // of the plan, for the whole batch
  work step = {};           // of the plan: one batch, with learning if it was asked for

  /// The network as one layer.
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

/// A table of the layers, their sum, and what the plan takes.
[[nodiscard]] std::string to_string(const network_summary& s);
inline std::ostream& operator<<(std::ostream& out, const network_summary& s) { return out << to_string(s); }

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if !RIDGEPOINT_COMPILED
#include <ridgepoint/graph/summary-inl.hpp>
#endif
