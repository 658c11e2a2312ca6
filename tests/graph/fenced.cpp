// SPDX-License-Identifier: MIT
// The graph never accesses a backend's memory directly: a network trains on a backend whose memory faults on host
// access.
#include <doctest/doctest.h>

#include <ridgepoint/graph/session.hpp>
#include <ridgepoint/reference/all.hpp>

#include "support/fenced.hpp"
#include "support/temporary_directory.hpp"
#include "toy.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

TEST_CASE("the MLP trains, evaluates, is profiled and saved in memory the host cannot touch") {
  const fenced on(rp::reference);
  const toy::corners data;
  auto fence = toy::trainer<float>(on);
  auto open = toy::trainer<float>(rp::reference);
  CHECK(fence.fit(data, {.epochs = 2}).loss == open.fit(data, {.epochs = 2}).loss);
  CHECK(fence.evaluate(data).loss == open.evaluate(data).loss);
  CHECK(fence.profile(data, 2).backend == "fenced.reference");

  const temporary_directory folder;
  fence.save(folder / "fenced");
  open.save(folder / "open");
  CHECK(read_bytes(folder / "fenced") == read_bytes(folder / "open"));
  fence.load(folder / "open");
}

TEST_CASE("a session runs in such memory") {
  rp::graph net("session");
  const rp::node y = net.input({2}) | nn::dense{.units = 4} | nn::relu{} | nn::softmax{};
  const float x[] = {1, 2};
  float fence[4], open[4];
  net.compile<float>(fenced(rp::reference), y).run(x, fence);
  net.compile<float>(rp::reference, y).run(x, open);
  CHECK(std::equal(fence, fence + 4, open));
}
