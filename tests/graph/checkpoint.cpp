// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include <ridgepoint/graph/checkpoint.hpp>
#include <ridgepoint/graph/session.hpp>
#include <ridgepoint/reference/all.hpp>

#include "support/temporary_directory.hpp"
#include "toy.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

namespace {

rp::checkpoint example() {
  return {.step = 7,
          .learning_rate = 0.1,
          .batch = 3,
          .seed = ~std::uint64_t{0},
          .optimiser = "adam",
          .tensors = {{"w", "F32", {2, 3}, std::string(24, 'x')}, {"scalar", "F32", {}, "abcd"}}};
}
void check_is_example(const rp::checkpoint& back) {
  const rp::checkpoint c = example();
  CHECK(back.step == 7);
  CHECK(back.learning_rate == 0.1);
  CHECK(back.batch == 3);
  CHECK(back.seed == ~std::uint64_t{0});
  CHECK(back.optimiser == "adam");
  REQUIRE(back.tensors.size() == 2);
  for (std::size_t t = 0; t < 2; ++t) {
    CHECK(back.tensors[t].name == c.tensors[t].name);
    CHECK(back.tensors[t].dtype == "F32");
    CHECK(back.tensors[t].extents == c.tensors[t].extents);
    CHECK(back.tensors[t].values == c.tensors[t].values);
  }
}
/// Returns the complete state of a trainer, as bytes.
template <class Trainer>
std::string everything(const Trainer& trainer, const temporary_directory& folder) {
  trainer.save(folder / "everything");
  return read_bytes(folder / "everything");
}

/// A trainer of two layers with carried state, each in two micro-batches.
template <class T>
auto carrying_trainer() {
  rp::graph net("carry");
  const rp::node y = net.input({6}) | nn::dense{.units = 4} | nn::tanh{} | toy::running_sum{} | nn::dense{.units = 3} |
                     toy::running_sum{};
  return net.train<T>(rp::reference, y, nn::softmax_cross_entropy{}, nn::adam{},
                      {.batch = 16, .seed = 42, .micro_batches = 2});
}
bool is_carried(const rp::safetensor& t) { return t.name.find(".carried") != std::string::npos; }

}  // namespace

TEST_CASE("a checkpoint reads back as it was written, and is safetensors") {
  const std::string bytes = to_bytes(rp::to_safetensors(example()));
  check_is_example(rp::parse_checkpoint(bytes));
  const rp::safetensors read = rp::parse_safetensors(bytes);
  CHECK(read.tensors.size() == 2);
  CHECK(read.metadata[0] == std::pair<std::string, std::string>("format", "ridgepoint"));
  CHECK(read.metadata[3] == std::pair<std::string, std::string>("learning_rate", "0.1"));
}

TEST_CASE_TEMPLATE("training that stops and resumes equals uninterrupted training", T, float, double) {
  const temporary_directory folder;
  const toy::corners data;
  auto whole = toy::trainer<T>(rp::reference), first = toy::trainer<T>(rp::reference),
       second = toy::trainer<T>(rp::reference);
  whole.fit(data, {.epochs = 3});
  int steps = 0;
  first.fit(data, {.epochs = 3}, [&](const rp::progress&) { return ++steps < 13; });
  first.save(folder / "stopped");
  second.load(folder / "stopped");
  CHECK(second.steps_done() == 13);
  second.fit(data, {.epochs = 2});
  CHECK(everything(second, folder) == everything(whole, folder));
}

