// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/cuda/runtime/convolution_problem.hpp>
#include <ridgepoint/cuda/runtime/cudnn_descriptor.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// The target of plans: the device of a handle, or a described device (CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR). A
/// described device need not be present; plans for it cannot run.
struct cudnn_target {
  cudnnHandle_t handle = nullptr;
  const cudnn_descriptor* device = nullptr;

  void set_on(cudnn_descriptor& d, cudnnBackendAttributeName_t of_handle) const {
    if (handle != nullptr) d.set(of_handle, handle);
  }
  void set_on(cudnn_descriptor& d, cudnnBackendAttributeName_t of_handle, cudnnBackendAttributeName_t of_device) const {
    set_on(d, of_handle);
    if (device != nullptr) d.set(of_device, *device);
  }
};

/// The three tensors of a convolution, by their id in plans and calls.
enum class cudnn_tensor : std::int64_t { image = 1, filter, output };

namespace cudnn_graph {

[[nodiscard]] constexpr cudnnDataType_t type_of(element e) noexcept {
  if (e == element::f64) return CUDNN_DATA_DOUBLE;
  if (e == element::f32) return CUDNN_DATA_FLOAT;
  return e == element::bf16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_HALF;
}
[[nodiscard]] inline cudnn_descriptor tensor(const convolution_problem& p, cudnn_tensor which,
                                             const std::array<std::int64_t, 4>& extents) {
  const auto [n, c, h, w] = extents;
  const std::array<std::int64_t, 4> strides{h * w * c, 1, w * c, c};
  cudnn_descriptor made(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  made.set(CUDNN_ATTR_TENSOR_DATA_TYPE, type_of(p.type));
  made.set(CUDNN_ATTR_TENSOR_DIMENSIONS, std::span<const std::int64_t>(extents));
  made.set(CUDNN_ATTR_TENSOR_STRIDES, std::span<const std::int64_t>(strides));
  made.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, static_cast<std::int64_t>(which));
  made.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, p.alignment);
  made.finalise("cudnnBackendFinalize of a tensor");
  return made;
}

/// Returns the padding at the end: the padding at the start if that gives as many outputs, since most engines support
/// only symmetric padding.
[[nodiscard]] constexpr index_t padding_after(window_axis axis) noexcept {
  const index_t outputs = axis.outputs(), given = axis.after;
  axis.after = axis.before;
  return axis.outputs() == outputs ? axis.before : given;
}

[[nodiscard]] inline cudnn_descriptor convolution(const convolution_problem& p) {
  const conv2d_geometry& g = p.geometry;
  using pair = std::array<std::int64_t, 2>;
  const auto set_pair = [](cudnn_descriptor& d, cudnnBackendAttributeName_t what, const pair& values) {
    d.set(what, std::span<const std::int64_t>(values));
  };
  cudnn_descriptor made(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  made.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, p.type == element::f64 ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT);
  made.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION);
  made.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, std::int64_t{2});
  set_pair(made, CUDNN_ATTR_CONVOLUTION_DILATIONS, {g.dilation.h, g.dilation.w});
  set_pair(made, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, {g.stride.h, g.stride.w});
  set_pair(made, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, {g.padding.top, g.padding.left});
  set_pair(made, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, {padding_after(g.rows()), padding_after(g.columns())});
  made.finalise("cudnnBackendFinalize of a convolution");
  return made;
}

/// cuDNN's names for a pass and its attributes.
struct pass_names {
  cudnnBackendDescriptorType_t kind;
  cudnnBackendAttributeName_t convolution, image, filter, output, alpha, beta;
};
[[nodiscard]] constexpr pass_names names_of(convolution_pass pass) noexcept {
  switch (pass) {
    case convolution_pass::forward:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
    case convolution_pass::backward_data:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
    case convolution_pass::backward_weights:
      break;
  }
  return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};
}

