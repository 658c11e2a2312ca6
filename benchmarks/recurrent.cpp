// SPDX-License-Identifier: MIT
// bench_recurrent: LSTM, GRU and RNN over the sequences of shapes/rnn.csv: inference, forward and backward.
#include "measurement/peers/recurrent_problem.hpp"
#include "suite.hpp"

#if defined(RIDGEPOINT_HAS_ONEDNN)
#include <ridgepoint/onednn/recurrent_layers.hpp>
#endif

namespace {

template <class Backend>
void add(const Backend& on) {
  for (const std::vector<std::string>& s : suite::shapes("rnn.csv", measurement::columns::rnn))
    for (const char* cell : {"lstm", "gru_reset_after", "gru_reset_before", "rnn"})
      for (const char* pass : {"inference", "forward", "backward"}) {
        const peer::words problem{cell, "f32", pass, s.at(1), s.at(2), s.at(3), s.at(4)};
        const std::string extents = ridgepoint::concat(pass, '/', s[1], 'x', s[2], 'x', s[3], 'x', s[4]);
        suite::add(cell, on.name(), extents, peer::recurrent_pass(problem).receipt(),
                   [&on, problem] { return peer::recurrent_task(on, problem); });
      }
}

}  // namespace

void register_benchmarks();
void register_benchmarks() {
  suite::threads();
  for (const auto& on : suite::backends()) add(*on);
#if defined(RIDGEPOINT_HAS_ONEDNN)
  static const ridgepoint::onednn library(suite::threads());
  add(library);
#endif
}
