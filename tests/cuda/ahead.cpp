// SPDX-License-Identifier: MIT
// Prefetched batches on a fake GPU, copied while steps run: training results do not depend on which stream runs ahead,
// or on whether all samples stay on the device.
#include <ridgepoint/cuda/runtime/staging.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include <ridgepoint/graph/dataset.hpp>
#include <ridgepoint/reference/all.hpp>

#include "every_failure.hpp"
#include "fake_case.hpp"
#include "graph/toy.hpp"

namespace rp = ridgepoint;

static_assert(rp::trains_ahead<rp::cuda>);
static_assert(!rp::trains_ahead<rp::reference_backend>);

namespace {

using fake::order;

/// Runs streams in this order until the end of its scope.
struct in_order {
  explicit in_order(order wanted) { fake::set_order(wanted); }
  in_order(const in_order&) = delete;
  in_order& operator=(const in_order&) = delete;
  ~in_order() { fake::set_order(order::at_once); }
};

/// The samples of toy::corners as a program's own values.
struct own_samples {
  std::vector<float> x;
  std::vector<std::int32_t> labels;
  explicit own_samples(rp::index_t count)
      : x(static_cast<std::size_t>(count * 6)), labels(static_cast<std::size_t>(count)) {
    std::vector<rp::index_t> rows;
    for (rp::index_t i = 0; i < count; ++i) rows.push_back(i);
    toy::corners(count).gather(rows, x.data(), labels.data());
  }
  [[nodiscard]] auto dataset() const { return rp::memory_dataset(x, labels, {6}, 3); }
};

/// Returns all losses of fit(), followed by the first layer's weights.
template <class Backend, class Data>
std::vector<double> trained(const Backend& on, const Data& data, const rp::fit_options& fitting) {
  auto trainer = toy::trainer<float>(on);
  std::vector<double> all;
  trainer.fit(data, fitting, [&](const rp::progress& now) {
    all.push_back(now.each[0].loss);
    return true;
  });
  const std::vector<double> w = toy::weights(trainer);
  all.insert(all.end(), w.begin(), w.end());
  return all;
}
/// Returns the losses and weights of single steps on uploaded batches.
std::vector<double> trained_step_by_step(const rp::any_dataset& data, int epochs) {
  auto trainer = toy::trainer<float>(rp::cuda());
  rp::feeder<float> batches(data, trainer.learning().form());
  std::vector<double> all;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    batches.shuffle(42, static_cast<std::uint64_t>(epoch));
    for (rp::index_t s = 0; s < data.size() / 32; ++s) {
      batches.take(32 * s, 32);
      all.push_back(trainer.step(batches.x().numbers(), batches.targets().ids()));
    }
  }
  const std::vector<double> w = toy::weights(trainer);
  all.insert(all.end(), w.begin(), w.end());
  return all;
}

}  // namespace

TEST_CASE("cuda: staged parts arrive at their addresses, in order with other calls") {
  for (const order ahead : {order::at_once, order::first_stream_first, order::last_stream_first}) {
    const in_order set(ahead);
    const rp::cuda on;
    const auto there = on.allocate(12);
    auto* const to = static_cast<float*>(there.data());
    const rp::staged_part parts[] = {{to + 2, 0, 4}, {to, 64, 8}};
    const auto staged = on.stage(parts);
    std::vector<float> got(3);
    for (const float first : {1.0F, 4.0F}) {
      auto* const from = static_cast<float*>(staged.open());
      from[0] = first, from[16] = first + 1, from[17] = first + 2;
      staged.send();
      staged.take();
      on.synchronize();
      on.download(got.data(), to, 12);
      CHECK(got == std::vector<float>{first + 1, first + 2, first});
    }
    staged.finish();
  }
}

TEST_CASE("cuda: rows of full words and of half words are gathered") {
  const rp::cuda on;
  for (const std::size_t row_bytes : {12U, 6U}) {
    std::vector<std::uint16_t> src(7 * row_bytes / 2), want, got(3 * row_bytes / 2);
    for (std::size_t i = 0; i < src.size(); ++i) src[i] = static_cast<std::uint16_t>(i + 1);
    const std::vector<rp::index_t> rows{5, 0, 5};
    for (const rp::index_t row : rows)
      for (std::size_t i = 0; i < row_bytes / 2; ++i)
        want.push_back(src[static_cast<std::size_t>(row) * row_bytes / 2 + i]);
    const auto from = on.allocate(2 * src.size()), order = on.allocate(24), to = on.allocate(2 * got.size());
    on.upload(from.data(), src.data(), 2 * src.size());
    on.upload(order.data(), rows.data(), 24);
    on.gather_rows(to.data(), from.data(), row_bytes, static_cast<const rp::index_t*>(order.data()), 3);
    on.download(got.data(), to.data(), 2 * got.size());
    CHECK(got == want);
  }
}

