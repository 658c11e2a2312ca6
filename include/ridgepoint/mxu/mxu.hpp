// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>

#include <ridgepoint/core/backend.hpp>
#include <ridgepoint/mxu/chip.hpp>
#include <ridgepoint/mxu/number_format.hpp>
#include <ridgepoint/ops/array_gemm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A TPU core: the same ops and graphs as on every backend, in the numerics of its matrix unit.
///
/// Products (gemm, dense, conv2d …) go through the systolic array: operands are rounded to the format when they enter,
/// sums are made in the array's order (ops/array_gemm.hpp), results leave as fp32. Everything else is the vector
/// unit's, in fp32. Memory holds fp32: variables, activations and gradients keep full precision and only
/// multiplications lose it, as in mixed-precision training on the TPU.
/// `Host` computes it, in ordinary memory: rp::cpu{}, rp::native_cpu{} or rp::reference, slow but by definition.
/// The products are the same bits on all of them. How long the chip would take is another question: mxu/plan.hpp.
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
  /// In the chip's own format. Throws: as above; value_error for a chip whose format has no name here.
  mxu(Host host, tpu::chip chip) : mxu(std::move(host), chip, systolic::number_format_of(chip.dtype)) {}

  [[nodiscard]] const Host& host() const noexcept { return host_; }
  [[nodiscard]] const tpu::chip& chip() const noexcept { return chip_; }
  [[nodiscard]] systolic::number_format format() const noexcept { return format_; }
  [[nodiscard]] std::string name() const { return concat("mxu.", chip_.name, '.', to_string(format_)); }
  /// Of the host.
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
