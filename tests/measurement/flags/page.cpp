// SPDX-License-Identifier: MIT
#include "measurement/flags/page.hpp"

#include <doctest/doctest.h>

#include "page_sample.hpp"

TEST_CASE("the page of flags: definition and kernels of an op are one group, other benchmarks are separate") {
  const measurement::flags_page page = page_sample::page();
  const std::vector<measurement::page_group> groups = measurement::grouped(page.rows);
  REQUIRE(groups.size() == 6);
  CHECK(groups[0].name == "gemm/256x256x256");
  REQUIRE(groups[0].benchmarks.size() == 2);
  CHECK(groups[0].benchmarks[0].kind == "definition");
  CHECK(groups[0].benchmarks[1].name() == "gemm/256x256x256/kernels");
  CHECK(groups[3].name == "training/mnist-mlp");
  CHECK(groups[3].benchmarks.size() == 1);
  CHECK(groups[4].name == page_sample::hostile);
  CHECK(groups[4].benchmarks[0].number == 7);
  CHECK(groups[4].benchmarks[0].kind == "");
  const measurement::page_benchmark& one = groups[4].benchmarks[0];
  REQUIRE(one.of("avx") != nullptr);
  CHECK(one.of("avx")->compared.speedup == 1.5);
  CHECK(one.of("sse4.2") == nullptr);
}

TEST_CASE("the page of flags: kernels without their definition, or before it, are not a pair") {
  const auto count = [](const std::vector<const char*>& names) {
    std::vector<measurement::flags_row> rows;
    for (const char* name : names) rows.push_back(page_sample::row(name, "avx", 1));
    return measurement::grouped(rows).size();
  };
  CHECK(count({"a/definition", "a/kernels"}) == 1);
  CHECK(count({"a/kernels", "a/definition"}) == 2);
  CHECK(count({"a/definition", "b/kernels"}) == 2);
  CHECK(count({"a/definition", "other", "a/kernels"}) == 3);
  CHECK(count({"definition", "kernels"}) == 2);
  CHECK(count({}) == 0);
}

TEST_CASE("the page of flags: the control comes first and is the base; its place in the ladder is its own") {
  const measurement::flags_page page = page_sample::page();
  CHECK(page.contenders().front() == "x86-64 again");
  CHECK(page.contenders().size() == page.sets.size());
  CHECK(page.find("x86-64 again") == page.find("x86-64"));
  CHECK(page.find("none") == nullptr);
}

TEST_CASE("the page of flags: an argument is quoted for the shell") {
  CHECK(measurement::shell_word("-march=x86-64") == "-march=x86-64");
  CHECK(measurement::shell_word("") == "''");
  CHECK(measurement::shell_word("a b") == "'a b'");
  CHECK(measurement::shell_word("it's $HOME") == "'it'\\''s $HOME'");
}

TEST_CASE("the page of flags: a row's command runs only that row") {
  const measurement::page_set set{.set = {.name = "avx"}, .command = "g++ -mavx b.cpp -o program && ./program"};
  CHECK(measurement::reproducer(set, "sum") == "g++ -mavx b.cpp -o program && ./program '--benchmark_filter=^sum$'");
  CHECK(measurement::reproducer(set, "f<a>(b*)/8.5").ends_with(R"('--benchmark_filter=^f<a>\(b\*\)/8\.5$')"));
  CHECK(measurement::reproducer(set, "f<int[4]>{}|^").ends_with(R"('--benchmark_filter=^f<int\[4]>\{}\|\^$')"));
  CHECK(measurement::reproducer(set, "x #2").ends_with("'--benchmark_filter=^x$'"));
  CHECK(measurement::reproducer(set, "x #").ends_with("'--benchmark_filter=^x #$'"));
  CHECK(measurement::reproducer(set, "it's").ends_with(R"('--benchmark_filter=^it'\''s$')"));
}
