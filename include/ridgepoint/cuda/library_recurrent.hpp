// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include <ridgepoint/cuda/runtime/kernel.hpp>
#include <ridgepoint/cuda/runtime/kernels.hpp>
#include <ridgepoint/cuda/runtime/lt_matmul.hpp>
#include <ridgepoint/cuda/runtime/recurrent_library.hpp>
#include <ridgepoint/ops/gru.hpp>
#include <ridgepoint/ops/lstm.hpp>
#include <ridgepoint/ops/rnn.hpp>

/// \file
/// Recurrent layers by cuDNN: an LSTM, a GRU with reset after the product, a plain layer with tanh or relu; without a
/// mask, with sigmoid gates. The cells of cuda/recurrent.hpp compute everything else.
///
/// cuDNN's forward pass saves data for its backward pass in its own format and size, for which our ops have no memory:
/// it is neither c nor gates. So the backward pass repeats the forward pass in its workspace: a quarter of the training
/// time. The repetition needs the biases, which are not among the arguments of the backward op. Where our own cells
/// save gates, the forward pass by cuDNN saves the biases, in the first 4·units values; it writes nothing to c. So both
/// passes must use the same implementation: what decides it is known to both of them, and is an option of the backend.
/// The backward pass of a plain layer, which saves only y, needs no more and is computed by our own cells.
///
/// cuDNN's sequences have steps outermost: any other layout is copied. The weights are copied in every call.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Arguments of a forward pass by a library, for any cell.
template <class T>
struct library_forward {
  library_cell cell;
  recurrent<T> operands;
  const T* state_bias = nullptr;
  const T* c0 = nullptr;
  T* last_c = nullptr;
  T* kept = nullptr;
};
/// Arguments of a backward pass by a library, for any cell.
template <class T>
struct library_backward {
  library_cell cell;
  recurrent_backward<T> operands;
  T* dstate_bias = nullptr;
  const T *c0 = nullptr, *dlast_c = nullptr;
  T* dc0 = nullptr;
  const T* kept = nullptr;
};

/// Returns a call as a library call; nothing if no library has such a cell.
template <class T>
[[nodiscard]] std::optional<library_forward<T>> library_call_of(const rnn_args<T>& a) noexcept {
  if (a.act != activation::tanh && a.act != activation::relu) return std::nullopt;
  return library_forward<T>{a.act == activation::tanh ? library_cell::tanh : library_cell::relu, a.operands};
}
template <class T>
[[nodiscard]] std::optional<library_forward<T>> library_call_of(const lstm_args<T>& a) noexcept {
  if (a.gate != activation::sigmoid) return std::nullopt;
  return library_forward<T>{library_cell::lstm, a.operands, nullptr, a.c0, a.last_c, a.gates};
}
template <class T>
[[nodiscard]] std::optional<library_forward<T>> library_call_of(const gru_args<T>& a) noexcept {
  if (a.gate != activation::sigmoid || a.reset != gru_reset::after) return std::nullopt;
  return library_forward<T>{library_cell::gru, a.operands, a.recurrent_bias, nullptr, nullptr, a.gates};
}
template <class T>
[[nodiscard]] std::optional<library_backward<T>> library_call_of(const lstm_backward_args<T>& a) noexcept {
  if (a.gate != activation::sigmoid) return std::nullopt;
  return library_backward<T>{library_cell::lstm, a.operands, nullptr, a.c0, a.dlast_c, a.dc0, a.gates};
}
template <class T>
[[nodiscard]] std::optional<library_backward<T>> library_call_of(const gru_backward_args<T>& a) noexcept {
  if (a.gate != activation::sigmoid || a.reset != gru_reset::after) return std::nullopt;
  return library_backward<T>{library_cell::gru, a.operands, a.drecurrent_bias, nullptr, nullptr, nullptr, a.gates};
}

