// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/data/embryos.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;

namespace {
/// Creates 1/ … 4/, each with an empty file of every name.
struct small_tree {
  temporary_directory there;
  explicit small_tree(const std::vector<std::string>& names) {
    for (const char* cells : {"1", "2", "3", "4"}) {
      std::filesystem::create_directory(there / cells);
      for (const std::string& name : names) write_bytes(there / cells / name, "");
    }
  }
  [[nodiscard]] std::vector<rp::embryo_file> files() const { return rp::embryo_files(there.path()); }
  void refused(const char* because) const {
    CHECK_THROWS_WITH_AS(static_cast<void>(files()), doctest::Contains(because), rp::data_error);
  }
};
}  // namespace

TEST_CASE("the directory is the number of cells, the first number in the name the embryo; paths are sorted") {
  const small_tree tree({"E017_F004.png", "E2.png", "notes.txt", ".hidden.png", "5-embryo.png"});
  write_bytes(tree.there / "synthetic-embryos.txt", "a note");
  write_bytes(tree.there / "7", "no directory");
  std::filesystem::create_directory(tree.there / ".git");
  const auto files = tree.files();
  REQUIRE(files.size() == 12);
  for (std::size_t i = 0; i < files.size(); ++i) {
    CHECK(files[i].cells == static_cast<int>(i / 3) + 1);
    CHECK(files[i].embryo == std::array<rp::index_t, 3>{5, 17, 2}[i % 3]);
    CHECK(files[i].is_test() == (i % 3 == 0));
    CHECK(std::filesystem::exists(files[i].path));
    if (i > 0) CHECK(files[i - 1].path < files[i].path);
  }
}

TEST_CASE("one embryo in five is for testing") {
  int tests = 0;
  for (rp::index_t embryo = 0; embryo < 100; ++embryo) tests += rp::embryo_file{"", 1, embryo}.is_test() ? 1 : 0;
  CHECK(tests == 20);
  CHECK(rp::embryo_file{"", 1, 0}.is_test());
  CHECK_FALSE(rp::embryo_file{"", 1, 4}.is_test());
}

TEST_CASE("a tree with another layout is refused") {
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::embryo_files("absent")),
                       "absent: cannot be opened; must be a readable directory", rp::data_error);
  const small_tree tree({"E1.png"});
  std::filesystem::create_directory(tree.there / "5");
  tree.refused("has a directory 5; must be 1, 2, 3 or 4, the number of cells in its images");
  std::filesystem::rename(tree.there / "5", tree.there / "11");
  tree.refused("has a directory 11; must be 1, 2, 3 or 4");
  std::filesystem::remove(tree.there / "11");
  std::filesystem::remove(tree.there / "3" / "E1.png");
  tree.refused("3 has no image; must have PNG files");
  std::filesystem::remove(tree.there / "3");
  tree.refused("has no directory 3; must have 1, 2, 3 and 4, with the images of that many cells");
  write_bytes(tree.there / "3", "a file");
  tree.refused("has no directory 3");
}

TEST_CASE("a name without a valid number is refused") {
  small_tree({"embryo.png"}).refused("1/embryo.png: must have the number of its embryo in its name");
  small_tree({"E1234567890.png"}).refused("of one to nine digits, as in E017_F004.png");
  CHECK(small_tree({"E999999999.png"}).files()[0].embryo == 999'999'999);
}
