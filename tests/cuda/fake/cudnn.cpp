// SPDX-License-Identifier: MIT
// A fake of cuDNN's graphs of one convolution: descriptors that store their attributes, engines with notes, and plans
// that convolve by the definition.
#include "cudnn.hpp"

#include <cudnn.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <vector>

#include <ridgepoint/core/float16.hpp>

#include "cudnn_context.hpp"
#include "ledger.hpp"
#include "stream.hpp"

namespace {

fake::engines to_find = fake::engines::all;
std::int64_t ran_last = 0, failing_engine = 0;

/// Contents of a descriptor: numbers as set, and other descriptors as they were when set.
struct descriptor {
  cudnnBackendDescriptorType_t kind;
  bool finalised = false;
  std::map<int, std::vector<char>> values = {};
  std::map<int, std::vector<std::shared_ptr<const descriptor>>> parts = {};

  template <class Value>
  std::vector<Value> all(int what) const {
    const std::vector<char>& bytes = values.at(what);
    std::vector<Value> read(bytes.size() / sizeof(Value));
    std::memcpy(read.data(), bytes.data(), bytes.size());
    return read;
  }
  template <class Value>
  Value one(int what) const {
    return all<Value>(what).at(0);
  }
  template <class Value>
  void put(int what, const std::vector<Value>& given) {
    const auto* const bytes = reinterpret_cast<const char*>(given.data());
    values[what].assign(bytes, bytes + given.size() * sizeof(Value));
  }
  const descriptor& part(int what) const { return *parts.at(what).at(0); }
  bool holds(std::initializer_list<int> wanted) const {
    return std::ranges::all_of(wanted, [&](int what) { return values.contains(what) || parts.contains(what); });
  }
};
descriptor& of(cudnnBackendDescriptor_t d) { return *static_cast<descriptor*>(d); }

std::size_t bytes_of(cudnnBackendAttributeType_t type) {
  switch (type) {
    case CUDNN_TYPE_INT64:
    case CUDNN_TYPE_DOUBLE:
    case CUDNN_TYPE_VOID_PTR:
    case CUDNN_TYPE_HANDLE:
      return 8;
    case CUDNN_TYPE_CHAR:
      return 1;
    default:
      return 4;
  }
}

/// Properties of an engine.
struct engine_sheet {
  std::int64_t number;
  std::vector<cudnnBackendNumericalNote_t> numbers;
  std::vector<cudnnBackendBehaviorNote_t> behaviour;
  bool refuses = false;
  std::int64_t workspace_bytes = 777;
};
const std::vector<engine_sheet>& sheets(cudnnBackendHeurMode_t mode) {
  static const std::vector<engine_sheet> none,
      ranked{{10, {CUDNN_NUMERICAL_NOTE_TENSOR_CORE, CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS}, {}},
             {11, {CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC}, {}},
             {12, {}, {CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION}},
             {13, {}, {}, true},
             {14, {CUDNN_NUMERICAL_NOTE_WINOGRAD}, {}, false, 3000},
             {15, {CUDNN_NUMERICAL_NOTE_FFT}, {}, false, 2000}},
      fallen_back_on{{20, {}, {}, false, 2500}};
  static const std::vector<engine_sheet> ten = [] {
    std::vector<engine_sheet> all;
    for (std::int64_t number = 30; number < 40; ++number)
      all.push_back({.number = number, .numbers = {}, .behaviour = {}});
    return all;
  }();
  if (to_find == fake::engines::none) return none;
  if (to_find == fake::engines::ten) return mode == CUDNN_HEUR_MODE_FALLBACK ? none : ten;
  if (mode == CUDNN_HEUR_MODE_FALLBACK) return fallen_back_on;
  return to_find == fake::engines::all ? ranked : none;
}

/// Returns the names of a pass's attributes, in the order image, filter, output, convolution, alpha, beta.
std::array<int, 6> names_of(cudnnBackendDescriptorType_t kind) {
  if (kind == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR)
    return {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
  if (kind == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR)
    return {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
  return {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};
}

using four = std::array<std::int64_t, 4>;
four four_of(const descriptor& d, int what) {
  four made{};
  std::ranges::copy(d.all<std::int64_t>(what), made.begin());
  return made;
}

/// A tensor of a pass: the positions of its elements.
struct tensor {
  four extents, strides;
  std::int64_t name, alignment;
  cudnnDataType_t type;
  explicit tensor(const descriptor& d)
      : extents(four_of(d, CUDNN_ATTR_TENSOR_DIMENSIONS)),
        strides(four_of(d, CUDNN_ATTR_TENSOR_STRIDES)),
        name(d.one<std::int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID)),
        alignment(d.one<std::int64_t>(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT)),
        type(d.one<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE)) {}
  /// Returns the elements from its first to its last.
  std::size_t size() const {
    return static_cast<std::size_t>(at({extents[0] - 1, extents[1] - 1, extents[2] - 1, extents[3] - 1}) + 1);
  }
  std::size_t bytes() const { return size() * (type == CUDNN_DATA_DOUBLE ? 8 : type == CUDNN_DATA_FLOAT ? 4 : 2); }
  std::int64_t at(const four& i) const {
    return i[0] * strides[0] + i[1] * strides[1] + i[2] * strides[2] + i[3] * strides[3];
  }
};

/// A pass as described by its operation.
struct pass {
  cudnnBackendDescriptorType_t kind;
  tensor image, filter, output;
  std::vector<std::int64_t> stride, dilation, before, after;
  cudnnDataType_t computed;

