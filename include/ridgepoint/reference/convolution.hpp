// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <ridgepoint/ops/conv2d.hpp>
#include <ridgepoint/ops/depthwise_conv2d.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(n, o, f) ← act(Σ_taps Σ_c x(n, input of the tap, c)·w(tap, c, f) + bias(f) + residual(n, o, f)), summed in double;
/// x is 0 on padding, c a channel of the group of f.
template <scalar T>
void execute(const reference_backend&, const conv2d_args<T>& a) {
  using wide = accumulator_t<T>;
  const conv2d_geometry& g = a.geometry;
  detail::for_each_output(g, [&](index_t n, index_t output, auto&& taps) {
    for (index_t f = 0; f < g.f; ++f) {
      wide sum(0);
      const index_t first = f / g.group_f() * g.group_c();  // channel of x
      taps([&](index_t tap, index_t pixel) {
        for (index_t c = 0; c < g.group_c(); ++c) {
          const wide x = pixel < 0 ? wide(0) : wide(a.x[(n * g.h * g.w + pixel) * g.c + first + c]);
          sum = multiply_add(sum, x, wide(a.w[(tap * g.group_c() + c) * g.f + f]));
        }
      });
      if (a.bias != nullptr) sum = sum + wide(a.bias[f]);
      if (a.residual != nullptr) sum = sum + wide(a.residual[output * g.f + f]);
      a.y[output * g.f + f] = T(apply(a.act, sum, wide(a.slope)));
    }
  });
}

/// dx(n, input of the tap, c) += Σ_f dy(n, o, f)·w(tap, c, f) over the f of the group of c, summed in double; padding
/// is dropped.
template <scalar T>
void execute(const reference_backend&, const conv2d_backward_data_args<T>& a) {
  using wide = accumulator_t<T>;
  const conv2d_geometry& g = a.geometry;
  std::vector<wide> dx(static_cast<std::size_t>(g.input_size()), wide(0));
  detail::for_each_output(g, [&](index_t n, index_t output, auto&& taps) {
    taps([&](index_t tap, index_t pixel) {
      for (index_t c = 0; c < g.c; ++c) {
        wide dropped(0);
        wide& sum = pixel < 0 ? dropped : dx[static_cast<std::size_t>((n * g.h * g.w + pixel) * g.c + c)];
        const index_t first = c / g.group_c() * g.group_f(), line = tap * g.group_c() + c % g.group_c();
        for (index_t f = first; f < first + g.group_f(); ++f)
          sum = multiply_add(sum, wide(a.dy[output * g.f + f]), wide(a.w[line * g.f + f]));
      }
    });
  });
  for (index_t i = 0; i < g.input_size(); ++i) a.dx[i] = T(dx[static_cast<std::size_t>(i)]);
}

/// dw(tap, c, f) ← Σ_n Σ_o x(n, input of the tap, c)·dy(n, o, f), db(f) ← Σ_n Σ_o dy(n, o, f), summed in double; c
/// counts the channels of the group of f.
template <scalar T>
void execute(const reference_backend&, const conv2d_backward_weights_args<T>& a) {
  using wide = accumulator_t<T>;
  const conv2d_geometry& g = a.geometry;
  std::vector<wide> dw(static_cast<std::size_t>(g.filter_size()), wide(0)), db(static_cast<std::size_t>(g.f), wide(0));
  detail::for_each_output(g, [&](index_t n, index_t output, auto&& taps) {
    taps([&](index_t tap, index_t pixel) {
      for (index_t c = 0; c < g.group_c(); ++c)
        for (index_t f = 0; f < g.f; ++f) {
          const index_t channel = f / g.group_f() * g.group_c() + c;
          const wide x = pixel < 0 ? wide(0) : wide(a.x[(n * g.h * g.w + pixel) * g.c + channel]);
          wide& sum = dw[static_cast<std::size_t>((tap * g.group_c() + c) * g.f + f)];
          sum = multiply_add(sum, x, wide(a.dy[output * g.f + f]));
        }
    });
    for (index_t f = 0; a.db != nullptr && f < g.f; ++f) {
      wide& sum = db[static_cast<std::size_t>(f)];
      sum = sum + wide(a.dy[output * g.f + f]);
    }
  });
  for (index_t i = 0; i < g.filter_size(); ++i) a.dw[i] = T(dw[static_cast<std::size_t>(i)]);
  for (index_t f = 0; a.db != nullptr && f < g.f; ++f) a.db[f] = T(db[static_cast<std::size_t>(f)]);
}