/// Returns the pass as a graph of one operation; nothing if cuDNN does not support it.
[[nodiscard]] inline std::optional<cudnn_descriptor> graph(const cudnn_target& on, const convolution_problem& p) {
  const conv2d_geometry& g = p.geometry;
  const pass_names names = names_of(p.pass);
  // Attributes of a descriptor must live until it is finalised.
  const cudnn_descriptor window = convolution(p), image = tensor(p, cudnn_tensor::image, {g.n, g.c, g.h, g.w}),
                         filter = tensor(p, cudnn_tensor::filter, {g.f, g.group_c(), g.kh, g.kw}),
                         output = tensor(p, cudnn_tensor::output, {g.n, g.f, g.oh(), g.ow()});
  cudnn_descriptor operation(names.kind), made(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  operation.set(names.convolution, window);
  operation.set(names.image, image);
  operation.set(names.filter, filter);
  operation.set(names.output, output);
  const auto scale = [&](auto alpha, auto beta) {
    operation.set(names.alpha, alpha);
    operation.set(names.beta, beta);
  };
  if (p.type == element::f64) scale(1.0, 0.0);
  else scale(1.0F, 0.0F);
  if (!operation.finalise_unless_refused("cudnnBackendFinalize of a convolution's pass")) return std::nullopt;
  on.set_on(made, CUDNN_ATTR_OPERATIONGRAPH_HANDLE);
  made.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operation);
  if (!made.finalise_unless_refused("cudnnBackendFinalize of a graph")) return std::nullopt;
  return made;
}

/// Returns engine configurations in cuDNN's ranking; none if it does not support the graph.
[[nodiscard]] inline std::vector<cudnn_descriptor> configurations(const cudnn_target& on, const cudnn_descriptor& graph,
                                                                  cudnnBackendHeurMode_t mode) {
  cudnn_descriptor ranking(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  ranking.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
  ranking.set(CUDNN_ATTR_ENGINEHEUR_MODE, mode);
  if (on.device != nullptr) ranking.set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, *on.device);
  if (!ranking.finalise_unless_refused("cudnnBackendFinalize of an engine ranking")) return {};
  std::int64_t count = 0;
  check_call(cudnnBackendGetAttribute(ranking.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0,
                                      &count, nullptr),
             "cudnnBackendGetAttribute");
  return ranking.parts(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, count);
}

}  // namespace cudnn_graph

/// cuDNN's notes on an engine.
struct cudnn_engine {
  std::int64_t number = 0;
  std::vector<cudnnBackendNumericalNote_t> numbers = {};
  std::vector<cudnnBackendBehaviorNote_t> behaviour = {};

  [[nodiscard]] bool has(cudnnBackendNumericalNote_t note) const {
    return std::ranges::find(numbers, note) != numbers.end();
  }
  /// Returns whether the engine computes as requested: deterministically, in full f32 unless tensor floats are allowed,
  /// for shorter types by products and sums rounded once, and by precompiled code, so that plans are equal with and
  /// without a device.
  [[nodiscard]] bool serves(const convolution_problem& p) const {
    if (has(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC) || has(CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION))
      return false;
    const bool narrow = has(CUDNN_NUMERICAL_NOTE_TENSOR_CORE) || has(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS);
    if (narrow && p.type == element::f32 && !p.may_use_tensor_floats) return false;
    if ((p.exact || bytes_of(p.type) < sizeof(float)) &&
        (has(CUDNN_NUMERICAL_NOTE_WINOGRAD) || has(CUDNN_NUMERICAL_NOTE_FFT)))
      return false;
    return std::ranges::find(behaviour, CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION) == behaviour.end();
  }
};
[[nodiscard]] inline cudnn_engine engine_of(const cudnn_descriptor& configuration) {
  const auto held = configuration.parts(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR, 1);
  const cudnn_descriptor& engine = held.at(0);
  return {.number = engine.number(CUDNN_ATTR_ENGINE_GLOBAL_INDEX),
          .numbers = engine.values<cudnnBackendNumericalNote_t>(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                                                                CUDNN_NUMERICAL_NOTE_TYPE_COUNT),
          .behaviour = engine.values<cudnnBackendBehaviorNote_t>(CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE,
                                                                 CUDNN_BEHAVIOR_NOTE_TYPE_COUNT)};
}