  explicit pass(const descriptor& d)
      : kind(d.kind),
        image(d.part(names_of(kind)[0])),
        filter(d.part(names_of(kind)[1])),
        output(d.part(names_of(kind)[2])) {
    const descriptor& c = d.part(names_of(kind)[3]);
    stride = c.all<std::int64_t>(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES);
    dilation = c.all<std::int64_t>(CUDNN_ATTR_CONVOLUTION_DILATIONS);
    before = c.all<std::int64_t>(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS);
    after = c.all<std::int64_t>(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS);
    computed = c.one<cudnnDataType_t>(CUDNN_ATTR_CONVOLUTION_COMP_TYPE);
  }
  /// Returns whether extents and types are consistent.
  bool fits() const {
    const four &x = image.extents, &w = filter.extents, &y = output.extents;
    bool all = x[0] == y[0] && x[0] > 0 && w[0] == y[1] && x[1] % w[1] == 0 && w[0] % (x[1] / w[1]) == 0;
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
      all = all && y[i + 2] == (x[i + 2] + before[i] + after[i] - (w[i + 2] - 1) * dilation[i] - 1) / stride[i] + 1;
    const bool of_doubles = image.type == CUDNN_DATA_DOUBLE;
    return all && image.type == filter.type && image.type == output.type &&
           computed == (of_doubles ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT);
  }

