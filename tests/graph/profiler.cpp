// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/graph/session.hpp>

#include "support/near.hpp"
#include "timed.hpp"
#include "toy.hpp"

namespace rp = ridgepoint;

TEST_CASE("a profile has a row for the feed and for every call, in their order") {
  auto trainer = toy::trainer<float>(rp::reference);
  const rp::profile p = trainer.profile(toy::corners(), 5);
  REQUIRE(p.rows.size() == trainer.plan().calls.size() + 1);
  CHECK(p.rows[0].layer == "data");
  CHECK(p.rows[0].pass == rp::pass::feed);
  CHECK(p.rows[0].shape == "32x6");
  CHECK(p.rows[0].receipt.bytes.inputs == 32 * (6 * 4 + 4));
  for (std::size_t i = 0; i < p.rows.size(); ++i) {
    CHECK(p.rows[i].elapsed_s > 0);
    CHECK(p.rows[i].footprint_bytes > 0);
    if (i > 0) CHECK(p.rows[i].receipt == trainer.plan().calls[i - 1].info.receipt);
  }
  CHECK(p.title == "toy");
  CHECK(p.dtype == "f32");
}

namespace {
/// A backend with dense layers only.
struct dense_alone : rp::host_memory {
  [[nodiscard]] static std::string name() { return "dense_alone"; }
};
template <rp::scalar T>
void execute(const dense_alone&, const rp::dense_args<T>& args) {
  execute(rp::reference, args);
}
}  // namespace

TEST_CASE("each row names its backend if a network runs on more than one") {
  const rp::either on(dense_alone{}, rp::reference);
  auto trainer = toy::trainer<float>(on);
  const rp::profile p = trainer.profile(toy::corners(), 1);
  int dense = 0;
  for (const rp::profile_row& row : p.rows) {
    const bool of_dense = row.layer.starts_with("dense") && row.pass == rp::pass::forward;
    dense += of_dense ? 1 : 0;
    CHECK(row.backend == (row.pass == rp::pass::feed ? "" : of_dense ? "dense_alone" : "reference"));
  }
  CHECK(dense > 0);
  CHECK(p.backend == "dense_alone");
  for (const rp::profile_row& row : toy::trainer<float>(rp::reference).profile(toy::corners(), 1).rows)
    CHECK(row.backend.empty());
}

TEST_CASE("rows and residual are the time spent, of the median step") {
  using clock = timed::virtual_clock;
  using backend = timed::backend<clock>;
  using seconds = std::chrono::duration<double>;
  static constexpr timed::nanoseconds feed{7000}, finish{3000};
  rp::graph net("toy");
  const auto session = net.compile<float>(backend{}, toy::mlp(net) | rp::nn::softmax{}, {.batch = 4});
  const auto& steps = session.answering().program();

  const int paces[] = {10, 1, 1, 3, 1};  // per step: once alone, once call by call; repeated for a busy host
  std::size_t fed = 0;
  const rp::profile p = rp::measure_steps<clock>(
      steps, 5, rp::data_row({4, 6}, 96),
      [&] {
        backend::pace = paces[fed++ / 2 % 5];
        backend::spend(feed);
      },
      [] { backend::spend(finish); });
  backend::pace = 1;

  const std::size_t calls = steps.call_count();
  REQUIRE(calls >= 3);
  REQUIRE(p.rows.size() == calls + 1);
  CHECK(p.rows[0].elapsed_s == near(seconds(feed).count()));
  timed::nanoseconds all = feed + backend::wait + finish;
  for (std::size_t c = 0; c < calls; ++c) {
    const timed::nanoseconds op = timed::cost_of(p.rows[c + 1].receipt);
    CHECK(p.rows[c + 1].elapsed_s == near(seconds(op + backend::wait).count()));
    all += op;
  }
  CHECK(p.step_s == near(seconds(all).count()));
  const timed::nanoseconds nobody = finish + backend::wait - static_cast<std::int64_t>(calls) * backend::wait;
  CHECK(p.residual_s() == near(seconds(nobody).count(), 1e-9));
}

TEST_CASE("a trainer's profile is in seconds of wall time") {
  using backend = timed::backend<timed::wall_clock>;
  backend::pace = 10;
  auto trainer = toy::trainer<float>(backend{});
  const auto begin = timed::wall_clock::now();
  const rp::profile p = trainer.profile(toy::corners(), 9);
  const double all = std::chrono::duration<double>(timed::wall_clock::now() - begin).count();
  backend::pace = 1;
  double least = 0;
  for (std::size_t i = 1; i < p.rows.size(); ++i) {
    const double op = 10e-9 * static_cast<double>(timed::cost_of(p.rows[i].receipt).count());
    CHECK(p.rows[i].elapsed_s >= op);
    CHECK(p.rows[i].elapsed_s <= all / 5);  // five of nine take at least their median
    least += op;
  }
  CHECK(p.step_s >= least);
  CHECK(p.step_s <= all / 5);
}

TEST_CASE("profiling restores the trainer") {
  const toy::corners data;
  auto profiled = toy::trainer<double>(rp::reference), plain = toy::trainer<double>(rp::reference);
  profiled.fit(data);
  plain.fit(data);
  static_cast<void>(profiled.profile(data, 7));
  CHECK(profiled.steps_done() == plain.steps_done());
  const auto kept = profiled.gradient("dense_1.w"), same = plain.gradient("dense_1.w");
  CHECK(std::equal(kept.data(), kept.data() + kept.size(), same.data()));
  CHECK(profiled.fit(data).loss == plain.fit(data).loss);
}
