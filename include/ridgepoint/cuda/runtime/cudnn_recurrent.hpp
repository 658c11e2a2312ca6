// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/cuda/runtime/cudnn_descriptor.hpp>
#include <ridgepoint/cuda/runtime/recurrent_problem.hpp>

/// \file
/// Recurrent layers by cuDNN: their descriptors, the layout of their weights, and the calls.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

using cudnn_rnn_descriptor = owned_handle<cudnnRNNDescriptor_t, cudnnDestroyRNNDescriptor>;
using cudnn_sequence_descriptor = owned_handle<cudnnRNNDataDescriptor_t, cudnnDestroyRNNDataDescriptor>;
using cudnn_tensor_descriptor = owned_handle<cudnnTensorDescriptor_t, cudnnDestroyTensorDescriptor>;

/// Returns whether cuDNN accepted a call; false if it does not support the request, or its library for recurrent layers
/// is missing. Throws: on any other error.
[[nodiscard]] inline bool is_taken(cudnnStatus_t status, std::string_view call) {
  if (status / 1000 == CUDNN_STATUS_NOT_SUPPORTED / 1000) return false;
  if (status == CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED || status == CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH)
    return false;
  check_call(status, call);
  return true;
}

[[nodiscard]] inline cudnn_tensor_descriptor make_tensor_descriptor() {
  return cudnn_tensor_descriptor([](cudnnTensorDescriptor_t* made) {
    check_call(cudnnCreateTensorDescriptor(made), "cudnnCreateTensorDescriptor");
  });
}

/// A recurrent layer's cuDNN descriptors: one layer, one direction, dense sequences of equal length, with steps
/// outermost.
class cudnn_rnn_description {
 public:
  /// Creates the descriptors; returns nothing if cuDNN does not support the layer.
  [[nodiscard]] static std::optional<cudnn_rnn_description> make(const recurrent_problem& p, cudnnRNNAlgo_t algorithm) {
    cudnn_rnn_description made;
    cudnnRNNDescriptor_t cell = nullptr;
    if (!is_taken(cudnnCreateRNNDescriptor(&cell), "cudnnCreateRNNDescriptor")) return std::nullopt;
    made.cell_ = cudnn_rnn_descriptor([&](cudnnRNNDescriptor_t* to) { *to = cell; });
    constexpr cudnnRNNMode_t modes[] = {CUDNN_RNN_TANH, CUDNN_RNN_RELU, CUDNN_LSTM, CUDNN_GRU};
    const cudnnDataType_t type = p.is_double ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
    const cudnnMathType_t products =
        p.is_double || p.may_use_tensor_floats ? CUDNN_DEFAULT_MATH : CUDNN_FMA_MATH;  // the default would be TF32
    const auto in = static_cast<std::int32_t>(p.in), units = static_cast<std::int32_t>(p.units);
    // Two biases, with zeros for the state's if a cell has only one: the algorithm for few units needs both.
    if (!is_taken(cudnnSetRNNDescriptor_v8(cell, algorithm, modes[static_cast<int>(p.cell)], CUDNN_RNN_DOUBLE_BIAS,
                                           CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, type, type, products, in, units,
                                           units, 1, nullptr, CUDNN_RNN_PADDED_IO_ENABLED),
                  "cudnnSetRNNDescriptor_v8"))
      return std::nullopt;
    made.x_ = sequence(p, type, p.in);
    made.y_ = sequence(p, type, p.units);
    made.state_ = make_tensor_descriptor();
    const auto n = static_cast<int>(p.n);
    const std::array<int, 3> extents{1, n, units}, strides{n * units, units, 1};
    check_call(cudnnSetTensorNdDescriptor(made.state_.get(), type, 3, extents.data(), strides.data()),
               "cudnnSetTensorNdDescriptor");
    return made;
  }
  [[nodiscard]] cudnnRNNDescriptor_t cell() const noexcept { return cell_.get(); }
  [[nodiscard]] cudnnRNNDataDescriptor_t x() const noexcept { return x_.get(); }
  [[nodiscard]] cudnnRNNDataDescriptor_t y() const noexcept { return y_.get(); }
  [[nodiscard]] cudnnTensorDescriptor_t state() const noexcept { return state_.get(); }

