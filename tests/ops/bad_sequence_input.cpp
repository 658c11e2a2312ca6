// SPDX-License-Identifier: MIT
// Sequence ops refuse bad input with precise messages.
#include <doctest/doctest.h>

#include <ridgepoint/reference/embedding.hpp>
#include <ridgepoint/reference/optimisers.hpp>
#include <ridgepoint/reference/recurrent.hpp>

#include "refuses.hpp"

namespace rp = ridgepoint;
using bad::m;
using bad::refuses;
using rp::index_t;
using input = rp::sequence_view<const float>;
using output = rp::sequence_view<float>;

namespace {
/// 3 steps of 2×2 into 2 units, with as many gates as fit in 8 floats per matrix.
rp::recurrent<float> forward() {
  return {
      .x = input::time_major(m.a, 3, 2, 2), .wx = m.b, .wh = m.c, .bias = m.d, .y = output::time_major(m.out, 3, 2, 2)};
}
rp::recurrent_backward<float> backward() {
  return {.x = input::time_major(m.a, 3, 2, 2),
          .wx = m.b,
          .wh = m.c,
          .y = input::time_major(m.a + 12, 3, 2, 2),
          .dy = input::time_major(m.d, 3, 2, 2),
          .dx = output::time_major(m.out, 3, 2, 2),
          .dwx = m.out + 12,
          .dwh = m.out + 28,
          .db = m.out + 44};
}
}  // namespace

TEST_CASE("a sequence is steps, samples and values in either order") {
  float data[24];
  const auto tnc = output::time_major(data, 4, 3, 2), ntc = output::sample_major(data, 4, 3, 2);
  CHECK(&tnc(1, 2, 1) == data + 1 * 6 + 2 * 2 + 1);
  CHECK(&ntc(1, 2, 1) == data + 2 * 8 + 1 * 2 + 1);
  CHECK(&ntc.step(1)(2, 1) == &ntc(1, 2, 1));
  CHECK(ntc.size() == 24);
  CHECK(&tnc.reversed()(1, 2, 1) == &tnc(2, 2, 1));
  CHECK(&ntc.reversed()(3, 0, 1) == &ntc(0, 0, 1));
  CHECK(ntc.reversed().reversed().data == data);
  CHECK(output{.data = nullptr, .steps = 4}.reversed().data == nullptr);
  CHECK(to_string(tnc) == "4x3x2 (steps x batch x width)");
}

TEST_CASE("rows of an embedding and an update of listed rows") {
  const std::int32_t ids[] = {0, 1, 2, 3};
  std::int32_t rows[4] = {};
  using list = rp::embedding_rows_args<float>;
  list good{.tokens = 4, .vocabulary = 5, .width = 3, .ids = ids, .dy = m.a, .rows = rows, .sums = m.out};
  good.vocabulary = 0;
  refuses<rp::value_error>(good, "embedding_rows: vocabulary is 0; must be 1 to 2147483647");
  good.vocabulary = 5, good.rows = nullptr;
  refuses<rp::shape_error>(good, "rows is a null pointer; must point to 4 elements");
  good.rows = const_cast<std::int32_t*>(ids);
  refuses<rp::shape_error>(good, "rows overlaps ids");
  good.rows = rows, good.sums = m.a;
  refuses<rp::shape_error>(good, "sums overlaps dy");
  good.sums = m.out, good.tokens = index_t{1} << 31;
  refuses<rp::value_error>(good, "tokens is 2147483648; must be at most 2147483647");

  rp::step_state state;
  using update = rp::sgd_update_args<float>;
  refuses<rp::shape_error>(
      update{.size = 7, .w = m.out, .g = m.a, .state = &state, .listed = {.rows = ids, .count = 4, .width = 3}},
      "sgd_update: size is 7; must be a multiple of the listed width, 3");
  refuses<rp::shape_error>(
      update{.size = 6, .w = m.out, .g = m.a, .state = &state, .listed = {.rows = ids, .count = 4, .width = 0}},
      "must be a multiple of the listed width, 0");
  refuses<rp::shape_error>(
      update{.size = 6, .w = m.out, .g = m.a, .state = &state, .listed = {.rows = ids, .count = -1, .width = 3}},
      "g is -1x3; extents must be >= 0");
}

