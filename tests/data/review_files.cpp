// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/data/reviews.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;

namespace {
void refused(const std::string& directory, const std::string& because) {
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::review_files(directory, "train")),
                       ("reviews: " + directory + because).c_str(), rp::data_error);
}
}  // namespace

TEST_CASE("reviews are the negative ones, then the positive ones, sorted by name") {
  const temporary_directory there;
  for (const char* folder : {"test/pos", "test/neg", "train/pos", "train/neg", "train/unsup"}) {
    std::filesystem::create_directories(there / folder);
    for (const char* name : {"2_9.txt", "10_8.txt", "notes.html", ".hidden.txt"})
      write_bytes(there / folder / name, "");
  }
  write_bytes(there / "train" / "urls_pos.txt", "");
  const auto files = rp::review_files(there.path(), "train");
  REQUIRE(files.size() == 4);
  CHECK(files[0].path == (there / "train/neg/10_8.txt").string());
  CHECK(files[1].path == (there / "train/neg/2_9.txt").string());
  CHECK(files[2].path == (there / "train/pos/10_8.txt").string());
  CHECK(files[3].path == (there / "train/pos/2_9.txt").string());
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(files[i].kind == (i < 2 ? rp::sentiment::negative : rp::sentiment::positive));
  CHECK(rp::review_files(there.path(), "test").size() == 4);
}

TEST_CASE("a missing or empty directory of reviews is refused") {
  const temporary_directory there;
  const std::string all = "; must have train/neg, train/pos, test/neg and test/pos";
  refused(there / "nowhere", ": no such directory; must exist, with train/neg, train/pos, test/neg and test/pos");
  refused(there.path(), " has no directory train/neg" + all);
  std::filesystem::create_directories(there / "train" / "neg");
  refused(there.path(), "/train/neg has no review; must have files *.txt");
  write_bytes(there / "train" / "neg" / "0.txt", "");
  write_bytes(there / "train" / "pos", "no directory");
  refused(there.path(), " has no directory train/pos" + all);
  std::filesystem::remove(there / "train" / "pos");
  std::filesystem::create_directories(there / "train" / "pos");
  refused(there.path(), "/train/pos has no review; must have files *.txt");
}
