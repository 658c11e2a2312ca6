// SPDX-License-Identifier: MIT
// A fake of cuDNN's recurrent layers: descriptors that store their attributes, weights in a separate order with gaps,
// and passes that compute their definition.
#include <cudnn.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "cudnn.hpp"
#include "cudnn_context.hpp"
#include "ledger.hpp"
#include "stream.hpp"

struct cudnnRNNStruct {
  cudnnRNNAlgo_t algorithm = CUDNN_RNN_ALGO_STANDARD;
  cudnnRNNMode_t mode = CUDNN_LSTM;
  cudnnRNNBiasMode_t biases = CUDNN_RNN_NO_BIAS;
  cudnnDataType_t type = CUDNN_DATA_HALF;
  cudnnMathType_t products = CUDNN_DEFAULT_MATH;
  int in = 0, units = 0;

  int gates() const { return mode == CUDNN_LSTM ? 4 : mode == CUDNN_GRU ? 3 : 1; }
  std::size_t value_bytes() const { return type == CUDNN_DATA_DOUBLE ? 8 : 4; }
  bool has_bias(int number) const {
    return biases == CUDNN_RNN_DOUBLE_BIAS || (biases == CUDNN_RNN_SINGLE_INP_BIAS && number < gates());
  }
};
struct cudnnRNNDataStruct {
  cudnnDataType_t type = CUDNN_DATA_HALF;
  int steps = 0, n = 0, width = 0;
};
struct cudnnTensorStruct {
  cudnnDataType_t type = CUDNN_DATA_HALF;
  std::vector<int> extents = {}, strides = {};
};

namespace {

fake::cells there = fake::cells::all;
fake::cell_run ran_last;

/// Positions of a matrix and its bias in the weights, in values. The last matrix comes first, each after its bias, with
/// gaps between all of them; the algorithms differ in the first gap.
struct weight_place {
  std::size_t matrix = 0, bias = 0, end = 0;
};
weight_place place_of(const cudnnRNNStruct& r, int number) {
  const auto units = static_cast<std::size_t>(r.units), in = static_cast<std::size_t>(r.in);
  weight_place p{.end = r.algorithm == CUDNN_RNN_ALGO_STANDARD ? 3U : 8U};
  for (int k = 2 * r.gates() - 1; k >= number; --k) {
    p.bias = p.end;
    p.matrix = p.bias + (r.has_bias(k) ? units + 2 : 0);
    p.end = p.matrix + units * (k < r.gates() ? in : units) + 1 + static_cast<std::size_t>(k);
  }
  return p;
}
std::size_t weight_bytes(const cudnnRNNStruct& r) { return place_of(r, 0).end * r.value_bytes(); }

/// Data that a forward pass saves for the backward pass, for each step of a sample: up to 4 gates, c, and memory for
/// the gradients of the sums of x and of the state. A number at the front identifies the last pass.
struct reserve_layout {
  std::size_t units, rows;
  std::size_t each() const { return 13 * units; }
  std::size_t row(std::size_t t, std::size_t n, std::size_t i) const { return 1 + (t * n + i) * each(); }
  std::size_t values() const { return 1 + rows * each(); }
};
constexpr std::size_t workspace_bytes = 555, training_workspace_bytes = workspace_bytes + 1;

/// The operands of a pass; missing ones are null.
struct call {
  cudnnRNNStruct rnn;
  std::size_t steps, n;
  bool trains = false;
  const void *x, *hx, *cx, *weights;
  void *y, *hy, *cy, *workspace, *reserve;
  const void *dy = nullptr, *dhy = nullptr, *dcy = nullptr;
  void *dx = nullptr, *dhx = nullptr, *dcx = nullptr, *dweights = nullptr;
};

template <class T>
T sigmoid(T x) {
  return T(1) / (T(1) + std::exp(-x));
}
constexpr auto nan = std::numeric_limits<double>::quiet_NaN();

template <class T>
class passes {
 public:
  explicit passes(const call& of)
      : c_(of),
        u_(static_cast<std::size_t>(of.rnn.units)),
        in_(static_cast<std::size_t>(of.rnn.in)),
        gates_(of.rnn.gates()),
        reserve_{u_, of.steps * of.n} {
    std::fill_n(static_cast<unsigned char*>(c_.workspace), workspace_bytes, 0xff);
  }

