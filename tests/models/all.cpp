// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/models/all.hpp>

namespace rp = ridgepoint;

TEST_CASE("a model is found by its name") {
  const auto name = [](std::string_view wanted) {
    return rp::models::with_model(rp::models::all{}, wanted, []<class Model>() { return std::string(Model::name); });
  };
  CHECK(name("mnist-mlp") == "mnist-mlp");
  CHECK(name("mnist-cnn") == "mnist-cnn");
  CHECK(name("paradnn-cnn") == "paradnn-cnn");
  CHECK_THROWS_WITH_AS(name("alexnet"),
                       doctest::Contains("model is \"alexnet\"; must be one of: mnist-mlp, mnist-cnn, "),
                       rp::value_error);
}
