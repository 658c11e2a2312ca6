// SPDX-License-Identifier: MIT
// Data-parallel training on ranks that are threads of this process.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/distributed/distributed.hpp>
#include <ridgepoint/distributed/thread_ranks.hpp>
#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/models/all.hpp>
#include <ridgepoint/models/random_batch.hpp>

#include "support/temporary_directory.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;
using rp::index_t;

namespace {

/// A dense network with dropout, and samples that it can learn.
struct dense_network {
  static constexpr index_t samples = 70;
  rp::graph net{"dense"};
  rp::node output = net.input({6}) | nn::dense{.units = 8} | nn::tanh{} | nn::dropout{.rate = 0.25F} |
                    nn::dense{.units = 5} | nn::relu{} | nn::dense{.units = 3};
  std::vector<float> x;
  std::vector<std::int32_t> labels;
  rp::memory_dataset<std::int32_t> data = make();

  template <class Backend>
  [[nodiscard]] auto trainer(const Backend& on, const rp::compile_options& options) const {
    return net.train<float>(on, output, nn::softmax_cross_entropy{}, nn::adam{.learning_rate = 0.01}, options);
  }

 private:
  rp::memory_dataset<std::int32_t> make() {
    rp::random_stream random(7, 0);
    for (index_t i = 0; i < samples; ++i) {
      float sum = 0;
      for (int j = 0; j < 6; ++j) x.push_back(static_cast<float>(random.uniform())), sum += x.back();
      labels.push_back(sum < 2.5F ? 0 : sum < 3.5F ? 1 : 2);
    }
    return {x, labels, {6}, 3};
  }
};

/// Returns what body(backend) returns on rank 0 of `ranks` ranks, after checking that it is the same on all.
template <class Body>
auto on_ranks(int ranks, const Body& body) {
  using result = decltype(body(rp::distributed(rp::cpu(1), rp::self_communicator{})));
  std::vector<result> all(static_cast<std::size_t>(ranks));
  rp::run_ranks(ranks, [&](rp::thread_communicator& with) {
    all[static_cast<std::size_t>(with.rank())] = body(rp::distributed(rp::cpu(1), with));
  });
  for (const result& each : all) CHECK(each == all[0]);
  return all[0];
}

/// Returns losses and last parameters of `steps` steps of a model on a random batch, in 4 micro-batches.
template <class Model, class Backend>
std::vector<float> trained(const Backend& on, int steps, const rp::compile_options& options) {
  const auto model = rp::models::configured<Model>({});
  rp::graph net("net");
  const auto objectives = rp::models::objectives_of(model, net);
  const rp::models::random_batch batch(net, objectives, options.batch * options.micro_batches);
  rp::compile_options shared = options;
  shared.exchange = on.exchange();
  rp::trainer<float, rp::cpu> trainer(net, on, objectives, typename Model::optimiser{}, shared,
                                      rp::library_ops<float, rp::cpu>());
  std::vector<rp::host_values<float>> x, y;
  for (const auto& column : batch.inputs()) x.push_back(column.values());
  for (const auto& column : batch.targets()) y.push_back(column.values());
  std::vector<float> result;
  for (int s = 0; s < steps; ++s)
    result.push_back(static_cast<float>(
        trainer.step(std::span<const rp::host_values<float>>(x), std::span<const rp::host_values<float>>(y))));
  for (const auto& p : trainer.learning().made().parameters)
    if (p.spec.trainable)
      for (const rp::tensor<float> values = trainer.parameter(p.name); const float value : values)
        result.push_back(value);
  return result;
}

template <class Model>
void check_same_bits(const rp::compile_options& options, int steps) {
  CAPTURE(Model::name);
  const auto run = [&](const auto& on) { return trained<Model>(on, steps, options); };
  const std::vector<float> one = on_ranks(1, run);
  CHECK(on_ranks(2, run) == one);
  CHECK(on_ranks(4, run) == one);
}

std::string error_of(int ranks, const auto& body) {
  try {
    rp::run_ranks(ranks, body);
  } catch (const rp::error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("losses and weights have the same bits for 1, 2 and 4 ranks") {
  check_same_bits<rp::models::mnist_mlp>({.batch = 3, .seed = 5, .micro_batches = 4}, 3);
  check_same_bits<rp::models::mnist_cnn>({.batch = 2, .seed = 5, .micro_batches = 4}, 2);
  check_same_bits<rp::models::mnist_lstm>({.batch = 2, .seed = 5, .micro_batches = 4, .clip_norm = 0.1}, 2);
  check_same_bits<rp::models::imdb_fasttext>({.batch = 2, .seed = 5, .micro_batches = 4}, 3);
  check_same_bits<rp::models::resnet_32>({.batch = 1, .seed = 5, .micro_batches = 8}, 1);
}

TEST_CASE("a batch is divided among the ranks; steps count, and evaluate, all samples") {
  const dense_network of;
  const auto fit = [&](const auto& on) {
    auto trainer = of.trainer(on, {.batch = 12, .seed = 3});
    const rp::history h = trainer.fit(of.data, {.epochs = 3});
    CHECK(trainer.steps_done() == 15);
    CHECK(trainer.judged()[0].labels == 12);
    const rp::evaluation e = trainer.evaluate(of.data);  // the last batch has 70 mod (12 / ranks) samples
    CHECK(e.samples == dense_network::samples);
    CHECK(e.labels == dense_network::samples);
    CHECK(e.correct > 30);
    return h.loss;
  };
  const std::vector<double> one = on_ranks(1, fit), two = on_ranks(2, fit), three = on_ranks(3, fit);
  for (std::size_t e = 0; e < one.size(); ++e) {
    CHECK(std::abs(two[e] - one[e]) < 0.05 * one[e]);  // other dropout masks
    CHECK(std::abs(three[e] - one[e]) < 0.05 * one[e]);
  }
}

TEST_CASE("ranks share the samples of one rank's batch: without dropout, losses are nearly the same") {
  rp::graph net("plain");
  const rp::node output = net.input({6}) | nn::dense{.units = 7} | nn::tanh{} | nn::dense{.units = 3};
  const dense_network of;
  const auto fit = [&](const auto& on) {
    auto trainer = net.train<double>(on, output, nn::softmax_cross_entropy{}, nn::sgd{.learning_rate = 0.2},
                                     {.batch = 12, .seed = 3});
    const std::vector<double> losses = trainer.fit(of.data, {.epochs = 2}).loss;
    return losses;
  };
  const std::vector<double> one = on_ranks(1, fit), three = on_ranks(3, fit);
  for (std::size_t e = 0; e < one.size(); ++e) CHECK(std::abs(three[e] - one[e]) < 1e-12);
}

TEST_CASE("evaluation has the same result for any number of ranks, also on a smaller last batch") {
  const dense_network of;
  const auto evaluate = [&](const auto& on) {
    auto trainer = of.trainer(on, {.batch = 4, .seed = 3, .micro_batches = on.exchange()->size()});
    return std::vector<double>{trainer.evaluate(of.data).loss, trainer.evaluate(of.x, of.labels).loss};
  };
  const std::vector<double> one = on_ranks(1, evaluate);
  CHECK(on_ranks(2, evaluate) == one);
  CHECK(on_ranks(4, evaluate) == one);
}

TEST_CASE("moving statistics are the mean over the ranks when they are used or saved") {
  rp::graph net("normalised");
  const rp::node output = net.input({6}) | nn::dense{.units = 4} | nn::batch_norm{} | nn::dense{.units = 3};
  const dense_network of;
  const auto statistics = [&](const auto& on) {
    auto trainer = net.train<float>(on, output, nn::softmax_cross_entropy{}, nn::sgd{}, {.batch = 10, .seed = 3});
    trainer.fit(of.data);
    static_cast<void>(trainer.evaluate(of.data));
    const rp::tensor<float> mean = trainer.parameter("batch_norm_1.moving_mean");
    return std::vector<float>(mean.begin(), mean.end());
  };
  const std::vector<float> one = on_ranks(1, statistics), two = on_ranks(2, statistics);  // equal on both ranks
  for (std::size_t i = 0; i < one.size(); ++i) CHECK(std::abs(two[i] - one[i]) < 0.02F);
}

TEST_CASE("gradients that are adjacent in memory are summed together, up to 4 MB") {
  rp::graph net("large");
  const rp::node output = net.input({1000}) | nn::dense{.units = 1000} | nn::dense{.units = 1000} |
                          nn::dense{.units = 10} | nn::dense{.units = 10};
  rp::run_ranks(2, [&](rp::thread_communicator& with) {
    const auto trainer = net.train<float>(rp::distributed(rp::cpu(1), with), output, nn::softmax_cross_entropy{},
                                          nn::sgd{}, {.batch = 2});
    std::vector<std::string> sums;
    std::size_t last_start = 0, first_end = 0;
    for (std::size_t c = 0; c < trainer.plan().calls.size(); ++c) {
      const rp::planned_call& call = trainer.plan().calls[c];
      if (call.op->name == "start_sum") sums.push_back(call.info.shape), last_start = c;
      if (call.op->name == "finish_sum" && first_end == 0) first_end = c;
    }
    // 1,001,000, 10,010 and 110 values, each from a multiple of 16 on, are 4.04 MB; the first layer has its own sum
    CHECK(rp::names_of(sums) == "1011134, 1001000");
    CHECK(first_end > last_start);
  });
}

TEST_CASE("a checkpoint is written once and resumed by any number of ranks") {
  const temporary_directory folder;
  const dense_network of;
  const auto fit = [&](const auto& on) {
    const int ranks = on.exchange()->size();
    const rp::compile_options options{.batch = 3, .seed = 3, .micro_batches = 4};
    const std::string file = folder / ("of_" + std::to_string(ranks));
    auto first = of.trainer(on, options);
    first.fit(of.data, {.epochs = 1});
    first.save(file);
    auto resumed = of.trainer(on, options);
    resumed.load(file);
    return resumed.fit(of.data, {.epochs = 1}).loss;
  };
  const std::vector<double> one = on_ranks(1, fit);
  CHECK(on_ranks(2, fit) == one);
  CHECK(on_ranks(4, fit) == one);
  const auto resume = [&](const auto& on) {
    auto trainer = of.trainer(on, {.batch = 3, .seed = 3, .micro_batches = 4});
    trainer.load(folder / "of_4");
    return trainer.fit(of.data, {.epochs = 1}).loss;
  };
  CHECK(on_ranks(1, resume) == one);
  CHECK(on_ranks(2, resume) == one);
}

TEST_CASE("a checkpoint that rank 0 cannot write or read is an error on every rank") {
  const dense_network of;
  std::vector<std::string> saved(2), loaded(2);
  rp::run_ranks(2, [&](rp::thread_communicator& with) {
    auto trainer = of.trainer(rp::distributed(rp::cpu(1), with), {.batch = 4});
    const auto rank = static_cast<std::size_t>(with.rank());
    try {
      trainer.save("/no/such/folder/file");
    } catch (const rp::data_error& e) {
      saved[rank] = e.what();
    }
    try {
      trainer.load("/no/such/folder/file");
    } catch (const rp::data_error& e) {
      loaded[rank] = e.what();
    }
    CHECK(trainer.steps_done() == 0);  // both ranks go on together
    trainer.fit(of.data);
  });
  for (const auto* each : {&saved, &loaded}) {
    CHECK((*each)[0].find("/no/such/folder/file") != std::string::npos);
    CHECK((*each)[1] == "rank 0: " + (*each)[0]);
  }
}

TEST_CASE("ranks that differ are refused, naming the difference") {
  const dense_network of;
  const auto with_options = [&](const rp::compile_options& first, const rp::compile_options& second) {
    return error_of(2, [&](rp::thread_communicator& with) {
      static_cast<void>(of.trainer(rp::distributed(rp::cpu(1), with), with.rank() == 0 ? first : second));
    });
  };
  CHECK(with_options({.batch = 4, .seed = 1}, {.batch = 4, .seed = 2}) ==
        "distributed: seed is 2 on rank 1 and 1 on rank 0; must be equal");
  CHECK(with_options({.batch = 4}, {.batch = 6}) == "distributed: batch is 6 on rank 1 and 4 on rank 0; must be equal");
  const std::string shapes = error_of(2, [&](rp::thread_communicator& with) {
    rp::graph net("own");
    const rp::node output = net.input({6}) | nn::dense{.units = 5 + with.rank()} | nn::dense{.units = 3};
    static_cast<void>(net.train<float>(rp::distributed(rp::cpu(1), with), output, nn::softmax_cross_entropy{},
                                       nn::adam{}, {.batch = 4}));
  });
  CHECK(shapes == "distributed: dense_1.w is 6x6 on rank 1 and 6x5 on rank 0; must be equal");
  const std::string samples = error_of(2, [&](rp::thread_communicator& with) {
    auto trainer = of.trainer(rp::distributed(rp::cpu(1), with), {.batch = 4});
    const index_t count = with.rank() == 0 ? 70 : 60;
    const rp::memory_dataset<std::int32_t> own(std::span(of.x).first(static_cast<std::size_t>(6 * count)),
                                               std::span(of.labels).first(static_cast<std::size_t>(count)), {6}, 3);
    trainer.fit(own);
  });
  CHECK(samples == "distributed: number of samples is 60 on rank 1 and 70 on rank 0; must be equal");
}

TEST_CASE("a batch, micro-batches or a precision that ranks cannot share are refused") {
  const dense_network of;
  const auto message = [&](int ranks, const rp::compile_options& options) {
    return error_of(ranks, [&](rp::thread_communicator& with) {
      static_cast<void>(of.trainer(rp::distributed(rp::cpu(1), with), options));
    });
  };
  CHECK(message(3, {.batch = 4}) == "train: a batch of 4 for 3 ranks; must be a multiple");
  CHECK(message(3, {.batch = 2}) == "train: a batch of 2 for 3 ranks; must be a multiple");
  CHECK(message(4, {.batch = 4, .micro_batches = 6}) == "train: micro_batches is 6 for 4 ranks; must be a multiple");
  CHECK(message(2, {.batch = 4, .precision = rp::precision::bf16}) ==
        "compile: training of 2 ranks is in bf16; must be in f32 or f64");
}

TEST_CASE("a loss that is not finite because of one rank's samples is an error on every rank") {
  dense_network of;
  std::vector<std::string> messages(2);
  std::vector<float> x = of.x;
  x[6 * 3] = std::numeric_limits<float>::quiet_NaN();  // sample 3 of 4 is of rank 1
  x.resize(6 * 4);
  const std::vector<std::int32_t> labels(of.labels.begin(), of.labels.begin() + 4);
  rp::run_ranks(2, [&](rp::thread_communicator& with) {
    auto trainer = of.trainer(rp::distributed(rp::cpu(1), with), {.batch = 4});
    try {
      trainer.step(x, labels);
    } catch (const rp::value_error& e) {
      messages[static_cast<std::size_t>(with.rank())] = e.what();
    }
    trainer.fit(of.data);  // nothing was updated, and the ranks are still together
  });
  CHECK(messages[0] == "step 1: loss is nan, the samples of another rank are the cause; must be finite");
  CHECK(messages[1] == "step 1: loss is nan, input_1 holds nan in sample 1 of the batch; must be finite");
}

TEST_CASE("a progress callback stops all ranks together") {
  const dense_network of;
  const auto stop = [&](const auto& on) {
    auto trainer = of.trainer(on, {.batch = 12});
    trainer.fit(of.data, {.epochs = 2}, [&](const rp::progress& now) {
      return on.exchange()->rank() + 1 != on.exchange()->size() || now.step < 2;
    });
    return trainer.steps_done();
  };
  CHECK(on_ranks(3, stop) == 2);
}

TEST_CASE("a profile shows the sums of gradients, and leaves the ranks together") {
  const dense_network of;
  rp::run_ranks(2, [&](rp::thread_communicator& with) {
    auto trainer = of.trainer(rp::distributed(rp::cpu(1), with), {.batch = 12, .seed = 3});
    const rp::profile p = trainer.profile(of.data, 3);
    std::vector<std::string> rows;
    for (const rp::profile_row& row : p.rows)
      if (row.layer == "gradients") rows.push_back(row.shape);
    CHECK(rp::names_of(rows) == "130, 130");
    trainer.fit(of.data);
  });
}