/// A pass of a convolution by a cuDNN engine.
class cudnn_plan {
 public:
  cudnn_plan(cudnn_descriptor configuration, cudnn_descriptor plan, cudnn_engine engine)
      : configuration_(std::move(configuration)), plan_(std::move(plan)), engine_(std::move(engine)) {
    workspace_bytes_ = plan_.number(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
  }
  [[nodiscard]] const cudnn_engine& engine() const noexcept { return engine_; }
  [[nodiscard]] std::size_t workspace_bytes() const noexcept { return static_cast<std::size_t>(workspace_bytes_); }

  void run(cudnnHandle_t on, const void* image, const void* filter, const void* output, void* workspace) const {
    const std::array<std::int64_t, 3> names{static_cast<std::int64_t>(cudnn_tensor::image),
                                            static_cast<std::int64_t>(cudnn_tensor::filter),
                                            static_cast<std::int64_t>(cudnn_tensor::output)};
    const std::array<void*, 3> memory{const_cast<void*>(image), const_cast<void*>(filter), const_cast<void*>(output)};
    cudnn_descriptor operands(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    operands.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, std::span<const std::int64_t>(names));
    operands.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, std::span<void* const>(memory));
    operands.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, workspace);
    operands.finalise("cudnnBackendFinalize of operands");
    check_call(cudnnBackendExecute(on, plan_.get(), operands.get()), "cudnnBackendExecute");
  }

 private:
  cudnn_descriptor configuration_, plan_;
  cudnn_engine engine_;
  std::int64_t workspace_bytes_ = 0;
};

/// Calls use(plan) for each suitable cuDNN engine, in cuDNN's ranking, until use returns false.
/// Throws: ridgepoint_cuda_failure on any error except that cuDNN does not support something.
template <class Use>
void for_each_plan(const cudnn_target& on, const convolution_problem& p, const Use& use) {
  const std::optional<cudnn_descriptor> graph = cudnn_graph::graph(on, p);
  if (!graph) return;
  for (const cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK})
    for (cudnn_descriptor& configuration : cudnn_graph::configurations(on, *graph, mode)) {
      cudnn_engine engine = engine_of(configuration);
      if (!engine.serves(p)) continue;
      cudnn_descriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
      on.set_on(plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP);
      plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
      if (!plan.finalise_unless_refused("cudnnBackendFinalize of a plan")) continue;
      if (!use(cudnn_plan(std::move(configuration), std::move(plan), std::move(engine)))) return;
    }
}

