// SPDX-License-Identifier: MIT
#include <ridgepoint/ops/projected_lstm.hpp>

#include <doctest/doctest.h>

#include <ridgepoint/reference/recurrent.hpp>

#include "support/random_tensor.hpp"

namespace rp = ridgepoint;

namespace {

/// Tensors of a layer of 3 steps, 2 samples, 5 features and 4 units, whose state has 3 values.
struct projected_tensors {
  static constexpr rp::index_t t = 3, n = 2, in = 5, u = 4, p = 3;
  rp::tensor<double> x = random_tensor({t, n, in}, 1), wx = random_tensor({in, 4 * u}, 2),
                     wh = random_tensor({p, 4 * u}, 3), wp = random_tensor({u, p}, 4), bias = random_tensor({4 * u}, 5),
                     h0 = random_tensor({n, p}, 6), c0 = random_tensor({n, u}, 7), dy = random_tensor({t, n, p}, 8);
  rp::tensor<double> y{{t, n, p}}, last{{n, p}}, c{{t, n, u}}, gates{{t, n, 4 * u}}, h{{t, n, u}}, last_c{{n, u}},
      dwx{{in, 4 * u}}, dwh{{p, 4 * u}}, dwp{{u, p}}, dx{{t, n, in}}, db{{4 * u}}, dh0{{n, p}}, dc0{{n, u}};
};

bool equal_tensors(const rp::tensor<double>& a, const rp::tensor<double>& b) {
  return a.shape() == b.shape() && std::equal(a.begin(), a.end(), b.begin());
}

}  // namespace

TEST_CASE("projected_lstm of tensors equals that of plain operands") {
  projected_tensors a, b;
  const auto [t, n, in, u, p] = std::array{a.t, a.n, a.in, a.u, a.p};
  using input = rp::sequence_view<const double>;
  CHECK(rp::projected_lstm(
            rp::reference, a.x, a.wx, a.wh, a.wp, a.bias, a.y,
            {.h0 = a.h0, .c0 = a.c0, .last = a.last, .c = a.c, .gates = a.gates, .h = a.h, .last_c = a.last_c}) ==
        rp::run(rp::reference, rp::projected_lstm_args<double>{
                                   .operands = {.x = input::time_major(b.x.data(), t, n, in),
                                                .wx = b.wx.data(),
                                                .wh = b.wh.data(),
                                                .bias = b.bias.data(),
                                                .h0 = b.h0.data(),
                                                .y = rp::sequence_view<double>::time_major(b.y.data(), t, n, p),
                                                .last = b.last.data()},
                                   .units = u,
                                   .wp = b.wp.data(),
                                   .c0 = b.c0.data(),
                                   .c = b.c.data(),
                                   .gates = b.gates.data(),
                                   .h = b.h.data(),
                                   .last_c = b.last_c.data()}));
  CHECK((equal_tensors(a.y, b.y) && equal_tensors(a.last, b.last) && equal_tensors(a.c, b.c)));
  CHECK((equal_tensors(a.gates, b.gates) && equal_tensors(a.h, b.h) && equal_tensors(a.last_c, b.last_c)));
  CHECK(rp::projected_lstm_backward(rp::reference, a.x, a.wx, a.wh, a.wp, a.y, a.c, a.gates, a.h, a.dy, a.dwx, a.dwh,
                                    a.dwp,
                                    {.h0 = a.h0, .c0 = a.c0, .dx = a.dx, .db = a.db, .dh0 = a.dh0, .dc0 = a.dc0}) ==
        rp::run(rp::reference, rp::projected_lstm_backward_args<double>{
                                   .operands = {.x = input::time_major(b.x.data(), t, n, in),
                                                .wx = b.wx.data(),
                                                .wh = b.wh.data(),
                                                .h0 = b.h0.data(),
                                                .y = input::time_major(b.y.data(), t, n, p),
                                                .dy = input::time_major(b.dy.data(), t, n, p),
                                                .dx = rp::sequence_view<double>::time_major(b.dx.data(), t, n, in),
                                                .dwx = b.dwx.data(),
                                                .dwh = b.dwh.data(),
                                                .db = b.db.data(),
                                                .dh0 = b.dh0.data()},
                                   .units = u,
                                   .wp = b.wp.data(),
                                   .c0 = b.c0.data(),
                                   .c = b.c.data(),
                                   .gates = b.gates.data(),
                                   .h = b.h.data(),
                                   .dwp = b.dwp.data(),
                                   .dc0 = b.dc0.data()}));
  CHECK((equal_tensors(a.dwx, b.dwx) && equal_tensors(a.dwh, b.dwh) && equal_tensors(a.dwp, b.dwp)));
  CHECK((equal_tensors(a.dx, b.dx) && equal_tensors(a.db, b.db)));
  CHECK((equal_tensors(a.dh0, b.dh0) && equal_tensors(a.dc0, b.dc0)));
}

TEST_CASE("tensors of a projected_lstm with mismatched extents are refused") {
  projected_tensors a;
  const auto refused = [&](const auto& wh, const auto& wp, const rp::projected_lstm_options<double>& options,
                           const char* message) {
    CHECK_THROWS_WITH_AS(rp::projected_lstm(rp::reference, a.x, a.wx, wh, wp, a.bias, a.y, options), message,
                         rp::shape_error);
  };
  refused(a.wp, a.wp, {}, "projected_lstm: wh is 4x3; must be 3x16");
  refused(a.wh, a.wh, {}, "projected_lstm: wx is 5x16; must be 5x12");
  refused(a.wh, rp::tensor<double>({4, 2}), {}, "projected_lstm: wp is 4x2; must be 4x3");
  refused(a.wh, a.wp, {.h0 = a.c0}, "projected_lstm: h0 is 2x4; must be 2x3");
  refused(a.wh, a.wp, {.c0 = a.h0}, "projected_lstm: c0 is 2x3; must be 2x4");
  refused(a.wh, a.wp, {.last = a.last_c}, "projected_lstm: last is 2x4; must be 2x3");
  refused(a.wh, a.wp, {.c = a.c, .gates = a.gates, .h = a.y}, "projected_lstm: h is 3x2x3; must be 3x2x4");
  refused(a.wh, a.wp, {.c = a.c, .gates = a.gates},
          "projected_lstm: some of c, gates and h are null pointers; must be all or none");
}
