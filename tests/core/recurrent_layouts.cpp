// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <vector>

#include <ridgepoint/core/layouts.hpp>

namespace rp = ridgepoint;
using rp::index_t;
using cell = rp::recurrent_cell;
using layout = rp::recurrent_layout;

namespace {
/// Returns 1, 2, 3 …, so that every element identifies its origin.
template <class T>
rp::tensor<T> counted(const rp::shape& extents) {
  rp::tensor<T> t(extents);
  std::iota(t.begin(), t.end(), T(1));
  return t;
}
/// Returns the other library's number of our gate k.
index_t written_out(layout l, cell c, index_t k) {
  constexpr index_t z_first[] = {1, 0, 2};
  return c == cell::gru && l != layout::pytorch ? z_first[k] : k;
}
constexpr index_t gate_counts[] = {1, 4, 3};
}  // namespace

TEST_CASE_TEMPLATE("recurrent weights convert from other libraries and back", T, float, double) {
  for (const layout l : {layout::keras, layout::pytorch, layout::onednn})
    for (const cell c : {cell::rnn, cell::lstm, cell::gru})
      for (const index_t rows : {0, 1, 5, 33})
        for (const index_t u : {1, 4, 17}) {
          const index_t columns = gate_counts[static_cast<int>(c)] * u;
          const bool turned = l == layout::pytorch;
          const auto theirs = counted<T>(turned ? rp::shape{columns, rows} : rp::shape{rows, columns});
          rp::tensor<T> ours({rows, columns}), again(theirs.shape());
          rp::recurrent_weights_from(l, c, theirs, ours);
          index_t wrong = 0;
          for (index_t i = 0; i < rows; ++i)
            for (index_t j = 0; j < columns; ++j) {
              const index_t there = written_out(l, c, j / u) * u + j % u;
              wrong += ours[i * columns + j] == theirs[turned ? there * rows + i : i * columns + there] ? 0 : 1;
            }
          CHECK(wrong == 0);
          rp::recurrent_weights_to(l, c, ours, again);
          CHECK(std::equal(again.begin(), again.end(), theirs.begin()));
        }
}

TEST_CASE("recurrent biases convert from other libraries and back") {
  for (const layout l : {layout::keras, layout::pytorch, layout::onednn})
    for (const cell c : {cell::rnn, cell::lstm, cell::gru}) {
      const index_t columns = gate_counts[static_cast<int>(c)] * 3;
      const auto theirs = counted<float>({columns});
      rp::tensor<float> ours({columns}), again({columns});
      rp::recurrent_bias_from(l, c, theirs, ours);
      for (index_t j = 0; j < columns; ++j) CHECK(ours[j] == theirs[written_out(l, c, j / 3) * 3 + j % 3]);
      rp::recurrent_bias_to(l, c, ours, again);
      CHECK(std::equal(again.begin(), again.end(), theirs.begin()));
    }
  const rp::tensor<float> b_ih({4}, {1, 2, 3, 4}), b_hh({4}, {10, 20, 30, 40});
  rp::tensor<float> sum({4});
  rp::sum_recurrent_biases(b_ih, b_hh, sum);
  const std::vector<float> first(b_ih.begin(), b_ih.end()), second(b_hh.begin(), b_hh.end());
  std::vector<float> ranged(first.size()), spanned(first.size()), viewed(first.size());
  rp::sum_recurrent_biases(first, second, ranged);
  rp::sum_recurrent_biases(std::span(first), std::span(second), std::span(spanned));
  rp::sum_recurrent_biases(rp::tensor_view<const float, 1>(first), second,
                           rp::vector_view<float>{viewed.data(), static_cast<index_t>(viewed.size())});
  for (index_t j = 0; j < sum.size(); ++j)
    for (const std::vector<float>& all : {ranged, spanned, viewed}) CHECK(all[static_cast<std::size_t>(j)] == sum[j]);
  CHECK((sum[0] == 11 && sum[1] == 22 && sum[2] == 33 && sum[3] == 44));
}