TEST_CASE("embedding and its tokens") {
  const std::int32_t ids[] = {0, 1, 2, 3};
  using look_up = rp::embedding_args<float>;
  refuses<rp::value_error>(look_up{.tokens = 4, .vocabulary = 0, .width = 3, .ids = ids, .table = m.a, .y = m.out},
                           "embedding: vocabulary is 0; must be 1 to 2147483647");
  refuses<rp::shape_error>(look_up{.tokens = 4, .vocabulary = 5, .width = 3, .ids = nullptr, .table = m.a, .y = m.out},
                           "ids is a null pointer; must point to 4 elements");
  refuses<rp::shape_error>(look_up{.tokens = 4, .vocabulary = 5, .width = 3, .ids = ids, .table = m.out, .y = m.out},
                           "y overlaps table");
  refuses<rp::shape_error>(
      look_up{.tokens = 4, .vocabulary = 5, .width = bad::huge, .ids = ids, .table = m.a, .y = m.out}, "does not fit");
  refuses<rp::shape_error>(look_up{.tokens = -4, .vocabulary = 5, .width = 3, .ids = ids, .table = m.a, .y = m.out},
                           "size is -4");
  const auto* const ids_in_out = reinterpret_cast<const std::int32_t*>(m.out);
  refuses<rp::shape_error>(
      look_up{.tokens = 4, .vocabulary = 5, .width = 3, .ids = ids_in_out, .table = m.a, .y = m.out}, "y overlaps ids");
  using back = rp::embedding_backward_args<float>;
  refuses<rp::shape_error>(
      back{.tokens = 4, .vocabulary = 5, .width = 3, .ids = ids_in_out, .dy = m.a, .dtable = m.out},
      "dtable overlaps ids");
  refuses<rp::shape_error>(back{.tokens = 4, .vocabulary = 5, .width = 3, .ids = ids, .dy = m.out + 1, .dtable = m.out},
                           "dtable overlaps dy");
}

TEST_CASE("invalid tokens give NaN and no access") {
  const float table[] = {1, 2, 3, 4, 5, 6, 7, 8};
  const std::int32_t wrong[] = {1, -1, 4, 2147483647};
  float y[8], dtable[8];
  rp::run(rp::reference,
          rp::embedding_args<float>{.tokens = 4, .vocabulary = 4, .width = 2, .ids = wrong, .table = table, .y = y});
  CHECK((y[0] == 3 && y[1] == 4));
  for (int i = 2; i < 8; ++i) CHECK(std::isnan(y[i]));
  rp::run(rp::reference, rp::embedding_backward_args<float>{
                             .tokens = 4, .vocabulary = 4, .width = 2, .ids = wrong, .dy = table, .dtable = dtable});
  const float sums[] = {0, 0, 1, 2, 0, 0, 0, 0};
  CHECK(std::equal(dtable, dtable + 8, sums));
}

TEST_CASE("recurrent layers, forward") {
  using args = rp::rnn_args<float>;
  auto bad = forward();
  bad.x.data = nullptr;
  refuses<rp::shape_error>(args{.operands = bad}, "rnn: x is a null pointer; must point to 12 elements");
  bad = forward(), bad.y.steps = 2;
  refuses<rp::shape_error>(args{.operands = bad}, "y is 2x2x2 (steps x batch x width); must be 3x2x2");
  bad = forward(), bad.y.data = nullptr;
  refuses<rp::shape_error>(args{.operands = bad}, "y and last are null pointers; one must be given");
  bad = forward(), bad.x.step_stride = 3;
  refuses<rp::shape_error>(args{.operands = bad}, "x is 3x2x2 (strides 3, 2, 1); elements must not overlap");
  bad = forward(), bad.y = bad.y.reversed(), bad.last = m.out + 10;
  refuses<rp::shape_error>(args{.operands = bad}, "last overlaps y; must not overlap");
  bad = forward(), bad.y = bad.y.reversed(), bad.wh = m.out;
  refuses<rp::shape_error>(args{.operands = bad}, "y overlaps wh; must not overlap");
  bad = forward(), bad.x.steps = bad.y.steps = 0;
  refuses<rp::shape_error>(args{.operands = bad}, "x is 0x2x2, y has width 2; the batch must be >= 0, the others > 0");
  bad = forward(), bad.wh = m.out + 4;
  refuses<rp::shape_error>(args{.operands = bad}, "y overlaps wh; must not overlap");
  bad = forward(), bad.last = m.out + 10;
  refuses<rp::shape_error>(args{.operands = bad}, "last overlaps y; must not overlap");
  bad = forward(), bad.x.width = index_t{1} << 62;
  refuses<rp::shape_error>(args{.operands = bad}, "does not fit");
  const std::int32_t counts[8] = {};
  bad = forward(), bad.mask = rp::sequence_mask::time_major(counts, 4, 2, 1);
  refuses<rp::shape_error>(args{.operands = bad}, "rnn: mask is 4x2x1 (steps x batch x width); must be 3x2x1");
  bad = forward(), bad.mask = rp::sequence_mask::time_major(counts, 3, 1, 1);
  refuses<rp::shape_error>(args{.operands = bad}, "rnn: mask is 3x1x1 (steps x batch x width); must be 3x2x1");
  bad = forward(), bad.mask = rp::sequence_mask::time_major(reinterpret_cast<const std::int32_t*>(m.out), 3, 2, 1);
  refuses<rp::shape_error>(args{.operands = bad}, "y overlaps mask; must not overlap");
  bad = forward(), bad.y.width = 0;
  refuses<rp::shape_error>(args{.operands = bad}, "x is 3x2x2, y has width 0; the batch must be >= 0, the others > 0");
  bad = forward(), bad.x.batch = bad.y.batch = -1;
  refuses<rp::shape_error>(args{.operands = bad}, "x is 3x-1x2, y has width 2; the batch must be >= 0");
  bad = forward(), bad.x.batch = bad.y.batch = 0;  // an empty batch is no error
  rp::run(rp::reference, args{.operands = bad});
  refuses<rp::value_error>(args{.operands = forward(), .act = rp::activation::leaky_relu},
                           "activation is leaky_relu; must be none, relu, relu6, sigmoid or tanh");

  using lstm = rp::lstm_args<float>;
  refuses<rp::shape_error>(lstm{.operands = forward(), .c = m.out + 12},
                           "one of c and gates is a null pointer; must be both or none");
  refuses<rp::shape_error>(lstm{.operands = forward(), .c0 = m.out}, "y overlaps c0");
  std::vector<float> gates(48);
  refuses<rp::shape_error>(lstm{.operands = forward(), .c = m.out + 11, .gates = gates.data()}, "c overlaps y");
  refuses<rp::value_error>(lstm{.operands = forward(), .gate = rp::activation::relu},
                           "lstm: gate is relu; must be sigmoid or hard_sigmoid");
  using projected = rp::projected_lstm_args<float>;
  refuses<rp::shape_error>(projected{.operands = forward(), .units = 0, .wp = m.d},
                           "projected_lstm: units is 0, y has width 2; both must be > 0");
  bad = forward(), bad.y.width = 0;
  refuses<rp::shape_error>(projected{.operands = bad, .units = 2, .wp = m.d},
                           "projected_lstm: units is 2, y has width 0; both must be > 0");
  refuses<rp::shape_error>(projected{.operands = forward(), .units = 2},
                           "projected_lstm: wp is 2x2 at a null pointer; must point to its elements");
  refuses<rp::shape_error>(projected{.operands = forward(), .units = 2, .wp = m.d, .c = m.out + 12},
                           "projected_lstm: some of c, gates and h are null pointers; must be all or none");
  refuses<rp::shape_error>(projected{.operands = forward(), .units = 2, .wp = m.out + 4}, "y overlaps wp");
  refuses<rp::shape_error>(projected{.operands = forward(), .units = rp::index_t{1} << 61, .wp = m.d}, "does not fit");
  bad = forward(), bad.y.steps = 2;
  refuses<rp::shape_error>(projected{.operands = bad, .units = 2, .wp = m.d},
                           "projected_lstm: y is 2x2x2 (steps x batch x width); must be 3x2x2");
  refuses<rp::value_error>(projected{.operands = forward(), .units = 2, .wp = m.d, .gate = rp::activation::relu},
                           "projected_lstm: gate is relu; must be sigmoid or hard_sigmoid");
  using gru = rp::gru_args<float>;
  refuses<rp::value_error>(gru{.operands = forward(), .gate = rp::activation::tanh},
                           "gru: gate is tanh; must be sigmoid or hard_sigmoid");
  refuses<rp::value_error>(gru{.operands = forward(), .recurrent_bias = m.d},
                           "has a recurrent bias with reset-before; only reset-after has one");
  refuses<rp::value_error>(gru{.operands = forward(), .reset = static_cast<rp::gru_reset>(7)}, "reset is number 7");
}

