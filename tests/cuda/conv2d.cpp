// SPDX-License-Identifier: MIT
// Convolutions on a fake GPU, by our kernels and by a fake cuDNN, against their definition.
#include <ridgepoint/cuda/convolution.hpp>

#include <array>
#include <set>

#include "every_failure.hpp"
#include "fake/cudnn.hpp"
#include "fake_case.hpp"
#include "support/conv2d_agreement.hpp"
#include "support/conv2d_grid.hpp"

namespace rp = ridgepoint;
using namespace conv2d_passes;

namespace {

/// A separate GPU whose cuDNN finds these engines, until the next is created.
struct convolving_gpu {
  rp::cuda gpu;
  explicit convolving_gpu(fake::engines found, rp::cuda_options options = {}) : gpu(options) {
    fake::set_engines(found);
  }
  ~convolving_gpu() {
    fake::set_engines(fake::engines::all);
    fake::set_failing_engine(0);
    fake::elapsed_ms = fake::some_time;
  }
  const rp::cuda& operator()(int /*threads*/) const { return gpu; }
};
constexpr fake::engines ways[] = {fake::engines::all, fake::engines::none};

constexpr rp::conv2d_geometry small{
    .n = 2, .h = 4, .w = 5, .c = 2, .f = 3, .kh = 3, .kw = 2, .stride = {1, 2}, .padding = {1, 1, 0, 1}};

}  // namespace

TEST_CASE_TEMPLATE("cuda: conv2d and its gradients agree with their definitions: windows", T, float, double) {
  for (const fake::engines found : ways) {
    const convolving_gpu on(found);
    for (const rp::spatial kernel : {rp::spatial(1), rp::spatial(2, 3), rp::spatial(5, 8)})
      for (const rp::spatial stride : {rp::spatial(1), rp::spatial(3, 2)})
        for (const rp::spatial dilation : {rp::spatial(1), rp::spatial(2, 1)})
          for (const rp::padding2d& padding : {rp::padding2d{}, rp::padding2d{1, 1, 1, 1}, rp::padding2d{0, 3, 5, 1}}) {
            const rp::conv2d_geometry g{.n = 2,
                                        .h = 5,
                                        .w = 8,
                                        .c = 2,
                                        .f = 3,
                                        .kh = kernel.h,
                                        .kw = kernel.w,
                                        .stride = stride,
                                        .padding = padding,
                                        .dilation = dilation};
            if (g.oh() > 0 && g.ow() > 0) agree_on_passes_of<T>(on, g);
          }
  }
}
TEST_CASE_TEMPLATE("cuda: conv2d and its gradients agree with their definitions: channels and groups", T, float,
                   double) {
  for (const fake::engines found : ways) {
    const convolving_gpu on(found);
    for (const index_t f : {1, 31, 33})
      for (const index_t groups : {1, 3})
        agree_on_passes_of<T>(on, {.n = 1,
                                   .h = 4,
                                   .w = 3,
                                   .c = 2 * groups,
                                   .f = f * groups,
                                   .kh = 3,
                                   .kw = 3,
                                   .padding = {1, 1, 1, 1},
                                   .groups = groups});
  }
}
TEST_CASE("cuda: conv2d and its gradients agree with their definitions: random geometries") {
  for (const fake::engines found : ways) {
    const convolving_gpu on(found);
    int number = 0;
    conv2d_grid::for_each([&](const rp::conv2d_geometry& g) {
      if (number++ % 97 == 0) agree_on_passes_of<float>(on, g);
    });
  }
}
TEST_CASE_TEMPLATE("cuda: conv2d adds its residual and applies its activation", T, float, double) {
  for (const fake::engines found : ways) {
    const convolving_gpu on(found);
    for (const rp::activation act : {rp::activation::none, rp::activation::relu, rp::activation::leaky_relu,
                                     rp::activation::relu6, rp::activation::sigmoid, rp::activation::tanh})
      for (const bool residual : {false, true})
        for (const index_t kernel : {1, 3})
          agree_on_passes_of<T>(on, {.n = 2, .h = 5, .w = 6, .c = 3, .f = 7, .kh = kernel, .kw = kernel},
                                {act, residual});
  }
}
TEST_CASE("cuda: conv2d in bfloat16 agrees with its definition; cuDNN's result is rounded before a bias is added") {
  for (const fake::engines found : ways) {
    const convolving_gpu on(found);
    for (const rp::spatial kernel : {rp::spatial(1), rp::spatial(3, 2), rp::spatial(5, 8)})
      for (const index_t groups : {1, 3}) {
        const rp::conv2d_geometry g{
            .n = 2,
            .h = 5,
            .w = 8,
            .c = 2 * groups,
            .f = 33 * groups,
            .kh = kernel.h,
            .kw = kernel.w,
            .stride = kernel == rp::spatial(3, 2) ? rp::spatial(1, 2) : rp::spatial(1),
            .padding = kernel == rp::spatial(3, 2) ? rp::padding2d{1, 1, 0, 1} : rp::padding2d{},
            .groups = groups};
        if (found == fake::engines::none) {
          agree_on_passes_of<rp::bfloat16>(on, g);
          continue;
        }
        agree<rp::bfloat16>(
            on,
            {random_values<rp::bfloat16>(g.input_size(), 1), random_values<rp::bfloat16>(g.filter_size(), 2), output(0),
             output(0), output(g.output_size())},
            forward_pass(g, {.biased = false}, automatic[0]));
        agree_on_gradients_of<rp::bfloat16>(on, g);
      }
  }
  const convolving_gpu on(fake::engines::none);
  agree_on_passes_of<rp::bfloat16>(on, small, {rp::activation::leaky_relu, true});
  agree_on_passes_of<rp::bfloat16>(on, {.n = 2, .h = 5, .w = 6, .c = 3, .f = 7}, {rp::activation::tanh});
}
TEST_CASE("cuda: an empty batch has an empty output, and gradients of zero") {
  for (const index_t groups : {1, 3})
    for (const index_t kernel : {1, 3})
      agree_on_passes_of<float>(on_fake_gpu,
                                {.n = 0, .h = 5, .w = 6, .c = 3, .f = 6, .kh = kernel, .kw = kernel, .groups = groups});
}

