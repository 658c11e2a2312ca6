// SPDX-License-Identifier: MIT
#include "peer.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <sstream>
#include <utility>

namespace peer {
namespace {

double seconds_of(const task& t, long calls) {
  const auto start = std::chrono::steady_clock::now();
  for (long i = 0; i < calls; ++i) t.run();
  t.finish();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / static_cast<double>(calls);
}

/// Task, and the best time of a call so far.
class runner {
 public:
  runner() = default;
  explicit runner(task t) : task_(std::move(t)) {
    best_s_ = seconds_of(task_, 1);  // the first call also compiles, packs and faults pages in
    task_.verify();
  }
  [[nodiscard]] const task& prepared() const { return task_; }
  /// Runs one window. Short problems are called once before the clock starts, because the caches hold another
  /// process's data. The first call's time, which includes setup, counts only if it is 100 windows or more.
  double window(double window_s) {
    if (!task_.run) throw not_available("no problem is prepared");
    if (!std::exchange(is_timed_, true) && best_s_ < 100 * window_s) best_s_ = seconds_of(task_, 1);
    if (best_s_ < 2e-3) task_.run();
    const double elapsed_s = seconds_of(task_, std::max(1L, static_cast<long>(window_s / best_s_)));
    best_s_ = std::min(best_s_, elapsed_s);
    return elapsed_s;
  }

 private:
  task task_;
  double best_s_ = 0;
  bool is_timed_ = false;  // without the setup of the first call
};

}  // namespace

int serve(int argc, char** argv, const implementation& peer) {
  if (argc < 2) {
    for (const setting& s : peer.settings) {
      std::cout << (s.operands == form::plain ? "plain " : "packed ") << s.label;
      for (const std::string& variable : s.environment) std::cout << ' ' << variable;
      std::cout << '\n';
    }
    return 0;
  }
  const std::string label = argv[1];
  runner current;
  for (std::string line; std::getline(std::cin, line);) {
    const words request = split(line);
    std::ostringstream reply;
    reply.precision(17);
    try {
      if (request.empty()) reply << "no empty request";
      else if (request[0] == "about") reply << "ok " << peer.about();
      else if (request[0] == "run") reply << "ok " << current.window(std::stod(request.at(1)));
      else {
        current = {};  // frees the last problem first
        current = runner(peer.prepare(request, label));
        const task& t = current.prepared();
        reply << "ok " << t.work << ' ';
        if (t.predicted_cycles > 0) reply << "predicted_cycles=" << t.predicted_cycles << ' ';
        for (std::size_t i = 0; i < t.losses.size(); ++i)
          reply << (i == 0 ? "losses=" : ",") << t.losses[i] << (i + 1 == t.losses.size() ? " " : "");
        reply << t.detail;
      }
    } catch (const std::exception& e) {
      reply.str("");
      reply << "no " << e.what();
    }
    std::cout << reply.str() << std::endl;
  }
  return 0;
}

}  // namespace peer