TEST_CASE("recurrent layers, backward") {
  using args = rp::rnn_backward_args<float>;
  auto bad = backward();
  bad.dy.data = nullptr;
  refuses<rp::shape_error>(args{.operands = bad}, "dy and dlast are null pointers; one must be given");
  bad = backward(), bad.dx.width = 3;
  refuses<rp::shape_error>(args{.operands = bad}, "dx is 3x2x3 (steps x batch x width); must be 3x2x2");
  bad = backward(), bad.dwh = bad.dwx + 1;
  refuses<rp::shape_error>(args{.operands = bad}, "dwh overlaps dwx");
  bad = backward(), bad.dwx = nullptr;
  refuses<rp::shape_error>(args{.operands = bad}, "dwx is 2x2 at a null pointer; must point to its elements");
  const std::int32_t counts[8] = {};
  bad = backward(), bad.mask = rp::sequence_mask::time_major(counts, 4, 2, 1);
  refuses<rp::shape_error>(args{.operands = bad}, "mask is 4x2x1 (steps x batch x width); must be 3x2x1");
  using lstm = rp::lstm_backward_args<float>;
  refuses<rp::shape_error>(lstm{.operands = backward(), .c = nullptr, .gates = m.a}, "c is a null pointer");
  using projected = rp::projected_lstm_backward_args<float>;
  refuses<rp::shape_error>(projected{.operands = backward(), .units = 2, .wp = m.d, .c = m.a, .gates = m.b, .h = m.c},
                           "projected_lstm_backward: dwp is 2x2 at a null pointer; must point to its elements");
  refuses<rp::shape_error>(
      projected{.operands = backward(), .units = 2, .wp = m.d, .c = m.a, .gates = m.b, .h = m.c, .dwp = m.out + 30},
      "dwp overlaps dwh");
  refuses<rp::shape_error>(
      projected{.operands = backward(), .units = 2, .wp = m.d, .c = m.a, .gates = m.b, .dwp = m.out + 56},
      "projected_lstm_backward: h is a null pointer");
  using gru = rp::gru_backward_args<float>;
  refuses<rp::shape_error>(gru{.operands = backward(), .gates = nullptr}, "gates is a null pointer");
}
