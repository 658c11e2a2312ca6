// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <functional>
#include <string_view>

#include <ridgepoint/core/scratch.hpp>
#include <ridgepoint/ops/gemm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// `count` GEMMs of one shape. Operands of problem q are q steps after the first ones, or at the q-th pointer if an
/// array of pointers is given. A step of 0 shares an operand A or B among all problems.
template <scalar T>
struct gemm_batched_args {
  static constexpr std::string_view name = "gemm_batched";
  static constexpr product_kind product = product_kind::dense;
  gemm_args<T> first;  // shapes, strides, options; operands of problem 0
  index_t count = 0;
  index_t a_step = 0, b_step = 0, c_step = 0;  // elements
  const T* const* a_at = nullptr;              // host arrays of `count` pointers, or none
  const T* const* b_at = nullptr;
  T* const* c_at = nullptr;

  /// Returns problem q.
  [[nodiscard]] constexpr gemm_args<T> operator[](index_t q) const noexcept {
    gemm_args<T> g = first;
    g.a.data = a_at != nullptr ? a_at[q] : first.a.data + q * a_step;
    g.b.data = b_at != nullptr ? b_at[q] : first.b.data + q * b_step;
    g.c.data = c_at != nullptr ? c_at[q] : first.c.data + q * c_step;
    return g;
  }
};

namespace detail {
/// Returns an operand of `count` problems from that of the first; only the first is known if pointers are given.
[[nodiscard]] constexpr operand repeated(operand o, index_t count, index_t step, const void* by_pointers) noexcept {
  const bool shared = by_pointers == nullptr && step == 0;
  if (!shared || count < 1) o.counted *= static_cast<std::uint64_t>(count);
  if (count < 1) o.extents[0] = 0;
  if (shared || by_pointers != nullptr) return o;
  o.rank = 3;
  o.extents = {count, o.extents[0], o.extents[1]};
  o.strides = {step, o.strides[0], o.strides[1]};
  return o;
}
}  // namespace detail

template <scalar T>
[[nodiscard]] constexpr auto operands(const gemm_batched_args<T>& g) noexcept {
  const auto [a, b, c, bias] = operands(g.count > 0 ? g[0] : g.first);
  return std::array{detail::repeated(a, g.count, g.a_step, g.a_at), detail::repeated(b, g.count, g.b_step, g.b_at),
                    detail::repeated(c, g.count, g.c_step, g.c_at), bias.counting_if(g.count > 0)};
}

/// Receipt: `count` times that of the first problem, with the bytes of a shared operand once.
template <scalar T>
[[nodiscard]] constexpr work receipt(const gemm_batched_args<T>& g) noexcept {
  const auto count = static_cast<std::uint64_t>(g.count);
  const work one = receipt(g.first);
  return {.flop = one.flop * count,
          .matrix_flop = one.matrix_flop * count,
          .special = one.special * count,
          .bytes = traffic_of(operands(g))};
}

namespace detail {
/// The C_q of a batch by ascending address. Unsorted pointers are sorted in the thread's scratch memory, so that a
/// repeated batch allocates nothing. Requires: count > 0, each problem checked, steps within reach, C not empty.
template <scalar T>
class batch_results {
 public:
  explicit batch_results(const gemm_batched_args<T>& g)
      : first_(ascending(g.first.c)), count_(g.count), span_(span_elements(first_)), sorted_(g.c_at) {
    if (sorted_ == nullptr) {
      step_ = g.c_step;
      if (step_ < 0) first_.data += (count_ - 1) * step_, step_ = -step_;
    } else if (const std::less<T*> below{}; !std::is_sorted(sorted_, sorted_ + count_, below)) {
      struct tag;
      const auto bytes = checked_mul(count_, static_cast<index_t>(sizeof(T*)));
      T** const memory = static_cast<T**>(thread_scratch<tag>(static_cast<std::size_t>(bytes)));
      std::sort(memory, std::copy(sorted_, sorted_ + count_, memory), below);
      sorted_ = memory;
    }
  }