TEST_CASE("cuda: the first engine that satisfies the requirements and the workspace limit convolves") {
  if (!fake::has_cudnn()) return;
  const std::vector<float> x(static_cast<std::size_t>(small.input_size()), 1), w(48, 1);
  std::vector<float> y(static_cast<std::size_t>(small.output_size()));
  const auto engine = [&](fake::engines found, rp::gpu_products products, rp::conv_algorithm algorithm,
                          std::size_t workspace_limit_bytes = 3000) {
    const convolving_gpu on(found, {.products = products, .workspace_limit_bytes = workspace_limit_bytes});
    rp::run(on.gpu, rp::conv2d_args<float>{
                        .geometry = small, .x = x.data(), .w = w.data(), .y = y.data(), .algorithm = algorithm});
    return fake::last_engine();
  };
  using rp::conv_algorithm, rp::gpu_products;
  CHECK(engine(fake::engines::all, gpu_products::exact, conv_algorithm::automatic) == 14);
  CHECK(engine(fake::engines::all, gpu_products::tensor_floats, conv_algorithm::automatic) == 10);
  CHECK(engine(fake::engines::all, gpu_products::exact, conv_algorithm::exact) == 20);
  CHECK(engine(fake::engines::fallback, gpu_products::exact, conv_algorithm::automatic) == 20);
  for (const std::size_t limit : {std::size_t{2999}, std::size_t{2000}, std::size_t{1}})  // the last: the least
    CHECK(engine(fake::engines::all, gpu_products::exact, conv_algorithm::automatic, limit) == 15);
  CHECK(engine(fake::engines::all, gpu_products::exact, conv_algorithm::exact, 1) == 20);
  const convolving_gpu on(fake::engines::all);
  const std::vector<rp::bfloat16> narrow_x(x.size(), rp::bfloat16(1)), narrow_w(w.size(), rp::bfloat16(1));
  std::vector<rp::bfloat16> narrow_y(y.size());
  rp::run(on.gpu, rp::conv2d_args<rp::bfloat16>{
                      .geometry = small, .x = narrow_x.data(), .w = narrow_w.data(), .y = narrow_y.data()});
  CHECK(fake::last_engine() == 10);  // products of bfloat16 are exact on tensor cores
}