  /// Returns which of image, filter and output is the result.
  std::size_t made() const {
    return kind == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR         ? 2
           : kind == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR ? 0
                                                                                  : 1;
  }
  template <class T>
  void run(T* x, T* w, T* y) const {
    const auto for_each = [&](const four& extents, const auto& use) {
      for (std::int64_t a = 0; a < extents[0]; ++a)
        for (std::int64_t b = 0; b < extents[1]; ++b)
          for (std::int64_t c = 0; c < extents[2]; ++c)
            for (std::int64_t d = 0; d < extents[3]; ++d) use(four{a, b, c, d});
    };
    const bool forward = kind == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
               data = kind == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR;
    const auto& [made, to] = forward ? std::pair(output, y) : data ? std::pair(image, x) : std::pair(filter, w);
    for_each(made.extents, [&, &made = made, &to = to](const four& i) { to[made.at(i)] = 0; });
    const std::int64_t filters = filter.extents[0] / (image.extents[1] / filter.extents[1]);  // per group
    for_each(output.extents, [&](const four& o) {
      for_each({1, filter.extents[1], filter.extents[2], filter.extents[3]}, [&](const four& tap) {
        const four from{o[0], o[1] / filters * filter.extents[1] + tap[1],
                        o[2] * stride[0] - before[0] + tap[2] * dilation[0],
                        o[3] * stride[1] - before[1] + tap[3] * dilation[1]};
        if (from[2] < 0 || from[2] >= image.extents[2] || from[3] < 0 || from[3] >= image.extents[3]) return;
        T& pixel = x[image.at(from)];
        T& weight = w[filter.at({o[1], tap[1], tap[2], tap[3]})];
        T& result = y[output.at(o)];
        if (forward) result += pixel * weight;
        else if (data) pixel += result * weight;
        else weight += pixel * result;
      });
    });
  }
};

/// Returns the configurations of the engines found for a graph.
std::vector<std::shared_ptr<const descriptor>> configurations_of(const descriptor& ranking) {
  std::vector<std::shared_ptr<const descriptor>> all;
  for (const engine_sheet& sheet : sheets(ranking.one<cudnnBackendHeurMode_t>(CUDNN_ATTR_ENGINEHEUR_MODE))) {
    descriptor engine{CUDNN_BACKEND_ENGINE_DESCRIPTOR, true}, configuration{CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, true};
    engine.put<std::int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, {sheet.number});
    engine.put(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, sheet.numbers);
    engine.put(CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, sheet.behaviour);
    engine.parts[CUDNN_ATTR_ENGINE_OPERATION_GRAPH] = ranking.parts.at(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
    configuration.parts[CUDNN_ATTR_ENGINECFG_ENGINE] = {std::make_shared<const descriptor>(engine)};
    all.push_back(std::make_shared<const descriptor>(configuration));
  }
  return all;
}

cudnnStatus_t finalise(descriptor& d) {
  const auto needs = [&](std::initializer_list<int> wanted) {
    return d.holds(wanted) ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
  };
  switch (d.kind) {
    case CUDNN_BACKEND_TENSOR_DESCRIPTOR:
      return needs({CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_ATTR_TENSOR_STRIDES,
                    CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT});
    case CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR:
      return needs({CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_ATTR_CONVOLUTION_CONV_MODE,
                    CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_ATTR_CONVOLUTION_DILATIONS,
                    CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS,
                    CUDNN_ATTR_CONVOLUTION_POST_PADDINGS});
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR: {
      const auto [x, w, y, window, alpha, beta] = names_of(d.kind);
      if (!d.holds({x, w, y, window, alpha, beta}) || !pass(d).fits()) return CUDNN_STATUS_BAD_PARAM;
      return CUDNN_STATUS_SUCCESS;
    }
    case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
      return needs({CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_ATTR_OPERATIONGRAPH_OPS});
    case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR: {
      if (!fake::outside_recordings("cudnnBackendFinalize of a ranking")) return CUDNN_STATUS_BAD_PARAM;
      const cudnnStatus_t complete = needs({CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, CUDNN_ATTR_ENGINEHEUR_MODE});
      if (complete == CUDNN_STATUS_SUCCESS) d.parts[CUDNN_ATTR_ENGINEHEUR_RESULTS] = configurations_of(d);
      return complete;
    }
    case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR: {
      if (!fake::outside_recordings("cudnnBackendFinalize of a plan") ||
          !d.holds({CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG}))
        return CUDNN_STATUS_BAD_PARAM;
      const descriptor& engine = d.part(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG).part(CUDNN_ATTR_ENGINECFG_ENGINE);
      const std::int64_t number = engine.one<std::int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
      for (const auto mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK})
        for (const engine_sheet& sheet : sheets(mode)) {
          if (sheet.number != number) continue;
          if (sheet.refuses) return CUDNN_STATUS_NOT_SUPPORTED_SHAPE;
          d.put<std::int64_t>(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, {sheet.workspace_bytes});
        }
      return CUDNN_STATUS_SUCCESS;
    }
    case CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR:
      return needs({CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS,
                    CUDNN_ATTR_VARIANT_PACK_WORKSPACE});
    default:
      return CUDNN_STATUS_BAD_PARAM;
  }
}

/// A run of a plan: overwrites its workspace, then convolves.
struct execution {
  pass what;
  std::array<void*, 3> memory;  // by the names of the tensors, from 1
  void* workspace;
  std::size_t workspace_bytes;
  std::int64_t engine;

