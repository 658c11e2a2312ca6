// SPDX-License-Identifier: MIT
#pragma once

#include <utility>
#include <vector>

#include <ridgepoint/cuda/recurrent.hpp>

/// \file
/// Recurrent layers that store bfloat16 or float16, computed as layers of floats: inputs are converted to floats in the
/// workspace, and outputs are rounded from there. So the state passes from step to step without rounding.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Operands of an op on elements T, converted to floats. Without a context it only counts the memory they need.
template <class T>
class floats_of_call {
 public:
  floats_of_call(cuda_context* on, void* workspace) : on_(on), from_(workspace) {}

  /// Converts an input now; null stays null.
  [[nodiscard]] const float* read(const T* x, index_t count) {
    return read(sequence_view<const T>{x, 1, 1, count, 0, 0}).data;
  }
  [[nodiscard]] sequence_view<const float> read(const sequence_view<const T>& x) {
    const sequence_view<float> to = room_for(x);
    if (x.data != nullptr) convert<float, T>(x, to);
    return to;
  }
  /// Returns memory for an output, which store() converts.
  [[nodiscard]] float* made(T* y, index_t count) { return made(sequence_view<T>{y, 1, 1, count, 0, 0}).data; }
  [[nodiscard]] sequence_view<float> made(const sequence_view<T>& y) {
    const sequence_view<float> from = room_for(y);
    if (y.data != nullptr) made_.emplace_back(from, y);
    return from;
  }
  void store() {
    for (const auto& [from, to] : made_) convert<T, float>(from, to);
  }
  /// Returns memory for the op itself.
  [[nodiscard]] void* rest(std::size_t bytes) { return from_.take<std::byte>(static_cast<index_t>(bytes)); }
  [[nodiscard]] std::size_t bytes() const noexcept { return from_.bytes(); }

 private:
  /// Allocates a sequence of equal width, with rows in the same order.
  template <class E>
  [[nodiscard]] sequence_view<float> room_for(const sequence_view<E>& v) {
    return sequence_like(v, v.data == nullptr ? nullptr : from_.take<float>(v.steps * v.batch * v.width), v.width);
  }
  template <class To, class From>
  void convert(const sequence_view<const From>& x, const sequence_view<To>& y) {
    const index_t size = x.steps * x.batch * x.width;
    if (on_ != nullptr && size != 0)
      on_->launch(conversion_kernels<To, From>::convert_steps, on_->loop(size), x.steps, x.batch, x.width, x.data,
                  x.step_stride, x.sample_stride, y.data, y.step_stride, y.sample_stride);
  }

  cuda_context* on_;
  pieces from_;
  std::vector<std::pair<sequence_view<float>, sequence_view<T>>> made_;
};

template <class T>
[[nodiscard]] recurrent<float> in_floats(const recurrent<T>& a, const recurrent_geometry& g, floats_of_call<T>& f) {
  return {.x = f.read(a.x),
          .wx = f.read(a.wx, g.input_weights()),
          .wh = f.read(a.wh, g.recurrent_weights()),
          .bias = f.read(a.bias, g.columns()),
          .h0 = f.read(a.h0, g.n * g.width()),
          .y = f.made(a.y),
          .last = f.made(a.last, g.n * g.width()),
          .mask = a.mask};
}
template <class T>
[[nodiscard]] recurrent_backward<float> in_floats(const recurrent_backward<T>& a, const recurrent_geometry& g,
                                                  floats_of_call<T>& f) {
  return {.x = f.read(a.x),
          .wx = f.read(a.wx, g.input_weights()),
          .wh = f.read(a.wh, g.recurrent_weights()),
          .h0 = f.read(a.h0, g.n * g.width()),
          .y = f.read(a.y),
          .dy = f.read(a.dy),
          .dlast = f.read(a.dlast, g.n * g.width()),
          .dx = f.made(a.dx),
          .dwx = f.made(a.dwx, g.input_weights()),
          .dwh = f.made(a.dwh, g.recurrent_weights()),
          .db = f.made(a.db, g.columns()),
          .dh0 = f.made(a.dh0, g.n * g.width()),
          .mask = a.mask};
}

