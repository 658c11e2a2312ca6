// SPDX-License-Identifier: MIT
// oneDNN's recurrent layers by its primitives, in each of their layouts.
#include "onednn_recurrent.hpp"
#include "onednn_about.hpp"

int main(int argc, char** argv) {
  const ridgepoint::onednn on(peer::onednn_threads());  // rejects a number of threads that OpenMP would not accept
  const auto prepare = [](const peer::words& problem, const std::string& setting) {
    return peer::onednn_recurrent_task(
        problem, setting == "plain" ? peer::recurrent_layout::plain : peer::recurrent_layout::any);
  };
  return peer::serve(argc, argv,
                     {.settings = {{"any", peer::onednn_limit()}, {"plain", peer::onednn_limit()}},
                      .about = peer::onednn_about,
                      .prepare = prepare});
}
