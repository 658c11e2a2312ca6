// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <limits>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/ops/operand.hpp>

namespace rp = ridgepoint;
using rp::index_t;
using rp::operand;

namespace {
float memory[64];
const float* const in = memory;

/// Arguments that list the given operands.
template <std::size_t N>
struct listing_args {
  std::array<operand, N> all;
};
template <std::size_t N>
constexpr auto operands(const listing_args<N>& args) noexcept {
  return args.all;
}

/// Checks a list directly, and as the list of an op's arguments.
template <class... Operands>
void refuses(const char* what, const Operands&... all) {
  const std::array list{all...};
  CHECK_THROWS_WITH_AS(rp::check_operands("op", list), what, rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::check_operands("op", listing_args<sizeof...(all)>{list}), what, rp::shape_error);
}
template <class... Operands>
void accepts(const Operands&... all) {
  const std::array list{all...};
  CHECK_NOTHROW(rp::check_operands("op", list));
  CHECK_NOTHROW(rp::check_operands("op", listing_args<sizeof...(all)>{list}));
}
}  // namespace

TEST_CASE("an operand prints its extents, with strides unless it is dense") {
  CHECK(to_string(operand::input("x", in, 8)) == "8");
  CHECK(to_string(operand::input("x", in, 2, 3, 4, 5)) == "2x3x4x5");
  CHECK(to_string(operand::input("x", rp::matrix_view<const float>(in, 2, 3))) == "2x3");
  CHECK(to_string(operand::input("x", rp::matrix_view<const float>(in, 2, 3, 8))) == "2x3 (strides 8, 1)");
  const index_t most = std::numeric_limits<index_t>::max();
  CHECK(to_string(operand::input("x", in, most, most)).starts_with("9223372036854775807x9223372036854775807"));
}

TEST_CASE("extents, sizes and null pointers") {
  const index_t most = std::numeric_limits<index_t>::max();
  const float* const null = nullptr;
  refuses("op: size is -1; must be >= 0", operand::input("x", in, -1));
  refuses("op: x is -2x3; extents must be >= 0", operand::input("x", rp::matrix_view<const float>(in, -2, 3)));
  refuses("extent: 4611686018427387904 * 4 does not fit; must be < 2^63", operand::input("x", in, index_t{1} << 62));
  refuses("extent: 9223372036854775807 * 2 does not fit; must be < 2^63", operand::input("x", in, most, 2));
  refuses("op: x is a null pointer; must point to 8 elements", operand::input("x", null, 8));
  refuses("op: x is 2x4 at a null pointer; must point to its elements", operand::input("x", null, 2, 4));
  refuses("op: x is a null pointer; must point to 24 elements", operand::input("x", null, 2, 3, 4));
  refuses("op: state is a null pointer; must point to a step_state", operand::input("state", null));
  accepts(operand::input("x", null, 0), operand::input("x", null, most, 0), operand::input("x", null, -1).optional());
}

TEST_CASE("rows must be contiguous and elements must not overlap") {
  const auto matrix = [](index_t rows, index_t cols, index_t row_stride, index_t col_stride = 1) {
    return operand::input("x", rp::matrix_view<const float>(in, rows, cols, row_stride, col_stride));
  };
  accepts(matrix(3, 4, 4), matrix(3, 4, 9), matrix(1, 4, 0), matrix(3, 1, 2, 7));
  refuses("op: x is 3x4 (strides 3, 1); rows must be contiguous and must not overlap", matrix(3, 4, 3));
  refuses("op: x is 3x4 (strides 1, 3); rows must be contiguous and must not overlap", matrix(3, 4, 1, 3));
  refuses("op: x is 3x4 (strides -4, 1); rows must be contiguous and must not overlap", matrix(3, 4, -4));
  refuses("op: x is 3x1 (strides 0, 1); rows must be contiguous and must not overlap", matrix(3, 1, 0));
  refuses("extent: 2 * 4611686018427387904 does not fit; must be < 2^63", matrix(3, 4, index_t{1} << 62));

  const operand sequence = operand::input("x", in, 3, 4, 5);
  accepts(sequence, sequence.strided(index_t{20}, index_t{5}, index_t{1}),
          sequence.strided(index_t{5}, index_t{15}, index_t{1}));
  refuses("op: x is 3x4x5 (strides 5, 14, 1); elements must not overlap",
          sequence.strided(index_t{5}, index_t{14}, index_t{1}));
  refuses("op: x is 3x4x5 (strides 1, 20, 1); elements must not overlap",
          sequence.strided(index_t{1}, index_t{20}, index_t{1}));
}