TEST_CASE("biases may be ranges and views, weights may be matrix views") {
  const std::vector<float> theirs{1, 2, 3, 4, 5, 6}, ours{3, 4, 1, 2, 5, 6};
  std::vector<float> vector(6);
  std::array<float, 6> array{}, memory{};
  float c_array[6] = {};
  rp::tensor<float> tensor({6});
  const auto convert = [&](auto&& to) { rp::recurrent_bias_from(layout::keras, cell::gru, theirs, to); };
  convert(vector), convert(array), convert(c_array), convert(tensor);
  rp::recurrent_bias_from(layout::keras, cell::gru, std::span(theirs), std::span(memory));
  CHECK(std::equal(ours.begin(), ours.end(), vector.begin()));
  CHECK(std::equal(ours.begin(), ours.end(), array.begin()));
  CHECK(std::equal(ours.begin(), ours.end(), c_array));
  CHECK(std::equal(ours.begin(), ours.end(), tensor.begin()));
  CHECK(std::equal(ours.begin(), ours.end(), memory.begin()));
  rp::recurrent_bias_to(layout::keras, cell::gru, rp::vector_view<float>{vector.data(), 6},
                        rp::vector_view<float>{memory.data(), 6});
  CHECK(std::equal(theirs.begin(), theirs.end(), memory.begin()));
  CHECK_THROWS_WITH_AS(
      rp::recurrent_bias_to(layout::keras, cell::gru, ours, rp::vector_view<float>{memory.data(), 3, 2}),
      "recurrent_bias_to: to is 3; must be 6", rp::shape_error);
  rp::recurrent_weights_from(layout::keras, cell::gru, rp::matrix_view<const float>(theirs.data(), 1, 6),
                             rp::matrix_view<float>(memory.data(), 1, 6));
  CHECK(std::equal(ours.begin(), ours.end(), memory.begin()));
  std::vector<float> sums(6);
  rp::sum_recurrent_biases(theirs, ours, sums);
  CHECK(sums == std::vector<float>{4, 6, 4, 6, 10, 12});
  std::vector<float> four(8), bias(6), recurrent(6);
  rp::reset_after_biases_to_onednn(theirs, ours, four);
  rp::reset_after_biases_from_onednn(four, bias, std::span(recurrent));
  CHECK(bias == std::vector<float>{4, 6, 4, 6, 5, 6});
  CHECK(recurrent == std::vector<float>{0, 0, 0, 0, 5, 6});
}

TEST_CASE("a linear-before-reset GRU has four biases in oneDNN") {
  const rp::tensor<double> bias({6}, {1, 2, 3, 4, 5, 6}), recurrent({6}, {10, 20, 30, 40, 50, 60});
  rp::tensor<double> theirs({8}), back({6}), recurrent_back({6}), again({8});
  rp::reset_after_biases_to_onednn(bias, recurrent, theirs);
  const double expected[] = {33, 44, 11, 22, 5, 6, 50, 60};
  CHECK(std::equal(theirs.begin(), theirs.end(), expected));
  rp::reset_after_biases_from_onednn(theirs, back, recurrent_back);
  const double sums[] = {11, 22, 33, 44, 5, 6}, rest[] = {0, 0, 0, 0, 50, 60};
  CHECK(std::equal(back.begin(), back.end(), sums));
  CHECK(std::equal(recurrent_back.begin(), recurrent_back.end(), rest));
  rp::reset_after_biases_to_onednn(back, recurrent_back, again);
  CHECK(std::equal(again.begin(), again.end(), expected));
}

TEST_CASE("mismatched recurrent layouts are refused and nothing is written") {
  const auto from = counted<float>({2, 8});
  rp::tensor<float> right({2, 8}), wrong({8, 2}), odd({2, 7}), bias({8}), seven({7});
  CHECK_THROWS_WITH_AS(rp::recurrent_weights_from(layout::keras, cell::lstm, from, wrong),
                       "recurrent_weights_from: to is 8x2; must be 2x8", rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::recurrent_weights_to(layout::pytorch, cell::lstm, from, right),
                       "recurrent_weights_to: to is 2x8; must be 8x2", rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::recurrent_weights_to(layout::keras, cell::lstm, odd, right),
                       "recurrent_weights_to: 7 values for 4 gates; must be a multiple of these", rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::recurrent_weights_to(layout::keras, cell::lstm, right, right),
                       "recurrent_weights_to: to overlaps from; must not overlap", rp::shape_error);
  CHECK_THROWS_AS(rp::recurrent_weights_to(static_cast<layout>(3), cell::lstm, from, right), rp::value_error);
  CHECK_THROWS_AS(rp::recurrent_bias_from(layout::keras, static_cast<cell>(3), bias, seven), rp::value_error);
  CHECK_THROWS_WITH_AS(rp::recurrent_bias_from(layout::keras, cell::lstm, bias, seven),
                       "recurrent_bias_from: to is 7; must be 8", rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::sum_recurrent_biases(bias, seven, bias), "sum_recurrent_biases: to is 8; must be 7",
                       rp::shape_error);
  rp::tensor<float> twelve({12}), more({12});
  CHECK_THROWS_WITH_AS(rp::reset_after_biases_to_onednn(twelve, more, bias),
                       "reset_after_biases_to_onednn: to is 8; must be 16", rp::shape_error);
  CHECK_THROWS_WITH_AS(rp::reset_after_biases_from_onednn(seven, twelve, more),
                       "reset_after_biases_from_onednn: from is 7; must be a multiple of 4", rp::shape_error);
  CHECK_THROWS_AS(rp::reset_after_biases_from_onednn(bias, seven, more), rp::shape_error);
  for (const float value : right) CHECK(value == 0);
}
