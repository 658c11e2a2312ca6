// SPDX-License-Identifier: MIT
// Element-wise calls as one kernel: results are bitwise equal to separate calls, launches are fewer, and a profile
// shows the chain as one row.
#include <ridgepoint/cuda/chain.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <tuple>
#include <vector>

#include <ridgepoint/graph/chains.hpp>
#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/trainer.hpp>

#include "corner_batch.hpp"
#include "fake_case.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;
using rp::activation;
using rp::index_t;

static_assert(rp::runs_chains<rp::cuda>);

namespace {

/// Blocks of values of one size, at a fixed stride; a call reads or writes one block.
template <class T>
struct blocks {
  index_t size, stride;
  std::vector<T> values;
  blocks(index_t count, index_t size_of_one, index_t from_one_to_the_next, double low = -2)
      : size(size_of_one), stride(from_one_to_the_next) {
    rp::random_stream random(5, 1);
    for (index_t i = 0; i < count * stride; ++i) values.push_back(static_cast<T>(random.uniform(low, 2)));
  }
  [[nodiscard]] T* operator[](std::size_t i) { return values.data() + static_cast<index_t>(i) * stride; }
  /// Returns whether block i has the same bits in both.
  [[nodiscard]] bool same(blocks& other, std::size_t i) {
    return std::memcmp((*this)[i], other[i], static_cast<std::size_t>(size) * sizeof(T)) == 0;
  }
};

/// Runs calls as a chain, with the largest workspace that any of them needs.
template <class... Calls>
void run_as_chain(const std::tuple<Calls...>& calls, const std::vector<bool>& kept) {
  const rp::cuda& on = fake_gpu();
  const auto wanted = [&](const auto& call) { return prepare(on, call, {}).info.workspace_bytes; };
  std::vector<std::byte> workspace(std::apply([&](const auto&... call) { return std::max({wanted(call)...}); }, calls));
  std::vector<rp::chain_link> links;
  const auto add = [&]<class Args>(const Args& call) {
    links.push_back(
        {.op = rp::op_id_of<Args>, .args = &call, .workspace = workspace.data(), .kept = kept[links.size()]});
  };
  std::apply([&](const auto&... call) { (add(call), ...); }, calls);
  on.run_chain(on.prepare_chain(links));
}

/// Runs the calls of make(blocks), whose last blocks are the outputs in order, as a chain and one by one, and compares.
template <class T, class Make>
void agree(index_t size, index_t stride, std::vector<bool> kept, std::size_t inputs, const Make& make) {
  const rp::cuda& on = fake_gpu();
  const auto count = static_cast<index_t>(inputs + kept.size());
  blocks<T> before(count, size, stride), by_one = before, chained = before;
  std::apply([&](const auto&... call) { (execute(on, call), ...); }, make(by_one));
  run_as_chain(make(chained), kept);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    CAPTURE(i);
    CHECK(chained.same(kept[i] ? by_one : before, inputs + i));
  }
  for (std::size_t i = 0; i < inputs; ++i) CHECK(chained.same(before, i));
}

}  // namespace

TEST_CASE_TEMPLATE("cuda: a chain has the bits of its calls one by one, and stores kept results", T, float, double) {
  const rp::step_state state{.step = 3, .learning_rate = 0, .loss = 0};
  struct extent {
    index_t size, stride;
  };
  for (const extent& e : {extent{1, 1}, {1029, 1029}, {1029, 1032}}) {
    const index_t size = e.size, stride = e.stride;
    CAPTURE(size);
    CAPTURE(stride);
    for (const bool sum_is_kept : {false, true})
      agree<T>(size, stride, {sum_is_kept, true}, 2, [n = size](blocks<T>& at) {
        return std::tuple{rp::add_args<T>{.size = n, .a = at[0], .b = at[1], .y = at[2]},
                          rp::activate_args<T>{.f = activation::relu, .size = n, .x = at[2], .y = at[3]}};
      });
    const index_t channels = size == 1 ? 1 : 21, steps = size == 1 ? 1 : 7;
    agree<T>(size, stride, {false, false, true, false, false, true}, 4, [&, n = size](blocks<T>& at) {
      return std::tuple{
          rp::add_bias_args<T>{.rows = n / channels,
                               .channels = channels,
                               .x = at[0],
                               .bias = at[1],
                               .y = at[4],
                               .act = activation::relu},
          rp::dropout_args<T>{.size = n,
                              .x = at[4],
                              .y = at[5],
                              .rate = 0.4,
                              .seed = 7,
                              .stream = 2,
                              .state = &state,
                              .steps = steps,
                              .width = channels / steps},
          rp::add_args<T>{.size = n, .a = at[2], .b = at[5], .y = at[6]},
          rp::activate_args<T>{.f = activation::gelu, .size = n, .x = at[6], .y = at[7]},
          rp::activate_backward_args<T>{.f = activation::sigmoid, .size = n, .y = at[7], .dy = at[3], .dx = at[8]},
          rp::add_args<T>{.size = n, .a = at[8], .b = at[6], .y = at[9]}};
    });
    agree<T>(size, stride, {false, true}, 1, [n = size](blocks<T>& at) {
      return std::tuple{
          rp::activate_args<T>{.f = activation::leaky_relu, .slope = 0.3, .size = n, .x = at[0], .y = at[1]},
          rp::activate_backward_args<T>{.size = n, .dy = at[1], .dx = at[2]}};
    });
  }
}

