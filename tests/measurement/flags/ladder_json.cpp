// SPDX-License-Identifier: MIT
#include "measurement/flags/ladder_json.hpp"

#include <doctest/doctest.h>

#include "support/mutate.hpp"

namespace rp = ridgepoint;

namespace {

rp::json ladder_document() {
  return {{"schema", "ridgepoint.flags.ladder"},
          {"schema_version", 1},
          {"base", "plain"},
          {"common", {"-O3"}},
          {"sets",
           {{{"name", "plain"}, {"flags", rp::json::array()}}, {{"name", "fast"}, {"flags", {"-mavx2", "-mfma"}}}}}};
}
measurement::ladder read_document(const rp::json& document) {
  return measurement::read_ladder(document.dump(), "my.json");
}

}  // namespace

TEST_CASE("a ladder: common flags come first") {
  const measurement::ladder read = read_document(ladder_document());
  CHECK(read.base == "plain");
  REQUIRE(read.sets.size() == 2);
  CHECK(read.sets[0].flags == std::vector<std::string>{"-O3"});
  CHECK(read.sets[1].name == "fast");
  CHECK(read.sets[1].flags == std::vector<std::string>{"-O3", "-mavx2", "-mfma"});
}

TEST_CASE("a ladder: a set may be compiled with a profile") {
  rp::json document = ladder_document();
  CHECK(!read_document(document).sets[1].profile_guided);
  document["sets"][1]["profile_guided"] = true;
  CHECK(read_document(document).sets[1].profile_guided);
  document["sets"][1]["profile_guided"] = false;
  CHECK(!read_document(document).sets[1].profile_guided);
}

TEST_CASE("ladders are combined: cross product of their sets") {
  const measurement::ladder a{.base = "a",
                              .sets = {{.name = "a", .flags = {"-mavx"}}, {.name = "b", .profile_guided = true}}},
      b{.base = "y",
        .sets = {{.name = "x", .flags = {"-O1"}}, {.name = "y", .flags = {"-O2"}, .profile_guided = true}}},
      all = measurement::crossed(a, b);
  CHECK(all.base == "a,y");
  REQUIRE(all.sets.size() == 4);
  CHECK(all.sets[1].name == "a,y");
  CHECK(all.sets[1].flags == std::vector<std::string>{"-mavx", "-O2"});
  CHECK(all.sets[2].flags == std::vector<std::string>{"-O1"});
  CHECK(!all.sets[0].profile_guided);
  CHECK(all.sets[1].profile_guided);
  CHECK(all.sets[2].profile_guided);
}

TEST_CASE("a ladder: errors are reported with their place") {
  using at = rp::json::json_pointer;
  const auto refusal = [](const at& where, const rp::json& value, const std::string& message) {
    rp::json document = ladder_document();
    document[where] = value;
    CHECK_THROWS_WITH_AS(static_cast<void>(read_document(document)), ("my.json: " + message).c_str(), rp::data_error);
  };
  refusal(at("/schema"), "other", "schema is other; must be ridgepoint.flags.ladder");
  refusal(at("/base"), "absent", "base is \"absent\"; must be the name of a set");
  refusal(at("/sets"), rp::json::array(), "sets has 0 sets; must have from 1 to 1000");
  refusal(at("/sets/1/name"), "plain", "sets[1].name is plain once more; must differ from the others");
  for (const char* name : {"", "a b", "../x", "a/base", "a,b", "a\n"})
    refusal(at("/sets/1/name"), name,
            "sets[1].name is " + rp::json(name).dump() + "; must be 1 to 40 letters, digits and + - . _ =");
  refusal(at("/sets/1/flags/0"), 3, "sets[1].flags[0] is 3; must be a string");
  refusal(at("/sets/1/flags"), "-O2", "sets[1].flags is \"-O2\"; must be an array");
  refusal(at("/sets/1/profile_guided"), "gcda", "sets[1].profile_guided is gcda; must be true or false");
}

TEST_CASE("1,000 damaged ladders: read or refused; an accepted ladder has its base") {
  int read = 0;
  const int count = mutate::for_each(ladder_document().dump(), 50, mutate::json_words, [&](const std::string& text) {
    try {
      const measurement::ladder one = measurement::read_ladder(text, "hostile.json");
      CHECK(std::ranges::find(one.sets, one.base, &measurement::flag_set::name) != one.sets.end());
      ++read;
    } catch (const rp::data_error& refusal) {
      CHECK(std::string_view(refusal.what()).find("hostile.json") != std::string_view::npos);
    }
  });
  CHECK(count >= 1'000);
  CHECK(read > 0);
  CHECK(read < count / 2);
}

TEST_CASE("a ladder may choose code generation flags, but not write, load or name files") {
  for (const char* flag : {"-O2", "-mavx2", "-ffast-math", "-fcompare-elim", "-DNDEBUG", "-DX=1", "-UX", "-std=c++20",
                           "-flto", "-g0", "-DROOT=/usr"})
    CHECK(measurement::detail::chooses_code(flag));
  for (const char* flag : {"",
                           "O2",
                           "-o",
                           "-oprogram",
                           "@file",
                           "-fplugin=./a.so",
                           "-fdump-tree-all",
                           "-Wl,-z",
                           "-include",
                           "-I/etc",
                           "-Xclang",
                           "-specs=a",
                           "-B.",
                           "-wrapper",
                           "-fprofile-use=/x",
                           "-D A",
                           "-DX=\n",
                           "-fuse-ld=/tmp/ld",
                           "-fuse-ld=../ld",
                           "-fuse-ld=mine",
                           "-fcompare-debug=-fplugin=a",
                           "-fproc-stat-report=a",
                           "-foptimization-record-file=a",
                           "-fthin-link-bitcode=a",
                           "-fcs-profile-generate=a",
                           "-fopt-info-vec=a",
                           "-mllvm",
                           "-gcc-toolchain",
                           "-gsplit-dwarf",
                           "x.cpp"})
    CHECK(!measurement::detail::chooses_code(flag));
}
