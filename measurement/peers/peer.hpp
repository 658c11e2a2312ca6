// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

/// Peer program: one implementation in its own process, timed by `ridgepoint bench` in turn with others.
///
///   peer                   prints its settings, one per line: "plain label NAME=value ...", or "packed label ..."
///   peer <label>           runs with that setting (the caller has put its variables into the environment), answering
///                          each line on standard input with one line on standard output:
///     about                → "ok <library, version, what it chose for this CPU>"
///     gemm f32 nn 64 64 64 → prepares, runs, checks: "ok <work per call> <detail>" or "no <reason>"; where a planner
///                            predicted a call, "ok <work per call> predicted_cycles=<number> <detail>"; where others
///                            must train equally, "ok <work per call> losses=<number>,<number> <detail>"
///     run 2e-4             → calls it for about that many seconds, at least once: "ok <seconds per call>"
namespace peer {

/// Form of the operands: all as they are, or B packed once beforehand, outside the timed calls.
enum class form { plain, packed };

/// Configuration of the library that may be its best one on this machine.
struct setting {
  std::string label;
  std::vector<std::string> environment = {};  // "NAME=value"
  form operands = form::plain;
};

/// Prepared problem.
struct task {
  double work = 0;  // of one call: FLOP, elements or steps
  std::function<void()> run;
  std::function<void()> verify = [] {};  // throws wrong_result; called once, after the first run
  std::string detail = {};               // the kernel or function used
  double predicted_cycles = 0;           // of one call, by the implementation's own planner; 0: none
  std::vector<double> losses = {};       // of the first steps, if the caller compares them
  std::function<void()> finish = [] {};  // returns when the work of run() is complete
};

/// The implementation does not support the problem: answered with "no".
struct not_available : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// The result differs from the fp64 reference: answered with "no", so that a wrong kernel is never called fast.
struct wrong_result : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using words = std::vector<std::string>;

/// Splits "conv2d f32" into {"conv2d", "f32"}.
inline words split(const std::string& line) {
  std::istringstream in(line);
  words all;
  for (std::string word; in >> word;) all.push_back(word);
  return all;
}

/// Implementation under test.
struct implementation {
  std::vector<setting> settings;
  std::function<std::string()> about;
  std::function<task(const words& problem, const std::string& setting)> prepare;  // throws not_available
};

/// main() of a peer program.
int serve(int argc, char** argv, const implementation& peer);

}  // namespace peer