namespace {

/// Batch normalisation, a sum with another map, and relu, as a chain and one by one.
template <class T>
void agree_on_residual_joint(index_t rows, index_t channels) {
  struct outputs {
    std::vector<T> y, mean, inverse, sum, out;
    outputs(index_t size, index_t c)
        : y(static_cast<std::size_t>(size)), mean(static_cast<std::size_t>(c)), inverse(mean), sum(y), out(y) {}
  };
  const index_t size = rows * channels;
  blocks<T> in(2, size, size), columns(2, channels, channels);
  const auto calls = [&](outputs& to) {
    return std::tuple{
        rp::batch_norm_args<T>{.rows = rows,
                               .channels = channels,
                               .x = in[0],
                               .gamma = columns[0],
                               .beta = columns[1],
                               .y = to.y.data(),
                               .mean = to.mean.data(),
                               .inverse = to.inverse.data()},
        rp::add_args<T>{.size = size, .a = in[1], .b = to.y.data(), .y = to.sum.data()},
        rp::activate_args<T>{.f = activation::relu, .size = size, .x = to.sum.data(), .y = to.out.data()}};
  };
  const rp::cuda& on = fake_gpu();
  outputs want(size, channels), got(size, channels);
  std::apply([&](const auto&... call) { (execute(on, call), ...); }, calls(want));
  run_as_chain(calls(got), {false, false, true});
  CHECK(got.out == want.out);
  CHECK(got.mean == want.mean);
  CHECK(got.inverse == want.inverse);
  CHECK(got.y == std::vector<T>(got.y.size()));
}

}  // namespace

TEST_CASE_TEMPLATE("cuda: batch normalisation begins a chain, with the same bits as alone", T, float, double) {
  agree_on_residual_joint<T>(300, 5);
  agree_on_residual_joint<T>(3, 40);
  agree_on_residual_joint<T>(9, 1);
}

namespace {

/// Operands of a chain with conversions: maps stored as T, maps in the type T is computed in, and positive numbers for
/// each channel.
template <class T>
struct maps {
  using computed = rp::compute_t<T>;
  blocks<T> stored;
  blocks<computed> wide, columns;

  maps(index_t size, index_t stride, index_t channels)
      : stored(4, size, stride), wide(3, size, stride), columns(5, channels, channels, 0.5) {}
};

/// Runs the calls of make(maps, rows, channels) as a chain and one by one: all maps must agree, except those not kept,
/// which must be unchanged.
template <class T, class Make>
void agree_across(std::vector<bool> kept, const Make& make) {
  struct extent {
    index_t rows, channels, stride;
  };
  for (const extent& e : {extent{300, 5, 1500}, {3, 40, 120}, {9, 3, 32}}) {
    CAPTURE(e.rows);
    maps<T> before(e.rows * e.channels, e.stride, e.channels), by_one = before, chained = before;
    std::apply([&](const auto&... call) { (execute(fake_gpu(), call), ...); }, make(by_one, e.rows, e.channels));
    const auto calls = make(chained, e.rows, e.channels);
    run_as_chain(calls, kept);

    std::vector<const void*> dropped;
    auto note = [&, call = std::size_t{0}](const auto& c) mutable {
      if (kept[call++]) return;
      if constexpr (requires { c.dx; }) dropped.push_back(c.dx);
      else dropped.push_back(c.y);
    };
    std::apply([&](const auto&... call) { (note(call), ...); }, calls);
    const auto check = [&](auto which, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) {
        CAPTURE(i);
        const bool is_dropped = std::ranges::count(dropped, static_cast<const void*>((chained.*which)[i])) > 0;
        CHECK((chained.*which).same((is_dropped ? before : by_one).*which, i));
      }
    };
    check(&maps<T>::stored, 4), check(&maps<T>::wide, 3), check(&maps<T>::columns, 5);
  }
}

