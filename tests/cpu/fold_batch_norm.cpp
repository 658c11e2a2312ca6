// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/normalisation.hpp>

#include "support/cpu_sizes.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {
auto fold(index_t lines, index_t channels, bool biased) {
  return [=](const auto& on, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    rp::fold_batch_norm_args<S> a{.lines = lines,
                                  .channels = channels,
                                  .w = p[0],
                                  .bias = biased ? p[1] : nullptr,
                                  .gamma = p[2],
                                  .beta = p[3],
                                  .mean = p[4],
                                  .variance = p[5],
                                  .folded_w = p[6],
                                  .folded_bias = p[7]};
    execute(on, a);
    a.w = p[6], a.bias = p[7];  // again, in place
    execute(on, a);
  };
}
template <class T>
std::vector<operand> folded_operands(index_t lines, index_t channels) {
  return {random_values<T>(lines * channels, 1),
          random_values<T>(channels, 2),
          random_values<T>(channels, 3),
          random_values<T>(channels, 4),
          random_values<T>(channels, 5),
          random_values<T>(channels, 6, 0.5, 2),
          output(lines * channels),
          output(channels)};
}
}  // namespace

TEST_CASE_TEMPLATE("folding a batch normalisation agrees with its definition", T, float, double) {
  for (const index_t channels : around(tested::lanes<T>()))
    for (const index_t lines : {1, 2, 9, 300})
      for (const bool biased : {false, true})
        if (channels > 0) agree<T>(on_cpu, folded_operands<T>(lines, channels), fold(lines, channels, biased));
  agree<T>(on_cpu, folded_operands<T>(576, 67), fold(576, 67, true));
}
TEST_CASE_TEMPLATE("a NaN in a filter, a factor or a variance affects only its channel", T, float, double) {
  for (const std::size_t which : {0U, 2U, 5U})
    agree_on_nan<T>(on_cpu, folded_operands<T>(3, 5), which, fold(3, 5, true));
}
