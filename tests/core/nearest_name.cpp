// SPDX-License-Identifier: MIT
#include <ridgepoint/core/nearest_name.hpp>

#include <doctest/doctest.h>

namespace rp = ridgepoint;

TEST_CASE("did_you_mean suggests the nearest name, ignoring case") {
  const std::vector<std::string_view> known{"mnist-mlp", "mnist-cnn", "resnet-50", "", "blis"};
  CHECK(rp::did_you_mean("mnist-mpl", known) == " (did you mean mnist-mlp?)");
  CHECK(rp::did_you_mean("MNIST-CNN", known) == " (did you mean mnist-cnn?)");
  CHECK(rp::did_you_mean("mnist_cn", known) == " (did you mean mnist-cnn?)");
  CHECK(rp::did_you_mean("Resnet50", known) == " (did you mean resnet-50?)");
  CHECK(rp::did_you_mean("bils", known) == " (did you mean blis?)");
}

TEST_CASE("did_you_mean suggests nothing if no name is near") {
  const std::vector<std::string_view> known{"mnist-mlp", "a"};
  for (const std::string& name : {std::string("no-such-network"), std::string("mnist"), std::string(""),
                                  std::string("xy"), std::string(100'000, 'm')})
    CHECK(rp::did_you_mean(name, known).empty());
  CHECK(rp::did_you_mean("mnist-mlp", {}).empty());
}

TEST_CASE("same_name ignores case only") {
  CHECK(rp::same_name("MNIST-MLP", "mnist-mlp"));
  CHECK(rp::same_name("", ""));
  for (const char* const other : {"mnist-ml", "mnist-mlpx", "mnist_mlp", "mnist mlp", "nnist-mlp"})
    CHECK_FALSE(rp::same_name("mnist-mlp", other));
  CHECK_FALSE(rp::same_name("[", "{"));  // differ by 32, like upper and lower case
}

TEST_CASE("names_of lists names, or elements without a name") {
  struct named {
    std::string_view name;
  };
  CHECK(rp::names_of(std::vector<named>{{"k80"}, {"p100"}}) == "k80, p100");
  CHECK(rp::names_of(std::vector<std::string>{"k80", "", "p100"}) == "k80, , p100");
  CHECK(rp::names_of(std::vector<std::string_view>{"k80"}) == "k80");
  CHECK(rp::names_of(std::vector<std::string>{}).empty());
}

TEST_CASE("edits: insert, remove, replace, swap") {
  CHECK(rp::detail::edits_between("", "abc") == 3);
  CHECK(rp::detail::edits_between("abc", "ac") == 1);
  CHECK(rp::detail::edits_between("abc", "axc") == 1);
  CHECK(rp::detail::edits_between("abcd", "acbd") == 1);
  CHECK(rp::detail::edits_between("kitten", "sitting") == 3);
}