/// Returns the first `most` of these plans within the workspace limit; if all exceed it, the one that needs least.
/// Throws: as for_each_plan().
[[nodiscard]] inline std::vector<cudnn_plan> find_plans(const cudnn_target& on, const convolution_problem& p,
                                                        std::size_t most) {
  std::vector<cudnn_plan> found;
  std::optional<cudnn_plan> least;
  for_each_plan(on, p, [&](cudnn_plan made) {
    if (made.workspace_bytes() <= p.workspace_limit_bytes) found.push_back(std::move(made));
    else if (!least || made.workspace_bytes() < least->workspace_bytes()) least = std::move(made);
    return found.size() < most;
  });
  if (found.empty() && least) found.push_back(std::move(*least));
  return found;
}
/// Returns the first of these plans; nothing if cuDNN has none.
[[nodiscard]] inline std::optional<cudnn_plan> find_plan(const cudnn_target& on, const convolution_problem& p) {
  std::vector<cudnn_plan> found = find_plans(on, p, 1);
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

/// Memory for the tensors of a problem, and a workspace.
struct convolution_memory {
  device_memory image, filter, output, workspace;

  convolution_memory(const convolution_problem& p, std::size_t workspace_bytes)
      : image(of(p, p.geometry.input_size())),
        filter(of(p, p.geometry.filter_size())),
        output(of(p, p.geometry.output_size())),
        workspace(workspace_bytes + 1) {}

 private:
  static device_memory of(const convolution_problem& p, index_t elements) {
    return device_memory(static_cast<std::size_t>(elements) * bytes_of(p.type));
  }
};
/// Allocates that memory; returns nothing if the device is out of memory.
[[nodiscard]] inline std::optional<convolution_memory> memory_for(const convolution_problem& p,
                                                                  const std::vector<cudnn_plan>& plans) {
  std::size_t most = 0;
  for (const cudnn_plan& plan : plans) most = (std::max)(most, plan.workspace_bytes());
  try {
    return std::optional<convolution_memory>(std::in_place, p, most);
  } catch (const ridgepoint_cuda_failure& failed) {
    if (failed.name != "cudaErrorMemoryAllocation") throw;
    return std::nullopt;
  }
}

/// Returns the fastest of some plans for a problem on this device, timed in separate memory: the minimum of three
/// interleaved runs each. Plans that cuDNN fails to run are skipped; if out of memory, returns the first. Requires:
/// plans is not empty.
[[nodiscard]] inline cudnn_plan fastest_of(const cuda_context& on, cudnnHandle_t handle, const convolution_problem& p,
                                           std::vector<cudnn_plan> plans) {
  const std::optional<convolution_memory> memory = plans.size() == 1 ? std::nullopt : memory_for(p, plans);
  if (!memory) return std::move(plans.front());
  constexpr double never = std::numeric_limits<double>::infinity();
  const auto time_s = [&](const cudnn_plan& plan) {
    try {
      return time_of(on, [&] {
        plan.run(handle, memory->image.data(), memory->filter.data(), memory->output.data(), memory->workspace.data());
      });
    } catch (const ridgepoint_cuda_failure& failed) {
      if (failed.library != "cuDNN") throw;
      return never;
    }
  };
  std::vector<double> least_s(plans.size(), never);
  constexpr int rounds = 3;
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < plans.size(); ++i) least_s[i] = (std::min)(least_s[i], time_s(plans[i]));
  const auto fastest = std::min_element(least_s.begin(), least_s.end()) - least_s.begin();
  return std::move(plans[static_cast<std::size_t>(fastest)]);
}

/// The cuDNN convolutions of a context; each is planned once.
class convolution_library {
 public:
  explicit convolution_library(const cuda_context& on)
      : on_(on), handle_([](cudnnHandle_t* made) { check_call(cudnnCreate(made), "cudnnCreate"); }) {
    check_call(cudnnSetStream(handle_.get(), on.stream()), "cudnnSetStream");
  }

  /// Returns null if cuDNN has no engine for the problem.
  [[nodiscard]] const cudnn_plan* find(const convolution_problem& p) {
    for (const auto& [problem, plan] : made_)
      if (problem == p) return plan ? &*plan : nullptr;
    const auto& plan = made_.emplace_back(p, choose(p)).second;
    return plan ? &*plan : nullptr;
  }
  void run(const cudnn_plan& plan, const void* image, const void* filter, const void* output, void* workspace) const {
    plan.run(handle_.get(), image, filter, output, workspace);
  }

 private:
  /// Returns the first plan, or the fastest of the first few.
  [[nodiscard]] std::optional<cudnn_plan> choose(const convolution_problem& p) const {
    constexpr std::size_t most_timed = 8;
    const cudnn_target target{.handle = handle_.get()};
    if (!on_.times_engines()) return find_plan(target, p);
    std::vector<cudnn_plan> found = find_plans(target, p, most_timed);
    if (found.empty()) return std::nullopt;
    return fastest_of(on_, handle_.get(), p, std::move(found));
  }

  const cuda_context& on_;
  owned_handle<cudnnHandle_t, cudnnDestroy> handle_;
  std::deque<std::pair<convolution_problem, std::optional<cudnn_plan>>> made_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