  void forward() const {
    if (c_.trains) kept()[0] = 1;
    for (std::size_t i = 0; i < c_.n; ++i) {
      std::vector<T> h = state(c_.hx, i), c = state(c_.cx, i), sums(8 * u_);
      for (std::size_t t = 0; t < c_.steps; ++t) {
        const T* const x = static_cast<const T*>(c_.x) + (t * c_.n + i) * in_;
        for (int k = 0; k < 2 * gates_; ++k)
          for (std::size_t j = 0; j < u_; ++j) sums[static_cast<std::size_t>(k) * u_ + j] = sum(k, j, x, h.data());
        for (std::size_t j = 0; j < u_; ++j) step(t, i, j, sums, h[j], c[j]);
        std::copy(h.begin(), h.end(), static_cast<T*>(c_.y) + (t * c_.n + i) * u_);
      }
      if (c_.hy != nullptr) std::copy(h.begin(), h.end(), static_cast<T*>(c_.hy) + i * u_);
      if (c_.cy != nullptr) std::copy(c.begin(), c.end(), static_cast<T*>(c_.cy) + i * u_);
    }
  }

  void backward_data() const {
    const bool in_turn = kept()[0] == T(1);
    kept()[0] = 2;
    for (std::size_t i = 0; i < c_.n; ++i) {
      std::vector<T> dh = state(c_.dhy, i), dc = state(c_.dcy, i);
      for (std::size_t t = c_.steps; t-- > 0;) {
        T* const row = kept() + reserve_.row(t, c_.n, i);
        T *const dx_sums = row + 5 * u_, *const dh_sums = row + 9 * u_;
        const T* const dy = static_cast<const T*>(c_.dy) + (t * c_.n + i) * u_;
        std::vector<T> before(u_);
        for (std::size_t j = 0; j < u_; ++j) before[j] = step_back(t, i, j, dh[j] + dy[j], dc[j], dx_sums, dh_sums);
        T* const dx = static_cast<T*>(c_.dx) + (t * c_.n + i) * in_;
        for (std::size_t p = 0; p < in_; ++p) {
          dx[p] = in_turn ? T(0) : static_cast<T>(nan);
          for (int k = 0; k < gates_; ++k)
            for (std::size_t j = 0; j < u_; ++j) dx[p] += matrix(k)[j * in_ + p] * dx_sums[at(k, j)];
        }
        for (std::size_t p = 0; p < u_; ++p)
          for (int k = 0; k < gates_; ++k)
            for (std::size_t j = 0; j < u_; ++j) before[p] += matrix(gates_ + k)[j * u_ + p] * dh_sums[at(k, j)];
        dh = before;
      }
      if (c_.dhx != nullptr) std::copy(dh.begin(), dh.end(), static_cast<T*>(c_.dhx) + i * u_);
      if (c_.dcx != nullptr) std::copy(dc.begin(), dc.end(), static_cast<T*>(c_.dcx) + i * u_);
    }
  }

  void backward_weights() const {
    const T turn = kept()[0] == T(2) ? T(1) : static_cast<T>(nan);
    T* const dw = static_cast<T*>(c_.dweights);
    for (int k = 0; k < 2 * gates_; ++k) {
      const bool of_state = k >= gates_;
      const weight_place place = place_of(c_.rnn, k);
      const std::size_t width = of_state ? u_ : in_;
      for (std::size_t t = 0; t < c_.steps; ++t)
        for (std::size_t i = 0; i < c_.n; ++i) {
          const T* const d = kept() + reserve_.row(t, c_.n, i) + (of_state ? 9 : 5) * u_;
          const std::vector<T> before = of_state ? state_before(t, i) : std::vector<T>();
          const T* const from = of_state ? before.data() : static_cast<const T*>(c_.x) + (t * c_.n + i) * in_;
          for (std::size_t j = 0; j < u_; ++j) {
            const T dsum = turn * d[at(of_state ? k - gates_ : k, j)];
            for (std::size_t p = 0; p < width; ++p) dw[place.matrix + j * width + p] += dsum * from[p];
            if (c_.rnn.has_bias(k)) dw[place.bias + j] += dsum;
          }
        }
    }
  }

