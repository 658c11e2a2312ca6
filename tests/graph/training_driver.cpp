// SPDX-License-Identifier: MIT
// If a backend trains ahead, batches are staged or resident, and steps are launched before the losses of earlier ones
// are checked; results are the same.
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include <ridgepoint/graph/trainer.hpp>

#include "taped.hpp"
#include "toy.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

static_assert(rp::trains_ahead<taped::backend> && !rp::trains_ahead<rp::reference_backend>);

namespace {

/// Data with one bad row: a value that is not finite, or a label out of range.
struct flawed : toy::corners {
  rp::index_t bad_row = -1;
  float value = 0;
  std::int32_t label = 0;
  [[nodiscard]] rp::gathering gathered() const override { return rp::gathering::ahead; }
  void gather(std::span<const rp::index_t> rows, float* x, std::int32_t* labels) const override {
    corners::gather(rows, x, labels);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (rows[i] == bad_row) x[6 * i] += value, labels[i] += label;
  }
};

struct unchanging : toy::corners {
  [[nodiscard]] bool stays_the_same() const override { return true; }
};

/// Returns the complete training state, and the number of steps.
template <class Trainer>
std::vector<double> trained_by(const Trainer& trainer) {
  std::vector<double> all = {static_cast<double>(trainer.steps_done())};
  for (const rp::planned_parameter& p : trainer.learning().made().parameters) {
    const auto values = trainer.parameter(p.name);
    all.insert(all.end(), values.values().begin(), values.values().end());
  }
  for (const rp::planned_block& block : trainer.learning().made().blocks)
    for (const rp::slot m : block.moments) {
      std::vector<double> values(static_cast<std::size_t>(m.exists() ? block.size : 0));
      if (m.exists()) trainer.learning().get(m, values);
      all.insert(all.end(), values.begin(), values.end());
    }
  return all;
}

/// Result of fit() on a backend, with the final state, or the message of an exception.
struct outcome {
  rp::history said;
  std::vector<double> losses, each, trained;
  std::string thrown;
};
template <class Backend>
outcome fit(const Backend& on, const rp::any_dataset& data, const rp::fit_options& fitting) {
  auto trainer = toy::trainer<double>(on);
  outcome seen;
  try {
    seen.said = trainer.fit(data, fitting, [&](const rp::progress& now) {
      seen.losses.push_back(now.loss);
      seen.each.push_back(now.each[0].loss);
      seen.each.push_back(static_cast<double>(now.each[0].correct));
      return true;
    });
  } catch (const rp::value_error& wrong) {
    seen.thrown = wrong.what();
  }
  seen.trained = trained_by(trainer);
  return seen;
}
void check_same(const outcome& a, const outcome& b) {
  CHECK(a.said.loss == b.said.loss);
  CHECK(a.said.validation_loss == b.said.validation_loss);
  CHECK(a.said.best_epoch == b.said.best_epoch);
  CHECK(a.said.complete == b.said.complete);
  CHECK(a.losses == b.losses);
  CHECK(a.each == b.each);
  CHECK(a.trained == b.trained);
  CHECK(a.thrown == b.thrown);
}

}  // namespace

TEST_CASE("steps ahead: results and reports are the same as one by one") {
  const toy::corners data, held_out(50);  // 9 steps an epoch
  for (const rp::index_t look_every : {1, 2, 4, 9, 100}) {
    CAPTURE(look_every);
    const taped::backend on;
    const rp::fit_options fitting{
        .epochs = 3, .validation = &held_out, .patience = 2, .keep_best = true, .look_every = look_every};
    check_same(fit(on, data, fitting), fit(rp::reference, data, fitting));
    CHECK(on.seen->fetches == (look_every == 1 ? 0 : 3 * 9));
    CHECK(on.seen->most_replays_queued == 2 * std::min<rp::index_t>(look_every, 9));  // forward pass and the rest
    CHECK(on.seen->early == 0);
    CHECK(on.seen->direct == 0);
    CHECK(on.seen->sends == 3 * 9);
    CHECK(on.seen->gathers == 0);
  }
}