template <class T>
[[nodiscard]] recurrent_problem problem_of(library_cell cell, const sequence_view<const T>& x, index_t units) noexcept {
  return {.cell = cell,
          .is_double = std::is_same_v<T, double>,
          .steps = x.steps,
          .n = x.batch,
          .in = x.width,
          .units = units};
}
/// A library plan and the call it computes; the plan is null if our own cells compute the call.
template <class Call>
struct planned_recurrent {
  decltype(std::declval<recurrent_library&>().find({})) plan = nullptr;
  Call call = {};

  explicit operator bool() const noexcept { return plan != nullptr; }
};
template <class Args>
[[nodiscard]] auto recurrent_plan_of(cuda_context& on, const Args& a) {
  const auto call = library_call_of(a);
  planned_recurrent<std::remove_cvref_t<decltype(*call)>> found;
  if (!call || !on.may_use_library_cells() || call->operands.mask.data != nullptr || call->operands.x.batch == 0)
    return found;
  recurrent_problem p = problem_of(call->cell, call->operands.x, call->operands.y.width);
  p.may_use_tensor_floats = on.may_use_tensor_floats();
  found.plan = on.kept<recurrent_library>().find(p);
  found.call = *call;
  return found;
}

/// A sequence in the library's layout, steps outermost and without gaps: the caller's memory if it has that layout,
/// otherwise a copy in the workspace.
template <class T>
class dense_sequence {
  using value = std::remove_const_t<T>;

 public:
  /// Requires: the extents equal the extents of v if v has data.
  dense_sequence(const sequence_view<T>& v, index_t steps, index_t n, index_t width, pieces& from)
      : v_{v.data, steps, n, width, v.step_stride, v.sample_stride},
        own_(lies_so() ? nullptr : from.take<value>(v_.size())) {}
  [[nodiscard]] T* data() const noexcept { return own_ == nullptr ? v_.data : own_; }

  /// Writes zeros if the sequence has no data.
  void read(cuda_context& on) const {
    if (own_ != nullptr) copy(on, v_.data, v_.step_stride, v_.sample_stride, own_, v_.batch * v_.width, v_.width);
  }
  void write(cuda_context& on) const {
    if (own_ != nullptr && v_.data != nullptr)
      copy(on, own_, v_.batch * v_.width, v_.width, v_.data, v_.step_stride, v_.sample_stride);
  }

 private:
  [[nodiscard]] bool lies_so() const noexcept {
    constexpr unsigned aligned = 16;
    return v_.data != nullptr && alignment_of(v_.data) >= aligned && (v_.batch == 1 || v_.sample_stride == v_.width) &&
           (v_.steps == 1 || v_.step_stride == v_.batch * v_.width);
  }
  void copy(cuda_context& on, const value* from, index_t from_step, index_t from_sample, value* to, index_t to_step,
            index_t to_sample) const {
    on.launch(library_recurrent_kernels<value>::copy_sequence, on.loop(v_.size()), v_.steps, v_.batch, v_.width, from,
              from_step, from_sample, to, to_step, to_sample);
  }

  sequence_view<T> v_;
  value* own_;
};

/// Returns weights with addresses: address_of(weight) is the address of the first value of each.
template <class T, class AddressOf>
[[nodiscard]] placed_weights<T> place(const std::vector<library_weight>& all, const AddressOf& address_of) {
  placed_weights<T> placed{.count = static_cast<index_t>(all.size()), .each = {}};
  auto* to = placed.each;
  for (const library_weight& w : all) *to++ = {address_of(w), w.offset, w.rows, w.cols, w.row_stride, w.col_stride};
  return placed;
}
/// Returns values + first; null stays null.
template <class T>
[[nodiscard]] constexpr T* value_at(T* values, index_t first) noexcept {
  return values == nullptr ? nullptr : values + first;
}

