// SPDX-License-Identifier: MIT
#pragma once

#include "measurement/peers/image_task.hpp"
#include "suite.hpp"

#if defined(RIDGEPOINT_HAS_ONEDNN)
#include <ridgepoint/onednn/all.hpp>
#endif

/// Helpers of bench_conv2d, bench_pool2d and bench_norm.
namespace suite {

/// Adds the rows of a shape file, an op and its extents, in each pass, by this library on every instruction set and
/// by oneDNN as a backend: "conv2d/ridgepoint.avx2/forward/128x14x64x64x3x1". more(op, problem, shape, receipt) adds
/// further implementations.
template <class More>
void add_images(const std::string& file, const std::vector<std::string>& columns,
                const std::vector<std::string>& passes, const More& more) {
#if defined(RIDGEPOINT_HAS_ONEDNN)
  static const ridgepoint::onednn library(threads());
#endif
  for (const std::string& pass : passes)
    for (const std::vector<std::string>& row : shapes(file, columns)) {
      peer::words problem{row.at(0), "f32", pass};
      std::string shape = pass + '/';
      for (std::size_t i = 1; i < row.size(); ++i) {
        problem.push_back(row[i]);
        shape += (i == 1 ? "" : "x") + row[i];
      }
      const ridgepoint::work receipt = peer::image_receipt(problem);
      for (const auto& on : backends())
        add(row[0], on->name(), shape, receipt, [&on, problem] { return peer::image_task(*on, problem); });
#if defined(RIDGEPOINT_HAS_ONEDNN)
      add(row[0], "onednn", shape, receipt, [problem] { return peer::image_task(library, problem); });
#endif
      more(row[0], problem, shape, receipt);
    }
}
inline void add_images(const std::string& file, const std::vector<std::string>& columns,
                       const std::vector<std::string>& passes) {
  add_images(file, columns, passes, [](const auto&...) {});
}

}  // namespace suite
