// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/data/synthetic_embryos.hpp>
#include <support/linear_softmax.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;

TEST_CASE("synthetic embryos are a tree of PNG files, all classes equally often, the same for the same seed") {
  const temporary_directory a, b;
  rp::write_synthetic_embryos(a.path(), {.seed = 7, .embryos = 6, .images = 4});
  rp::write_synthetic_embryos(b.path(), {.seed = 7, .embryos = 7, .images = 5});
  const auto files = rp::embryo_files(a.path());
  CHECK(files.size() == 24);
  for (int cells = 1; cells <= 4; ++cells)
    CHECK(std::count_if(files.begin(), files.end(), [=](const auto& file) { return file.cells == cells; }) == 6);
  for (const auto& file : files)  // only the number differs
    CHECK(rp::read_png(file.path) == rp::read_png(b / file.path.substr(a.path().string().size() + 1)));
  CHECK(a.entries() == 5);  // including the note
  const rp::embryo_data data = rp::embryos(a.path());
  CHECK(data.train.size() == 4 * 4 * 20);
  CHECK(data.test.size() == 2 * 4);
  CHECK(data.train.sample_shape() == rp::shape{64, 64, 1});
}

TEST_CASE("names contain the number of cells, of the embryo and of the image") {
  CHECK(rp::detail::synthetic_embryo_name(17, 4) == "2/E017_F004.png");
  CHECK(rp::detail::synthetic_embryo_name(1000, 12) == "1/E1000_F012.png");
}

TEST_CASE("existing embryos are not drawn again; another seed redraws them; a user's files are left alone") {
  const temporary_directory there;
  int calls = 0;
  const auto count_calls = [&](rp::index_t done, rp::index_t total) {
    CHECK(done <= total);
    ++calls;
  };
  const std::string tree = there / "embryos", one = tree + "/1/E000_F000.png";
  rp::write_synthetic_embryos(tree, {.embryos = 6, .images = 4}, count_calls);
  CHECK(calls == 6);
  const std::string before = read_bytes(one);
  rp::write_synthetic_embryos(tree, {.embryos = 6, .images = 4}, count_calls);
  CHECK(calls == 6);
  std::filesystem::remove(one);
  rp::write_synthetic_embryos(tree, {.embryos = 6, .images = 4});
  CHECK(read_bytes(one) == before);
  rp::write_synthetic_embryos(tree, {.seed = 1, .embryos = 6, .images = 4});
  CHECK(read_bytes(one) != before);

  write_bytes(tree + "/3/mine.png", "mine");
  CHECK_THROWS_WITH_AS(
      rp::write_synthetic_embryos(tree, {.embryos = 6, .images = 4}),
      doctest::Contains("holds data files of another origin; must be empty, or hold synthetic embryos"),
      rp::data_error);
  CHECK(read_bytes(tree + "/3/mine.png") == "mine");
  CHECK_THROWS_WITH_AS(rp::write_synthetic_embryos(there / "few", {.embryos = 5}),
                       "synthetic embryos: 5 embryos of 30 images; must be >= 6 and >= 4", rp::value_error);
  CHECK(there.entries() == 1);
}

TEST_SUITE("slow") {
  TEST_CASE("the synthetic embryos are not linearly separable: a linear softmax gets at most 60 % right") {
    const temporary_directory there;
    const rp::embryo_data data = rp::synthetic_embryos(there.path(), {.embryos = 100, .images = 12});
    linear_softmax model(data.train, 0.22F, 1e-3F);
    model.learn(data.train, 5);
    const double seen = model.accuracy(data.train, data.train.size()),
                 unseen = model.accuracy(data.test, data.test.size());
    MESSAGE("a linear softmax gets ", 100 * seen, " % of training images right, ", 100 * unseen, " % of test images");
    CHECK(seen > 0.3);
    CHECK(unseen < 0.6);
  }
}