 private:
  static cudnn_sequence_descriptor sequence(const recurrent_problem& p, cudnnDataType_t type, index_t width) {
    cudnn_sequence_descriptor made([](cudnnRNNDataDescriptor_t* to) {
      check_call(cudnnCreateRNNDataDescriptor(to), "cudnnCreateRNNDataDescriptor");
    });
    const std::vector<int> lengths(static_cast<std::size_t>(p.n), static_cast<int>(p.steps));
    check_call(
        cudnnSetRNNDataDescriptor(made.get(), type, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, static_cast<int>(p.steps),
                                  static_cast<int>(p.n), static_cast<int>(width), lengths.data(), nullptr),
        "cudnnSetRNNDataDescriptor");
    return made;
  }

  cudnn_rnn_descriptor cell_;
  cudnn_sequence_descriptor x_, y_;
  cudnn_tensor_descriptor state_;
};

/// A recurrent layer by one cuDNN algorithm.
class cudnn_rnn {
 public:
  /// Returns nothing if cuDNN does not support it. `somewhere`: device memory that is neither read nor written.
  [[nodiscard]] static std::optional<cudnn_rnn> make(cudnnHandle_t on, const recurrent_problem& p,
                                                     cudnnRNNAlgo_t algorithm, void* somewhere) {
    auto description = cudnn_rnn_description::make(p, algorithm);
    if (!description) return std::nullopt;
    cudnn_rnn made(p, std::move(*description));
    std::size_t none = 0, inferring = 0, training = 0;
    const cudnn_rnn_description& d = made.description_;
    if (!is_taken(cudnnGetRNNWeightSpaceSize(on, d.cell(), &made.weight_bytes_), "cudnnGetRNNWeightSpaceSize") ||
        !is_taken(cudnnGetRNNTempSpaceSizes(on, d.cell(), CUDNN_FWD_MODE_INFERENCE, d.x(), &inferring, &none),
                  "cudnnGetRNNTempSpaceSizes") ||
        !is_taken(
            cudnnGetRNNTempSpaceSizes(on, d.cell(), CUDNN_FWD_MODE_TRAINING, d.x(), &training, &made.reserve_bytes_),
            "cudnnGetRNNTempSpaceSizes"))
      return std::nullopt;
    made.workspace_bytes_ = (std::max)(inferring, training);
    made.find_weights(on, somewhere);
    return made;
  }
  [[nodiscard]] std::size_t weight_bytes() const noexcept { return weight_bytes_; }
  [[nodiscard]] std::size_t workspace_bytes() const noexcept { return workspace_bytes_; }
  [[nodiscard]] std::size_t reserve_bytes() const noexcept { return reserve_bytes_; }
  [[nodiscard]] const std::vector<library_weight>& weights() const noexcept { return weights_; }

  /// Returns whether cuDNN computed the pass; false if the algorithm does not support it at run time.
  [[nodiscard]] bool forward(cudnnHandle_t on, const recurrent_pass& m, cudnnForwardMode_t mode) const {
    const cudnn_rnn_description& d = description_;
    return is_taken(cudnnRNNForward(on, d.cell(), mode, nullptr, d.x(), m.x, d.y(), m.y, d.state(), m.h0, m.last,
                                    cell_state(), m.c0, m.last_c, weight_bytes_, m.weights, workspace_bytes_,
                                    m.workspace, mode == CUDNN_FWD_MODE_TRAINING ? reserve_bytes_ : 0, m.reserve),
                    "cudnnRNNForward");
  }
  [[nodiscard]] bool backward_data(cudnnHandle_t on, const recurrent_pass& m, const recurrent_pass_back& b) const {
    const cudnn_rnn_description& d = description_;
    return is_taken(cudnnRNNBackwardData_v8(on, d.cell(), nullptr, d.y(), m.y, b.dy, d.x(), b.dx, d.state(), m.h0,
                                            b.dlast, b.dh0, cell_state(), m.c0, b.dlast_c, b.dc0, weight_bytes_,
                                            m.weights, workspace_bytes_, m.workspace, reserve_bytes_, m.reserve),
                    "cudnnRNNBackwardData_v8");
  }
  /// Adds to dweights; call after backward_data().
  [[nodiscard]] bool backward_weights(cudnnHandle_t on, const recurrent_pass& m, const recurrent_pass_back& b) const {
    const cudnn_rnn_description& d = description_;
    return is_taken(
        cudnnRNNBackwardWeights_v8(on, d.cell(), CUDNN_WGRAD_MODE_ADD, nullptr, d.x(), m.x, d.state(), m.h0, d.y(), m.y,
                                   weight_bytes_, b.dweights, workspace_bytes_, m.workspace, reserve_bytes_, m.reserve),
        "cudnnRNNBackwardWeights_v8");
  }

