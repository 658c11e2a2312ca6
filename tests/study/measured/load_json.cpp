// SPDX-License-Identifier: MIT
#include <ridgepoint/study/measured/load_json.hpp>

#include <doctest/doctest.h>

#include "study/measured/google_benchmark_files.hpp"
#include "support/temporary_directory.hpp"

namespace rp = ridgepoint;
namespace study = ridgepoint::study;

TEST_CASE("load_measured: the format is detected") {
  const temporary_directory there;
  const std::string file = (there / "run.json").string();
  const auto load = [&](const std::string& text) {
    write_bytes(file, text);
    return study::load_measured(file);
  };
  CHECK(load(google_benchmark_files::v1_7).format == "Google Benchmark");
  CHECK(load(google_benchmark_files::v1_7).source == file);
  CHECK(
      load(R"({"schema": "ridgepoint.roofline", "schema_version": 1, "profile": {"step_s": 1, "rows": []}})").format ==
      "ridgepoint roofline");
  const auto refusal = [&](const std::string& text, const std::string& message) {
    CHECK_THROWS_WITH_AS(static_cast<void>(load(text)), (file + message).c_str(), rp::data_error);
  };
  refusal("{}",
          ": has neither schema nor benchmarks; must be output of Google Benchmark, ridgepoint bench, ridgepoint "
          "flags or ridgepoint roofline");
  refusal(R"({"schema": "ridgepoint.machine"})",
          ": schema is ridgepoint.machine; must be ridgepoint.versus, ridgepoint.flags or ridgepoint.roofline");
  refusal(R"({"benchmarks": []})", ": has no rows; must have at least 1");
  refusal("[]", ":  is array; must be an object");
  CHECK_THROWS_AS(static_cast<void>(load("{")), rp::data_error);
  write_bytes(file, R"({"schema": "ridgepoint.roofline"})");
  CHECK_THROWS_WITH_AS(static_cast<void>(study::load_measured(file, "cpu_time")),
                       (file + ": is of schema ridgepoint.roofline, which has one metric, but cpu_time is requested; "
                               "must be Google Benchmark's")
                           .c_str(),
                       rp::data_error);
  CHECK_THROWS_AS(static_cast<void>(study::load_measured((there / "absent.json").string())), rp::data_error);
}
