// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/graph/plan.hpp>
#include <ridgepoint/ops/all.hpp>

namespace rp = ridgepoint;

TEST_CASE("an op is named after its arguments, without their suffix and scope") {
  CHECK(rp::op_name<rp::dense_args<float>>() == "dense<float>");
  CHECK(rp::op_name<rp::gemm_args<double>>() == "gemm<double>");
  CHECK(rp::op_name<rp::advance_args>() == "advance");
}