TEST_CASE("cuda: batches are copied during steps, and the results do not depend on which is ahead") {
  const toy::corners data;  // 9 steps per epoch
  const std::vector<double> want = trained_step_by_step(data, 2);
  for (const order ahead : {order::at_once, order::first_stream_first, order::last_stream_first})
    for (const rp::index_t look_every : {1, 4, 100})
      for (const int threads : {0, 2}) {
        const in_order set(ahead);
        CHECK(trained(rp::cuda(), data, {.epochs = 2, .look_every = look_every, .data_threads = threads}) == want);
      }
}

TEST_CASE("cuda: samples kept on the device give the same result, and an epoch sends only their order") {
  const own_samples samples(300);
  const auto data = samples.dataset();
  const std::vector<double> want = trained_step_by_step(data, 2);
  for (const order ahead : {order::at_once, order::last_stream_first})
    for (const rp::index_t look_every : {1, 4}) {
      const in_order set(ahead);
      CHECK(trained(rp::cuda(), data, {.epochs = 2, .look_every = look_every, .resident = true}) == want);
    }
  CHECK(trained(rp::reference, data, {.resident = true}) == trained(rp::reference, data, {}));

  auto trainer = toy::trainer<float>(rp::cuda());
  std::vector<std::size_t> sent;
  trainer.fit(samples.x, samples.labels, {.epochs = 2, .resident = true}, [&](const rp::progress&) {
    sent.push_back(fake::bytes_from_host());
    return true;
  });
  CHECK(sent[8] == sent[0]);
  CHECK(sent[9] == sent[8] + 300 * sizeof(rp::index_t));
  CHECK(sent[17] == sent[9]);
  const rp::fit_options kept{.resident = true};
  CHECK(trainer.memory(data, kept).ahead_bytes == 300 * (6 * 4 + 4 + sizeof(rp::index_t)));
  CHECK(trainer.memory(data).ahead_bytes == 4 * (32 * 6 * 4 + 32 * 4));
  CHECK_THROWS_WITH_AS(trainer.fit(toy::corners(), kept),
                       "fit: resident is true, but the samples of the data set may change; must stay_the_same()",
                       rp::value_error);
}

TEST_CASE("cuda: a step of an epoch creates nothing") {
  const own_samples samples(300);
  for (const bool resident : {false, true}) {
    auto trainer = toy::trainer<float>(rp::cuda());
    trainer.fit(samples.x, samples.labels, {.look_every = 3, .resident = resident}, [](const rp::progress& now) {
      if (now.step == 3) fake::reset();  // reported after all three
      return true;
    });
    std::ptrdiff_t steps = 0;
    for (const std::string& call : fake::calls()) {
      steps += call == "cudaGraphLaunch" ? 1 : 0;
      CHECK_MESSAGE((call == "cudaMemcpyAsync" || call == "cudaGraphLaunch" || call == "cudaEventRecord" ||
                     call == "cudaStreamWaitEvent" || call == "cudaEventSynchronize" || call == "cudaLaunchKernel" ||
                     call == "cudaSetDevice"),
                    call);
    }
    CHECK(steps == 2 * 6);
  }
}

TEST_CASE("cuda: one thread sends batches to two devices by legal calls") {
  const fake::playing silently({.devices = 2, .silent = true});
  const own_samples samples(96);
  const std::string before = fake::living();
  fake::reset();
  for (const bool resident : {false, true}) {
    auto first = toy::trainer<float>(rp::cuda()), other = toy::trainer<float>(rp::cuda({.device = 1}));
    const rp::fit_options fitting{.epochs = 2, .look_every = 2, .resident = resident};
    for (auto* const each : {&first, &other, &first}) each->fit(samples.x, samples.labels, fitting);
  }
  CHECK(std::ranges::count(fake::tasks(), "cudaStreamWaitEvent", &fake::task::call) > 0);
  CHECK(fake::illegal() == "");
  CHECK(fake::living() == before);
}

TEST_CASE("cuda: whichever call of an epoch fails, it is reported, and everything is released") {
  const own_samples samples(96);
  for (const bool resident : {false, true}) {
    std::size_t built = 0;
    const auto train = [&] {
      auto trainer = toy::trainer<float>(rp::cuda());
      built = fake::calls().size();
      trainer.fit(samples.x, samples.labels, {.look_every = 2, .resident = resident});
    };
    fake::reset();
    train();
    CHECK(check_every_failure(train, built) > built);
  }
}