/// Batch normalisation of map 0 into map 1; normalised_backward() is the gradient of both into map 2.
template <class T>
auto normalised(maps<T>& at, index_t rows, index_t channels) {
  return rp::batch_norm_args<rp::compute_t<T>>{.rows = rows,
                                               .channels = channels,
                                               .x = at.wide[0],
                                               .gamma = at.columns[0],
                                               .beta = at.columns[1],
                                               .y = at.wide[1],
                                               .mean = at.columns[2],
                                               .inverse = at.columns[3]};
}
template <class T>
auto normalised_backward(maps<T>& at, index_t rows, index_t channels) {
  return rp::batch_norm_backward_args<rp::compute_t<T>>{.rows = rows,
                                                        .channels = channels,
                                                        .x = at.wide[0],
                                                        .gamma = at.columns[0],
                                                        .mean = at.columns[1],
                                                        .inverse = at.columns[2],
                                                        .dy = at.wide[1],
                                                        .dx = at.wide[2],
                                                        .dgamma = at.columns[3],
                                                        .dbeta = at.columns[4]};
}

/// Checks gradients converted from T to float and back, scaled unless the state is null.
template <class T>
void agree_on_gradients_across(const rp::step_state* scale_state) {
  agree_across<T>({false, false, false, true, true}, [=](maps<T>& at, index_t rows, index_t channels) {
    const index_t n = rows * channels;
    return std::tuple{
        rp::convert_args<float, T>{.size = n, .x = at.stored[0], .y = at.wide[1], .scale_state = scale_state},
        rp::convert_args<float, T>{.size = n, .x = at.stored[1], .y = at.wide[0]},
        normalised_backward(at, rows, channels),
        rp::convert_args<T, float>{.size = n, .x = at.wide[2], .y = at.stored[2], .scale_state = scale_state},
        rp::add_args<T>{.size = n, .a = at.stored[3], .b = at.stored[2], .y = at.stored[3]}};
  });
  agree_across<T>({false, true, true}, [=](maps<T>& at, index_t rows, index_t channels) {
    const index_t n = rows * channels;
    return std::tuple{
        normalised_backward(at, rows, channels),
        rp::convert_args<T, float>{.size = n, .x = at.wide[2], .y = at.stored[0], .scale_state = scale_state},
        rp::add_args<T>{.size = n, .a = at.stored[1], .b = at.stored[0], .y = at.stored[2]}};
  });
  agree_across<T>({false, false, true}, [=](maps<T>& at, index_t rows, index_t channels) {
    const index_t n = rows * channels;
    return std::tuple{
        rp::add_args<T>{.size = n, .a = at.stored[0], .b = at.stored[1], .y = at.stored[2]},
        rp::activate_backward_args<T>{
            .f = activation::relu, .size = n, .y = at.stored[3], .dy = at.stored[2], .dx = at.stored[0]},
        rp::convert_args<float, T>{.size = n, .x = at.stored[0], .y = at.wide[0], .scale_state = scale_state}};
  });
}

}  // namespace