TEST_CASE_TEMPLATE("carried state resumes in every micro-batch", T, float, double) {
  const temporary_directory folder;
  const toy::corners data;
  auto whole = carrying_trainer<T>(), first = carrying_trainer<T>(), second = carrying_trainer<T>();
  whole.fit(data, {.epochs = 3});
  int steps = 0;
  first.fit(data, {.epochs = 3}, [&](const rp::progress&) { return ++steps < 13; });
  first.save(folder / "stopped");
  second.fit(data);
  second.load(folder / "stopped");
  CHECK(everything(second, folder) == read_bytes(folder / "stopped"));
  second.fit(data, {.epochs = 2});
  CHECK(everything(second, folder) == everything(whole, folder));

  std::vector<std::string> names, values;
  for (const rp::safetensor& t : rp::read_checkpoint(folder / "stopped").tensors) {
    if (!is_carried(t)) continue;
    names.push_back(t.name);
    CHECK(std::find(values.begin(), values.end(), t.values) == values.end());
    values.push_back(t.values);
  }
  CHECK(names == std::vector<std::string>{"running_sum_1.carried", "running_sum_2.carried", "running_sum_1.carried_2",
                                          "running_sum_2.carried_2"});
}

TEST_CASE("carried state missing from a checkpoint becomes zeros, and another size is refused") {
  const temporary_directory folder;
  const toy::corners data;
  auto trainer = carrying_trainer<float>(), reset = carrying_trainer<float>();
  trainer.fit(data);
  trainer.save(folder / "full");
  rp::checkpoint c = rp::read_checkpoint(folder / "full");
  const std::vector<rp::safetensor> full = c.tensors;
  std::erase_if(c.tensors, is_carried);
  REQUIRE(c.tensors.size() + 4 == full.size());
  rp::write_checkpoint(folder / "before", c);
  trainer.load(folder / "before");
  reset.load(folder / "full");
  reset.reset_state();
  CHECK(everything(trainer, folder) == everything(reset, folder));

  c.tensors = full;
  rp::safetensor& cut = *std::find_if(c.tensors.rbegin(), c.tensors.rend(), is_carried);
  cut.extents = {1};
  cut.values.resize(sizeof(float));
  rp::write_checkpoint(folder / "cut", c);
  CHECK_THROWS_WITH_AS(trainer.load(folder / "cut"), doctest::Contains("cut: running_sum_2.carried_2 is 1; must be 48"),
                       rp::data_error);
  CHECK(everything(trainer, folder) == everything(reset, folder));

  rp::graph net("carry");
  const rp::node y = net.input({6}) | nn::dense{.units = 4} | nn::tanh{} | toy::running_sum{} | nn::dense{.units = 3};
  auto session = net.compile<float>(rp::reference, y);
  session.load(folder / "full");
  const rp::tensor<float> taken = session.parameter("dense_2.w"), given = trainer.parameter("dense_2.w");
  CHECK(std::ranges::equal(taken.values(), given.values()));
}

TEST_CASE("a checkpoint may be as large as the carried state") {
  const temporary_directory folder;
  rp::graph net("wide");
  const rp::node y = net.input({1}) | nn::dense{.units = 1} | toy::running_sum{};
  auto trainer = net.train<float>(rp::reference, y, nn::mse{}, nn::sgd{}, {.batch = 1 << 19});
  trainer.save(folder / "wide");
  CHECK(std::filesystem::file_size(folder / "wide") > (std::uintmax_t{1} << 20) + 1000);
  CHECK_NOTHROW(trainer.load(folder / "wide"));
  CHECK_NOTHROW(trainer.load_parameters(folder / "wide"));
  CHECK_NOTHROW(net.compile<float>(rp::reference, y).load(folder / "wide"));
}

TEST_CASE("damaged files are refused with the reason, and nothing is loaded") {
  const temporary_directory folder;
  auto trainer = toy::trainer<float>(rp::reference);
  const std::string good = everything(trainer, folder);
  const auto refused = [&](const std::string& bytes, const char* reason) {
    write_bytes(folder / "bad", bytes);
    CHECK_THROWS_WITH_AS(trainer.load(folder / "bad"), doctest::Contains(reason), rp::data_error);
    CHECK(everything(trainer, folder) == good);
  };
  refused("", "has 0 bytes; must have at least 8");
  refused("PK\3\4" + good, "header takes");
  refused(good.substr(0, good.size() - 1), "must take");
  refused(good + "x", "must take");
  trainer.save_parameters(folder / "parameters");
  refused(read_bytes(folder / "parameters"), "has no metadata \"step\"; must be one that training wrote");
  CHECK_THROWS_AS(trainer.load(folder / "absent"), rp::data_error);
  CHECK_THROWS_AS(trainer.load(folder.path()), rp::data_error);
}

