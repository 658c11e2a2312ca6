// SPDX-License-Identifier: MIT
// Imitates the output of a Google Benchmark program instantly: a row that takes 100 ns through PACE.
#include <cstring>
#include <fstream>

#include "pace.hpp"

#if __cplusplus != 202002L || !defined(__STRICT_ANSI__)
#error "must be -std=c++20, as the target says"
#endif

int main(int count, char** values) {
  for (int i = 1; i < count; ++i)
    if (std::strncmp(values[i], "--benchmark_out=", 16) == 0)
      std::ofstream(values[i] + 16) << R"({"context": {}, "benchmarks": [{"name": "f<a, \"b\">/8", "time_unit": ")"
                                    << UNIT << R"(", "real_time": )" << 100 / pace() << "}]}";
}