 private:
  cudnn_rnn(const recurrent_problem& p, cudnn_rnn_description description)
      : problem_(p), description_(std::move(description)) {}

  [[nodiscard]] cudnnTensorDescriptor_t cell_state() const noexcept {
    return problem_.cell == library_cell::lstm ? description_.state() : nullptr;
  }

  /// Queries each matrix and bias: numbers in the first half belong to x, in the second half to the state. Gates are i,
  /// f, g, o of an LSTM, r, z, n of a GRU, as in our layout.
  void find_weights(cudnnHandle_t on, void* somewhere) {
    const recurrent_problem& p = problem_;
    const index_t columns = p.gates() * p.units;
    const cudnn_tensor_descriptor matrix = make_tensor_descriptor(), bias = make_tensor_descriptor();
    for (index_t k = 0; k < 2 * p.gates(); ++k) {
      void *matrix_at = nullptr, *bias_at = nullptr;
      check_call(cudnnGetRNNWeightParams(on, description_.cell(), 0, weight_bytes_, somewhere,
                                         static_cast<std::int32_t>(k), matrix.get(), &matrix_at, bias.get(), &bias_at),
                 "cudnnGetRNNWeightParams");
      const bool of_state = k >= p.gates();
      const index_t gate = k % p.gates();
      add(matrix.get(), matrix_at, somewhere,
          {.whose = of_state ? weights_of::state : weights_of::input,
           .rows = p.units,
           .cols = of_state ? p.units : p.in,
           .first = gate * p.units,
           .row_stride = 1,
           .col_stride = columns});
      if (bias_at != nullptr)
        add(bias.get(), bias_at, somewhere,
            {.whose = of_state ? weights_of::state_bias : weights_of::bias,
             .rows = p.units,
             .cols = 1,
             .first = gate * p.units,
             .row_stride = 1,
             .col_stride = 1});
    }
  }
  /// Throws: ridgepoint_cuda_failure unless the matrix is dense, has this shape and is inside cuDNN's weights.
  void add(cudnnTensorDescriptor_t described, const void* at, const void* somewhere, library_weight w) {
    constexpr int dims = 3;
    std::array<int, dims> extents{}, strides{};
    cudnnDataType_t type{};
    int count = 0;
    check_call(cudnnGetTensorNdDescriptor(described, dims, &type, &count, extents.data(), strides.data()),
               "cudnnGetTensorNdDescriptor");
    const auto size = static_cast<index_t>(problem_.bytes_of_value());
    const index_t bytes = static_cast<const std::byte*>(at) - static_cast<const std::byte*>(somewhere);
    w.offset = bytes / size;
    if (at == nullptr || bytes < 0 || bytes % size != 0 || count != dims || extents[0] != 1 || extents[1] != w.rows ||
        extents[2] != w.cols || strides[1] != w.cols ||
        bytes + w.rows * w.cols * size > static_cast<index_t>(weight_bytes_))
      fail_in("cuDNN", "cudnnGetRNNWeightParams", CUDNN_STATUS_INTERNAL_ERROR,
              cudnnGetErrorString(CUDNN_STATUS_INTERNAL_ERROR),
              concat("weights of ", extents[1], 'x', extents[2], " at byte ", bytes, " of ", weight_bytes_,
                     "; must be ", w.rows, 'x', w.cols, ", dense"));
    weights_.push_back(w);
  }

  recurrent_problem problem_;
  cudnn_rnn_description description_;
  std::size_t weight_bytes_ = 0, workspace_bytes_ = 0, reserve_bytes_ = 0;
  std::vector<library_weight> weights_;
};

/// The cuDNN algorithms for a problem, in the order they are tried. For few units, the first keeps the weights on the
/// multiprocessors (for as many units as in PyTorch); the second supports everything.
class cudnn_rnn_plan {
 public:
  cudnn_rnn_plan(cudnnHandle_t on, const recurrent_problem& p, void* somewhere) : handle_(on) {
    const bool plain = p.cell == library_cell::tanh || p.cell == library_cell::relu;
    const index_t most_forward = plain ? 384 : 192, most_back = plain ? 256 : 128;
    const auto add = [&](cudnnRNNAlgo_t algorithm, index_t most) {
      if (auto rnn = cudnn_rnn::make(on, p, algorithm, somewhere))
        ways_.push_back({.rnn = std::move(*rnn), .goes_back = p.units <= most});
    };
    if (!p.is_double && p.units <= most_forward) add(CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H, most_back);
    add(CUDNN_RNN_ALGO_STANDARD, p.units);
  }
  [[nodiscard]] bool has_any() const noexcept {
    return std::ranges::any_of(ways_, [](const way& w) { return w.goes_back; });
  }

