// SPDX-License-Identifier: MIT
// Recurrent layers by a fake cuDNN: which calls it computes, by which of its algorithms, and how its failures are
// handled. recurrent.cpp checks the results.
#include <ridgepoint/cuda/library_recurrent.hpp>

#include <cstring>
#include <limits>
#include <set>

#include "every_failure.hpp"
#include "fake/cudnn.hpp"
#include "fake_case.hpp"
#include "support/lstm_operands.hpp"

namespace rp = ridgepoint;
using rp::index_t;

namespace {

constexpr index_t steps = 3, n = 2, in = 5, units = 4;

/// Device memory for one recurrent layer, an LSTM, a GRU or a plain one, with these extents or another number of units.
struct layer {
  const rp::cuda* on;
  index_t u = units;
  rp::cuda::buffer memory = on->allocate(static_cast<std::size_t>(8 * 256 * u + 6 * 32 * u * u));

  float* at(index_t number) const { return static_cast<float*>(memory.data()) + number * 64 * u; }
  float* weights(index_t number) const { return at(8) + number * 8 * u * u; }
  rp::recurrent<float> forward() const {
    return {.x = rp::sequence_view<const float>::time_major(at(0), steps, n, in),
            .wx = weights(0),
            .wh = weights(1),
            .bias = weights(2),
            .y = rp::sequence_view<float>::time_major(at(1), steps, n, u)};
  }
  rp::recurrent_backward<float> backward() const {
    const rp::recurrent<float> o = forward();
    return {.x = o.x,
            .wx = o.wx,
            .wh = o.wh,
            .y = o.y,
            .dy = rp::sequence_view<const float>::time_major(at(2), steps, n, u),
            .dx = rp::sequence_view<float>::time_major(at(3), steps, n, in),
            .dwx = weights(3),
            .dwh = weights(4),
            .db = weights(5)};
  }
  rp::rnn_args<float> rnn(rp::activation act = rp::activation::tanh) const {
    return {.operands = forward(), .act = act};
  }
  rp::lstm_args<float> lstm() const { return {.operands = forward(), .c = at(4), .gates = at(5)}; }
  rp::lstm_backward_args<float> lstm_backward() const { return {.operands = backward(), .c = at(4), .gates = at(5)}; }
  rp::gru_args<float> gru(rp::gru_reset reset) const { return {.operands = forward(), .reset = reset, .gates = at(5)}; }
  rp::gru_backward_args<float> gru_backward(rp::gru_reset reset) const {
    return {.operands = backward(), .reset = reset, .gates = at(5)};
  }
};

/// A cuDNN with these cells, until the end of its scope.
struct with_cells {
  explicit with_cells(fake::cells has) { fake::set_cells(has); }
  with_cells(const with_cells&) = delete;
  with_cells& operator=(const with_cells&) = delete;
  ~with_cells() { fake::set_cells(fake::cells::all); }
};

constexpr int standard = 0, for_few_units = 3;           // of cudnnRNNAlgo_t
constexpr int default_products = 0, exact_products = 3;  // of cudnnMathType_t

}  // namespace

TEST_CASE("cuda: cuDNN computes the cells it has, own cells the others, and a prepared call says which") {
  const rp::cuda on, own({.cells = rp::gpu_cells::own});
  const layer l{&on};
  const auto who = [](const rp::cuda& gpu, const auto& args) {
    return std::string(prepare(gpu, args, {}).info.algorithm);
  };
  const std::string library = fake::has_cudnn() ? "cudnn" : "own";
  using rp::activation, rp::gru_reset;
  CHECK(who(on, l.lstm()) == library);
  CHECK(who(on, l.lstm_backward()) == library);
  CHECK(who(on, l.gru(gru_reset::after)) == library);
  CHECK(who(on, l.gru_backward(gru_reset::after)) == library);
  CHECK(who(on, l.rnn(activation::tanh)) == library);
  CHECK(who(on, l.rnn(activation::relu)) == library);
  CHECK(who(own, l.lstm()) == "own");
  CHECK(who(own, l.lstm_backward()) == "own");
  CHECK(who(on, l.gru(gru_reset::before)) == "own");
  CHECK(who(on, l.gru_backward(gru_reset::before)) == "own");
  CHECK(who(on, l.rnn(activation::sigmoid)) == "own");
  CHECK(who(on, rp::rnn_backward_args<float>{.operands = l.backward()}) == "own");
  const std::vector<std::int32_t> counts(steps * n, 1);
  auto masked = l.lstm();
  masked.operands.mask = rp::sequence_mask::time_major(counts.data(), steps, n, 1);
  CHECK(who(on, masked) == "own");
  auto hard = l.lstm();
  hard.gate = activation::hard_sigmoid;
  CHECK(who(on, hard) == "own");
  for (const fake::cells has : {fake::cells::none, fake::cells::not_there}) {
    const with_cells none(has);
    const rp::cuda gpu;
    CHECK(who(gpu, l.lstm()) == "own");
    CHECK(who(gpu, l.lstm_backward()) == "own");
  }
  // A backward pass by cuDNN computes the forward pass as well.
  const auto info = prepare(on, l.lstm_backward(), {}).info;
  const rp::work definition = receipt(l.lstm_backward());
  CHECK(info.executed.matrix_flop == definition.matrix_flop + (fake::has_cudnn() ? receipt(l.lstm()).matrix_flop : 0));
}

