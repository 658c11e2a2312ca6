// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <ridgepoint/core/backend.hpp>
#include <ridgepoint/core/view.hpp>
#include <ridgepoint/mxu/chip.hpp>
#include <ridgepoint/ops/array_gemm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::systolic {

/// Operand format of an array; products of bf16 and fp32 are summed in fp32, of int8 in int32.
enum class number_format { bf16, int8, fp32 };
inline constexpr std::array number_formats{number_format::bf16, number_format::int8, number_format::fp32};

[[nodiscard]] constexpr std::string_view to_string(number_format f) noexcept {
  constexpr std::string_view names[] = {"bf16", "int8", "fp32"};
  return names[static_cast<int>(f)];
}
/// Throws: value_error for an unknown name.
[[nodiscard]] constexpr number_format number_format_of(std::string_view name) {
  for (const number_format f : number_formats)
    if (name == to_string(f)) return f;
  throw value_error(concat("number format is \"", name, "\"; must be bf16, int8 or fp32"));
}

/// Calls use.template operator()<Format>() with f's type in array_gemm_args.
template <class Use>
decltype(auto) with_format(number_format f, Use&& use) {
  switch (f) {
    case number_format::bf16:
      return use.template operator()<bfloat16>();
    case number_format::int8:
      return use.template operator()<std::int8_t>();
    case number_format::fp32:
      break;
  }
  return use.template operator()<float>();
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::systolic

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// TPU core as a backend: the ops and graphs of every backend, in the numerics of its matrix unit.
///
/// Products (gemm, dense, conv2d …) go through the systolic array: operands are rounded to the format when they enter,
/// sums are in the array's order (ops/array_gemm.hpp), results leave as fp32. The vector unit does everything else, in
/// fp32. Memory holds fp32: variables, activations and gradients keep full precision and only multiplications lose
/// it, as in mixed-precision training on the TPU.
/// `Host` does the computation in ordinary memory: rp::cpu{}, rp::native_cpu{} or rp::reference (slow; the
/// definition). Products are bitwise equal on all of them. mxu/plan.hpp models the chip's time.
/// Example:
///   const rp::mxu on(rp::cpu{}, rp::tpu::find_chip("v2"));
///   rp::gemm(on, a, b, c);          // bf16 operands, fp32 sums
template <backend Host>
class mxu : public host_memory {
 public:
  /// Throws: value_error if the array has more than 1024 rows.
  mxu(Host host, tpu::chip chip, systolic::number_format format)
      : host_(std::move(host)), chip_(std::move(chip)), format_(format) {
    require<value_error>(chip_.array.rows >= 1 && chip_.array.rows <= 1024, "mxu: the array of ", chip_.name, " has ",
                         chip_.array.rows, " rows; must have 1 to 1024");
  }
  /// Uses the chip's own format. Throws: as above; value_error for an unknown format.
  mxu(Host host, tpu::chip chip) : mxu(std::move(host), chip, systolic::number_format_of(chip.dtype)) {}

  [[nodiscard]] const Host& host() const noexcept { return host_; }
  [[nodiscard]] const tpu::chip& chip() const noexcept { return chip_; }
  [[nodiscard]] systolic::number_format format() const noexcept { return format_; }
  [[nodiscard]] std::string name() const { return concat("mxu.", chip_.name, '.', to_string(format_)); }
  /// Thread count of the host.
  [[nodiscard]] int thread_count() const noexcept {
    if constexpr (requires { host_.thread_count(); }) return host_.thread_count();
    else return 1;
  }

 private:
  Host host_;
  tpu::chip chip_;
  systolic::number_format format_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

namespace ridgepoint::inline RIDGEPOINT_ABI::systolic {

/// Symmetric int8: q = 127·x / largest, rounded to nearest even, where `largest` is the largest finite |x| of the
/// values that share a step (a matrix or a column). So x ≈ q·step with step = largest / 127, and −128 is never used.
///
/// NaN becomes 0, ±Inf ±127: int8 has neither. If all values are 0, step and q are 0.
struct quantiser {
  double largest = 0;

  constexpr void see(float x) noexcept {
    const double size = x < 0 ? -static_cast<double>(x) : static_cast<double>(x);
    if (size <= 3.4028234663852886e38 && size > largest) largest = size;  // neither NaN nor Inf
  }
  [[nodiscard]] constexpr double step() const noexcept { return largest / 127; }
  [[nodiscard]] std::int8_t operator()(float x) const noexcept {
    if (std::isnan(x) || exactly(largest, 0)) return 0;
    return static_cast<std::int8_t>(
        std::clamp(std::nearbyint(static_cast<double>(x) * (127 / largest)), -127.0, 127.0));
  }
};

/// q ← v with one step for the matrix, row-major without gaps: the format of activations.
inline quantiser quantise_matrix(const matrix_view<const float>& v, std::int8_t* q) noexcept {
  quantiser all;
  for (index_t i = 0; i < v.rows; ++i)
    for (index_t j = 0; j < v.cols; ++j) all.see(v(i, j));
  for (index_t i = 0; i < v.rows; ++i)
    for (index_t j = 0; j < v.cols; ++j) *q++ = all(v(i, j));
  return all;
}

/// q ← v with a step for each column, row-major without gaps: the format of weights, as a column of the array holds the
/// weights of one output.
inline void quantise_columns(const matrix_view<const float>& v, std::int8_t* q, quantiser* columns) noexcept {
  std::fill_n(columns, v.cols, quantiser{});
  for (index_t i = 0; i < v.rows; ++i)
    for (index_t j = 0; j < v.cols; ++j) columns[j].see(v(i, j));
  for (index_t i = 0; i < v.rows; ++i)
    for (index_t j = 0; j < v.cols; ++j) *q++ = columns[j](v(i, j));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::systolic
