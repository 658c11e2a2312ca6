// SPDX-License-Identifier: MIT
#include <ridgepoint/ops/attention.hpp>

#include <ridgepoint/reference/attention.hpp>

#include "refuses.hpp"
#include "support/random_tensor.hpp"

namespace rp = ridgepoint;
using bad::m;
using bad::refuses;
using rp::index_t;

static_assert(rp::attention_geometry{.n = 1, .queries = 4, .keys = 4, .heads = 1, .causal = true}.pairs() == 10);
static_assert(rp::attention_geometry{.n = 2, .queries = 2, .keys = 5, .heads = 3, .causal = true}.pairs() == 6 * 9);
static_assert(rp::attention_geometry{.n = 1, .queries = 5, .keys = 2, .heads = 1, .causal = true}.pairs() == 3);
static_assert(rp::attention_geometry{.n = 1, .queries = 5, .keys = 2, .heads = 1}.pairs() == 10);

namespace {

constexpr std::array<index_t, 4> small_extents{1, 2, 2, 2};

rp::attention_args<float> small_attention() {
  return {.q = {m.a, small_extents}, .k = {m.b, small_extents}, .v = {m.c, small_extents}, .y = {m.out, small_extents}};
}
rp::attention_backward_args<float> small_attention_backward() {
  return {.q = {m.a, small_extents},
          .k = {m.b, small_extents},
          .v = {m.c, small_extents},
          .y = {m.d, small_extents},
          .log_sums = m.d + 8,
          .dy = {m.d + 16, small_extents},
          .dq = {m.out, small_extents},
          .dk = {m.out + 8, small_extents},
          .dv = {m.out + 16, small_extents}};
}

}  // namespace

TEST_CASE("attention of packed projections equals that of separate tensors, also with packed gradients") {
  const index_t n = 2, s = 3, heads = 2, width = 4, row = heads * width;
  auto qkv = random_tensor({n, s, 3, heads, width}, 1);
  const auto dy = random_tensor({n, s, heads, width}, 2);
  const std::array<index_t, 4> extents{n, s, heads, width}, strides{3 * s * row, 3 * row, width, 1};
  const auto part = [&](rp::tensor<double>& all, index_t which) {
    return rp::tensor_view<double, 4>(all.data() + which * row, extents, strides);
  };
  std::array<rp::tensor<double>, 3> parts, gradients;
  for (std::size_t which = 0; which < 3; ++which) {
    parts[which] = gradients[which] = rp::tensor<double>(dy.shape());
    for (index_t i = 0; i < n * s; ++i)
      for (index_t c = 0; c < row; ++c)
        parts[which][i * row + c] = qkv[(3 * i + static_cast<index_t>(which)) * row + c];
  }
  rp::tensor<double> y(dy.shape()), y2(dy.shape()), dqkv(qkv.shape()), sums({n, heads, s});
  const rp::attention_options causal{.causal = true};
  CHECK(rp::attention(rp::reference, part(qkv, 0), part(qkv, 1), part(qkv, 2), y, causal, {.log_sums = sums}) ==
        rp::attention(rp::reference, parts[0], parts[1], parts[2], y2, causal, {.log_sums = sums}));
  CHECK(std::equal(y.begin(), y.end(), y2.begin()));
  CHECK(rp::attention_backward(rp::reference, part(qkv, 0), part(qkv, 1), part(qkv, 2), y, sums, dy, part(dqkv, 0),
                               part(dqkv, 1), part(dqkv, 2),
                               causal) == rp::attention_backward(rp::reference, parts[0], parts[1], parts[2], y, sums,
                                                                 dy, gradients[0], gradients[1], gradients[2], causal));
  for (std::size_t which = 0; which < 3; ++which)
    for (index_t i = 0; i < n * s; ++i)
      for (index_t c = 0; c < row; ++c)
        CHECK(dqkv[(3 * i + static_cast<index_t>(which)) * row + c] == gradients[which][i * row + c]);
}

TEST_CASE("attention refuses bad input") {
  auto bad = small_attention();
  bad.k.extents[3] = 3;
  refuses<rp::shape_error>(bad, "attention: k is 1x2x2x3; must be 1x2x2x2 (n x steps x heads x width)");
  bad = small_attention(), bad.v.extents[1] = 3;
  refuses<rp::shape_error>(bad, "v is 1x3x2x2; must be 1x2x2x2");
  bad = small_attention(), bad.y.data = nullptr;
  refuses<rp::shape_error>(bad, "y is a null pointer; must point to 8 elements");
  bad = small_attention(), bad.q.extents[2] = 0;
  refuses<rp::shape_error>(bad, "q is 1x2x0x2, k has 2 steps; heads and width must be > 0");
  bad = small_attention(), bad.v.data = m.out + 7;
  refuses<rp::shape_error>(bad, "y overlaps v; must not overlap");
  bad = small_attention(), bad.log_sums = m.out + 7;
  refuses<rp::shape_error>(bad, "log_sums overlaps y; must not overlap");
  bad = small_attention(), bad.options.scale = std::numeric_limits<double>::infinity();
  refuses<rp::value_error>(bad, "scale is inf; must be finite");
  bad = small_attention(), bad.q.strides[3] = 2;
  refuses<rp::shape_error>(bad, "q is 1x2x2x2 (strides 8, 4, 2, 2); elements must not overlap");
  bad = small_attention(), bad.q.extents[1] = bad.y.extents[1] = bad.k.extents[1] = bad.v.extents[1] = bad::huge;
  refuses<rp::shape_error>(bad, "does not fit");
  bad.q.extents[0] = bad.y.extents[0] = bad.k.extents[0] = bad.v.extents[0] = 0;
  refuses<rp::shape_error>(bad, "does not fit");

  auto back = small_attention_backward();
  back.dq.extents[1] = 3;
  refuses<rp::shape_error>(back, "attention_backward: dq is 1x3x2x2; must be 1x2x2x2");
  back = small_attention_backward(), back.log_sums = nullptr;
  refuses<rp::shape_error>(back, "log_sums is a null pointer; must point to 4 elements");
  back = small_attention_backward(), back.dv.data = m.out + 15;
  refuses<rp::shape_error>(back, "dv overlaps dk; must not overlap");

  const rp::tensor<float> x({1, 2, 2, 2});
  rp::tensor<float> y({1, 2, 2, 2}), sums({1, 2, 3});
  CHECK_THROWS_WITH_AS(rp::attention(rp::reference, x, x, x, y, {}, {.log_sums = sums}),
                       "attention: log_sums is 1x2x3; must be 1x2x2", rp::shape_error);
  const std::vector<std::int32_t> two{1, 2};
  CHECK_THROWS_WITH_AS(rp::attention(rp::reference, x, x, x, y, {}, {.lengths = two}),
                       "attention: lengths has 2 elements; must have 1 or none", rp::shape_error);
  const std::vector<std::int32_t> beyond{3};
  CHECK_THROWS_WITH_AS(rp::attention(rp::reference, x, x, x, y, {}, {.lengths = beyond}),
                       "attention: length 0 is 3; must be 0 to 2", rp::value_error);
}