/// Packs weights. biases: the bias of a plain layer; otherwise the output of keep_biases(), where only a GRU's n has a
/// bias of the product with the state.
template <class T, class Operands>
void pack_weights(cuda_context& on, library_cell cell, const std::vector<library_weight>& all, const Operands& o,
                  const T* biases, T* space) {
  const index_t units = o.y.width;
  const auto address = [&](const library_weight& w) {
    const bool has_state_bias = cell == library_cell::gru && w.first == 2 * units;
    const T* const of[] = {o.wx, o.wh, biases, has_state_bias ? biases + units : nullptr};
    return value_at(of[static_cast<int>(w.whose)], w.first);
  };
  on.launch(library_recurrent_kernels<T>::pack_weights, on.loop(units * (o.x.width + units)),
            place<const T>(all, address), space);
}

/// The workspace of a forward pass by a library; also the first part of the workspace of a backward pass.
template <class T>
struct library_memory {
  pieces from;
  dense_sequence<const T> x;
  dense_sequence<T> y;
  T *weights, *biases;
  std::byte* workspace;

  template <class Plan>
  library_memory(const Plan& plan, const sequence_view<const T>& input, const sequence_view<T>& output, index_t units,
                 void* all)
      : from(all),
        x(input, input.steps, input.batch, input.width, from),
        y(output, input.steps, input.batch, units, from),
        weights(from.take<T>(values_in(plan.weight_bytes()))),
        biases(from.take<T>(4 * units)),
        workspace(from.take<std::byte>(static_cast<index_t>(plan.workspace_bytes()))) {}

  [[nodiscard]] static index_t values_in(std::size_t bytes) noexcept {
    return ceil_div(static_cast<index_t>(bytes), static_cast<index_t>(sizeof(T)));
  }
};
template <class T, class Plan>
[[nodiscard]] library_memory<T> memory_of(const Plan& plan, const library_forward<T>& a, void* workspace) {
  return {plan, a.operands.x, a.operands.y, a.operands.y.width, workspace};
}

template <class T, class Plan>
void run_planned(cuda_context& on, Plan& plan, const library_forward<T>& a, void* workspace) {
  const library_memory<T> m = memory_of(plan, a, workspace);
  const recurrent<T>& o = a.operands;
  const bool is_plain = a.cell == library_cell::tanh || a.cell == library_cell::relu;
  T* const biases = a.kept != nullptr ? a.kept : m.biases;
  if (!is_plain)
    on.launch(library_recurrent_kernels<T>::keep_biases, on.loop(4 * o.y.width), o.y.width,
              problem_of(a.cell, o.x, o.y.width).gates(), o.bias, a.state_bias, biases);
  m.x.read(on);
  const auto pack = [&](const std::vector<library_weight>& weights) {
    pack_weights<T>(on, a.cell, weights, o, is_plain ? o.bias : biases, m.weights);
  };
  if (on.rehearses()) pack({});
  else
    plan.forward({.x = m.x.data(),
                  .h0 = o.h0,
                  .c0 = a.c0,
                  .y = m.y.data(),
                  .last = o.last,
                  .last_c = a.last_c,
                  .weights = m.weights,
                  .workspace = m.workspace,
                  .reserve = nullptr},
                 pack);
  m.y.write(on);
}

/// The workspace of a backward pass by a library; its y is the output of the repeated forward pass.
template <class T>
struct library_backward_memory : library_memory<T> {
  dense_sequence<const T> dy;
  dense_sequence<T> dx;
  T* dweights;
  std::byte* reserve;

  template <class Plan>
  library_backward_memory(const Plan& plan, const recurrent_backward<T>& o, void* all)
      : library_memory<T>(plan, o.x, {}, o.y.width, all),
        dy(o.dy, o.x.steps, o.x.batch, o.y.width, this->from),
        dx(o.dx, o.x.steps, o.x.batch, o.x.width, this->from),
        dweights(this->from.template take<T>(this->values_in(plan.weight_bytes()))),
        reserve(this->from.template take<std::byte>(static_cast<index_t>(plan.reserve_bytes()))) {}
};
template <class T, class Plan>
[[nodiscard]] library_backward_memory<T> memory_of(const Plan& plan, const library_backward<T>& a, void* workspace) {
  return {plan, a.operands, workspace};
}