template <class T>
[[nodiscard]] rnn_args<float> in_floats(const rnn_args<T>& a, floats_of_call<T>& f) {
  return {.operands = in_floats(a.operands, a.operands.geometry(rnn_gates), f), .act = a.act};
}
template <class T>
[[nodiscard]] rnn_backward_args<float> in_floats(const rnn_backward_args<T>& a, floats_of_call<T>& f) {
  return {.operands = in_floats(a.operands, a.operands.geometry(rnn_gates), f), .act = a.act};
}
template <class T>
[[nodiscard]] lstm_args<float> in_floats(const lstm_args<T>& a, floats_of_call<T>& f) {
  const recurrent_geometry g = a.operands.geometry(lstm_gates);
  return {.operands = in_floats(a.operands, g, f),
          .c0 = f.read(a.c0, g.n * g.units),
          .c = f.made(a.c, g.cells()),
          .gates = f.made(a.gates, g.cells() * lstm_gates),
          .last_c = f.made(a.last_c, g.n * g.units),
          .gate = a.gate};
}
template <class T>
[[nodiscard]] lstm_backward_args<float> in_floats(const lstm_backward_args<T>& a, floats_of_call<T>& f) {
  const recurrent_geometry g = a.operands.geometry(lstm_gates);
  return {.operands = in_floats(a.operands, g, f),
          .c0 = f.read(a.c0, g.n * g.units),
          .c = f.read(a.c, g.cells()),
          .gates = f.read(a.gates, g.cells() * lstm_gates),
          .dc0 = f.made(a.dc0, g.n * g.units),
          .dlast_c = f.read(a.dlast_c, g.n * g.units),
          .gate = a.gate};
}
template <class T>
[[nodiscard]] projected_lstm_args<float> in_floats(const projected_lstm_args<T>& a, floats_of_call<T>& f) {
  const recurrent_geometry g = a.geometry();
  return {.operands = in_floats(a.operands, g, f),
          .units = a.units,
          .wp = f.read(a.wp, g.units * g.projected),
          .c0 = f.read(a.c0, g.n * g.units),
          .c = f.made(a.c, g.cells()),
          .gates = f.made(a.gates, g.cells() * lstm_gates),
          .h = f.made(a.h, g.cells()),
          .last_c = f.made(a.last_c, g.n * g.units),
          .gate = a.gate};
}
template <class T>
[[nodiscard]] projected_lstm_backward_args<float> in_floats(const projected_lstm_backward_args<T>& a,
                                                            floats_of_call<T>& f) {
  const recurrent_geometry g = a.geometry();
  return {.operands = in_floats(a.operands, g, f),
          .units = a.units,
          .wp = f.read(a.wp, g.units * g.projected),
          .c0 = f.read(a.c0, g.n * g.units),
          .c = f.read(a.c, g.cells()),
          .gates = f.read(a.gates, g.cells() * lstm_gates),
          .h = f.read(a.h, g.cells()),
          .dwp = f.made(a.dwp, g.units * g.projected),
          .dc0 = f.made(a.dc0, g.n * g.units),
          .dlast_c = f.read(a.dlast_c, g.n * g.units),
          .gate = a.gate};
}
template <class T>
[[nodiscard]] gru_args<float> in_floats(const gru_args<T>& a, floats_of_call<T>& f) {
  const recurrent_geometry g = a.operands.geometry(gru_gates);
  return {.operands = in_floats(a.operands, g, f),
          .reset = a.reset,
          .recurrent_bias = f.read(a.recurrent_bias, g.columns()),
          .gates = f.made(a.gates, g.cells() * a.saved(a.reset)),
          .gate = a.gate};
}
template <class T>
[[nodiscard]] gru_backward_args<float> in_floats(const gru_backward_args<T>& a, floats_of_call<T>& f) {
  const recurrent_geometry g = a.operands.geometry(gru_gates);
  return {.operands = in_floats(a.operands, g, f),
          .reset = a.reset,
          .gates = f.read(a.gates, g.cells() * gru_args<float>::saved(a.reset)),
          .drecurrent_bias = f.made(a.drecurrent_bias, g.columns()),
          .gate = a.gate};
}

