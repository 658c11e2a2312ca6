// SPDX-License-Identifier: MIT
#include <ridgepoint/study/measured/load_json.hpp>

#include <doctest/doctest.h>

#include "study/measured/google_benchmark_files.hpp"
#include "support/near.hpp"

namespace rp = ridgepoint;
namespace study = ridgepoint::study;

namespace {

study::measured_set read(const std::string& text, const std::string& metric = "real_time") {
  return study::google_benchmark_set(study::parse_google_benchmark(text, "run.json"), "run.json", metric);
}
/// Reads a file of one benchmark `row` with these runs.
study::measured_set read_runs(const std::string& runs, const std::string& metric = "real_time") {
  return read("{\"benchmarks\": [" + runs + "]}", metric);
}
/// Returns one repetition with these extra fields.
std::string repetition(const std::string& more) {
  return R"({"run_name": "row", "run_type": "iteration", "time_unit": "ns", )" + more + "}";
}

}  // namespace

TEST_CASE("Google Benchmark 1.7.1: repetitions of odd names, counters that are not finite, a failure, complexity") {
  const study::measured_set set = read(google_benchmark_files::v1_7);
  CHECK(set.format == "Google Benchmark");
  CHECK(set.circumstances.at("host_name") == "vm");
  CHECK(set.circumstances.at("num_cpus") == "2");
  CHECK(set.circumstances.at("caches") == "L1 32 KiB, L3 32 MiB");
  CHECK(set.circumstances.at("library_build_type") == "debug");
  CHECK(set.circumstances.at("flags") == "-O1");
  CHECK(set.circumstances.count("date") == 0);
  REQUIRE(set.rows.size() == 3);
  CHECK(set.rows[0].name == "sum<std::vector<int, \"a\">>/8");
  CHECK(set.rows[0].unit == "s");
  REQUIRE(set.rows[0].samples.size() == 2);
  CHECK(set.rows[0].samples[0] == near(2.4468381067488845e-9));
  CHECK(set.rows[0].doubt == "");
  CHECK(set.rows[1].name == "bad");
  CHECK(set.rows[1].doubt == "failed: no, \"never\"");
  CHECK(set.rows[2].name == "fit/8/real_time/threads:2");  // without a row for its complexity
}

TEST_CASE("Google Benchmark 1.8.3: milliseconds") {
  const study::measured_set set = read(google_benchmark_files::v1_8);
  REQUIRE(set.rows.size() == 1);
  CHECK(set.rows[0].samples[0] == near(0.32e-6));
}

TEST_CASE("Google Benchmark 1.9.4: new context fields, skipped benchmarks, aggregates only") {
  const study::measured_set set = read(google_benchmark_files::v1_9);
  REQUIRE(set.rows.size() == 2);
  CHECK(set.rows[0].doubt == "skipped: needs more memory");
  CHECK(set.rows[1].name == "f/32");
  CHECK(set.rows[1].doubt == "");
  REQUIRE(set.rows[1].samples.size() == 1);  // the median
  CHECK(set.rows[1].samples[0] == near(7.669e-7));
}

TEST_CASE("Google Benchmark: CPU time, and counters, for which more is better") {
  const study::measured_set cpu = read(google_benchmark_files::v1_7, "cpu_time");
  CHECK(cpu.rows[0].samples[1] == near(2.4480864571815846e-9));
  const study::measured_set rate = read(google_benchmark_files::v1_7, "bytes_per_second");
  CHECK(rate.rows[0].unit == "B/s");
  CHECK(rate.rows[0].better == study::better::more);
  CHECK(rate.rows[0].samples[0] == near(2.6158111870781567e10));
  CHECK(rate.rows[2].doubt == "bytes_per_second is missing");
  CHECK(read(google_benchmark_files::v1_7, "odd").rows[0].doubt == "odd is not finite");
}

TEST_CASE("Google Benchmark: two benchmarks with the same name are both doubtful") {
  CHECK(read_runs(repetition(R"("family_index": 0, "real_time": 1)") + ',' +
                  repetition(R"("family_index": 1, "real_time": 1)"))
            .rows[0]
            .doubt == "two benchmarks have this name");
}

