// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include <ridgepoint/onednn/convolution.hpp>

#include "convolution_problem.hpp"
#include "onednn_primitive.hpp"

namespace peer {

/// Configuration of a oneDNN convolution, as in a network: images in our layout or in oneDNN's, the filter in
/// oneDNN's. No call converts a layout.
struct onednn_way {
  const char* label;
  ridgepoint::onednn_detail::layouts images;
  dnnl::algorithm algorithm;
};
inline constexpr onednn_way onednn_ways[] = {
    {"nhwc_direct", ridgepoint::onednn_detail::layouts::library_filter, dnnl::algorithm::convolution_direct},
    {"nhwc_auto", ridgepoint::onednn_detail::layouts::library_filter, dnnl::algorithm::convolution_auto},
    {"nhwc_winograd", ridgepoint::onednn_detail::layouts::library_filter, dnnl::algorithm::convolution_winograd},
    {"any_direct", ridgepoint::onednn_detail::layouts::library, dnnl::algorithm::convolution_direct},
    {"any_auto", ridgepoint::onednn_detail::layouts::library, dnnl::algorithm::convolution_auto},
    {"any_winograd", ridgepoint::onednn_detail::layouts::library, dnnl::algorithm::convolution_winograd}};

/// Returns the problem in that configuration. Throws: ridgepoint::backend_error if oneDNN does not support it.
inline task onednn_convolution_task(const words& w, const onednn_way& way) {
  namespace dnn = ridgepoint::onednn_detail;
  const auto p = std::make_shared<convolution_problem>(w);
  const auto made = std::make_shared<onednn_primitive>();
  dnn::convolution c = p->of.with_geometry([](const auto& g) { return dnn::convolution_of(g); });
  c.algorithm = way.algorithm, c.biased = true;
  const dnn::convolution_operands ours(c, dnn::layouts::ours), asked(c, way.images);
  task t{.work = static_cast<double>(p->of.receipt().matrix_flop),
         .run = [made] { made->run(); },
         .verify = [made, p] { made->deliver(), p->verify(); }};
  dnn::call("create a convolution", [&] {
    if (p->of.which == ridgepoint::pass::forward) {
      const auto chosen = dnn::describe_convolution(made->engine(), c, asked);
      made->reads(DNNL_ARG_SRC, ours.x, p->x(), chosen.src_desc());
      made->reads(DNNL_ARG_WEIGHTS, ours.w, p->w(), chosen.weights_desc());
      made->reads(DNNL_ARG_BIAS, ours.bias, p->bias(), ours.bias);
      made->writes(DNNL_ARG_DST, ours.y, p->y(), chosen.dst_desc());
      made->is(dnnl::convolution_forward(chosen));
      t.detail = chosen.impl_info_str();
    } else if (p->of.which == ridgepoint::pass::backward_data) {
      const auto chosen = dnn::describe_convolution_data(made->engine(), c, asked);
      made->reads(DNNL_ARG_DIFF_DST, ours.y, p->y(), chosen.diff_dst_desc());
      made->reads(DNNL_ARG_WEIGHTS, ours.w, p->w(), chosen.weights_desc());
      made->writes(DNNL_ARG_DIFF_SRC, ours.x, p->x(), chosen.diff_src_desc());
      made->is(dnnl::convolution_backward_data(chosen));
      t.detail = chosen.impl_info_str();
    } else {
      const auto chosen = dnn::describe_convolution_weights(made->engine(), c, asked);
      made->reads(DNNL_ARG_SRC, ours.x, p->x(), chosen.src_desc());
      made->reads(DNNL_ARG_DIFF_DST, ours.y, p->y(), chosen.diff_dst_desc());
      made->writes(DNNL_ARG_DIFF_WEIGHTS, ours.w, p->w(), chosen.diff_weights_desc());
      made->writes(DNNL_ARG_DIFF_BIAS, ours.bias, p->bias(), ours.bias);
      made->is(dnnl::convolution_backward_weights(chosen));
      t.detail = chosen.impl_info_str();
    }
  });
  if (t.detail.starts_with("ref")) throw not_available("oneDNN has only its reference for it");
  return t;
}

}  // namespace peer