template <class T, class Plan>
void run_planned(cuda_context& on, Plan& plan, const library_backward<T>& a, void* workspace) {
  using kernels = library_recurrent_kernels<T>;
  const library_backward_memory<T> m = memory_of(plan, a, workspace);
  const recurrent_backward<T>& o = a.operands;
  const index_t units = o.y.width, values = m.values_in(plan.weight_bytes());
  m.x.read(on);
  m.dy.read(on);
  const auto pack = [&](const std::vector<library_weight>& weights) {
    pack_weights<T>(on, a.cell, weights, o, a.kept, m.weights);
  };
  const auto clear = [&] { on.launch(sequence_kernels<T>::zeros, on.loop(values), values, m.dweights); };
  const auto unpack = [&](const std::vector<library_weight>& weights) {
    const auto address = [&](const library_weight& w) {
      T* const of[] = {o.dwx, o.dwh, o.db, a.dstate_bias};
      return value_at(of[static_cast<int>(w.whose)], w.first);
    };
    on.launch(kernels::unpack_weights, on.loop(units * (o.x.width + units)), place<T>(weights, address), m.dweights);
  };
  if (on.rehearses()) {
    pack({});
    clear();
    unpack({});
  } else {
    plan.backward({.x = m.x.data(),
                   .h0 = o.h0,
                   .c0 = a.c0,
                   .y = m.y.data(),
                   .last = nullptr,
                   .last_c = nullptr,
                   .weights = m.weights,
                   .workspace = m.workspace,
                   .reserve = m.reserve},
                  {.dy = m.dy.data(),
                   .dlast = o.dlast,
                   .dlast_c = a.dlast_c,
                   .dx = m.dx.data(),
                   .dh0 = o.dh0,
                   .dc0 = a.dc0,
                   .dweights = m.dweights},
                  pack, clear, unpack);
  }
  m.dx.write(on);
}

/// Runs the call by a library if one has a plan; returns whether it did.
template <class Args>
[[nodiscard]] bool is_run_by_library(cuda_context& on, const Args& a, void* workspace) {
  const auto found = recurrent_plan_of(on, a);
  if (found) run_planned(on, *found.plan, found.call, workspace);
  return static_cast<bool>(found);
}
/// Returns the workspace size of a call by a library; nothing if our own cells compute it.
template <class Args>
[[nodiscard]] std::optional<std::size_t> library_workspace_bytes(cuda_context& on, const Args& a) {
  const auto found = recurrent_plan_of(on, a);
  if (!found) return std::nullopt;
  return memory_of(*found.plan, found.call, nullptr).from.bytes();
}

/// Returns the name of the implementation that computes a recurrent layer's call.
template <class Args>
  requires requires(const Args& a) { library_call_of(a); }
[[nodiscard]] const char* algorithm_of(cuda_context& on, const Args& a) {
  return recurrent_plan_of(on, a) ? "cudnn" : "own";
}
/// Returns the matrix FLOP of a library's backward pass beyond the definition: a forward pass, and dx even if it is not
/// requested.
template <class Args>
  requires requires(const Args& a) { library_call_of(a)->dstate_bias; }
[[nodiscard]] std::uint64_t more_matrix_flop(cuda_context& on, const Args& a) {
  const auto found = recurrent_plan_of(on, a);
  if (!found) return 0;
  const recurrent_problem p = problem_of(found.call.cell, a.operands.x, a.operands.y.width);
  const recurrent_geometry g = a.operands.geometry(p.gates());
  const index_t of_dx = a.operands.dx.data == nullptr ? g.cells() * g.gates * g.in : 0;
  return 2 * static_cast<std::uint64_t>(g.macs() + of_dx);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
