// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/ops/lstm.hpp>
#include <ridgepoint/ops/recurrent.hpp>

/// \file
/// projected_lstm of sequences with extents, like lstm(). y has the width p of wp (units, p); wh is
/// (p, 4·units), h0 and last are (n, p), other operands of the cells have units.
namespace ridgepoint::inline RIDGEPOINT_ABI {

/// An LSTM whose state is a projection of its cell outputs (Sak et al., 2014; proj_size of PyTorch): c(t) and h(t) as
/// in lstm(), from x(t)·wx + r(t − 1)·wh + bias; r(t) ← h(t)·wp, y(t) ← r(t). wh is (p, 4·units), p being the width of
/// y; h0 and last are states, (n, p).
template <scalar T>
struct projected_lstm_args {
  static constexpr std::string_view name = "projected_lstm";
  static constexpr product_kind product = product_kind::dense;
  recurrent<T> operands = {};
  index_t units = 0;
  const T* wp = nullptr;                  // (units, p)
  const T* c0 = nullptr;                  // (n, units); null: zeros
  T* c = nullptr;                         // (steps, n, units) } for the backward pass;
  T* gates = nullptr;                     // (steps, n, 4·units) } all or none
  T* h = nullptr;                         // (steps, n, units) }
  T* last_c = nullptr;                    // (n, units), the last step's c; null: not written
  activation gate = activation::sigmoid;  // or hard_sigmoid

  [[nodiscard]] constexpr recurrent_geometry geometry() const noexcept {
    return operands.geometry(lstm_gates).projected_from(units);
  }
};

/// The gradients of projected_lstm() for x, wx, wh, wp, bias, h0 and c0, through time.
template <scalar T>
struct projected_lstm_backward_args {
  static constexpr std::string_view name = "projected_lstm_backward";
  static constexpr product_kind product = product_kind::dense;
  recurrent_backward<T> operands = {};
  index_t units = 0;
  const T* wp = nullptr;
  const T* c0 = nullptr;
  const T* c = nullptr;  // as written by projected_lstm()
  const T* gates = nullptr;
  const T* h = nullptr;
  T* dwp = nullptr;            // (units, p)
  T* dc0 = nullptr;            // (n, units); null: not written
  const T* dlast_c = nullptr;  // (n, units), gradient of last_c; null: zeros
  activation gate = activation::sigmoid;