  /// Returns the most that any algorithm needs.
  [[nodiscard]] std::size_t weight_bytes() const { return most(&cudnn_rnn::weight_bytes); }
  [[nodiscard]] std::size_t workspace_bytes() const { return most(&cudnn_rnn::workspace_bytes); }
  [[nodiscard]] std::size_t reserve_bytes() const { return most(&cudnn_rnn::reserve_bytes); }

  /// Runs a forward pass; pack(layout of the weights) writes them to m.weights.
  template <class Pack>
  void forward(const recurrent_pass& m, const Pack& pack) {
    by_first([](const way&) { return true; },
             [&](const cudnn_rnn& rnn) {
               pack(rnn.weights());
               return rnn.forward(handle_, m, CUDNN_FWD_MODE_INFERENCE);
             });
  }
  /// Runs a forward pass and the gradients; clear() zeroes b.dweights, unpack(layout of the weights) reads the
  /// gradients from there.
  template <class Pack, class Clear, class Unpack>
  void backward(const recurrent_pass& m, const recurrent_pass_back& b, const Pack& pack, const Clear& clear,
                const Unpack& unpack) {
    by_first([](const way& w) { return w.goes_back; },
             [&](const cudnn_rnn& rnn) {
               pack(rnn.weights());
               if (!rnn.forward(handle_, m, CUDNN_FWD_MODE_TRAINING) || !rnn.backward_data(handle_, m, b)) return false;
               clear();
               if (!rnn.backward_weights(handle_, m, b)) return false;
               unpack(rnn.weights());
               return true;
             });
  }

 private:
  struct way {
    cudnn_rnn rnn;
    bool goes_back = true;  // whether backward passes use it too
    bool refused = false;   // whether a call was refused
  };
  /// Calls run(rnn) for the selected algorithms in order until one succeeds.
  /// Throws: ridgepoint_cuda_failure if none does.
  template <class Some, class Run>
  void by_first(const Some& some, const Run& run) {
    for (way& w : ways_) {
      if (w.refused || !some(w)) continue;
      if (run(w.rnn)) return;
      w.refused = true;
    }
    fail_in("cuDNN", "a recurrent layer", CUDNN_STATUS_NOT_SUPPORTED, cudnnGetErrorString(CUDNN_STATUS_NOT_SUPPORTED),
            "no planned algorithm supports the call; gpu_cells::own avoids cuDNN");
  }
  [[nodiscard]] std::size_t most(std::size_t (cudnn_rnn::*bytes)() const noexcept) const {
    std::size_t all = 0;
    for (const way& w : ways_) all = (std::max)(all, (w.rnn.*bytes)());
    return all;
  }

  cudnnHandle_t handle_;
  std::vector<way> ways_;
};

/// The cuDNN recurrent layers of a context; each is planned once.
class recurrent_library {
 public:
  explicit recurrent_library(const cuda_context& on)
      : handle_([](cudnnHandle_t* made) { check_call(cudnnCreate(made), "cudnnCreate"); }),
        somewhere_(on.lt_workspace().data()) {
    check_call(cudnnSetStream(handle_.get(), on.stream()), "cudnnSetStream");
  }

  /// Returns null if cuDNN does not support the layer.
  [[nodiscard]] cudnn_rnn_plan* find(const recurrent_problem& p) {
    for (auto& [problem, plan] : made_)
      if (problem == p) return plan.has_any() ? &plan : nullptr;
    constexpr index_t most = (std::numeric_limits<std::int32_t>::max)();
    if ((std::max)({p.steps, p.n * (std::max)(p.in, p.units)}) > most) return nullptr;
    auto& plan = made_.emplace_back(p, cudnn_rnn_plan(handle_.get(), p, somewhere_)).second;
    return plan.has_any() ? &plan : nullptr;
  }

 private:
  owned_handle<cudnnHandle_t, cudnnDestroy> handle_;
  void* somewhere_;
  std::deque<std::pair<recurrent_problem, cudnn_rnn_plan>> made_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