  /// Notes the run on a silent machine: all tensors must be allocated.
  bool note(cudaStream_t on) const {
    fake::digest all;
    all.add(what.kind).add(engine).add(workspace);
    for (const tensor* t : {&what.image, &what.filter, &what.output}) {
      const void* const at = memory.at(static_cast<std::size_t>(t->name - 1));
      if (!fake::may_use(on, at, t->bytes(), static_cast<std::size_t>(t->alignment),
                         "cudnnBackendExecute on memory that is not allocated"))
        return false;
      all.add(at).add(t->extents).add(t->strides);
    }
    const four &w = what.filter.extents, &y = what.output.extents;
    const double taps = static_cast<double>(w[1] * w[2] * w[3]);
    fake::note(on, {"cudnnBackendExecute", all.value(), 2 * taps * static_cast<double>(y[0] * y[1] * y[2] * y[3])});
    return true;
  }
  void run() const {
    std::memset(workspace, 0xff, workspace_bytes);
    ran_last = engine;
    if (what.image.type == CUDNN_DATA_DOUBLE) convolve<double>();
    else if (what.image.type == CUDNN_DATA_FLOAT) convolve<float>();
    else if (what.image.type == CUDNN_DATA_BFLOAT16) convolve_in_floats<ridgepoint::bfloat16>();
    else convolve_in_floats<ridgepoint::float16>();
  }
  template <class T>
  void convolve_in_floats() const {
    std::array<std::vector<float>, 3> floats;
    const std::array<const tensor*, 3> tensors{&what.image, &what.filter, &what.output};
    const auto at = [&](std::size_t i) {
      return static_cast<T*>(memory.at(static_cast<std::size_t>(tensors[i]->name - 1)));
    };
    for (std::size_t i = 0; i < 3; ++i)
      std::transform(at(i), at(i) + tensors[i]->size(), std::back_inserter(floats[i]),
                     [](T x) { return static_cast<float>(x); });
    what.run(floats[0].data(), floats[1].data(), floats[2].data());
    const std::vector<float>& result = floats.at(what.made());
    std::transform(result.begin(), result.end(), at(what.made()), [](float x) { return T(x); });
  }
  template <class T>
  void convolve() const {
    const auto at = [&](const tensor& t) { return static_cast<T*>(memory.at(static_cast<std::size_t>(t.name - 1))); };
    what.run(at(what.image), at(what.filter), at(what.output));
  }
};

}  // namespace

bool fake::has_cudnn() { return true; }
void fake::set_engines(engines found) { to_find = found; }
void fake::set_failing_engine(std::int64_t number) { failing_engine = number; }
std::int64_t fake::last_engine() { return ran_last; }

