// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <numeric>
#include <vector>

#include <ridgepoint/kernels/gemm/pack.hpp>

#include "support/guarded.hpp"

namespace rp = ridgepoint;
using namespace rp::kernels;
using rp::index_t;

namespace {
template <class T>
guarded_vector<T> numbered(index_t size, placement_in_page where) {
  guarded_vector<T> values(size, where);
  std::iota(values.data(), values.data() + size, T(1));
  return values;
}
}  // namespace

TEST_CASE_TEMPLATE("transpose moves every element, and reads and writes nothing else", T, float, double) {
  for (const index_t rows : {1, 3, 8, 17})
    for (const index_t cols : {1, 4, 9, 33}) {
      const auto src = numbered<T>((rows - 1) * (cols + 2) + cols, placement_in_page::at_the_end);
      const guarded_vector<T> dst(cols * rows, placement_in_page::at_the_end);
      transpose(src.data(), cols + 2, rows, cols, dst.data(), rows);
      for (index_t i = 0; i < rows; ++i)
        for (index_t j = 0; j < cols; ++j) CHECK(dst.data()[j * rows + i] == src.data()[i * (cols + 2) + j]);
    }
}

TEST_CASE_TEMPLATE("a packed panel of B has its columns, then zeros", T, float, double) {
  const index_t nr = 2 * rp::simd::lanes<T>, k = 11;
  for (const bool turned : {false, true})
    for (index_t width = 1; width <= nr; ++width) {
      const auto memory = numbered<T>(k * width, placement_in_page::at_the_end);
      const rp::matrix_view<const T> rows(memory.data(), turned ? width : k, turned ? k : width),
          b = turned ? rows.transposed() : rows;
      const guarded_vector<T> panel(k * nr, placement_in_page::at_the_end);
      pack_b_panel(b, panel.data());
      for (index_t p = 0; p < k; ++p)
        for (index_t j = 0; j < nr; ++j) CHECK(panel.data()[p * nr + j] == (j < width ? b(p, j) : T(0)));
    }
}

TEST_CASE_TEMPLATE("a packed tile of A interleaves its rows, whatever follows them", T, float, double) {
  const index_t k = 19;
  for (const bool turned : {false, true})
    for (const index_t below : {0, 1, 2, 9, 30})
      for (index_t mr = 1; mr <= 14; ++mr) {
        const index_t all = mr + below;
        const auto memory = numbered<T>(all * k, placement_in_page::at_the_end);
        const rp::matrix_view<const T> rows(memory.data(), turned ? k : all, turned ? all : k),
            a = turned ? rows.transposed() : rows;
        const index_t copies = replicates_a<T>(native_unit) ? rp::simd::lanes<T> : 1;
        std::vector<T> packed(static_cast<std::size_t>(mr * k * copies + 2 * rp::simd::lanes<T>));
        pack_a_tile(a.block(0, 0, mr, k), below, packed.data());
        bool right = true;
        for (index_t p = 0; p < k; ++p)
          for (index_t i = 0; i < mr * copies; ++i)
            right = right && packed[static_cast<std::size_t>(p * mr * copies + i)] == a(i / copies, p);
        CHECK(right);
      }
}