TEST_CASE_TEMPLATE("cuda: a chain across conversions has the bits of its calls one by one", T, rp::bfloat16,
                   rp::float16) {
  agree_across<T>({false, true}, [](maps<T>& at, index_t rows, index_t channels) {
    const index_t n = rows * channels;
    return std::tuple{rp::add_args<T>{.size = n, .a = at.stored[0], .b = at.stored[1], .y = at.stored[2]},
                      rp::activate_args<T>{.f = activation::relu, .size = n, .x = at.stored[2], .y = at.stored[3]}};
  });
  agree_across<T>({false, false, false, false, true}, [](maps<T>& at, index_t rows, index_t channels) {
    const index_t n = rows * channels;
    return std::tuple{rp::convert_args<float, T>{.size = n, .x = at.stored[0], .y = at.wide[0]},
                      normalised(at, rows, channels),
                      rp::convert_args<T, float>{.size = n, .x = at.wide[1], .y = at.stored[1]},
                      rp::add_args<T>{.size = n, .a = at.stored[0], .b = at.stored[1], .y = at.stored[2]},
                      rp::activate_args<T>{.f = activation::relu, .size = n, .x = at.stored[2], .y = at.stored[3]}};
  });
  agree_across<T>({false, false, false, true}, [](maps<T>& at, index_t rows, index_t channels) {
    const index_t n = rows * channels;
    return std::tuple{normalised(at, rows, channels),
                      rp::convert_args<T, float>{.size = n, .x = at.wide[1], .y = at.stored[1]},
                      rp::add_args<T>{.size = n, .a = at.stored[0], .b = at.stored[1], .y = at.stored[2]},
                      rp::activate_args<T>{.f = activation::relu, .size = n, .x = at.stored[2], .y = at.stored[3]}};
  });
  agree_on_gradients_across<T>(nullptr);
  agree_across<T>({false, false, false, true}, [](maps<T>& at, index_t rows, index_t channels) {
    const index_t n = rows * channels;
    return std::tuple{rp::convert_args<float, T>{.size = n, .x = at.stored[0], .y = at.wide[0]},
                      rp::batch_norm_inference_args<float>{.rows = rows,
                                                           .channels = channels,
                                                           .x = at.wide[0],
                                                           .gamma = at.columns[0],
                                                           .beta = at.columns[1],
                                                           .mean = at.columns[2],
                                                           .variance = at.columns[3],
                                                           .y = at.wide[1]},
                      rp::convert_args<T, float>{.size = n, .x = at.wide[1], .y = at.stored[1]},
                      rp::activate_args<T>{.f = activation::relu, .size = n, .x = at.stored[1], .y = at.stored[2]}};
  });
}

TEST_CASE("cuda: a chain scales gradients to float16 and back like its calls one by one") {
  const rp::step_state scaled{.loss_scale = 1024};
  agree_on_gradients_across<rp::float16>(&scaled);
}

TEST_CASE_TEMPLATE("cuda: gradients of batch normalisation begin a chain, given statistics may join", T, float,
                   double) {
  agree_across<T>({false, true}, [](maps<T>& at, index_t rows, index_t channels) {
    rp::batch_norm_backward_args<T> in_place = normalised_backward(at, rows, channels);
    in_place.dx = at.wide[1];
    return std::tuple{in_place,
                      rp::add_args<T>{.size = rows * channels, .a = at.stored[0], .b = at.wide[1], .y = at.stored[1]}};
  });
  agree_across<T>({false, true}, [](maps<T>& at, index_t rows, index_t channels) {
    return std::tuple{
        rp::batch_norm_inference_args<T>{.rows = rows,
                                         .channels = channels,
                                         .x = at.wide[0],
                                         .gamma = at.columns[0],
                                         .beta = at.columns[1],
                                         .mean = at.columns[2],
                                         .variance = at.columns[3],
                                         .y = at.wide[1]},
        rp::activate_args<T>{.f = activation::relu, .size = rows * channels, .x = at.wide[1], .y = at.wide[2]}};
  });
}

TEST_CASE("cuda: a chain may overwrite its inputs") {
  std::vector<float> x{1, -5, 2, -3, 4, 6}, y{-2, 3, -1, 1, 1, 1};
  const auto size = static_cast<index_t>(x.size());
  const rp::add_args<float> sum{.size = size, .a = x.data(), .b = y.data(), .y = x.data()};
  const rp::activate_args<float> bent{.f = activation::relu, .size = size, .x = x.data(), .y = y.data()};
  const rp::chain_link links[] = {{.op = rp::op_id_of<rp::add_args<float>>, .args = &sum, .kept = false},
                                  {.op = rp::op_id_of<rp::activate_args<float>>, .args = &bent}};
  fake_gpu().run_chain(fake_gpu().prepare_chain(links));
  CHECK(x == std::vector<float>{1, -5, 2, -3, 4, 6});
  CHECK(y == std::vector<float>{0, 0, 1, 0, 5, 7});
}