  [[nodiscard]] constexpr recurrent_geometry geometry() const noexcept {
    return operands.geometry(lstm_gates).projected_from(units);
  }
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const projected_lstm_args<T>& a) noexcept {
  const recurrent_geometry g = a.geometry();
  return detail::recurrent_operands(
      a.operands, g,
      std::array{operand::weight("wp", a.wp, g.units, g.projected).counting_if(g.cells() > 0),
                 operand::input("c0", a.c0, g.n, g.units).optional()},
      std::array{operand::output("c", a.c, g.steps, g.n, g.units).optional(),
                 operand::output("gates", a.gates, g.steps, g.n, g.columns()).optional(),
                 operand::output("h", a.h, g.steps, g.n, g.units).optional(),
                 operand::output("last_c", a.last_c, g.n, g.units).optional()});
}
template <scalar T>
[[nodiscard]] constexpr auto operands(const projected_lstm_backward_args<T>& a) noexcept {
  const recurrent_geometry g = a.geometry();
  return detail::recurrent_operands(
      a.operands, g, g.steps - 1,
      std::array{operand::weight("wp", a.wp, g.units, g.projected).counting_if(g.cells() > 0),
                 operand::input("c", a.c, g.steps, g.n, g.units),
                 operand::input("gates", a.gates, g.steps, g.n, g.columns()),
                 operand::input("h", a.h, g.steps, g.n, g.units), operand::input("c0", a.c0, g.n, g.units).optional(),
                 operand::input("dlast_c", a.dlast_c, g.n, g.units).optional()},
      std::array{operand::output("dwp", a.dwp, g.units, g.projected),
                 operand::output("dc0", a.dc0, g.n, g.units).optional()});
}

/// Receipt of projected_lstm(): that of lstm() with a state of p, and the product with wp; writes c, gates and h if
/// requested.
template <scalar T>
[[nodiscard]] constexpr work receipt(const projected_lstm_args<T>& a) noexcept {
  const recurrent_geometry g = a.geometry();
  const auto cells = static_cast<std::uint64_t>(g.cells());
  return detail::recurrent_arithmetic(a.operands, g) + activation_arithmetic(a.gate, 3 * cells) +
         work{.flop = 4 * cells, .special = 2 * cells, .bytes = traffic_of(operands(a))};
}
/// Receipt of projected_lstm_backward(): that of lstm_backward() with a state of p, and the products for dwp and for
/// the gradient of h; reads c, gates and h.
template <scalar T>
[[nodiscard]] constexpr work receipt(const projected_lstm_backward_args<T>& a) noexcept {
  const recurrent_geometry g = a.geometry();
  const auto cells = static_cast<std::uint64_t>(g.cells());
  return detail::recurrent_arithmetic(a.operands, g) +
         work{.flop = 22 * cells, .special = cells, .bytes = traffic_of(operands(a))};
}

namespace detail {
/// Throws: shape_error unless units and the projected width are positive.
inline void check_projection(std::string_view op, const recurrent_geometry& g) {
  require<shape_error>(g.units > 0 && g.projected > 0, op, ": units is ", g.units, ", y has width ", g.projected,
                       "; both must be > 0");
}
}  // namespace detail

/// Throws: as projected_lstm().
template <scalar T>
void check(const projected_lstm_args<T>& a) {
  require<shape_error>((a.c == nullptr) == (a.gates == nullptr) && (a.c == nullptr) == (a.h == nullptr),
                       "projected_lstm: some of c, gates and h are null pointers; must be all or none");
  detail::check_gate("projected_lstm", a.gate);
  detail::check_projection("projected_lstm", a.geometry());
  detail::check_recurrent("projected_lstm", a.operands, a.geometry());
  check_operands(a);
}
/// Throws: as projected_lstm_backward().
template <scalar T>
void check(const projected_lstm_backward_args<T>& a) {
  detail::check_gate("projected_lstm_backward", a.gate);
  detail::check_projection("projected_lstm_backward", a.geometry());
  detail::check_recurrent("projected_lstm_backward", a.operands, a.geometry());
  check_operands(a);
}

/// Optional inputs and outputs of projected_lstm() in addition to y.
template <class T>
struct projected_lstm_options {
  tensor_view<const T, 2> h0 = {};               // (n, p); null: zeros
  tensor_view<const T, 2> c0 = {};               // (n, units); null: zeros
  tensor_view<T, 2> last = {};                   // (n, p): y of the last step
  tensor_view<T, 3> c = {}, gates = {}, h = {};  // (steps, n, units), (steps, n, 4·units) and (steps, n, units) for the
                                                 // backward pass: all or none
  tensor_view<T, 2> last_c = {};                 // (n, units): c of the last step
  tensor_view<const std::int32_t, 2> mask = {};                   // (steps, n), as sequence_mask
  ridgepoint::activation gate = ridgepoint::activation::sigmoid;  // or hard_sigmoid
  [[no_unique_address]] named_gate activation = {};
};
/// Optional inputs and outputs of projected_lstm_backward() in addition to dwx, dwh and dwp.
template <class T>
struct projected_lstm_backward_options {
  tensor_view<const T, 2> h0 = {}, c0 = {}, dlast = {};           // as in projected_lstm(); the gradient of last
  tensor_view<T, 3> dx = {};                                      // like x
  tensor_view<T, 1> db = {};                                      // 4·units
  tensor_view<T, 2> dh0 = {}, dc0 = {};                           // like h0 and c0
  tensor_view<const T, 2> dlast_c = {};                           // the gradient of last_c
  tensor_view<const std::int32_t, 2> mask = {};                   // as in projected_lstm()
  ridgepoint::activation gate = ridgepoint::activation::sigmoid;  // or hard_sigmoid
  [[no_unique_address]] named_gate activation = {};
};

namespace detail {

/// Checks the operands of a projected LSTM against its extents, taken from x, the width of y, and the units of wp.
struct projected_lstm_checks : recurrent_checks {
  template <class E, class Y>
  projected_lstm_checks(std::string_view op_, const tensor_view<const E, 3>& x, const tensor_view<Y, 3>& y,
                        const matrix_view<const E>& wp)
      : recurrent_checks(
            op_, extents_of(op_, {x.extents[0], x.extents[1], x.extents[2], y.extents[2], lstm_gates}, wp.rows)) {}
  template <class T>
  [[nodiscard]] T* projection(std::string_view name, const matrix_view<T>& v) const {
    return data_of(op, name, tensor_view<T, 2>(v), {g.units, g.projected});
  }

