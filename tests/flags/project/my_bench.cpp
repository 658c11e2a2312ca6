// SPDX-License-Identifier: MIT
// Imitates the output of a Google Benchmark program instantly: a row that takes 100 ns through pace().
#include <cstring>
#include <fstream>

#include "pace.hpp"

int main(int count, char** values) {
  for (int i = 1; i < count; ++i)
    if (std::strncmp(values[i], "--benchmark_out=", 16) == 0)
      std::ofstream(values[i] + 16) << R"({"context": {}, "benchmarks": [{"name": "row", "time_unit": "ns", )"
                                    << R"("real_time": )" << 100 / pace() << "}]}";
}