/// y(n, o, f) ← Σ_taps x(n, input of the tap, f / multiplier)·w(tap, f) + bias(f), summed in double; x is 0 on padding.
template <scalar T>
void execute(const reference_backend&, const depthwise_conv2d_args<T>& a) {
  using wide = accumulator_t<T>;
  const depthwise_geometry& g = a.geometry;
  detail::for_each_output(g, [&](index_t n, index_t output, auto&& taps) {
    for (index_t f = 0; f < g.f(); ++f) {
      wide sum(0);
      taps([&](index_t tap, index_t pixel) {
        const wide x = pixel < 0 ? wide(0) : wide(a.x[(n * g.h * g.w + pixel) * g.c + f / g.multiplier]);
        sum = multiply_add(sum, x, wide(a.w[tap * g.f() + f]));
      });
      if (a.bias != nullptr) sum = sum + wide(a.bias[f]);
      a.y[output * g.f() + f] = T(sum);
    }
  });
}

/// dx(n, input of the tap, f / multiplier) += dy(n, o, f)·w(tap, f), summed in double; padding is dropped.
template <scalar T>
void execute(const reference_backend&, const depthwise_conv2d_backward_data_args<T>& a) {
  using wide = accumulator_t<T>;
  const depthwise_geometry& g = a.geometry;
  std::vector<wide> dx(static_cast<std::size_t>(g.input_size()), wide(0));
  detail::for_each_output(g, [&](index_t n, index_t output, auto&& taps) {
    taps([&](index_t tap, index_t pixel) {
      for (index_t f = 0; f < g.f(); ++f) {
        wide dropped(0);
        const index_t at = (n * g.h * g.w + pixel) * g.c + f / g.multiplier;
        wide& sum = pixel < 0 ? dropped : dx[static_cast<std::size_t>(at)];
        sum = multiply_add(sum, wide(a.dy[output * g.f() + f]), wide(a.w[tap * g.f() + f]));
      }
    });
  });
  for (index_t i = 0; i < g.input_size(); ++i) a.dx[i] = T(dx[static_cast<std::size_t>(i)]);
}

/// dw(tap, f) ← Σ_n Σ_o x(n, input of the tap, f / multiplier)·dy(n, o, f), db(f) ← Σ_n Σ_o dy(n, o, f), summed in
/// double.
template <scalar T>
void execute(const reference_backend&, const depthwise_conv2d_backward_weights_args<T>& a) {
  using wide = accumulator_t<T>;
  const depthwise_geometry& g = a.geometry;
  std::vector<wide> dw(static_cast<std::size_t>(g.filter_size()), wide(0));
  std::vector<wide> db(static_cast<std::size_t>(g.f()), wide(0));
  detail::for_each_output(g, [&](index_t n, index_t output, auto&& taps) {
    taps([&](index_t tap, index_t pixel) {
      for (index_t f = 0; f < g.f(); ++f) {
        const wide x = pixel < 0 ? wide(0) : wide(a.x[(n * g.h * g.w + pixel) * g.c + f / g.multiplier]);
        wide& sum = dw[static_cast<std::size_t>(tap * g.f() + f)];
        sum = multiply_add(sum, x, wide(a.dy[output * g.f() + f]));
      }
    });
    for (index_t f = 0; a.db != nullptr && f < g.f(); ++f) {
      wide& sum = db[static_cast<std::size_t>(f)];
      sum = sum + wide(a.dy[output * g.f() + f]);
    }
  });
  for (index_t i = 0; i < g.filter_size(); ++i) a.dw[i] = T(dw[static_cast<std::size_t>(i)]);
  for (index_t f = 0; a.db != nullptr && f < g.f(); ++f) a.db[f] = T(db[static_cast<std::size_t>(f)]);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