TEST_CASE("cuda: for few units cuDNN uses the algorithm that keeps weights on chip, otherwise the standard one") {
  if (!fake::has_cudnn()) return;
  const auto ran = [](fake::cells has, index_t u, const auto& args_of, rp::cuda_options options = {}) {
    const with_cells some(has);
    const rp::cuda on(options);
    const layer l{&on, u};
    rp::run(on, args_of(l));
    const fake::cell_run last = fake::last_cell();
    return std::pair(last.algorithm, last.products);
  };
  const auto lstm = [](const layer& l) { return l.lstm(); };
  const auto back = [](const layer& l) { return l.lstm_backward(); };
  const auto plain = [](const layer& l) { return l.rnn(); };
  CHECK(ran(fake::cells::all, 4, lstm) == std::pair(for_few_units, exact_products));
  CHECK(ran(fake::cells::all, 193, lstm).first == standard);
  CHECK(ran(fake::cells::all, 193, plain).first == for_few_units);
  CHECK(ran(fake::cells::all, 128, back).first == for_few_units);
  CHECK(ran(fake::cells::all, 129, back).first == standard);
  for (const fake::cells has : {fake::cells::standard, fake::cells::standard_when_run}) {
    CHECK(ran(has, 4, lstm).first == standard);
    CHECK(ran(has, 4, back).first == standard);
  }
  CHECK(ran(fake::cells::all, 4, lstm, {.products = rp::gpu_products::tensor_floats}).second == default_products);
  CHECK_THROWS_WITH_AS(ran(fake::cells::none_when_run, 4, lstm),
                       "cuDNN: a recurrent layer: CUDNN_STATUS_NOT_SUPPORTED (3000): no planned algorithm supports "
                       "the call; gpu_cells::own avoids cuDNN",
                       rp::gpu_error);
}

namespace {

/// Runs a layer that cuDNN supports, forward and backward, on a separate GPU: prepared, recorded and replayed. Returns
/// the calls made while it was recorded.
std::set<std::string> learn_in_a_recording() {
  const rp::cuda on;
  const layer l{&on};
  std::set<std::string> calls;
  const auto record = [&](const auto& args) {
    const auto made = prepare(on, args, {});
    const auto workspace = on.allocate(std::max<std::size_t>(made.info.workspace_bytes, 1));
    std::size_t before = 0;
    const auto recorded = on.record([&] {
      before = fake::calls().size();
      execute(on, made, args, {.workspace = workspace.data()});
      calls.insert(fake::calls().begin() + static_cast<std::ptrdiff_t>(before), fake::calls().end());
    });
    on.replay(recorded);
    on.synchronize();
  };
  record(l.lstm());
  record(l.lstm_backward());
  return calls;
}

}  // namespace

