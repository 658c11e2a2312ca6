// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/conv2d_schedule.hpp>

#include "support/conv2d_passes.hpp"

namespace rp = ridgepoint;
using namespace conv2d_passes;

namespace {

/// Channels per group.
struct group_channels {
  rp::index_t count, c, f;
};

[[nodiscard]] rp::conv2d_geometry in_groups(const group_channels& each, rp::conv2d_geometry g) {
  g.c = each.count * each.c, g.f = each.count * each.f, g.groups = each.count;
  return g;
}

}  // namespace

TEST_CASE_TEMPLATE("conv2d in groups and its gradients agree with their definitions", T, float, double) {
  for (const group_channels& each : {group_channels{2, 1, 3}, {3, 2, 2}, {2, 8, 17}, {5, 17, 4}, {2, 16, 1}})
    for (const rp::index_t kernel : {1, 3})
      for (const rp::index_t stride : {1, 2})
        for (const rp::index_t dilation : {1, 2})
          agree_on_passes<T>(in_groups(each, {.n = 3,
                                              .h = 8,
                                              .w = 9,
                                              .kh = kernel,
                                              .kw = kernel,
                                              .stride = stride,
                                              .padding = {kernel / 2, 0, kernel / 2, 1},
                                              .dilation = dilation}));
}
TEST_CASE_TEMPLATE("conv2d in groups that fill a panel of filters, part of one or several", T, float, double) {
  const rp::index_t panel = tested::panel_width<T>(), lanes = tested::lanes<T>(), quarter = panel < 4 ? 1 : panel / 4;
  for (const group_channels& each : {group_channels{2, 5, panel},
                                     {3, panel, panel},
                                     {2, 3, 2 * panel},
                                     {2, panel, panel / 2},
                                     {4, 3, quarter},
                                     {panel / lanes, lanes, lanes}})
    for (const rp::index_t kernel : {1, 3})
      for (const rp::index_t stride : {1, 2})
        agree_on_passes<T>(in_groups(each, {.n = 2,
                                            .h = 5,
                                            .w = 6,
                                            .kh = kernel,
                                            .kw = kernel,
                                            .stride = stride,
                                            .padding = {kernel / 2, kernel / 2, kernel / 2, kernel / 2}}));
}
TEST_CASE_TEMPLATE("conv2d in groups with strides larger than its window", T, float, double) {
  for (const rp::spatial stride : {rp::spatial(4), rp::spatial(5, 4), rp::spatial(3, 7), rp::spatial(9)})
    for (const rp::index_t kernel : {1, 3, 5})
      agree_on_passes<T>(in_groups({2, 3, tested::lanes<T>() + 1}, {.n = 2,
                                                                    .h = 11,
                                                                    .w = 10,
                                                                    .kh = kernel,
                                                                    .kw = kernel,
                                                                    .stride = stride,
                                                                    .padding = {kernel / 2, 0, 1, kernel / 2}}));
}
TEST_CASE_TEMPLATE("conv2d in groups runs in exactly the workspace that it reports", T, float, double) {
  const rp::index_t panel = tested::panel_width<T>();
  for (const bool constant : {false, true})
    for (const group_channels& each : {group_channels{2, 3, panel}, {2, panel, panel / 2}})
      for (const rp::index_t stride : {1, 4})
        agree_on_passes<T>(
            in_groups(each, {.n = 2, .h = 6, .w = 7, .kh = 3, .kw = 3, .stride = stride, .padding = {1, 0, 1, 1}}), {},
            [=](int threads) { return as_prepared(threads, constant); });
}
TEST_CASE_TEMPLATE("conv2d in groups of one channel is depthwise unless another algorithm is requested", T, float,
                   double) {
  const rp::conv_algorithm all[] = {rp::conv_algorithm::automatic, rp::conv_algorithm::exact,
                                    rp::conv_algorithm::patches};
  for (const rp::index_t f : {9, 18})
    for (const epilogue after : {epilogue{}, epilogue{rp::activation::relu}, epilogue{rp::activation::tanh, true}})
      agree_on_passes<T>(
          {.n = 2, .h = 6, .w = 7, .c = 9, .f = f, .kh = 3, .kw = 3, .padding = {1, 1, 0, 1}, .groups = 9}, after,
          on_cpu, all);
}