/// Runs the op on floats between conversions.
template <template <class> class Args, class T>
void run_in_floats(cuda_context& on, const Args<T>& a, void* workspace) {
  floats_of_call<T> floats(&on, workspace);
  const auto args = in_floats(a, floats);
  execute(on, args, floats.rest(workspace_bytes(on, args)));
  floats.store();
}
template <template <class> class Args, class T>
[[nodiscard]] std::size_t bytes_in_floats(cuda_context& on, const Args<T>& a) {
  floats_of_call<T> floats(nullptr, nullptr);
  const auto args = in_floats(a, floats);
  static_cast<void>(floats.rest(workspace_bytes(on, args)));
  return floats.bytes();
}

template <short_element T>
void execute(cuda_context& on, const rnn_args<T>& a, void* workspace) {
  run_in_floats(on, a, workspace);
}
template <short_element T>
[[nodiscard]] std::size_t workspace_bytes(cuda_context& on, const rnn_args<T>& a) {
  return bytes_in_floats(on, a);
}
template <short_element T>
void execute(cuda_context& on, const rnn_backward_args<T>& a, void* workspace) {
  run_in_floats(on, a, workspace);
}
template <short_element T>
[[nodiscard]] std::size_t workspace_bytes(cuda_context& on, const rnn_backward_args<T>& a) {
  return bytes_in_floats(on, a);
}
template <short_element T>
void execute(cuda_context& on, const lstm_args<T>& a, void* workspace) {
  run_in_floats(on, a, workspace);
}
template <short_element T>
[[nodiscard]] std::size_t workspace_bytes(cuda_context& on, const lstm_args<T>& a) {
  return bytes_in_floats(on, a);
}
template <short_element T>
void execute(cuda_context& on, const lstm_backward_args<T>& a, void* workspace) {
  run_in_floats(on, a, workspace);
}
template <short_element T>
[[nodiscard]] std::size_t workspace_bytes(cuda_context& on, const lstm_backward_args<T>& a) {
  return bytes_in_floats(on, a);
}
template <short_element T>
void execute(cuda_context& on, const projected_lstm_args<T>& a, void* workspace) {
  run_in_floats(on, a, workspace);
}
template <short_element T>
[[nodiscard]] std::size_t workspace_bytes(cuda_context& on, const projected_lstm_args<T>& a) {
  return bytes_in_floats(on, a);
}
template <short_element T>
void execute(cuda_context& on, const projected_lstm_backward_args<T>& a, void* workspace) {
  run_in_floats(on, a, workspace);
}
template <short_element T>
[[nodiscard]] std::size_t workspace_bytes(cuda_context& on, const projected_lstm_backward_args<T>& a) {
  return bytes_in_floats(on, a);
}
template <short_element T>
void execute(cuda_context& on, const gru_args<T>& a, void* workspace) {
  run_in_floats(on, a, workspace);
}
template <short_element T>
[[nodiscard]] std::size_t workspace_bytes(cuda_context& on, const gru_args<T>& a) {
  return bytes_in_floats(on, a);
}
template <short_element T>
void execute(cuda_context& on, const gru_backward_args<T>& a, void* workspace) {
  run_in_floats(on, a, workspace);
}
template <short_element T>
[[nodiscard]] std::size_t workspace_bytes(cuda_context& on, const gru_backward_args<T>& a) {
  return bytes_in_floats(on, a);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
