// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/ops/activate.hpp>
#include <ridgepoint/ops/adam.hpp>
#include <ridgepoint/ops/conv2d.hpp>
#include <ridgepoint/ops/dense.hpp>
#include <ridgepoint/ops/gemm.hpp>
#include <ridgepoint/ops/lstm.hpp>
#include <ridgepoint/ops/max_pool2d.hpp>

/// \file
/// The timed ops, each written once for every number type. sizes() returns the lengths of an op's arrays, args() the
/// arguments of its execute(). part(n) is the op on the first n of its rows or images, whose results are the first of
/// the full op. `sums`: results are sums, whose terms may cancel.
namespace flags {

using ridgepoint::index_t;

/// Arrays that an op reads and writes: NaN and infinities are planted in x, y is compared with the definition.
template <class T>
struct arrays {
  std::vector<T> x, w, u, bias, y, state;
  ridgepoint::step_state step{.learning_rate = 1e-3};
};
struct array_sizes {
  index_t x = 0, w = 0, u = 0, bias = 0, y = 0, state = 0;
};

struct gemm_op {
  index_t m, n, k;
  static constexpr bool sums = true;
  [[nodiscard]] std::string name() const { return ridgepoint::concat("gemm/", m, 'x', n, 'x', k); }
  [[nodiscard]] array_sizes sizes() const { return {.x = m * k, .w = k * n, .y = m * n}; }
  [[nodiscard]] gemm_op part(index_t rows) const { return {rows, n, k}; }
  template <class T>
  [[nodiscard]] auto args(arrays<T>& a) const {
    return ridgepoint::gemm_args<T>{.a = {a.x.data(), m, k}, .b = {a.w.data(), k, n}, .c = {a.y.data(), m, n}};
  }
};

struct dense_op {
  index_t n, in, out;
  static constexpr bool sums = true;
  [[nodiscard]] std::string name() const { return ridgepoint::concat("dense/", n, 'x', in, 'x', out); }
  [[nodiscard]] array_sizes sizes() const { return {.x = n * in, .w = in * out, .bias = out, .y = n * out}; }
  [[nodiscard]] dense_op part(index_t rows) const { return {rows, in, out}; }
  template <class T>
  [[nodiscard]] auto args(arrays<T>& a) const {
    return ridgepoint::dense_args<T>{.x = {a.x.data(), n, in},
                                     .w = {a.w.data(), in, out},
                                     .bias = a.bias.data(),
                                     .y = {a.y.data(), n, out},
                                     .act = ridgepoint::activation::relu};
  }
};

/// Named as in shapes/conv_3x3.csv: images, edge, channels, filters, window, stride.
struct conv2d_op {
  index_t n, size, c, f, window;
  static constexpr bool sums = true;
  [[nodiscard]] ridgepoint::conv2d_geometry geometry() const {
    const index_t p = window / 2;
    return {.n = n, .h = size, .w = size, .c = c, .f = f, .kh = window, .kw = window, .padding = {p, p, p, p}};
  }
  [[nodiscard]] std::string name() const {
    return ridgepoint::concat("conv2d/", n, 'x', size, 'x', c, 'x', f, 'x', window, "x1");
  }
  [[nodiscard]] array_sizes sizes() const {
    const auto g = geometry();
    return {.x = g.input_size(), .w = g.filter_size(), .bias = f, .y = g.output_size()};
  }
  [[nodiscard]] conv2d_op part(index_t images) const { return {images, size, c, f, window}; }
  template <class T>
  [[nodiscard]] auto args(arrays<T>& a) const {
    return ridgepoint::conv2d_args<T>{.geometry = geometry(),
                                      .x = a.x.data(),
                                      .w = a.w.data(),
                                      .bias = a.bias.data(),
                                      .y = a.y.data(),
                                      .act = ridgepoint::activation::relu};
  }
};

/// Named as in shapes/pool.csv: images, edge, channels, window, stride.
struct max_pool_op {
  index_t n, size, c, window;
  static constexpr bool sums = false;
  [[nodiscard]] ridgepoint::pool2d_geometry geometry() const {
    return {.n = n, .h = size, .w = size, .c = c, .kh = window, .kw = window, .stride = window};
  }
  [[nodiscard]] std::string name() const {
    return ridgepoint::concat("max_pool/", n, 'x', size, 'x', c, 'x', window, 'x', window);
  }
  [[nodiscard]] array_sizes sizes() const { return {.x = geometry().input_size(), .y = geometry().output_size()}; }
  [[nodiscard]] max_pool_op part(index_t images) const { return {images, size, c, window}; }
  template <class T>
  [[nodiscard]] auto args(arrays<T>& a) const {
    return ridgepoint::max_pool2d_args<T>{.geometry = geometry(), .x = a.x.data(), .y = a.y.data()};
  }
};

/// Named as in shapes/rnn.csv; its part is the first steps.
struct lstm_op {
  index_t steps, n, in, units;
  static constexpr bool sums = true;
  [[nodiscard]] std::string name() const { return ridgepoint::concat("lstm/", steps, 'x', n, 'x', in, 'x', units); }
  [[nodiscard]] array_sizes sizes() const {
    const index_t columns = ridgepoint::lstm_gates * units;
    return {.x = steps * n * in, .w = in * columns, .u = units * columns, .bias = columns, .y = steps * n * units};
  }
  [[nodiscard]] lstm_op part(index_t first) const { return {first, n, in, units}; }
  template <class T>
  [[nodiscard]] auto args(arrays<T>& a) const {
    return ridgepoint::lstm_args<T>{
        .operands = {.x = ridgepoint::sequence_view<const T>::time_major(a.x.data(), steps, n, in),
                     .wx = a.w.data(),
                     .wh = a.u.data(),
                     .bias = a.bias.data(),
                     .y = ridgepoint::sequence_view<T>::time_major(a.y.data(), steps, n, units)}};
  }
};

struct map_op {
  ridgepoint::activation f;
  index_t size;
  static constexpr bool sums = false;
  [[nodiscard]] std::string name() const { return ridgepoint::concat(to_string(f), "/1x", size); }
  [[nodiscard]] array_sizes sizes() const { return {.x = size, .y = size}; }
  [[nodiscard]] map_op part(index_t first) const { return {f, first}; }
  template <class T>
  [[nodiscard]] auto args(arrays<T>& a) const {
    return ridgepoint::activate_args<T>{.f = f, .size = size, .x = a.x.data(), .y = a.y.data()};
  }
};

/// x are the gradients, y the weights, state and u the moments.
struct adam_op {
  index_t size;
  static constexpr bool sums = false;
  [[nodiscard]] std::string name() const { return ridgepoint::concat("adam/1x", size); }
  [[nodiscard]] array_sizes sizes() const { return {.x = size, .u = size, .y = size, .state = size}; }
  [[nodiscard]] adam_op part(index_t first) const { return {first}; }
  template <class T>
  [[nodiscard]] auto args(arrays<T>& a) const {
    return ridgepoint::adam_update_args<T>{
        .size = size, .w = a.y.data(), .g = a.x.data(), .m = a.state.data(), .v = a.u.data(), .state = &a.step};
  }
};

/// Returns multiples of 2⁻²³ in [−scale, scale), drawn in integers, so independent of flags. Scale: a power of two.
template <class T>
[[nodiscard]] std::vector<T> drawn(index_t size, float scale, std::uint64_t stream) {
  std::vector<T> values;
  ridgepoint::random_stream random(14, stream);
  values.reserve(static_cast<std::size_t>(size));
  for (index_t i = 0; i < size; ++i) {
    const auto step = static_cast<std::int32_t>(random() >> 8) - (1 << 23);
    values.push_back(T(scale * 0x1p-23F * static_cast<float>(step)));
  }
  return values;
}

/// Returns the initial arrays of an op. Values of a part are the first of the full op. Gradients and the input of a
/// map are up to 8, recurrent weights up to 1/8, so that gates do not saturate; moments start at 0, y at 1.
template <class T, class Op>
[[nodiscard]] arrays<T> drawn_for(const Op& op) {
  const array_sizes of = op.sizes();
  const auto zeros = [](index_t size) { return std::vector<T>(static_cast<std::size_t>(size), T(0)); };
  const bool recurrent = of.u > 0 && of.w > 0, one_by_one = of.w == 0;
  const float weight = recurrent ? 0.125F : 1;
  return {.x = drawn<T>(of.x, one_by_one ? 8 : 1, 0),
          .w = drawn<T>(of.w, weight, 1),
          .u = recurrent ? drawn<T>(of.u, weight, 2) : zeros(of.u),
          .bias = drawn<T>(of.bias, 1, 3),
          .y = std::vector<T>(static_cast<std::size_t>(of.y), T(1)),
          .state = zeros(of.state)};
}

}  // namespace flags
