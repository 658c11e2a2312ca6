// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <cstdio>

#include <ridgepoint/core/files.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;

TEST_CASE("a file appears only after commit") {
  const temporary_directory there;
  {
    rp::atomic_file file(there / "a");
    file.write("new");
    CHECK(!std::filesystem::exists(there / "a"));
    file.commit();
    CHECK(read_bytes(there / "a") == "new");
  }
  CHECK(there.entries() == 1);
}

TEST_CASE("without commit the old file stays and no temporary file remains") {
  const temporary_directory there;
  write_bytes(there / "a", "old");
  {
    rp::atomic_file file(there / "a");
    file.write("half a new");
  }
  CHECK(read_bytes(there / "a") == "old");
  CHECK(there.entries() == 1);
  rp::write_file(there / "a", "new");
  CHECK(read_bytes(there / "a") == "new");
}

TEST_CASE("a process that ends before commit leaves no file") {
  const temporary_directory there;
  const int nameless = ::open(there.path().c_str(), O_TMPFILE | O_WRONLY, 0600);
  if (nameless < 0 || !std::filesystem::exists("/proc/self/fd")) {
    MESSAGE("skipped: this file system has no unnamed files, or /proc is missing");
    return;
  }
  ::close(nameless);
  write_bytes(there / "a", "old");
  const pid_t child = ::fork();
  if (child == 0) {
    rp::atomic_file file(there / "a");
    file.write(std::string(200'000, 'x'));
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  CHECK(read_bytes(there / "a") == "old");
  CHECK(there.entries() == 1);
}

TEST_CASE("a symbolic link stays a symbolic link") {
  const temporary_directory there;
  write_bytes(there / "target", "old");
  std::filesystem::create_symlink("target", there / "link");
  rp::write_file(there / "link", "new");
  CHECK(std::filesystem::is_symlink(there / "link"));
  CHECK(read_bytes(there / "target") == "new");
  std::filesystem::remove(there / "target");
  CHECK_THROWS_WITH_AS(rp::write_file(there / "link", "new"), doctest::Contains("link is a link to nothing"),
                       rp::data_error);
  CHECK(std::filesystem::is_symlink(there / "link"));
}

TEST_CASE("a device is written in place, not replaced") {
  rp::write_file("/dev/null", "gone");
  CHECK(std::filesystem::is_character_file("/dev/null"));
  CHECK_THROWS_WITH_AS(rp::write_file("/dev/full", "too much"), doctest::Contains("/dev/full: No space left on device"),
                       rp::data_error);
}

TEST_CASE("a write to the file of standard output comes after earlier output") {
  const temporary_directory there;
  std::fflush(stdout);
  const int before = ::dup(STDOUT_FILENO), file = ::open((there / "out").c_str(), O_WRONLY | O_CREAT, 0600);
  REQUIRE(::dup2(file, STDOUT_FILENO) >= 0);
  std::fputs("printed ", stdout);
  rp::write_file("/dev/stdout", "written ");
  std::fputs("again", stdout);
  std::fflush(stdout);
  ::dup2(before, STDOUT_FILENO);
  ::close(before), ::close(file);
  CHECK(read_bytes(there / "out") == "printed written again");
  CHECK(there.entries() == 1);
}

TEST_CASE("a failed write reports the file and the reason") {
  const temporary_directory there;
  CHECK_THROWS_WITH_AS(rp::write_file(there.path(), ""), doctest::Contains("is a directory; must be a file"),
                       rp::data_error);
  CHECK_THROWS_WITH_AS(rp::write_file(there / "no" / "a", ""), doctest::Contains("no/a: No such file or directory"),
                       rp::data_error);
  CHECK_THROWS_WITH_AS(rp::write_file("/proc/ridgepoint", ""), doctest::Contains("write: /proc/ridgepoint: "),
                       rp::data_error);
  CHECK_THROWS_AS(rp::write_file("", ""), rp::data_error);
}

TEST_CASE("on a full disk the old file stays and no temporary file remains, for any SIGXFSZ action") {
  void (*action)(int) = SIG_IGN;
  SUBCASE("ignored") {}
  SUBCASE("ends the process") { action = SIG_DFL; }
  const temporary_directory there;
  write_bytes(there / "a", "old");
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, action);
  const rlimit small{65536, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const std::string large(200'000, 'x');
  std::string message;
  try {
    rp::write_file(there / "a", large);
  } catch (const rp::data_error& failure) {
    message = failure.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(message.find("a: File too large") != std::string::npos);
  CHECK(read_bytes(there / "a") == "old");
  CHECK(there.entries() == 1);
}

TEST_CASE("a replaced file keeps its permissions") {
  const temporary_directory there;
  const auto file = there / "private";
  write_bytes(file, "old");
  std::filesystem::permissions(file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  rp::write_file(file, "new");
  CHECK(read_bytes(file) == "new");
  CHECK(std::filesystem::status(file).permissions() ==
        (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
}
