// SPDX-License-Identifier: MIT
#pragma once

#include <utility>
#include <vector>

#include <ridgepoint/onednn/primitive.hpp>

namespace peer {

/// Primitive with its operands in the layouts it chose: inputs are converted from our layout before, the result to
/// ours after.
class onednn_primitive {
 public:
  explicit onednn_primitive(dnnl::engine engine = {dnnl::engine::kind::cpu, 0})
      : engine_(std::move(engine)), stream_(engine_) {}

  void reads(int role, const dnnl::memory::desc& ours, float* data, const dnnl::memory::desc& chosen) {
    const dnnl::memory from(ours, engine_, data), to = in(role, from, chosen);
    convert(from, to);
  }
  /// Adds a result; returns its memory before delivery.
  dnnl::memory writes(int role, const dnnl::memory::desc& ours, float* data, const dnnl::memory::desc& chosen) {
    const dnnl::memory to(ours, engine_, data), from = in(role, to, chosen);
    results_.push_back({from, to});
    return from;
  }
  /// Adds memory that only primitives use.
  dnnl::memory keeps(int role, const dnnl::memory::desc& chosen) { return uses(role, {chosen, engine_}); }
  dnnl::memory uses(int role, dnnl::memory memory) {
    arguments_.push_back({role, memory.get()});
    return kept_.emplace_back(std::move(memory));
  }
  void is(dnnl::primitive primitive) { primitive_ = std::move(primitive); }
  [[nodiscard]] const dnnl::engine& engine() const { return engine_; }
  void run() const { ridgepoint::onednn_detail::execute(primitive_, stream_, arguments_); }
  void deliver() const {
    for (const auto& [from, to] : results_) convert(from, to);
  }

 private:
  dnnl::memory in(int role, const dnnl::memory& ours, const dnnl::memory::desc& chosen) {
    return uses(role, chosen == ours.get_desc() ? ours : dnnl::memory(chosen, engine_));
  }
  void convert(const dnnl::memory& from, const dnnl::memory& to) const {
    if (from == to) return;
    dnnl::reorder(from, to).execute(stream_, const_cast<dnnl::memory&>(from), const_cast<dnnl::memory&>(to));
  }
  struct result {
    dnnl::memory from, to;
  };
  dnnl::engine engine_;
  dnnl::stream stream_;
  dnnl::primitive primitive_;
  std::vector<dnnl::memory> kept_;
  std::vector<dnnl_exec_arg_t> arguments_;
  std::vector<result> results_;
};

}  // namespace peer
