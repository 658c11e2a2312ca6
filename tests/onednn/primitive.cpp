// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/onednn/primitive.hpp>

namespace rp = ridgepoint;

TEST_CASE("an error of oneDNN reports the failed call and its status") {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const dnnl::memory::desc a({2, 3}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::ab);
  CHECK_THROWS_WITH_AS(
      rp::onednn_detail::call("matmul", [&] { rp::onednn_detail::describe<dnnl::matmul>(engine, {}, a, a, a); }),
      doctest::Contains("oneDNN: matmul: invalid_arguments ("), rp::backend_error);
  CHECK(rp::onednn_detail::call("nothing", [] { return 3; }) == 3);
}
