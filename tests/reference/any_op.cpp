// SPDX-License-Identifier: MIT
#include "support/any_op.hpp"

#include <ridgepoint/reference/all.hpp>

namespace rp = ridgepoint;

/// Copy that violates its list of operands.
namespace stray {
enum class fault { none, reads_its_output, reads_between_rows, writes_between_rows };

template <fault Fault>
struct copy_args {
  static constexpr std::string_view name = "copy";
  rp::matrix_view<const float> x;
  rp::matrix_view<float> y;
};
template <fault Fault>
auto operands(const copy_args<Fault>& a) {
  return std::array{rp::operand::input("x", a.x), rp::operand::output("y", a.y)};
}
template <fault Fault>
rp::work receipt(const copy_args<Fault>&) {
  return {};
}
template <fault Fault>
void check(const copy_args<Fault>& a) {
  rp::require<rp::shape_error>(a.x.rows == a.y.rows && a.x.cols == a.y.cols, "copy: y is ", a.y, "; must be ", a.x);
  rp::check_operands(a);
}
template <fault Fault>
void execute(const rp::reference_backend&, const copy_args<Fault>& a) {
  for (rp::index_t i = 0; i < a.x.rows; ++i)
    for (rp::index_t j = 0; j < a.x.cols; ++j) {
      const bool gap = i + 1 < a.x.rows;  // the next column is still in memory
      const float before = Fault == fault::reads_its_output ? a.y(i, j) : 0;
      const float neighbour = Fault == fault::reads_between_rows && gap ? a.x(i, j + 1) : 0;
      a.y(i, j) = a.x(i, j) + neighbour + before;
      if (Fault == fault::writes_between_rows && gap) a.y(i, j + 1) = 0;
    }
}
template <fault Fault>
void run() {
  any_op::keeps_to_its_operands<copy_args<Fault>>(rp::reference, 12);
}
}  // namespace stray

TEST_CASE("every definition accesses only the operands that its op lists") {
  any_op::all_keep_to_their_operands(rp::reference, 60,
                                     rp::all_ops<float>{} + rp::all_ops<double>{} + rp::untyped_ops{});
  stray::run<stray::fault::none>();
}
TEST_CASE("an op that reads an output is detected" * doctest::should_fail()) {
  stray::run<stray::fault::reads_its_output>();
}
TEST_CASE("an op that reads between rows is detected" * doctest::should_fail()) {
  stray::run<stray::fault::reads_between_rows>();
}
TEST_CASE("an op that writes between rows is detected" * doctest::should_fail()) {
  stray::run<stray::fault::writes_between_rows>();
}