extern "C" {

cudnnStatus_t cudnnCreate(cudnnHandle_t* made) {
  if (fake::fails("cudnnCreate")) return CUDNN_STATUS_NOT_INITIALIZED;
  *made = new cudnnContext;
  fake::made("cudnnCreate");
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroy(cudnnHandle_t h) {
  delete h;
  fake::gone("cudnnCreate");
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetStream(cudnnHandle_t h, cudaStream_t on) {
  if (fake::fails("cudnnSetStream")) return CUDNN_STATUS_BAD_PARAM;
  h->stream = on;
  return CUDNN_STATUS_SUCCESS;
}
const char* cudnnGetErrorString(cudnnStatus_t s) {
  return s == CUDNN_STATUS_NOT_INITIALIZED ? "CUDNN_STATUS_NOT_INITIALIZED"
         : s == CUDNN_STATUS_BAD_PARAM     ? "CUDNN_STATUS_BAD_PARAM"
         : s == CUDNN_STATUS_NOT_SUPPORTED ? "CUDNN_STATUS_NOT_SUPPORTED"
                                           : "CUDNN_STATUS_INTERNAL_ERROR";
}
void cudnnGetLastErrorString(char* message, std::size_t size) { std::strncpy(message, "fake", size); }

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t kind, cudnnBackendDescriptor_t* made) {
  if (fake::fails("cudnnBackendCreateDescriptor")) return CUDNN_STATUS_INTERNAL_ERROR;
  *made = new descriptor{kind};
  fake::made("cudnnBackendCreateDescriptor");
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t d) {
  delete static_cast<descriptor*>(d);
  fake::gone("cudnnBackendCreateDescriptor");
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t d, cudnnBackendAttributeName_t what,
                                       cudnnBackendAttributeType_t type, std::int64_t count, const void* given) {
  if (fake::fails("cudnnBackendSetAttribute")) return CUDNN_STATUS_INTERNAL_ERROR;
  if (of(d).finalised) return CUDNN_STATUS_BAD_PARAM;
  if (type != CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    const auto* const bytes = static_cast<const char*>(given);
    of(d).values[what].assign(bytes, bytes + bytes_of(type) * static_cast<std::size_t>(count));
    return CUDNN_STATUS_SUCCESS;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const descriptor& part = of(static_cast<const cudnnBackendDescriptor_t*>(given)[i]);
    if (!part.finalised) return CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED;
    of(d).parts[what].push_back(std::make_shared<const descriptor>(part));
  }
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t d) {
  if (fake::fails("cudnnBackendFinalize")) return CUDNN_STATUS_INTERNAL_ERROR;
  const cudnnStatus_t status = finalise(of(d));
  of(d).finalised = status == CUDNN_STATUS_SUCCESS;
  return status;
}
cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t d, cudnnBackendAttributeName_t what,
                                       cudnnBackendAttributeType_t type, std::int64_t wanted, std::int64_t* count,
                                       void* into) {
  if (fake::fails("cudnnBackendGetAttribute")) return CUDNN_STATUS_INTERNAL_ERROR;
  if (!of(d).finalised || !of(d).holds({what})) return CUDNN_STATUS_BAD_PARAM;
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    const auto& parts = of(d).parts.at(what);
    *count = static_cast<std::int64_t>(parts.size());
    for (std::int64_t i = 0; i < std::min(wanted, *count); ++i) {
      descriptor& to = of(static_cast<cudnnBackendDescriptor_t*>(into)[i]);
      if (to.kind != parts[static_cast<std::size_t>(i)]->kind) return CUDNN_STATUS_BAD_PARAM;
      to = *parts[static_cast<std::size_t>(i)];
    }
    return CUDNN_STATUS_SUCCESS;
  }
  const std::vector<char>& bytes = of(d).values.at(what);
  *count = static_cast<std::int64_t>(bytes.size() / bytes_of(type));
  std::copy_n(bytes.begin(), std::min(bytes.size(), static_cast<std::size_t>(wanted) * bytes_of(type)),
              static_cast<char*>(into));
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendExecute(cudnnHandle_t h, cudnnBackendDescriptor_t plan, cudnnBackendDescriptor_t pack) {
  if (fake::fails("cudnnBackendExecute")) return CUDNN_STATUS_EXECUTION_FAILED;
  if (!of(plan).finalised || !of(pack).finalised) return CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED;
  const descriptor& engine = of(plan).part(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG).part(CUDNN_ATTR_ENGINECFG_ENGINE);
  execution call{
      .what = pass(engine.part(CUDNN_ATTR_ENGINE_OPERATION_GRAPH).part(CUDNN_ATTR_OPERATIONGRAPH_OPS)),
      .memory = {},
      .workspace = of(pack).one<void*>(CUDNN_ATTR_VARIANT_PACK_WORKSPACE),
      .workspace_bytes = static_cast<std::size_t>(of(plan).one<std::int64_t>(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE)),
      .engine = engine.one<std::int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX)};
  const auto names = of(pack).all<std::int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  const auto memory = of(pack).all<void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  if (call.engine == failing_engine) return CUDNN_STATUS_EXECUTION_FAILED;
  for (std::size_t i = 0; i < names.size(); ++i) call.memory.at(static_cast<std::size_t>(names[i] - 1)) = memory.at(i);
  if (!fake::is_current(h->stream, h->device, "cudnnBackendExecute")) return CUDNN_STATUS_BAD_PARAM;
  if (!fake::may_use(h->stream, call.workspace, call.workspace_bytes, 256, "cudnnBackendExecute without its workspace"))
    return CUDNN_STATUS_BAD_PARAM;
  if (fake::scenario().silent) return call.note(h->stream) ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
  fake::enqueue(h->stream, [call] { call.run(); });
  return CUDNN_STATUS_SUCCESS;
}

}  // extern "C"