namespace {

/// Prepares, records and replays all passes of a convolution on a separate GPU; returns the calls made while recording.
std::set<std::string> convolve_in_a_recording() {
  const rp::cuda on;
  constexpr std::size_t bytes = 1024;
  const auto allocate = [&] { return on.allocate(bytes); };
  const auto x = allocate(), w = allocate(), y = allocate(), dx = allocate(), dw = allocate(), db = allocate();
  const auto at = [](const auto& memory) { return static_cast<float*>(memory.data()); };
  const rp::conv2d_args<float> forward{.geometry = small, .x = at(x), .w = at(w), .bias = at(db), .y = at(y)};
  const rp::conv2d_backward_data_args<float> data{.geometry = small, .dy = at(y), .w = at(w), .dx = at(dx)};
  const rp::conv2d_backward_weights_args<float> weights{
      .geometry = small, .x = at(x), .dy = at(y), .dw = at(dw), .db = at(db)};
  const auto first = prepare(on, forward, {}), second = prepare(on, data, {}), third = prepare(on, weights, {});
  const auto workspace = on.allocate(
      std::max({first.info.workspace_bytes, second.info.workspace_bytes, third.info.workspace_bytes, std::size_t{1}}));
  const rp::call_memory memory{.workspace = workspace.data()};
  std::size_t before = 0;
  std::set<std::string> calls;
  const auto recorded = on.record([&] {
    before = fake::calls().size();
    execute(on, first, forward, memory);
    execute(on, second, data, memory);
    execute(on, third, weights, memory);
    calls.insert(fake::calls().begin() + static_cast<std::ptrdiff_t>(before), fake::calls().end());
  });
  on.replay(recorded);
  on.synchronize();
  return calls;
}

}  // namespace

TEST_CASE("cuda: a recorded convolution creates no plan") {
  const auto calls = convolve_in_a_recording();
  CHECK(calls.contains("cudaLaunchKernel"));
  CHECK(calls.contains("cudnnBackendExecute") == fake::has_cudnn());
  for (const char* const call : {"cudnnCreate", "cudnnBackendGetAttribute", "cudaMalloc", "cudaStreamSynchronize"})
    CHECK_MESSAGE(!calls.contains(call), call);
}
TEST_CASE("cuda: whichever call of a convolution fails, it is reported, and everything is released") {
  const fake::playing silently({.silent = true});
  CHECK(check_every_failure([] { static_cast<void>(convolve_in_a_recording()); }) > 100);
}

namespace {

constexpr rp::cuda_options timed{.engines = rp::gpu_engines::timed};

/// A convolution of ones.
class small_convolution {
 public:
  /// Runs the convolution and returns the engine that computed it.
  std::int64_t engine_on(const convolving_gpu& on) const {
    std::vector<float> y(static_cast<std::size_t>(small.output_size()));
    rp::run(on.gpu, rp::conv2d_args<float>{.geometry = small, .x = x_.data(), .w = w_.data(), .y = y.data()});
    return fake::last_engine();
  }

 private:
  std::vector<float> x_ = std::vector<float>(static_cast<std::size_t>(small.input_size()), 1),
                     w_ = std::vector<float>(static_cast<std::size_t>(small.filter_size()), 1);
};

}  // namespace