TEST_CASE("steps ahead: resident samples are gathered, with the same results") {
  const unchanging data;
  for (const rp::index_t look_every : {1, 4}) {
    const taped::backend on;
    check_same(fit(on, data, {.epochs = 2, .look_every = look_every, .resident = true}),
               fit(rp::reference, data, {.epochs = 2}));
    CHECK(on.seen->sends == 0);
    CHECK(on.seen->gathers == 2 * 9 * 2);  // inputs and labels
  }
}

TEST_CASE("steps ahead: a loss that is not finite is found late, with the same result as if found at once") {
  flawed data;
  data.value = std::numeric_limits<float>::quiet_NaN();
  for (data.bad_row = 100; data.bad_row < 110; ++data.bad_row) {
    const int threads = static_cast<int>(data.bad_row % 3);  // batches prepared ahead are taken again, too
    const outcome late = fit(taped::backend{}, data, {.epochs = 2, .data_threads = threads}),
                  at_once = fit(rp::reference, data, {.epochs = 2, .data_threads = 0});
    check_same(late, at_once);
    CHECK(late.thrown.find("data set; must be finite") != std::string::npos);
  }
}

TEST_CASE("steps ahead: a batch that cannot be fed ends them; steps before it are completed and reported") {
  flawed data;
  data.label = 7;
  for (data.bad_row = 100; data.bad_row < 110; ++data.bad_row) {
    const int threads = static_cast<int>(data.bad_row % 3);  // batches prepared ahead are taken again, too
    const outcome late = fit(taped::backend{}, data, {.epochs = 2, .data_threads = threads}),
                  at_once = fit(rp::reference, data, {.epochs = 2, .data_threads = 0});
    check_same(late, at_once);
    CHECK(!late.thrown.empty());
  }
}

TEST_CASE("steps ahead: several losses and micro-batches have a state each") {
  rp::graph net("two");
  const rp::node h = net.input({6}) | nn::dense{.units = 8} | nn::tanh{};
  const rp::node kind = h | nn::dense{.units = 3}, value = h | nn::dense{.units = 1};
  std::vector<double> x(64 * 6), y(64);
  std::vector<std::int32_t> kinds(64);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i * 37 % 19) / 19 - 0.5;
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[6 * i], kinds[i] = static_cast<std::int32_t>(i % 3);
  const auto seen = [&](const auto& on) {
    auto trainer = net.train<double>(on, {{kind, nn::softmax_cross_entropy{}}, {value, nn::mse{}, 0.5}}, nn::sgd{},
                                     {.batch = 4, .micro_batches = 2});
    std::vector<double> all;
    trainer.fit(x, {kinds, y}, {.epochs = 2, .look_every = 3}, [&](const rp::progress& now) {
      for (const rp::judgement& one : now.each)
        all.push_back(one.loss), all.push_back(static_cast<double>(one.correct));
      return true;
    });
    CHECK(trainer.judged()[1].loss == all[all.size() - 2]);
    return all;
  };
  const taped::backend on;
  CHECK(seen(on) == seen(rp::reference));
  CHECK(on.seen->fetches == 16 * 4);
}

TEST_CASE("steps ahead: watch is called for all of them together, and training ends with the last of them") {
  const toy::corners data;
  const taped::backend on;
  auto trainer = toy::trainer<double>(on);
  std::vector<std::uint64_t> done;
  const rp::history h = trainer.fit(data, {.epochs = 2, .look_every = 4}, [&](const rp::progress& now) {
    done.push_back(trainer.steps_done());
    return now.step != 6;
  });
  CHECK(done == std::vector<std::uint64_t>{4, 4, 4, 4, 8, 8, 8, 8});
  CHECK(!h.complete);
  CHECK(trainer.steps_done() == 8);
  auto plain = toy::trainer<double>(rp::reference);
  plain.fit(data, {.epochs = 1}, [](const rp::progress& now) { return now.step != 8; });
  CHECK(trained_by(trainer) == trained_by(plain));
  trainer.fit(data, {.epochs = 1});  // finishes the epoch
  plain.fit(data, {.epochs = 1});
  CHECK(trained_by(trainer) == trained_by(plain));
  CHECK_THROWS_WITH_AS(trainer.fit(data, {.look_every = 0}), "fit: look_every is 0; must be >= 1", rp::value_error);
}
