// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/lstm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// An LSTM whose state is a projection of its cell outputs (Sak et al., 2014; proj_size of PyTorch): c(t) and h(t) as
/// in lstm(), from x(t)·wx + r(t − 1)·wh + bias; r(t) ← h(t)·wp, y(t) ← r(t). wh is (p, 4·units), p being the width of
/// y; h0 and last are states, (n, p).
template <scalar T>
struct projected_lstm_args {
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

/// Throws: as projected_lstm() of ops/projected_lstm_views.hpp.
template <scalar T>
void check(const projected_lstm_args<T>& a) {
  require<shape_error>((a.c == nullptr) == (a.gates == nullptr) && (a.c == nullptr) == (a.h == nullptr),
                       "projected_lstm: some of c, gates and h are null pointers; must be all or none");
  detail::check_gate("projected_lstm", a.gate);
  detail::check_projection("projected_lstm", a.geometry());
  detail::check_recurrent("projected_lstm", a.operands, a.geometry());
  check_operands("projected_lstm", a);
}
/// Throws: as projected_lstm_backward().
template <scalar T>
void check(const projected_lstm_backward_args<T>& a) {
  detail::check_gate("projected_lstm_backward", a.gate);
  detail::check_projection("projected_lstm_backward", a.geometry());
  detail::check_recurrent("projected_lstm_backward", a.operands, a.geometry());
  check_operands("projected_lstm_backward", a);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