  /// Returns the elements from the first element of a result to its last.
  [[nodiscard]] index_t span() const noexcept { return span_; }
  /// Returns true if no two results share an element.
  [[nodiscard]] bool disjoint() const {
    for (index_t i = 0; i + 1 < count_; ++i)
      if (shared_by((*this)[i], i + 1)) return false;
    return true;
  }
  /// Returns true if a result may share an element with x, or with one of `count` copies of x at a stride of `step`.
  [[nodiscard]] bool share(const matrix_view<const T>& x, index_t step = 0, index_t count = 1) const {
    if (x.rows == 0 || x.cols == 0) return false;
    constexpr auto bytes = static_cast<index_t>(sizeof(T));
    matrix_view<const T> at = ascending(x);
    const index_t all = (count - 1) * step, span = span_elements(at);
    const matrix_view<T> low = (*this)[0];
    if (!overlap(low.data, ((*this)[count_ - 1].data - low.data + span_) * bytes, at.data + std::min<index_t>(all, 0),
                 (span + (all < 0 ? -all : all)) * bytes))
      return false;
    for (index_t q = 0; q < (step == 0 ? 1 : count); ++q, at.data += step) {
      index_t i = 0;  // the first result that ends after x's start
      for (index_t left = count_; left > 0;) {
        const index_t half = left / 2;
        const bool ends_before = !std::less<const T*>()(at.data, (*this)[i + half].data + span_);
        i = ends_before ? i + half + 1 : i;
        left = ends_before ? left - half - 1 : half;
      }
      if (shared_by(at, i)) return true;
    }
    return false;
  }

 private:
  [[nodiscard]] matrix_view<T> operator[](index_t i) const noexcept {
    matrix_view<T> c = first_;
    c.data = sorted_ == nullptr ? c.data + i * step_ : sorted_[i];
    return c;
  }
  /// Returns true if result i, or a later one that starts before x ends, may share an element with x.
  [[nodiscard]] bool shared_by(const matrix_view<const T>& x, index_t i) const noexcept {
    const T* const end = x.data + span_elements(x);
    for (; i < count_ && std::less<const T*>()((*this)[i].data, end); ++i)
      if (may_share((*this)[i], x)) return true;
    return false;
  }

  matrix_view<T> first_;
  index_t count_, span_, step_ = 0;
  T* const* sorted_;  // null: by steps
};
}  // namespace detail

/// Throws: shape_error where gemm_batched() does.
template <scalar T>
void check(const gemm_batched_args<T>& g) {
  require<shape_error>(g.count >= 0, "gemm_batched: count is ", g.count, "; must be >= 0");
  static_cast<void>(checked_mul(g.count, checked_mul(g.first.c.rows, g.first.c.cols)));
  if (g.count == 0) return;
  const auto check_step = [&](std::string_view name, const void* at, index_t step) {
    require<shape_error>(at != nullptr || detail::within_reach<T>(g.count, step), "gemm_batched: ", name, " is ", step,
                         " for ", g.count, " problems; must stay within the addresses");
  };
  check_step("a_step", g.a_at, g.a_step);
  check_step("b_step", g.b_at, g.b_step);
  check_step("c_step", g.c_at, g.c_step);
  const bool by_steps = g.a_at == nullptr && g.b_at == nullptr && g.c_at == nullptr;
  for (index_t q = 0; q < (by_steps ? 1 : g.count); ++q) check(g[q]);

  const auto& [a, b, c, options] = g.first;
  if (g.count < 2 || c.rows == 0 || c.cols == 0) return;
  const detail::batch_results<T> results(g);
  require<shape_error>(g.c_at != nullptr || (g.c_step < 0 ? -g.c_step : g.c_step) >= results.span(),
                       "gemm_batched: c_step is ", g.c_step, "; problems of ", c, " need at least ", results.span());
  require<shape_error>(g.c_at == nullptr || results.disjoint(), "gemm_batched: two c share elements; must not overlap");
  const auto check_operand = [&](std::string_view name, matrix_view<const T> x, const T* const* at, index_t step) {
    bool shared = at == nullptr && results.share(x, step, g.count);
    for (index_t q = 0; at != nullptr && q < g.count && !shared; ++q) {
      x.data = at[q];
      shared = results.share(x);
    }
    require<shape_error>(!shared, "gemm_batched: a c overlaps ", name, " of another problem; must not overlap");
  };
  check_operand("a", a, g.a_at, g.a_step);
  check_operand("b", b, g.b_at, g.b_step);
  if (options.bias != nullptr) check_operand("bias", {options.bias.data, 1, c.cols, c.row_stride}, nullptr, 0);
}

/// C_q ← f(α·A_q·B_q + β·C_q + bias) for q = 0 … count − 1, with shared shapes and options.
///
/// Small problems run one per thread; a shared B with A and C stacked becomes one tall GEMM.
/// Work: receipt(args). Throws: shape_error as gemm(), if two C_q could share elements or if a C_q overlaps an operand
/// of any problem; nothing is written then.
/// Example:
///   rp::gemm_batched(on, rp::gemm_batched_args<float>{.first = {.a = a, .b = b, .c = c}, .count = 64,
///                                                     .a_step = m * k, .b_step = k * n, .c_step = m * n});
template <scalar T, class Backend>
work gemm_batched(const Backend& on, const gemm_batched_args<T>& args) {
  static_assert(runs<Backend, gemm_batched_args<T>>,
                "gemm_batched: the first argument must be a backend that has it, such as rp::cpu");
  return detail::run_checked(on, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
