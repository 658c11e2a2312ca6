// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <string>

#include <ridgepoint/core/either.hpp>

namespace rp = ridgepoint;

namespace {

/// Op that one backend has, the other has, or both.
template <int Number>
struct op {
  int* ran;
};
struct packed_op {
  static constexpr bool in_own_form = true;
  int* ran;
};
/// Backend with the ops whose bits are set in Ops.
template <int Ops>
struct host : rp::host_memory {
  [[nodiscard]] static std::string name() { return rp::concat("host", Ops); }
};
template <int Ops, int Number>
  requires((Ops >> Number & 1) != 0)
void execute(const host<Ops>&, const op<Number>& o) { *o.ran = Ops; }
template <int Ops>
  requires((Ops & 8) != 0)
void execute(const host<Ops>&, const packed_op& o) { *o.ran = Ops; }

}  // namespace

TEST_CASE("an op runs on the first backend that has it") {
  using both = rp::either<host<0b0011>, host<0b0110>>;
  static_assert(rp::backend<both>);
  static_assert(rp::executes<both, op<0>> && rp::executes<both, op<1>> && rp::executes<both, op<2>>);
  static_assert(!rp::executes<both, op<3>>);
  const both on;
  int ran = 0;
  execute(on, op<0>{&ran});
  CHECK(ran == 0b0011);
  execute(on, op<1>{&ran});
  CHECK(ran == 0b0011);
  execute(on, op<2>{&ran});
  CHECK(ran == 0b0110);
  CHECK(rp::executed_by<op<1>>(on) == "host3");
  CHECK(rp::executed_by<op<2>>(on) == "host6");
  CHECK(on.name() == "host3");
}

TEST_CASE("data in the primary's own format runs on the primary only") {
  static_assert(rp::executes<rp::either<host<0b1001>, host<0b0110>>, packed_op>);
  static_assert(!rp::executes<rp::either<host<0b0001>, host<0b1110>>, packed_op>);
}

TEST_CASE("eithers nest and report the name of the executing backend") {
  const rp::either on(host<0b0001>{}, rp::either(host<0b0010>{}, host<0b0100>{}));
  CHECK(rp::executed_by<op<0>>(on) == "host1");
  CHECK(rp::executed_by<op<2>>(on) == "host4");
  int ran = 0;
  execute(on, op<2>{&ran});
  CHECK(ran == 0b0100);
}