TEST_CASE("a reversible operand may extend before its first element") {
  const auto back = [](operand o, index_t step) { return o.strided(step, index_t{5}, index_t{1}); };
  const operand x = operand::input("x", in + 40, 3, 4, 5);
  refuses("op: x is 3x4x5 (strides -20, 5, 1); elements must not overlap", back(x, -20));
  accepts(back(x.reversible(), -20), back(x.reversible(), 20));
  refuses("op: x is 3x4x5 (strides -19, 5, 1); elements must not overlap", back(x.reversible(), -19));
  refuses("op: x is 3x4x5 (strides -9223372036854775808, 5, 1); elements must not overlap",
          back(x.reversible(), std::numeric_limits<index_t>::min()));
  refuses("op: x is 2x3 (strides 3, -1); rows must be contiguous and must not overlap",
          operand::input("x", in, 2, 3).reversible().strided(index_t{3}, index_t{-1}));

  const operand dense = back(x.reversible(), -20);  // elements 0 to 59
  accepts(dense, operand::output("y", memory + 60, 4));
  refuses("op: y overlaps x; must not overlap", dense, operand::output("y", memory, 1));
  refuses("op: y overlaps x; must not overlap", dense, operand::output("y", memory + 59, 1));
  const auto written = [](float* at, index_t step) {
    return operand::output("y", at, 3, 2, 2).reversible().strided(step, index_t{2}, index_t{1});
  };
  accepts(operand::input("x", in, 16), written(memory + 24, -4));  // elements 16 to 27
  refuses("op: y overlaps x; must not overlap", operand::input("x", in, 17), written(memory + 24, -4));
  refuses("op: x overlaps y; must not overlap", written(memory + 24, -4), operand::input("x", in + 27, 1));
  accepts(written(memory + 24, -4), operand::input("x", in + 28, 1));
  accepts(operand::output("y", memory + 8, 1, 2, 2).reversible().strided(index_t{-4}, index_t{2}, index_t{1}));
}

TEST_CASE("an output must not overlap other operands, except for identical memory where the list allows it") {
  const operand x = operand::input("x", in, 8);
  accepts(x, operand::input("z", in + 4, 8), operand::output("y", memory + 12, 8));  // inputs may overlap
  refuses("op: y overlaps x; must not overlap", x, operand::output("y", memory, 8));
  refuses("op: y overlaps x; must not overlap", x, operand::output("y", memory + 7, 1));
  accepts(x, operand::output("y", memory + 8, 8), operand::output("z", memory + 8, 0));
  refuses("op: z overlaps y; must not overlap", operand::output("y", memory, 8), operand::output("z", memory + 4, 8));
  refuses("op: x overlaps w; must not overlap", operand::update("w", memory, 8), x);
  accepts(x, operand::output("y", static_cast<float*>(nullptr), 8).optional());

  accepts(x.overwritable(), operand::output("y", memory, 8));
  refuses("op: y overlaps x in part; must be identical or disjoint", x.overwritable(),
          operand::output("y", memory + 1, 8));
  refuses("op: y overlaps x; must not overlap", x.overwritable(), operand::output("y", memory, 7));
  const rp::matrix_view<const float> block(in, 2, 3, 8);
  accepts(operand::input("x", block).overwritable(), operand::output("y", rp::matrix_view<float>(memory, 2, 3, 8)));
  refuses("op: y overlaps x in part; must be identical or disjoint", operand::input("x", block).overwritable(),
          operand::output("y", rp::matrix_view<float>(memory, 2, 3)));
}

TEST_CASE("the fast check accepts the same operands as the full check") {
  rp::random_stream random(11);
  const auto up_to = [&](std::uint32_t most) { return static_cast<index_t>(random.below(most + 1)); };
  const auto any = [&](auto* data) {
    constexpr bool out = !std::is_const_v<std::remove_pointer_t<decltype(data)>>;
    auto* const at = up_to(9) == 0 ? nullptr : data + up_to(24);
    operand o;
    if constexpr (out) o = up_to(1) == 0 ? operand::output("y", at, up_to(3)) : operand::update("w", at, 2, up_to(3));
    else o = up_to(1) == 0 ? operand::input("x", at, up_to(3)) : operand::weight("w", at, up_to(3), 2, up_to(2));
    if (up_to(3) == 0) o.strides[static_cast<std::size_t>(up_to(1))] = up_to(5) - 1;
    if (up_to(1) == 0) o = o.overwritable();
    return up_to(3) == 0 ? o.optional() : o;
  };
  int passed = 0, passed_at_once = 0;
  for (int i = 0; i < 20'000; ++i) {
    const listing_args<3> args{{any(in), any(memory), up_to(1) == 0 ? any(in) : any(memory)}};
    bool fine = true, too = true;
    try {
      rp::check_operands("op", std::span<const operand>(args.all));
    } catch (const rp::shape_error&) {
      fine = false;
    }
    try {
      rp::check_operands("op", args);
    } catch (const rp::shape_error&) {
      too = false;
    }
    REQUIRE(fine == too);
    passed += fine ? 1 : 0;
    passed_at_once += rp::detail::ordinary_and_separate(args.all) ? 1 : 0;
  }
  CHECK(passed > 2000);
  CHECK(passed_at_once > 1000);
}

TEST_CASE("outputs may be adjacent columns of one matrix") {
  float* const out = memory;
  const auto columns = [](const char* name, float* at, index_t count) {
    return operand::output(name, at, 3, count).strided(index_t{8}, index_t{1});
  };
  accepts(columns("x", out, 4), columns("y", out + 4, 4));
  accepts(columns("y", out + 5, 3), columns("x", out, 5));
  accepts(operand::output("x", out, 2, 3, 2).strided(index_t{24}, index_t{8}, index_t{1}),
          operand::output("y", out + 2, 2, 3, 3, 2).strided(index_t{24}, index_t{8}, index_t{2}, index_t{1}));
  refuses("op: y overlaps x; must not overlap", columns("x", out, 5), columns("y", out + 4, 4));
  refuses("op: y overlaps x; must not overlap", columns("x", out, 4), columns("y", out + 5, 4));  // into the next row
  refuses("op: y overlaps x; must not overlap", columns("x", out, 4), columns("y", out, 4));
  refuses("op: y overlaps x; must not overlap", columns("x", out, 4),
          operand::output("y", out + 4, 3, 4).strided(index_t{12}, index_t{1}));
}