TEST_CASE("Google Benchmark: names of templates may be long, up to a limit") {
  const auto named = [](std::size_t length) {
    return R"({"run_name": ")" + std::string(length, 'x') + R"(", "time_unit": "s", "real_time": 1})";
  };
  CHECK(read_runs(named(65'536)).rows[0].name.size() == 65'536);
  CHECK_THROWS_WITH_AS(static_cast<void>(read_runs(named(65'537))),
                       "run.json: benchmarks[0].run_name has 65537 characters; must have at most 65536",
                       rp::data_error);
}

TEST_CASE("Google Benchmark: errors are reported with their place") {
  const auto refusal = [](const std::string& runs, const std::string& message) {
    CHECK_THROWS_WITH_AS(static_cast<void>(read_runs(runs)), message.c_str(), rp::data_error);
  };
  refusal(repetition(R"("real_time": -1)"), "run.json: benchmarks[0].real_time is -1; must be a number >= 0");
  refusal(repetition(R"("real_time": "1")"), "run.json: benchmarks[0].real_time is \"1\"; must be a number >= 0");
  refusal(R"({"name": "row", "time_unit": "h", "real_time": 1})",
          "run.json: benchmarks[0].time_unit is h; must be ns, us, ms or s");
  refusal(R"({"name": "row", "real_time": 1})", "run.json: benchmarks[0].time_unit is missing; must be there");
  refusal(R"({"time_unit": "s"})", "run.json: benchmarks[0].name is missing; must be there");
  refusal(R"({"run_type": "odd"})", "run.json: benchmarks[0].run_type is odd; must be iteration or aggregate");
  refusal("7", "run.json: benchmarks[0] is number; must be an object");
}

TEST_CASE("Google Benchmark: a row that is not JSON is doubtful, and the others are read") {
  const std::string good = repetition(R"("real_time": 1)");
  const auto row = [](const std::string& name, const std::string& more) {
    return R"({"name": ")" + name + R"(", "run_name": ")" + name +
           R"(", "iterations": 5, "threads": 1, "real_time": 2, "time_unit": "ns", )" + more + "}";
  };
  const auto doubt_of = [&](const std::string& odd, const std::string& name) {
    const study::measured_set set = read_runs(odd + ", " + good + "\n");
    REQUIRE(set.rows.size() == 2);
    CHECK(set.rows[0].name == name);
    CHECK(set.rows[0].samples.empty());
    CHECK(set.rows[1].name == "row");
    CHECK(set.rows[1].samples == std::vector<double>{1e-9});
    CHECK(set.rows[1].doubt == "");
    CHECK(set.rows[0].doubt.find('\n') == std::string::npos);
    return set.rows[0].doubt;
  };
  for (const char* const key : {"iterations", "threads", "real_time", "time_unit", "name", "run_name"}) {
    CAPTURE(key);
    const std::string twice = std::string("\"") + key + "\": 7.0000000000000000e+00";
    CHECK(doubt_of(row("a/8", twice), "a/8") ==
          std::string("unreadable: has the key ") + key + " twice; must have it once");
  }
  CHECK(doubt_of(row("a", "\"label\": \"red \x1b[31m, or ]}\""), "a").find("control character") != std::string::npos);
  CHECK(doubt_of(row("a", "\"label\": \"two\nlines\""), "a").find("control character") != std::string::npos);
  CHECK(doubt_of(row("a", "\"label\": \"\xff\""), "a").find("UTF-8") != std::string::npos);
  CHECK(doubt_of(row("a\x01 \xfe", "\"odd\": 1"), "a\\x01 \\xfe").starts_with("unreadable: "));
  CHECK(doubt_of(R"({"error_occurred"})", "benchmark 1").starts_with("unreadable: "));

  // Counters with the same names as fields of a row.
  const study::measured_set counted =
      read_runs(repetition(R"("real_time": 1, "error_occurred": 1.0e+00, "skipped": 0)"));
  CHECK(counted.rows[0].doubt == "");

  const study::measured_set contextless =
      read("{\"context\": {\"date\": \"a\", \"date\": \"b\"}, \"benchmarks\": [" + good + "]}");
  CHECK(contextless.rows.size() == 1);
  CHECK(contextless.circumstances.at("context") == "unreadable: has the key date twice; must have it once");
  CHECK_THROWS_AS(static_cast<void>(read("{\"benchmarks\": [" + good + "], \"benchmarks\": []}")), rp::data_error);
  CHECK_THROWS_AS(static_cast<void>(read("[\"benchmarks\", [" + good + "]]")), rp::data_error);
}

TEST_CASE("numbers that are not finite become null, except in strings") {
  using study::detail::with_null_for_not_finite;
  CHECK(with_null_for_not_finite(R"({"NaN": NaN, "a\"NaN": [-Infinity,Infinity]})") ==
        R"({"NaN": null, "a\"NaN": [null,null]})");
  CHECK(with_null_for_not_finite("\"\\") == "\"\\");
  CHECK(with_null_for_not_finite("") == "");
}
