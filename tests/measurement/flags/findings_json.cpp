// SPDX-License-Identifier: MIT
#include "measurement/flags/findings_json.hpp"

#include <doctest/doctest.h>

#include "support/near.hpp"

namespace {

std::map<std::string, measurement::row_findings> findings_of(const std::string& benchmarks) {
  return measurement::read_findings("{\"benchmarks\": [" + benchmarks + "]}", "result.json");
}

}  // namespace

TEST_CASE("flags: a benchmark's accuracy is taken from its counters") {
  const auto all = findings_of(R"({"name": "gemm", "run_type": "iteration", "real_time": 4, "cpu_time": 2,
    "time_unit": "us", "ulp_max": 3.5, "ulp_mean": 0.25, "bits": 4503599627370495, "nan_kept": 1,
    "subnormals_kept": 0, "gradient_error": 1e-7, "loss": -0.5, "flop_per_s": 1e9, "bytes_per_s": 5e8})");
  const measurement::row_findings& found = all.at("gemm");
  CHECK(found.ulp_max == 3.5);
  CHECK(found.ulp_mean == 0.25);
  CHECK(found.bits == 4503599627370495.0);
  CHECK(found.nan_kept == 1.0);
  CHECK(found.subnormals_kept == 0.0);
  CHECK(found.gradient_error == 1e-7);
  CHECK(found.loss == -0.5);
  CHECK(found.flop.value() == near(2000));  // rates are per CPU time
  CHECK(found.bytes.value() == near(1000));
}

TEST_CASE("flags: a program's MXCSR is in its context") {
  const auto mxcsr_of = [](const char* context) {
    return measurement::read_mxcsr(ridgepoint::concat("{\"context\": {", context, "}, \"benchmarks\": []}"),
                                   "result.json");
  };
  CHECK(mxcsr_of(R"("mxcsr": "0x9fe5")") == 0x9FC0U);  // without the exception flags
  CHECK(mxcsr_of("") == std::nullopt);
  for (const char* odd : {R"("mxcsr": "")", R"("mxcsr": "0x")", R"("mxcsr": "0x1f80 or so")", R"("mxcsr": 8064)",
                          R"("mxcsr": "0x123456789")", R"("mxcsr": "-0x1")"})
    CHECK(mxcsr_of(odd) == std::nullopt);
  CHECK(measurement::read_mxcsr("{\"benchmarks\": []}", "result.json") == std::nullopt);
  CHECK_THROWS_AS(mxcsr_of(R"("mxcsr": [1])"), ridgepoint::data_error);
}

TEST_CASE("flags: rates are per wall time if the name says so") {
  const auto all = findings_of(R"({"name": "step/threads:2/real_time", "real_time": 4, "cpu_time": 2,
    "time_unit": "ms", "bytes_per_second": 1e6})");
  CHECK(all.at("step/threads:2/real_time").bytes.value() == near(4000));
}

TEST_CASE("flags: a benchmark without counters, aggregates, and values that are not finite") {
  const auto all = findings_of(R"(
    {"name": "plain", "real_time": 4, "cpu_time": 2, "time_unit": "s", "ulp_max": Infinity, "loss": NaN},
    {"name": "plain_mean", "run_name": "plain", "run_type": "aggregate", "time_unit": "s", "ulp_max": 1})");
  REQUIRE(all.size() == 1);
  CHECK(std::isnan(all.at("plain").ulp_max.value()));
  CHECK(std::isnan(measurement::accuracy_of(all.at("plain"), {.loss = 2.0}).loss_drift.value()));
  CHECK(!all.at("plain").bits);
  CHECK(!all.at("plain").flop);
}

TEST_CASE("flags: accuracy is compared with the base") {
  measurement::row_findings base{.loss = 2.0, .bits = 7.0, .nan_kept = 1.0, .subnormals_kept = 0.0}, found = base;
  CHECK(*measurement::accuracy_of(found, base).same_bits);
  CHECK(*measurement::accuracy_of(found, base).loss_drift == 0);
  CHECK(measurement::accuracy_of(found, base).lost.empty());  // subnormals: not kept in the base either
  found = {.loss = 2.5, .bits = 8.0, .nan_kept = 0.0, .subnormals_kept = 0.0};
  const measurement::accuracy worse = measurement::accuracy_of(found, base);
  CHECK(!*worse.same_bits);
  CHECK(*worse.loss_drift == near(0.25));
  CHECK(worse.lost == std::vector<std::string>{"NaN"});
  base.subnormals_kept = 1.0;
  CHECK(measurement::accuracy_of(found, base).lost == std::vector<std::string>{"NaN", "subnormals"});
  const measurement::accuracy nothing = measurement::accuracy_of({}, base);
  CHECK(!nothing.same_bits);
  CHECK(!nothing.loss_drift);
  CHECK(nothing.lost.empty());
}