TEST_CASE("cuda: with timed engines the fastest convolves, timed once, and a call that fails then is reported") {
  if (!fake::has_cudnn()) return;
  const small_convolution one;
  for (const std::int64_t fast : {14, 15, 20}) {
    fake::elapsed_ms = [=] { return fake::last_engine() == fast ? 1.0F : 2.0F; };
    const convolving_gpu on(fake::engines::all, timed);
    CHECK(one.engine_on(on) == fast);
    fake::reset();
    CHECK(one.engine_on(on) == fast);
    CHECK(std::ranges::count(fake::calls(), "cudaEventElapsedTime") == 0);
  }
}

TEST_CASE("cuda: engines are timed in turns, three times each; the minimum counts") {
  if (!fake::has_cudnn()) return;
  std::vector<std::int64_t> turns;
  fake::elapsed_ms = [&] {
    turns.push_back(fake::last_engine());
    const auto round = static_cast<std::size_t>(std::ranges::count(turns, turns.back()) - 1);
    constexpr std::array<std::array<float, 3>, 3> times_ms{{{9, 2, 9}, {9, 9, 1}, {3, 3, 3}}};
    return times_ms.at(turns.back() == 14 ? 0 : turns.back() == 15 ? 1 : 2).at(round);
  };
  const convolving_gpu on(fake::engines::all, timed);
  CHECK(small_convolution().engine_on(on) == 15);
  CHECK(turns == std::vector<std::int64_t>{14, 15, 20, 14, 15, 20, 14, 15, 20});
}

TEST_CASE("cuda: only the first eight engines are timed, and an engine that always fails is never chosen") {
  if (!fake::has_cudnn()) return;
  const small_convolution one;
  fake::elapsed_ms = [] { return static_cast<float>(100 - fake::last_engine()); };
  {
    const convolving_gpu on(fake::engines::ten, timed);
    CHECK(one.engine_on(on) == 37);
  }
  for (const std::int64_t failing : {14, 15, 20}) {
    fake::elapsed_ms = [=] { return fake::last_engine() == failing ? 1.0F : fake::last_engine() == 14 ? 2.0F : 3.0F; };
    const convolving_gpu on(fake::engines::all, timed);
    fake::set_failing_engine(failing);
    CHECK(one.engine_on(on) == (failing == 14 ? 15 : 14));
  }
}

TEST_CASE("cuda: an engine that fails while timed is skipped, and without memory the first is used") {
  if (!fake::has_cudnn()) return;
  const small_convolution one;
  const auto convolve = [&] {
    fake::elapsed_ms = [] { return fake::last_engine() == 20 ? 1.0F : 2.0F; };
    return one.engine_on(convolving_gpu(fake::engines::all, timed));
  };
  fake::reset();
  CHECK(convolve() == 20);
  const std::vector<std::string> calls = fake::calls();
  const std::string before = fake::living();
  const auto place_of = [&](const char* name) { return std::ranges::find(calls, name) - calls.begin(); };
  const std::ptrdiff_t first_timed = place_of("cudaEventRecord"),
                       last_timed = calls.rend() - std::find(calls.rbegin(), calls.rend(), "cudaEventElapsedTime") - 1;
  for (std::ptrdiff_t at = place_of("cudnnCreate"); at < std::ssize(calls); ++at) {
    const std::string& call = calls[static_cast<std::size_t>(at)];
    CAPTURE(call);
    const bool is_timed = first_timed < at && at < last_timed;
    const bool is_without_memory = call == "cudaMalloc" && at < first_timed,
               is_left_out = is_without_memory || (call.starts_with("cudnn") && is_timed);
    fake::reset(static_cast<int>(at) + 1);
    bool reported = false;
    try {
      const std::int64_t engine = convolve();
      CHECK(engine == (is_without_memory ? 14 : 20));
    } catch (const rp::gpu_error&) {
      reported = true;
    }
    CHECK(fake::has_failed());
    CHECK((reported != is_left_out || at + 1 == std::ssize(calls)));
    CHECK(fake::living() == before);
  }
  fake::reset();
}
