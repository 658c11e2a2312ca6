// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/plot.hpp>

#include "support/near.hpp"
#include "synthetic.hpp"

namespace rp = ridgepoint;

TEST_CASE("the plot of a synthetic profile in ASCII") {
  CHECK(rp::plot(synthetic::profile(), synthetic::machine(), {.style = rp::glyphs::ascii}) ==
        R"(FLOP/s of synthetic on synthetic; letters as in the table
   1 T| 
      | 
      | 
 100 G|                     ----------------------------------------------------
      |                  /// /// ////           ///                  A
      |            L1//////// ///           ////
      |          //// /// ////          ////
  10 G|       ///L2///////           ///
      |   //////// ///           ////
      | // ///L3///           ///  B
      | /// ///           ////
   1 G| ////        DRAM//
      |            ///
      |        ////
      |     ///
 100 M| ////
      | 
      | 
      | 
  10 M| 
      +-------------------------------------------------------------------------
        0.01          0.1           1              10            100        1000  FLOP/B
        L1 400 GB/s, ridge at 0.250 FLOP/B; compute 100 GFLOP/s
        L2 200 GB/s, ridge at 0.500 FLOP/B; compute 100 GFLOP/s
        L3 100 GB/s, ridge at 1.00 FLOP/B; compute 100 GFLOP/s
        DRAM 10.0 GB/s, ridge at 10.0 FLOP/B; compute 100 GFLOP/s
        no arithmetic, not shown: C data feed
)");
}

TEST_CASE("the plot of a synthetic profile in Unicode") {
  CHECK(rp::plot(synthetic::profile(), synthetic::machine(), {.style = rp::glyphs::unicode}) ==
        R"(FLOP/s of synthetic on synthetic; letters as in the table
   1 T| 
      | 
      | 
 100 G|                     ⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀
      |                 ⢀⡠⠔⠉ ⣀⠔⠊⠁⣀⠤⠒⠉          ⢀⡠⠔⠊                  A
      |            L1⣀⠔⠊⠁⢀⠤⠒⠉⢀⡠⠔⠊           ⣀⠤⠊⠁
      |          ⢀⠤⠒⠉⢀⡠⠔⠊⠁⣀⠤⠊⠁          ⢀⡠⠒⠉
  10 G|      ⢀⡠⠔⠊L2⠤⠒⠁⢀⡠⠒⠉           ⡠⠔⠊⠁
      |   ⣀⠤⠒⠁⢀⡠⠔⠉ ⡠⠔⠊⠁          ⣀⠤⠒⠉
      | ⠔⠉ ⣀⠔⠊L3⠤⠒⠉          ⢀⡠⠔⠊  B
      | ⠤⠒⠉⢀⡠⠔⠊           ⣀⠤⠊⠁
   1 G| ⣀⠤⠊⠁        DRAM⠒⠉
      |            ⡠⠔⠊⠁
      |        ⣀⠤⠒⠉
      |    ⢀⡠⠔⠊
 100 M| ⣀⠤⠊⠁
      | 
      | 
      | 
  10 M| 
      +-------------------------------------------------------------------------
        0.01          0.1           1              10            100        1000  FLOP/B
        L1 400 GB/s, ridge at 0.250 FLOP/B; compute 100 GFLOP/s
        L2 200 GB/s, ridge at 0.500 FLOP/B; compute 100 GFLOP/s
        L3 100 GB/s, ridge at 1.00 FLOP/B; compute 100 GFLOP/s
        DRAM 10.0 GB/s, ridge at 10.0 FLOP/B; compute 100 GFLOP/s
        no arithmetic, not shown: C data feed
)");
}

TEST_CASE("axes are full decades that depend on the machine only") {
  const rp::roofline_axes axes = rp::axes_of(synthetic::machine(), {.dtype = "f32", .isa = "avx2", .threads = 1});
  CHECK(axes.x.first == -2);
  CHECK(axes.x.last == 3);
  CHECK(axes.y.first == 7);
  CHECK(axes.y.last == 12);
  CHECK(axes.x.position(0.01) == 0);
  CHECK(axes.x.position(1000) == 1);
  CHECK(axes.x.position(1e9) == 1);
  CHECK(axes.x.position(0) == 0);
  CHECK(axes.x.value_at(0.4) == near(1));
}

TEST_CASE("axes include every point") {
  rp::profile p = synthetic::profile();
  const rp::roofline_axes of_machine = rp::axes_of(synthetic::machine(), rp::roofs_for(p));
  CHECK(rp::axes_of(p, synthetic::machine()).x.first == of_machine.x.first);
  p.rows.push_back({"tiny", rp::pass::forward, "1", synthetic::work_of(1, 2'000), 0.02, 2'000});  // 50 FLOP/s
  p.rows.push_back({"huge", rp::pass::forward, "1", synthetic::work_of(200'000'000'000'000, 1'000), 2, 1'000});
  const rp::roofline_axes axes = rp::axes_of(p, synthetic::machine());
  CHECK(axes.x.first == -4);
  CHECK(axes.x.last == 12);
  CHECK(axes.y.first == 1);
  CHECK(axes.y.last == 14);
}

TEST_CASE("a machine without ceilings and an empty profile give a valid plot; invalid sizes do not") {
  CHECK_NOTHROW(static_cast<void>(rp::plot({}, {})));
  CHECK_NOTHROW(static_cast<void>(rp::plot(synthetic::profile(), {}, {.width = 40, .height = 8})));
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::plot({}, {}, {.width = 1})), doctest::Contains("must be 40x8 to 400x200"),
                       rp::value_error);
}

TEST_CASE("the fastest accepted machine gives a valid plot") {
  rp::machine fast = synthetic::machine();
  for (rp::ceiling& c : fast.ceilings) c.per_s = 1e24;
  check(fast);
  CHECK_NOTHROW(static_cast<void>(rp::plot(synthetic::profile(), fast)));
}