TEST_CASE("the step of a checkpoint must be one that training can resume from") {
  const temporary_directory folder;
  const toy::corners data(40);
  auto trainer = toy::trainer<float>(rp::reference);
  const std::string good = everything(trainer, folder);
  const auto load = [&](std::uint64_t step) {
    rp::checkpoint later = rp::parse_checkpoint(good);
    later.step = step;
    rp::write_checkpoint(folder / "later", later);
    trainer.load(folder / "later");
  };
  for (const std::uint64_t step : {(std::uint64_t{1} << 53) + 1, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    CAPTURE(step);
    CHECK_THROWS_WITH_AS(load(step), doctest::Contains("; must be <= 9007199254740992"), rp::data_error);
    CHECK(everything(trainer, folder) == good);
  }
  for (const std::uint64_t step : {std::uint64_t{1} << 53, std::uint64_t{1} << 31}) {
    load(step);  // one step per epoch
    CHECK(trainer.steps_done() == step);
    CHECK_THROWS_WITH_AS(trainer.fit(data), doctest::Contains("together they must be at most 2147483647"),
                         rp::value_error);
  }
  load((std::uint64_t{1} << 31) - 2);
  CHECK(trainer.fit(data).complete);
  CHECK_THROWS_AS(trainer.fit(data), rp::value_error);
}

TEST_CASE("the metadata of a checkpoint are numbers in their domain") {
  const auto refused = [](std::size_t which, const char* text, const char* reason) {
    rp::safetensors s = rp::to_safetensors(example());
    s.metadata[which].second = text;
    CHECK_THROWS_WITH_AS(static_cast<void>(rp::parse_checkpoint(to_bytes(s))), doctest::Contains(reason),
                         rp::data_error);
  };
  refused(2, "7 ", "checkpoint in memory: step is \"7 \"; must be a number");
  refused(2, "-7", "step is \"-7\"; must be a number");
  refused(3, "nan", "learning rate is nan; must be finite and >= 0");
  refused(3, "", "learning_rate is \"\"; must be a number");
  refused(3, "1e999", "learning_rate is \"1e999\"; must be a number");
  refused(4, "0", "checkpoint in memory: batch is 0; must be >= 1");
  refused(4, "-1", "checkpoint in memory: batch is -1; must be >= 1");
  refused(5, "18446744073709551616", "seed is \"18446744073709551616\"; must be a number");
}

TEST_CASE("a file larger than a checkpoint of the network can be is refused unread") {
  const temporary_directory folder;
  auto trainer = toy::trainer<float>(rp::reference);
  trainer.save(folder / "large");
  std::filesystem::resize_file(folder / "large", std::uintmax_t{60} << 30);  // sparse: takes no disk space
  CHECK_THROWS_WITH_AS(trainer.load(folder / "large"), doctest::Contains("has 64424509440 bytes; must have at most"),
                       rp::data_error);
  rp::graph net("toy");
  auto session = net.compile<float>(rp::reference, toy::mlp(net));
  CHECK_THROWS_WITH_AS(session.load(folder / "large"), doctest::Contains("has 64424509440 bytes; must have at most"),
                       rp::data_error);
}

TEST_CASE("a session of a small part of a graph loads the whole graph's checkpoint") {
  const temporary_directory folder;
  rp::graph net("part");
  const rp::node hidden = net.input({6}) | nn::dense{.units = 4},
                 y = hidden | nn::dense{.units = 30000} | nn::dense{.units = 3};
  net.train<double>(rp::reference, y, nn::softmax_cross_entropy{}, nn::adam{}).save(folder / "whole");
  CHECK(std::filesystem::file_size(folder / "whole") > (std::uintmax_t{5} << 20));
  CHECK_NOTHROW(net.compile<double>(rp::reference, hidden).load(folder / "whole"));
}

TEST_CASE("a checkpoint of another network, type or optimiser is refused") {
  const temporary_directory folder;
  const toy::corners data;
  auto trainer = toy::trainer<float>(rp::reference);
  const auto other = [&](auto optimiser, rp::index_t units) {
    rp::graph net("other");
    const rp::node y = net.input({6}) | nn::dense{.units = units} | nn::relu{} | nn::dense{.units = 3};
    net.train<float>(rp::reference, y, nn::softmax_cross_entropy{}, optimiser, {.batch = 32, .seed = 42})
        .save(folder / "other");
  };
  other(nn::adam{}, 17);
  CHECK_THROWS_WITH_AS(trainer.load(folder / "other"), doctest::Contains("other: dense_1.w is 6x17; must be 6x16"),
                       rp::data_error);
  other(nn::sgd{}, 16);
  CHECK_THROWS_WITH_AS(trainer.load(folder / "other"), doctest::Contains("of optimiser sgd; must be adam"),
                       rp::data_error);

  trainer.fit(data);
  const std::string before = everything(trainer, folder);
  toy::trainer<float>(rp::reference, 33).save(folder / "other");
  CHECK_THROWS_WITH_AS(trainer.load(folder / "other"), doctest::Contains("of batch 33; must be 32"), rp::data_error);
  toy::trainer<float>(rp::reference, 32, 43).save(folder / "other");
  CHECK_THROWS_WITH_AS(trainer.load(folder / "other"), doctest::Contains("of seed 43; must be 42"), rp::data_error);
  CHECK(everything(trainer, folder) == before);

  rp::graph net("more");
  const rp::node y = toy::mlp(net) | nn::dense{.units = 2};
  trainer.save(folder / "other");
  auto session = net.compile<float>(rp::reference, y);
  CHECK_THROWS_WITH_AS(session.load(folder / "other"), doctest::Contains("has no dense_3.w"), rp::data_error);
}

TEST_CASE("parameters alone load from a checkpoint of any optimiser, batch and seed") {
  const temporary_directory folder;
  rp::graph net("other");
  const rp::node y = toy::mlp(net);
  auto trained = net.train<float>(rp::reference, y, nn::softmax_cross_entropy{}, nn::sgd{}, {.batch = 8, .seed = 5});
  trained.fit(toy::corners());
  trained.save(folder / "learnt");
  auto trainer = toy::trainer<float>(rp::reference);
  trainer.fit(toy::corners());
  trainer.save(folder / "before");
  trainer.load_parameters(folder / "learnt");
  trainer.save(folder / "after");
  const rp::checkpoint before = rp::read_checkpoint(folder / "before"), after = rp::read_checkpoint(folder / "after");
  CHECK(after.step == before.step);
  CHECK(after.learning_rate == 0.01);
  REQUIRE(after.tensors.size() > 4);  // Adam's moments follow the parameters
  for (std::size_t i = 4; i < after.tensors.size(); ++i) CHECK(after.tensors[i].values == before.tensors[i].values);
  for (const char* name : {"dense_1.w", "dense_1.b", "dense_2.w", "dense_2.b"}) {
    CAPTURE(name);
    const auto expected = trained.parameter(name), actual = trainer.parameter(name);
    CHECK(std::ranges::equal(expected.values(), actual.values()));
  }
  rp::graph wider("wider");
  const rp::node z = wider.input({6}) | nn::dense{.units = 17} | nn::relu{} | nn::dense{.units = 3};
  wider.train<float>(rp::reference, z, nn::softmax_cross_entropy{}, nn::sgd{}, {.batch = 8}).save(folder / "wider");
  CHECK_THROWS_WITH_AS(trainer.load_parameters(folder / "wider"),
                       doctest::Contains("wider: dense_1.w is 6x17; must be 6x16"), rp::data_error);
}

TEST_CASE("a checkpoint with NaN, infinity or a mean of squares below 0 is refused, with its file and the tensor") {
  const temporary_directory folder;
  const toy::corners data(64);
  rp::graph net("finite");
  const rp::node y = net.input({6}) | nn::dense{.units = 4} | nn::batch_norm{} | nn::dense{.units = 3};
  const auto check_all = [&](const auto& optimiser, const std::vector<std::string>& squares) {
    auto trainer = net.train<float>(rp::reference, y, nn::softmax_cross_entropy{}, optimiser, {.batch = 32});
    auto session = net.compile<float>(rp::reference, y);
    trainer.fit(data);
    const std::string good = everything(trainer, folder);
    const rp::checkpoint c = rp::parse_checkpoint(good);
    for (std::size_t t = 0; t < c.tensors.size(); ++t) {
      const std::string& name = c.tensors[t].name;
      CAPTURE(name);
      const bool is_parameter =
          std::ranges::any_of(trainer.learning().made().parameters, [&](const auto& p) { return p.name == name; });
      const bool is_square = std::ranges::find(squares, name) != squares.end() || name.ends_with("moving_variance");
      for (const float value : {NAN, INFINITY, -INFINITY, -1e-30F}) {
        CAPTURE(value);
        rp::checkpoint bad = c;
        std::memcpy(bad.tensors[t].values.data() + bad.tensors[t].values.size() - sizeof value, &value, sizeof value);
        rp::write_checkpoint(folder / "bad", bad);
        if (value == -1e-30F && !is_square) {
          CHECK_NOTHROW(trainer.load(folder / "bad"));
          trainer.load(folder / "everything");
          continue;
        }
        const std::string why = "bad: " + name + " holds ";
        CHECK_THROWS_WITH_AS(trainer.load(folder / "bad"), doctest::Contains(why.c_str()), rp::data_error);
        if (!is_parameter) continue;
        CHECK_THROWS_WITH_AS(trainer.load_parameters(folder / "bad"), doctest::Contains(why.c_str()), rp::data_error);
        CHECK_THROWS_WITH_AS(session.load(folder / "bad"), doctest::Contains(why.c_str()), rp::data_error);
      }
    }
    CHECK(everything(trainer, folder) == good);
  };
  check_all(nn::sgd{}, {});
  check_all(nn::momentum{}, {});
  check_all(nn::rmsprop_keras{}, {"dense_1.a", "batch_norm_1.a", "dense_2.a"});
  check_all(nn::rmsprop_tf1{}, {"dense_1.ms", "batch_norm_1.ms", "dense_2.ms"});
  check_all(nn::adam{}, {"dense_1.v", "batch_norm_1.v", "dense_2.v"});
  check_all(nn::adamw{}, {"dense_1.v", "batch_norm_1.v", "dense_2.v"});
  check_all(nn::adadelta{}, {"dense_1.a", "batch_norm_1.a", "dense_2.a", "dense_1.d", "batch_norm_1.d", "dense_2.d"});

  rp::checkpoint damaged = example();
  damaged.tensors[0].values.replace(0, 4, "\xff\xff\xff\xff");
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::parse_checkpoint(to_bytes(rp::to_safetensors(damaged)), "run")),
                       doctest::Contains("checkpoint run: w holds "), rp::data_error);
}

TEST_CASE("a checkpoint is written atomically") {
  const temporary_directory folder;
  auto trainer = toy::trainer<float>(rp::reference);
  trainer.save(folder / "kept");
  const std::string before = read_bytes(folder / "kept");
  CHECK_THROWS_AS(trainer.save(folder.path() / "absent" / "file"), rp::data_error);
  CHECK_THROWS_AS(trainer.save(folder.path()), rp::data_error);
  trainer.fit(toy::corners());
  trainer.save(folder / "kept");
  CHECK(read_bytes(folder / "kept") != before);
  CHECK(folder.entries() == 1);
}