TEST_CASE("cuda: a recorded recurrent layer creates no plan") {
  const auto calls = learn_in_a_recording();
  for (const char* const call : {"cudnnRNNForward", "cudnnRNNBackwardData_v8", "cudnnRNNBackwardWeights_v8"})
    CHECK_MESSAGE(calls.contains(call) == fake::has_cudnn(), call);
  for (const std::string& call : calls)
    CHECK_MESSAGE((call == "cudaLaunchKernel" || call == "cudaSetDevice" || call.starts_with("cudnnRNN") ||
                   call.starts_with("cublasLt")),
                  call);
}
TEST_CASE("cuda: cuDNN gets aligned sequences, whatever the alignment of the originals") {
  const fake::playing silently({.silent = true});
  const rp::cuda on;
  const layer l{&on};
  fake::reset();
  for (const index_t past : {0, 1}) {
    CAPTURE(past);
    auto forward = l.lstm();
    auto backward = l.lstm_backward();
    for (auto* const x : {&forward.operands.x, &backward.operands.x, &backward.operands.dy}) x->data += past;
    for (auto* const y : {&forward.operands.y, &backward.operands.dx}) y->data += past;
    rp::run(on, forward);
    rp::run(on, backward);
    CHECK(fake::illegal() == "");
  }
}
TEST_CASE("cuda: whichever call of a recurrent layer fails, it is reported, and everything is released") {
  CHECK(check_every_failure([] { static_cast<void>(learn_in_a_recording()); }) > 100);
}

#if defined(RIDGEPOINT_WITH_CUDNN)

namespace {

/// Returns weights of a layer that include special values.
template <class T>
std::vector<T> drawn(index_t size, std::uint64_t seed) {
  rp::random_stream random(seed);
  std::vector<T> all;
  constexpr T kinds[] = {T(-0.0), std::numeric_limits<T>::infinity(), std::numeric_limits<T>::denorm_min()};
  for (index_t i = 0; i < size; ++i) all.push_back(i % 7 == 3 ? kinds[i % 3] : static_cast<T>(random.uniform()) - 1);
  return all;
}
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

}  // namespace

TEST_CASE_TEMPLATE("cuda: weights go into cuDNN's order and back bit by bit, and nothing else is written", T, float,
                   double) {
  using rp::detail::library_cell;
  rp::detail::cuda_context on(
      {.device = 0, .tensor_floats = 0, .own_cells = 0, .times_engines = 0, .workspace_limit_bytes = 0});
  const rp::detail::owned_handle<cudnnHandle_t, cudnnDestroy> handle(
      [](cudnnHandle_t* made) { CHECK(cudnnCreate(made) == CUDNN_STATUS_SUCCESS); });
  for (const library_cell cell : {library_cell::tanh, library_cell::relu, library_cell::lstm, library_cell::gru})
    for (const cudnnRNNAlgo_t algorithm : {CUDNN_RNN_ALGO_STANDARD, CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H}) {
      const rp::detail::recurrent_problem p{
          .cell = cell, .is_double = std::is_same_v<T, double>, .steps = steps, .n = n, .in = in, .units = units};
      const auto rnn = rp::detail::cudnn_rnn::make(handle.get(), p, algorithm, on.lt_workspace().data());
      REQUIRE(rnn.has_value() == (!p.is_double || algorithm == CUDNN_RNN_ALGO_STANDARD));
      if (!rnn) continue;
      const index_t columns = p.gates() * units;
      const std::vector<T> wx = drawn<T>(in * columns, 1), wh = drawn<T>(units * columns, 2), b = drawn<T>(columns, 3),
                           r = drawn<T>(columns, 4);
      constexpr T nan = std::numeric_limits<T>::quiet_NaN();
      std::vector<T> space(rnn->weight_bytes() / sizeof(T), nan), wx_back(wx.size(), nan), wh_back(wh.size(), nan),
          b_back(b.size(), nan), r_back(r.size(), nan);
      const auto pointer = [](auto& x, auto& h, auto& bias, auto& state_bias) {
        return [of = std::array{x.data(), h.data(), bias.data(), state_bias.data()}](const auto& w) {
          return of[static_cast<std::size_t>(w.whose)] + w.first;
        };
      };
      using kernels = rp::detail::library_recurrent_kernels<T>;
      on.launch(kernels::pack_weights, on.loop(7), rp::detail::place<const T>(rnn->weights(), pointer(wx, wh, b, r)),
                space.data());
      on.launch(kernels::unpack_weights, on.loop(7),
                rp::detail::place<T>(rnn->weights(), pointer(wx_back, wh_back, b_back, r_back)), space.data());
      CHECK(same_bits(wx, wx_back));
      CHECK(same_bits(wh, wh_back));
      CHECK(same_bits(b, b_back));
      CHECK(same_bits(r, r_back));
      const auto filled = std::ranges::count_if(space, [](T v) { return !std::isnan(v); });
      CHECK(filled == static_cast<std::ptrdiff_t>(wx.size() + wh.size()) + 2 * columns);
    }
}

#endif
