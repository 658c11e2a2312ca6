// SPDX-License-Identifier: MIT
#include "measurement/shapes.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include <ridgepoint/core/error.hpp>

#include "support/temporary_directory.hpp"

TEST_CASE("shapes are extents separated by commas or x; anything else is refused") {
  CHECK(measurement::parse_shape("64,128,256", 3) == std::vector<std::string>{"64", "128", "256"});
  CHECK(measurement::parse_shape("64x 128", 2) == std::vector<std::string>{"64", "128"});
  for (const char* text : {"", "64", "64,128,256", "64,0", "064,1", "64,-1", "64,1e3", "64,123456789"})
    CHECK_THROWS_AS(static_cast<void>(measurement::parse_shape(text, 2)), ridgepoint::value_error);
  CHECK(measurement::parse_op("tanh,64,128") == std::pair<std::string, std::string>{"tanh", "64,128"});
  for (const char* line : {"tanh", ",64", "ta nh,64"})
    CHECK_THROWS_AS(static_cast<void>(measurement::parse_op(line)), ridgepoint::value_error);
}

TEST_CASE("rows of a CSV file: cells by column name; errors give file and line") {
  const temporary_directory there;
  const std::string file = (there / "shapes.csv").string();
  const auto rows = [&](const char* text, const std::vector<std::string>& columns) {
    write_bytes(file, text);
    return measurement::read_rows(file, columns);
  };
  using strings = std::vector<std::string>;
  CHECK(rows("k,m,n\n16,64,32\n1,2,3\n", measurement::columns::gemm) == strings{"64,32,16", "2,3,1"});
  CHECK(rows("\xEF\xBB\xBFm,n,k,note\r\n1,2,3,\"so, \"\"slow\"\"\"\r\n", measurement::columns::gemm) ==
        strings{"1,2,3"});
  CHECK(rows("cols,op,rows\n9,tanh,8\n", measurement::columns::map) == strings{"tanh,8,9"});
  const auto refusal = [&](const char* text, const strings& columns, const std::string& message) {
    CHECK_THROWS_WITH_AS(static_cast<void>(rows(text, columns)), (file + message).c_str(), ridgepoint::data_error);
  };
  refusal("64,32,16\n8,8,8\n", measurement::columns::gemm, ": line 1 has no column m; found 64,32,16");
  refusal("m,m,k\n1,2,3\n", measurement::columns::gemm, ": line 1 has two columns \"m\"; must differ");
  refusal("m,n,K\n1,2,3\n", measurement::columns::gemm, ": line 1 has no column k; found m,n,K");
  for (const char* cell : {"0", "-1", "1e3", "", " 8", "\"1,2\"", "08", "123456789"}) {
    std::string shown(cell);
    std::erase(shown, '"');
    refusal(("m,n,k\n1,2,3\n4," + std::string(cell) + ",6\n").c_str(), measurement::columns::gemm,
            ": line 3, column n is \"" + shown + "\"; must be a positive integer of at most eight digits");
  }
  refusal("op,rows,cols\nta nh,1,2\n", measurement::columns::map, ": line 2, column op is \"ta nh\"; must be a name");
  CHECK_THROWS_AS(static_cast<void>(rows("m,n,k\n", measurement::columns::gemm)), ridgepoint::data_error);
}

TEST_CASE("random shapes follow from the seed, stay in their range and below 2 GFLOP, and have a class each") {
  const auto shapes = measurement::random_shapes(200, 1), again = measurement::random_shapes(200, 1);
  REQUIRE(shapes.size() == 200);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const auto [m, n, k] = shapes[i];
    CHECK(std::max({m, n, k}) <= 4096);
    CHECK(std::min({m, n, k}) >= 1);
    CHECK(2 * m * n * k <= 2'000'000'000);
    CHECK(shapes[i].text() == again[i].text());
  }
  const auto class_of = [](std::uint64_t m, std::uint64_t n, std::uint64_t k) {
    return measurement::class_of({.m = m, .n = n, .k = k});
  };
  CHECK(class_of(64, 4, 64) == "dot");
  CHECK(class_of(64, 16, 64) == "narrow");
  CHECK(class_of(64, 64, 4) == "outer");
  CHECK(class_of(36, 64, 64) == "few rows");
  CHECK(class_of(64, 64, 128) == "sweep");
  CHECK(class_of(64, 64, 129) == "blocked");
}

TEST_CASE("random convolutions follow from the seed, fit and stay below 3 GFLOP") {
  const auto lines = measurement::random_convolutions(100, 1);
  CHECK(lines == measurement::random_convolutions(100, 1));
  CHECK(lines != measurement::random_convolutions(100, 2));
  REQUIRE(lines.size() == 100);
  for (const std::string& line : lines) {
    const auto [op, extents] = measurement::parse_op(line);
    CHECK(op == "conv2d");
    const auto e = measurement::parse_shape(extents, 6);
    const auto at = [&](std::size_t i) { return std::stoull(e[i]); };
    CHECK(at(0) <= 32);
    CHECK((4 <= at(1) && at(1) <= 112));
    CHECK(std::max(at(2), at(3)) <= 512);
    CHECK(at(4) <= 7);
    CHECK(at(5) <= 2);
    CHECK(at(1) + 2 * ((at(4) - 1) / 2) >= at(4));
    const auto out = (at(1) + 2 * ((at(4) - 1) / 2) - at(4)) / at(5) + 1;
    CHECK(2 * at(0) * out * out * at(2) * at(3) * at(4) * at(4) <= 3'000'000'000);
  }
}

TEST_CASE("random sequences follow from the seed, stay in their range and below 20 GFLOP") {
  const auto lines = measurement::random_sequences(100, 1);
  CHECK(lines == measurement::random_sequences(100, 1));
  CHECK(lines != measurement::random_sequences(100, 2));
  REQUIRE(lines.size() == 100);
  std::uint64_t most_steps = 0, most_units = 0;
  for (const std::string& line : lines) {
    const auto [op, extents] = measurement::parse_op(line);
    CHECK(op == "lstm");
    const auto e = measurement::parse_shape(extents, 4);
    const auto at = [&](std::size_t i) { return std::stoull(e[i]); };
    CHECK(at(0) <= 100);
    CHECK(at(1) <= 256);
    CHECK((8 <= std::min(at(2), at(3)) && std::max(at(2), at(3)) <= 1024));
    CHECK(8 * at(0) * at(1) * at(3) * (at(2) + at(3)) <= 20'000'000'000);
    most_steps = std::max<std::uint64_t>(most_steps, at(0)), most_units = std::max<std::uint64_t>(most_units, at(3));
  }
  CHECK(most_steps > 80);
  CHECK(most_units > 800);
}