 private:
  [[nodiscard]] static recurrent_geometry extents_of(std::string_view op, const recurrent_geometry& state,
                                                     index_t units) {
    const recurrent_geometry g = state.projected_from(units);
    check_projection(op, g);
    return g;
  }
};

}  // namespace detail

/// y(t) ← r(t) = h(t)·wp of a long short-term memory whose state is r, step after step; last ← r of the last step. c,
/// gates and h, if requested, are the inputs of the backward pass: c(t), i, f, g, o after their activations, and h(t).
/// Next: reference/recurrent.hpp is the definition, ops/projected_lstm.hpp the operands.
/// Work: 2·steps·n·units·(4·(in + p) + p) matrix FLOP; see receipt().
/// Throws: shape_error for mismatched extents, no step, a null pointer, operands that overlap; value_error for gates of
/// another function.
/// Example:
///   rp::projected_lstm(on, x, wx, wh, wp, bias, y, {.c = c, .gates = gates, .h = h});
template <class Backend, class C, class E = tensor_element<C, 3>>
work projected_lstm(const Backend& on, const tensor_in<E, 3>& x, const matrix_in<E>& wx, const matrix_in<E>& wh,
                    const matrix_in<E>& wp, view_of<const E, 1> bias, C&& y,
                    const std::type_identity_t<projected_lstm_options<E>>& options = {}) {
  static_assert(runs<Backend, projected_lstm_args<E>, E>,
                "projected_lstm: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>,
                "projected_lstm: y must be a mutable sequence of float or double: a tensor or a view");
  const tensor_view<E, 3> to = tensor_output<E, 3>(y);
  const detail::projected_lstm_checks g("projected_lstm", x, to, wp);
  return detail::run_checked<E>(on,
                                projected_lstm_args<E>{.operands = g.template forward<E>(x, wx, wh, bias, to, options),
                                                       .units = g.g.units,
                                                       .wp = g.projection("wp", wp),
                                                       .c0 = g.cell_state("c0", options.c0),
                                                       .c = g.cells("c", options.c, 1),
                                                       .gates = g.cells("gates", options.gates, lstm_gates),
                                                       .h = g.cells("h", options.h, 1),
                                                       .last_c = g.cell_state("last_c", options.last_c),
                                                       .gate = options.gate});
}

/// The gradients of projected_lstm() from y, c, gates, h and dy.
/// Work: see receipt(). Throws: as projected_lstm().
/// Example:
///   rp::projected_lstm_backward(on, x, wx, wh, wp, y, c, gates, h, dy, dwx, dwh, dwp, {.dx = dx, .db = db});
template <class Backend, class C, class D, class P, class E = matrix_element<C, deduced>>
work projected_lstm_backward(const Backend& on, const tensor_in<E, 3>& x, const matrix_in<E>& wx,
                             const matrix_in<E>& wh, const matrix_in<E>& wp, const tensor_in<E, 3>& y,
                             const tensor_in<E, 3>& c, const tensor_in<E, 3>& gates, const tensor_in<E, 3>& h,
                             const tensor_in<E, 3>& dy, C&& dwx, D&& dwh, P&& dwp,
                             const std::type_identity_t<projected_lstm_backward_options<E>>& options = {}) {
  static_assert(runs<Backend, projected_lstm_backward_args<E>, E>,
                "projected_lstm_backward: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E> && (std::same_as<E, refused> || (std::same_as<E, matrix_element<D, deduced>> &&
                                                                        std::same_as<E, matrix_element<P, deduced>>)),
                "projected_lstm_backward: dwx, dwh and dwp must be mutable matrices of float or double: tensors or "
                "matrix_views");
  const detail::projected_lstm_checks g("projected_lstm_backward", x, y, wp);
  return detail::run_checked<E>(
      on, projected_lstm_backward_args<E>{.operands = g.template backward<E>(x, wx, wh, y, dy, matrix_output<E>(dwx),
                                                                             matrix_output<E>(dwh), options),
                                          .units = g.g.units,
                                          .wp = g.projection("wp", wp),
                                          .c0 = g.cell_state("c0", options.c0),
                                          .c = g.cells("c", c, 1),
                                          .gates = g.cells("gates", gates, lstm_gates),
                                          .h = g.cells("h", h, 1),
                                          .dwp = g.projection("dwp", matrix_output<E>(dwp)),
                                          .dc0 = g.cell_state("dc0", options.dc0),
                                          .dlast_c = g.cell_state("dlast_c", options.dlast_c),
                                          .gate = options.gate});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
