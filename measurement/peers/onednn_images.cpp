// SPDX-License-Identifier: MIT
// oneDNN's convolutions in each configuration, its poolings and normalisations on our layout.
#include <ridgepoint/onednn/all.hpp>

#include "image_task.hpp"
#include "onednn_about.hpp"
#include "onednn_convolution.hpp"

int main(int argc, char** argv) {
  const ridgepoint::onednn on(peer::onednn_threads());
  std::vector<peer::setting> settings;
  for (const peer::onednn_way& way : peer::onednn_ways) settings.push_back({way.label, peer::onednn_limit()});
  const auto prepare = [&](const peer::words& problem, const std::string& setting) -> peer::task {
    const auto* const way = std::ranges::find_if(peer::onednn_ways, [&](const auto& w) { return w.label == setting; });
    if (peer::convolution_pass::names(problem)) return peer::onednn_convolution_task(problem, *way);
    if (way != peer::onednn_ways) throw peer::not_available("only a convolution can be computed in several ways");
    return peer::image_task(on, problem);
  };
  return peer::serve(argc, argv, {.settings = settings, .about = peer::onednn_about, .prepare = prepare});
}