 private:
  T* kept() const { return static_cast<T*>(c_.reserve); }
  std::size_t at(int gate, std::size_t j) const { return static_cast<std::size_t>(gate) * u_ + j; }
  const T* matrix(int number) const { return static_cast<const T*>(c_.weights) + place_of(c_.rnn, number).matrix; }
  std::vector<T> state(const void* from, std::size_t i) const {
    const T* const values = static_cast<const T*>(from);
    return values == nullptr ? std::vector<T>(u_) : std::vector<T>(values + i * u_, values + (i + 1) * u_);
  }
  std::vector<T> state_before(std::size_t t, std::size_t i) const {
    return t == 0 ? state(c_.hx, i) : state(static_cast<const T*>(c_.y) + (t - 1) * c_.n * u_, i);
  }
  T sum(int number, std::size_t j, const T* x, const T* h) const {
    const bool of_state = number >= gates_;
    const T* const from = of_state ? h : x;
    const std::size_t width = of_state ? u_ : in_;
    T all = 0;
    for (std::size_t p = 0; p < width; ++p) all += matrix(number)[j * width + p] * from[p];
    return c_.rnn.has_bias(number) ? all + static_cast<const T*>(c_.weights)[place_of(c_.rnn, number).bias + j] : all;
  }

  void step(std::size_t t, std::size_t i, std::size_t j, const std::vector<T>& sums, T& h, T& c) const {
    const auto of_x = [&](int k) { return sums[at(k, j)]; };
    const auto of_h = [&](int k) { return sums[at(gates_ + k, j)]; };
    std::array<T, 5> keep{};
    switch (c_.rnn.mode) {
      case CUDNN_RNN_RELU:
        h = std::max(of_x(0) + of_h(0), T(0));
        break;
      case CUDNN_RNN_TANH:
        h = std::tanh(of_x(0) + of_h(0));
        break;
      case CUDNN_LSTM: {
        const T in = sigmoid(of_x(0) + of_h(0)), forget = sigmoid(of_x(1) + of_h(1)),
                candidate = std::tanh(of_x(2) + of_h(2)), out = sigmoid(of_x(3) + of_h(3));
        c = forget * c + in * candidate;
        h = out * std::tanh(c);
        keep = {in, forget, candidate, out, c};
        break;
      }
      case CUDNN_GRU: {
        const T reset = sigmoid(of_x(0) + of_h(0)), update = sigmoid(of_x(1) + of_h(1)),
                candidate = std::tanh(of_x(2) + reset * of_h(2));
        h = (T(1) - update) * candidate + update * h;
        keep = {reset, update, candidate, of_h(2), T(0)};
        break;
      }
    }
    for (std::size_t k = 0; c_.trains && k < keep.size(); ++k) kept()[reserve_.row(t, c_.n, i) + k * u_ + j] = keep[k];
  }
  /// Computes the gradients of the sums of x and of the state from d, that of h; returns the part of d that bypasses
  /// the products.
  T step_back(std::size_t t, std::size_t i, std::size_t j, T d, T& dc, T* of_x, T* of_h) const {
    const T* const row = kept() + reserve_.row(t, c_.n, i);
    const auto keep = [&](std::size_t k) { return row[k * u_ + j]; };
    const auto both = [&](int k, T value) { of_x[at(k, j)] = of_h[at(k, j)] = value; };
    const T y = static_cast<const T*>(c_.y)[(t * c_.n + i) * u_ + j];
    switch (c_.rnn.mode) {
      case CUDNN_RNN_RELU:
        both(0, y > T(0) ? d : T(0));
        return 0;
      case CUDNN_RNN_TANH:
        both(0, d * (T(1) - y * y));
        return 0;
      case CUDNN_LSTM: {
        const T in = keep(0), forget = keep(1), candidate = keep(2), out = keep(3), tc = std::tanh(keep(4)),
                was = t == 0 ? state(c_.cx, i)[j] : kept()[reserve_.row(t - 1, c_.n, i) + 4 * u_ + j],
                all = dc + d * out * (T(1) - tc * tc);
        both(0, all * candidate * (in * (T(1) - in)));
        both(1, all * was * (forget * (T(1) - forget)));
        both(2, all * in * (T(1) - candidate * candidate));
        both(3, d * tc * (out * (T(1) - out)));
        dc = all * forget;
        return 0;
      }
      case CUDNN_GRU:
        break;
    }
    const T reset = keep(0), update = keep(1), candidate = keep(2), product = keep(3), was = state_before(t, i)[j],
            dcandidate = d * (T(1) - update) * (T(1) - candidate * candidate);
    both(0, dcandidate * product * (reset * (T(1) - reset)));
    both(1, d * (was - candidate) * (update * (T(1) - update)));
    of_x[at(2, j)] = dcandidate;
    of_h[at(2, j)] = dcandidate * reset;
    return d * update;
  }

