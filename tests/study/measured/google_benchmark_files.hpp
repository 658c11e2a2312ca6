// SPDX-License-Identifier: MIT
#pragma once

/// Shortened output of programs with three versions of Google Benchmark.
namespace google_benchmark_files {

inline constexpr char v1_7[] = R"({
  "context": {
    "date": "2026-11-25T09:40:20+00:00",
    "host_name": "vm",
    "executable": "./b",
    "num_cpus": 2,
    "mhz_per_cpu": 2596,
    "cpu_scaling_enabled": false,
    "caches": [
      {
        "type": "Data",
        "level": 1,
        "size": 32768,
        "num_sharing": 1
      },
      {
        "type": "Unified",
        "level": 3,
        "size": 33554432,
        "num_sharing": 2
      }
    ],
    "load_avg": [3.06104,2.479,1.31201],
    "library_build_type": "debug",
    "flags": "-O1"
  },
  "benchmarks": [
    {
      "name": "sum<std::vector<int, \"a\">>/8",
      "family_index": 0,
      "per_family_instance_index": 0,
      "run_name": "sum<std::vector<int, \"a\">>/8",
      "run_type": "iteration",
      "repetitions": 2,
      "repetition_index": 0,
      "threads": 1,
      "iterations": 56074,
      "real_time": 2.4468381067488845e+00,
      "cpu_time": 2.4466597710168663e+00,
      "time_unit": "ns",
      "bytes_per_second": 2.6158111870781567e+10,
      "inf": -Infinity,
      "odd": NaN,
      "label": "a, \"b\""
    },
    {
      "name": "sum<std::vector<int, \"a\">>/8",
      "family_index": 0,
      "per_family_instance_index": 0,
      "run_name": "sum<std::vector<int, \"a\">>/8",
      "run_type": "iteration",
      "repetitions": 2,
      "repetition_index": 1,
      "threads": 1,
      "iterations": 56074,
      "real_time": 2.4486214638420378e+00,
      "cpu_time": 2.4480864571815846e+00,
      "time_unit": "ns",
      "bytes_per_second": 2.6142867549572357e+10,
      "inf": -Infinity,
      "odd": NaN,
      "label": "a, \"b\""
    },
    {
      "name": "sum<std::vector<int, \"a\">>/8_median",
      "family_index": 0,
      "per_family_instance_index": 0,
      "run_name": "sum<std::vector<int, \"a\">>/8",
      "run_type": "aggregate",
      "repetitions": 2,
      "threads": 1,
      "aggregate_name": "median",
      "aggregate_unit": "time",
      "iterations": 2,
      "real_time": 2.4477297852954609e+00,
      "cpu_time": 2.4473731140992254e+00,
      "time_unit": "ns",
      "bytes_per_second": 2.6150489710176964e+10
    },
    {
      "name": "bad",
      "family_index": 1,
      "per_family_instance_index": 0,
      "run_name": "bad",
      "run_type": "iteration",
      "repetitions": 2,
      "repetition_index": 0,
      "threads": 1,
      "error_occurred": true,
      "error_message": "no, \"never\"",
      "iterations": 1,
      "real_time": 0.0000000000000000e+00,
      "cpu_time": 0.0000000000000000e+00,
      "time_unit": "ns"
    },
    {
      "name": "fit/8/real_time/threads:2",
      "family_index": 2,
      "per_family_instance_index": 0,
      "run_name": "fit/8/real_time/threads:2",
      "run_type": "iteration",
      "repetitions": 1,
      "repetition_index": 0,
      "threads": 2,
      "iterations": 10,
      "real_time": 3.0000000000000000e+00,
      "cpu_time": 6.0000000000000000e+00,
      "time_unit": "us"
    },
    {
      "name": "fit_BigO",
      "family_index": 2,
      "per_family_instance_index": 0,
      "run_name": "fit",
      "run_type": "aggregate",
      "repetitions": 1,
      "threads": 1,
      "aggregate_name": "BigO",
      "aggregate_unit": "time",
      "cpu_coefficient": 1.0395512701640106e-01,
      "real_coefficient": 1.0396664791625689e-01,
      "big_o": "lgN",
      "time_unit": "ns"
    },
    {
      "name": "fit_RMS",
      "family_index": 2,
      "per_family_instance_index": 0,
      "run_name": "fit",
      "run_type": "aggregate",
      "repetitions": 1,
      "threads": 1,
      "aggregate_name": "RMS",
      "aggregate_unit": "percentage",
      "rms": 8.0878001662585089e-02
    }
  ]
}
)";

inline constexpr char v1_8[] = R"({
  "context": {
    "date": "2026-11-25T09:40:46+00:00",
    "host_name": "vm",
    "executable": "g.py",
    "num_cpus": 2,
    "mhz_per_cpu": 2596,
    "cpu_scaling_enabled": false,
    "caches": [
    ],
    "load_avg": [2.84033,2.47217,1.34229],
    "library_build_type": "release"
  },
  "benchmarks": [
    {
      "name": "f/8",
      "family_index": 0,
      "per_family_instance_index": 0,
      "run_name": "f/8",
      "run_type": "iteration",
      "repetitions": 1,
      "repetition_index": 0,
      "threads": 1,
      "iterations": 2211,
      "real_time": 3.2000000000000000e-04,
      "cpu_time": 3.2000000000000000e-04,
      "time_unit": "ms"
    }
  ]
}
)";

inline constexpr char v1_9[] = R"({
  "context": {
    "date": "2026-11-25T09:40:39+00:00",
    "host_name": "vm",
    "executable": "g.py",
    "num_cpus": 2,
    "mhz_per_cpu": 2596,
    "cpu_scaling_enabled": false,
    "aslr_enabled": true,
    "caches": [
    ],
    "load_avg": [2.91357,2.48047,1.33838],
    "library_version": "1.9.4",
    "library_build_type": "release",
    "json_schema_version": 1
  },
  "benchmarks": [
    {
      "name": "large",
      "family_index": 0,
      "per_family_instance_index": 0,
      "run_name": "large",
      "run_type": "iteration",
      "repetitions": 2,
      "repetition_index": 0,
      "threads": 1,
      "skipped": true,
      "skip_message": "needs more memory",
      "iterations": 1,
      "real_time": 0.0000000000000000e+00,
      "cpu_time": 0.0000000000000000e+00,
      "time_unit": "ns"
    },
    {
      "name": "f/32_median",
      "family_index": 2,
      "per_family_instance_index": 1,
      "run_name": "f/32",
      "run_type": "aggregate",
      "repetitions": 2,
      "threads": 1,
      "aggregate_name": "median",
      "aggregate_unit": "time",
      "iterations": 2,
      "real_time": 7.6690000000000000e-04,
      "cpu_time": 3.2315437279151855e-04,
      "time_unit": "ms"
    },
    {
      "name": "f/32_cv",
      "family_index": 2,
      "per_family_instance_index": 1,
      "run_name": "f/32",
      "run_type": "aggregate",
      "repetitions": 2,
      "threads": 1,
      "aggregate_name": "cv",
      "aggregate_unit": "percentage",
      "iterations": 2,
      "real_time": 8.3260427719528252e-01,
      "cpu_time": 3.3373956699128363e-02,
      "time_unit": "ms"
    }
  ]
}
)";

}  // namespace google_benchmark_files