namespace {

/// Two residual blocks, one on images, one on features with dropout.
template <rp::precision P>
auto residual(const rp::cuda& on) {
  rp::graph net("residual");
  const auto conv = nn::conv2d{.filters = 4, .kernel = 3, .padding = nn::same};
  const rp::node x = net.input({6}) | nn::reshape{{2, 3, 1}} | conv | nn::batch_norm{} | nn::relu{};
  const rp::node branch = x | conv | nn::batch_norm{} | nn::relu{} | conv | nn::batch_norm{};
  const rp::node features = rp::add(x, branch) | nn::relu{} | nn::flatten{} | nn::dense{.units = 8};
  const rp::node sum = rp::add(
      features, features | nn::dense{.units = 8} | nn::gelu{} | nn::dense{.units = 8} | nn::dropout{.rate = 0.25F});
  return net.train<float>(on, sum | nn::layer_norm{} | nn::dense{.units = 3}, nn::softmax_cross_entropy{},
                          nn::adam{.learning_rate = 0.01}, {.batch = corner_batch::size, .seed = 3, .precision = P});
}

/// Returns the number of kernels launched in a step while it is recorded.
template <class Trainer>
std::ptrdiff_t launches(Trainer& trainer) {
  fake::reset();
  static_cast<void>(trainer.step(corner_batch(0).x, corner_batch(0).labels));
  return std::ranges::count(fake::calls(), "cudaLaunchKernel");
}

/// Checks that a network launches fewer kernels with chains than without, and learns the same; returns how many fewer.
template <rp::precision P>
std::size_t saved_launches() {
  auto fused = residual<P>(rp::cuda());
  auto by_one = residual<P>(rp::cuda({.chains = rp::gpu_chains::one_by_one}));
  std::size_t saved = 0;
  for (const rp::call_chain& chain : rp::chains_of(fused.plan())) saved += chain.end - chain.first - 1;
  CHECK(launches(by_one) - launches(fused) == static_cast<std::ptrdiff_t>(saved));
  for (int step = 1; step < 4; ++step) {
    const corner_batch s(step);
    CHECK(fused.step(s.x, s.labels) == by_one.step(s.x, s.labels));
  }
  for (const char* const name : {"conv2d_1.w", "batch_norm_3.gamma", "dense_1.w", "dense_4.w"}) {
    const auto got = fused.parameter(name), want = by_one.parameter(name);
    CHECK(std::ranges::equal(got.values(), want.values()));
  }
  CHECK(fused.evaluate(toy::corners()).loss == by_one.evaluate(toy::corners()).loss);
  return saved;
}

}  // namespace

TEST_CASE("cuda: a network with chains launches fewer kernels and learns the same bits") {
  CHECK(saved_launches<rp::precision::f32>() == 6);
}
TEST_CASE("cuda: a network in bfloat16, too, with chains across conversions") {
  CHECK(saved_launches<rp::precision::bf16>() == 22);
}
TEST_CASE("cuda: a network in float16, too, with scaled gradients") {
  CHECK(saved_launches<rp::precision::f16>() == 23);
}

TEST_CASE("cuda: a chain is one row of a profile, with the FLOP of its ops and the remaining bytes") {
  auto trainer = residual<rp::precision::f32>(rp::cuda());
  const rp::profile p = trainer.profile(toy::corners(), 1);
  std::size_t in_chains = 0;
  std::uint64_t left = 0;
  for (const rp::call_chain& chain : rp::chains_of(trainer.plan())) in_chains += chain.end - chain.first - 1;
  CHECK(p.rows.size() == 1 + trainer.plan().calls.size() - in_chains);
  CHECK(p.receipt().flop == trainer.plan().receipt().flop);
  for (const rp::profile_row& row : p.rows)
    if (row.layer == "batch_norm_3+add_1+relu_3" && row.pass == rp::pass::forward)
      left = row.receipt.bytes.inputs + row.receipt.bytes.outputs;
  constexpr std::uint64_t map = corner_batch::size * 2 * 3 * 4 * sizeof(float), columns = 4 * 4 * sizeof(float);
  CHECK(left == 3 * map + columns);  // one by one: seven maps
}