  call c_;
  std::size_t u_, in_;
  int gates_;
  reserve_layout reserve_;
};

/// Returns whether a pass's memory is on the device of its stream: workspaces; on a silent machine also everything
/// else, with sequences as cuDNN requires.
bool is_there(cudnnHandle_t h, const call& c, const char* name, std::size_t workspace, std::size_t reserve) {
  const std::size_t value = c.rnn.value_bytes(), rows = c.steps * c.n, in = static_cast<std::size_t>(c.rnn.in),
                    units = static_cast<std::size_t>(c.rnn.units), weights = weight_bytes(c.rnn);
  constexpr std::size_t of_sequences = 16, of_spaces = 256;
  struct part {
    const void* at;
    std::size_t bytes, alignment;
  };
  const part operands[] = {{c.x, rows * in * value, of_sequences},    {c.dx, rows * in * value, of_sequences},
                           {c.y, rows * units * value, of_sequences}, {c.dy, rows * units * value, of_sequences},
                           {c.hx, c.n * units * value, value},        {c.cx, c.n * units * value, value},
                           {c.hy, c.n * units * value, value},        {c.cy, c.n * units * value, value},
                           {c.dhy, c.n * units * value, value},       {c.dcy, c.n * units * value, value},
                           {c.dhx, c.n * units * value, value},       {c.dcx, c.n * units * value, value}};
  const part spaces[] = {{c.weights, weights, of_spaces},
                         {c.dweights, weights, of_spaces},
                         {c.workspace, workspace, of_spaces},
                         {c.reserve, reserve, of_spaces}};
  const auto may_use = [&](const part& p) {
    return p.at == nullptr || fake::may_use(h->stream, p.at, p.bytes, p.alignment, name);
  };
  return std::ranges::all_of(spaces, may_use) && (!fake::scenario().silent || std::ranges::all_of(operands, may_use));
}
/// Returns the pass as a task, with its FLOP: each gate multiplies inputs and state.
fake::task task_of(const call& c, const char* name) {
  fake::digest all;
  all.add(c.rnn.mode).add(c.rnn.type).add(c.rnn.products).add(c.rnn.in).add(c.rnn.units);
  all.add(c.rnn.algorithm).add(c.steps).add(c.n);
  for (const void* at : {c.x, c.hx, c.cx, c.weights, c.dy, c.dhy, c.dcy}) all.add(at);
  for (const void* at : {c.y, c.hy, c.cy, c.workspace, c.reserve, c.dx, c.dhx, c.dcx, c.dweights}) all.add(at);
  const double products = static_cast<double>(c.rnn.gates() * c.rnn.units) * (c.rnn.in + c.rnn.units);
  return {name, all.value(), 2 * products * static_cast<double>(c.steps * c.n)};
}
/// Enqueues run(passes<T>) if all memory it needs is allocated.
template <class Run>
cudnnStatus_t enqueue(cudnnHandle_t h, const call& c, const char* name, std::size_t workspace, std::size_t reserve,
                      const Run& run) {
  if (!fake::is_current(h->stream, h->device, name) || !is_there(h, c, name, workspace, reserve))
    return CUDNN_STATUS_BAD_PARAM;
  if (fake::scenario().silent) {
    fake::note(h->stream, task_of(c, name));
    return CUDNN_STATUS_SUCCESS;
  }
  fake::enqueue(h->stream, [=] {
    ran_last = {c.rnn.algorithm, c.rnn.products};
    if (c.rnn.type == CUDNN_DATA_DOUBLE) run(passes<double>(c));
    else run(passes<float>(c));
  });
  return CUDNN_STATUS_SUCCESS;
}

bool refused_when_run(const cudnnRNNStruct& r) {
  return there == fake::cells::none_when_run ||
         (there == fake::cells::standard_when_run && r.algorithm != CUDNN_RNN_ALGO_STANDARD);
}
/// Returns whether the descriptors and workspaces of a pass are consistent.
bool fits(const cudnnRNNStruct& r, const cudnnRNNDataStruct& x, const cudnnRNNDataStruct& y,
          const cudnnTensorStruct& state, const cudnnTensorStruct* c, std::size_t weights, std::size_t workspace) {
  const std::vector<int> extents{1, x.n, r.units}, strides{x.n * r.units, r.units, 1};
  return x.type == r.type && y.type == r.type && state.type == r.type && x.steps == y.steps && x.n == y.n &&
         x.width == r.in && y.width == r.units && state.extents == extents && state.strides == strides &&
         (c != nullptr) == (r.mode == CUDNN_LSTM) && weights == weight_bytes(r) && workspace >= workspace_bytes;
}
std::size_t reserve_bytes(const cudnnRNNStruct& r, const cudnnRNNDataStruct& x) {
  const reserve_layout all{static_cast<std::size_t>(r.units), static_cast<std::size_t>(x.steps * x.n)};
  return all.values() * r.value_bytes();
}

template <class Descriptor>
cudnnStatus_t make(const char* name, Descriptor** made) {
  if (fake::fails(name)) return CUDNN_STATUS_INTERNAL_ERROR;
  *made = new Descriptor;
  fake::made(name);
  return CUDNN_STATUS_SUCCESS;
}
template <class Descriptor>
cudnnStatus_t destroy(const char* made_by, Descriptor* d) {
  delete d;
  fake::gone(made_by);
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

void fake::set_cells(cells has) { there = has; }
fake::cell_run fake::last_cell() { return ran_last; }

extern "C" {

cudnnStatus_t cudnnCreateRNNDescriptor(cudnnRNNDescriptor_t* made) {
  if (!fake::outside_recordings("cudnnCreateRNNDescriptor")) return CUDNN_STATUS_BAD_PARAM;
  if (there == fake::cells::not_there) return CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED;
  return make("cudnnCreateRNNDescriptor", made);
}
cudnnStatus_t cudnnDestroyRNNDescriptor(cudnnRNNDescriptor_t d) { return destroy("cudnnCreateRNNDescriptor", d); }
cudnnStatus_t cudnnCreateRNNDataDescriptor(cudnnRNNDataDescriptor_t* made) {
  return make("cudnnCreateRNNDataDescriptor", made);
}
cudnnStatus_t cudnnDestroyRNNDataDescriptor(cudnnRNNDataDescriptor_t d) {
  return destroy("cudnnCreateRNNDataDescriptor", d);
}
cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* made) {
  return make("cudnnCreateTensorDescriptor", made);
}
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t d) {
  return destroy("cudnnCreateTensorDescriptor", d);
}

cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t d, cudnnRNNAlgo_t algorithm, cudnnRNNMode_t mode,
                                       cudnnRNNBiasMode_t biases, cudnnDirectionMode_t directions,
                                       cudnnRNNInputMode_t input, cudnnDataType_t type, cudnnDataType_t computed,
                                       cudnnMathType_t products, std::int32_t in, std::int32_t units,
                                       std::int32_t projected, std::int32_t layers, cudnnDropoutDescriptor_t dropout,
                                       std::uint32_t flags) {
  if (fake::fails("cudnnSetRNNDescriptor_v8")) return CUDNN_STATUS_INTERNAL_ERROR;
  if (directions != CUDNN_UNIDIRECTIONAL || input != CUDNN_LINEAR_INPUT || computed != type || projected != units ||
      layers != 1 || dropout != nullptr || flags != CUDNN_RNN_PADDED_IO_ENABLED)
    return CUDNN_STATUS_BAD_PARAM;
  const bool for_few_units = algorithm == CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H;
  if (there == fake::cells::none || (for_few_units && (there == fake::cells::standard ||
                                                       biases != CUDNN_RNN_DOUBLE_BIAS || type != CUDNN_DATA_FLOAT)))
    return CUDNN_STATUS_NOT_SUPPORTED;
  *d = {algorithm, mode, biases, type, products, in, units};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t d, cudnnDataType_t type, cudnnRNNDataLayout_t layout,
                                        int steps, int n, int width, const int lengths[], void*) {
  if (fake::fails("cudnnSetRNNDataDescriptor")) return CUDNN_STATUS_INTERNAL_ERROR;
  if (layout != CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED || n < 1 ||
      !std::all_of(lengths, lengths + n, [&](int length) { return length == steps; }))
    return CUDNN_STATUS_BAD_PARAM;
  *d = {type, steps, n, width};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t d, cudnnDataType_t type, int count,
                                         const int extents[], const int strides[]) {
  if (fake::fails("cudnnSetTensorNdDescriptor")) return CUDNN_STATUS_INTERNAL_ERROR;
  *d = {type, {extents, extents + count}, {strides, strides + count}};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetTensorNdDescriptor(cudnnTensorDescriptor_t d, int wanted, cudnnDataType_t* type, int* count,
                                         int extents[], int strides[]) {
  if (fake::fails("cudnnGetTensorNdDescriptor")) return CUDNN_STATUS_INTERNAL_ERROR;
  *type = d->type;
  *count = static_cast<int>(d->extents.size());
  if (wanted < *count) return CUDNN_STATUS_BAD_PARAM;
  std::ranges::copy(d->extents, extents);
  std::ranges::copy(d->strides, strides);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t, cudnnRNNDescriptor_t d, std::size_t* bytes) {
  if (fake::fails("cudnnGetRNNWeightSpaceSize")) return CUDNN_STATUS_INTERNAL_ERROR;
  *bytes = weight_bytes(*d);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t, cudnnRNNDescriptor_t d, cudnnForwardMode_t mode,
                                        cudnnRNNDataDescriptor_t x, std::size_t* workspace, std::size_t* reserve) {
  if (fake::fails("cudnnGetRNNTempSpaceSizes")) return CUDNN_STATUS_INTERNAL_ERROR;
  *workspace = mode == CUDNN_FWD_MODE_TRAINING ? training_workspace_bytes : workspace_bytes;
  *reserve = mode == CUDNN_FWD_MODE_TRAINING ? reserve_bytes(*d, *x) : 0;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t, cudnnRNNDescriptor_t d, std::int32_t layer, std::size_t bytes,
                                      const void* weights, std::int32_t number, cudnnTensorDescriptor_t matrix,
                                      void** matrix_at, cudnnTensorDescriptor_t bias, void** bias_at) {
  if (fake::fails("cudnnGetRNNWeightParams")) return CUDNN_STATUS_INTERNAL_ERROR;
  if (layer != 0 || bytes != weight_bytes(*d) || number < 0 || number >= 2 * d->gates()) return CUDNN_STATUS_BAD_PARAM;
  const weight_place place = place_of(*d, number);
  const auto address = [&](std::size_t value) {
    return const_cast<char*>(static_cast<const char*>(weights)) + value * d->value_bytes();
  };
  const int width = number < d->gates() ? d->in : d->units;
  *matrix = {d->type, {1, d->units, width}, {d->units * width, width, 1}};
  *bias = {d->type, {1, d->units, 1}, {d->units, 1, 1}};
  *matrix_at = address(place.matrix);
  *bias_at = d->has_bias(number) ? address(place.bias) : nullptr;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnRNNForward(cudnnHandle_t h, cudnnRNNDescriptor_t d, cudnnForwardMode_t mode, const std::int32_t*,
                              cudnnRNNDataDescriptor_t xd, const void* x, cudnnRNNDataDescriptor_t yd, void* y,
                              cudnnTensorDescriptor_t hd, const void* hx, void* hy, cudnnTensorDescriptor_t cd,
                              const void* cx, void* cy, std::size_t weights_size, const void* weights,
                              std::size_t workspace_size, void* workspace, std::size_t reserve_size, void* reserve) {
  if (fake::fails("cudnnRNNForward")) return CUDNN_STATUS_EXECUTION_FAILED;
  if (refused_when_run(*d)) return CUDNN_STATUS_NOT_SUPPORTED;
  const bool trains = mode == CUDNN_FWD_MODE_TRAINING;
  if (!fits(*d, *xd, *yd, *hd, cd, weights_size, workspace_size) || (trains && reserve_size < reserve_bytes(*d, *xd)) ||
      (trains && (reserve == nullptr || workspace_size < training_workspace_bytes)))
    return CUDNN_STATUS_BAD_PARAM;
  const call c{.rnn = *d,
               .steps = static_cast<std::size_t>(xd->steps),
               .n = static_cast<std::size_t>(xd->n),
               .trains = trains,
               .x = x,
               .hx = hx,
               .cx = cx,
               .weights = weights,
               .y = y,
               .hy = hy,
               .cy = cy,
               .workspace = workspace,
               .reserve = reserve};
  return enqueue(h, c, "cudnnRNNForward", workspace_size, reserve_size, [](const auto& passes) { passes.forward(); });
}
cudnnStatus_t cudnnRNNBackwardData_v8(cudnnHandle_t h, cudnnRNNDescriptor_t d, const std::int32_t*,
                                      cudnnRNNDataDescriptor_t yd, const void* y, const void* dy,
                                      cudnnRNNDataDescriptor_t xd, void* dx, cudnnTensorDescriptor_t hd, const void* hx,
                                      const void* dhy, void* dhx, cudnnTensorDescriptor_t cd, const void* cx,
                                      const void* dcy, void* dcx, std::size_t weights_size, const void* weights,
                                      std::size_t workspace_size, void* workspace, std::size_t reserve_size,
                                      void* reserve) {
  if (fake::fails("cudnnRNNBackwardData_v8")) return CUDNN_STATUS_EXECUTION_FAILED;
  if (!fits(*d, *xd, *yd, *hd, cd, weights_size, workspace_size) || reserve_size < reserve_bytes(*d, *xd) ||
      workspace_size < training_workspace_bytes || reserve == nullptr || dy == nullptr || dx == nullptr)
    return CUDNN_STATUS_BAD_PARAM;
  const call c{.rnn = *d,
               .steps = static_cast<std::size_t>(xd->steps),
               .n = static_cast<std::size_t>(xd->n),
               .x = nullptr,
               .hx = hx,
               .cx = cx,
               .weights = weights,
               .y = const_cast<void*>(y),
               .hy = nullptr,
               .cy = nullptr,
               .workspace = workspace,
               .reserve = reserve,
               .dy = dy,
               .dhy = dhy,
               .dcy = dcy,
               .dx = dx,
               .dhx = dhx,
               .dcx = dcx};
  return enqueue(h, c, "cudnnRNNBackwardData_v8", workspace_size, reserve_size,
                 [](const auto& passes) { passes.backward_data(); });
}
cudnnStatus_t cudnnRNNBackwardWeights_v8(cudnnHandle_t h, cudnnRNNDescriptor_t d, cudnnWgradMode_t mode,
                                         const std::int32_t*, cudnnRNNDataDescriptor_t xd, const void* x,
                                         cudnnTensorDescriptor_t hd, const void* hx, cudnnRNNDataDescriptor_t yd,
                                         const void* y, std::size_t weights_size, void* dweights,
                                         std::size_t workspace_size, void* workspace, std::size_t reserve_size,
                                         void* reserve) {
  if (fake::fails("cudnnRNNBackwardWeights_v8")) return CUDNN_STATUS_EXECUTION_FAILED;
  const cudnnTensorStruct* const cell = d->mode == CUDNN_LSTM ? hd : nullptr;
  if (mode != CUDNN_WGRAD_MODE_ADD || !fits(*d, *xd, *yd, *hd, cell, weights_size, workspace_size) ||
      workspace_size < training_workspace_bytes || reserve_size < reserve_bytes(*d, *xd) || dweights == nullptr)
    return CUDNN_STATUS_BAD_PARAM;
  const call c{.rnn = *d,
               .steps = static_cast<std::size_t>(xd->steps),
               .n = static_cast<std::size_t>(xd->n),
               .x = x,
               .hx = hx,
               .cx = nullptr,
               .weights = nullptr,
               .y = const_cast<void*>(y),
               .hy = nullptr,
               .cy = nullptr,
               .workspace = workspace,
               .reserve = reserve,
               .dweights = dweights};
  return enqueue(h, c, "cudnnRNNBackwardWeights_v8", workspace_size, reserve_size,
                 [](const auto& passes) { passes.backward_weights(); });
}

}  // extern "C"
