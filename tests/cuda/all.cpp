// SPDX-License-Identifier: MIT
// Every op of the CUDA backend against its definition: kernels on the emulator, products by a fake cuBLAS.
#include <ridgepoint/cuda/all.hpp>

#include <algorithm>

#include "fake/machine.hpp"
#include "fake_case.hpp"
#include "support/close.hpp"
#include "support/every_op.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {
constexpr index_t block = 256;
}

TEST_CASE_TEMPLATE("cuda: element-wise ops agree with their definition around blocks and grids", T, float, double,
                   rp::bfloat16, rp::float16) {
  for (const index_t size : {index_t{0}, index_t{1}, block - 1, block + 1, 33 * block + 5})
    agree_on_elementwise_ops<T>(on_fake_gpu, size);
  agree_on_elementwise_ops<T>(on_fake_gpu, block + 1, true);
}

TEST_CASE_TEMPLATE("cuda: softmax and its loss agree with their definition, for few and many columns", T, float, double,
                   rp::bfloat16, rp::float16) {
  for (const index_t cols : {index_t{1}, index_t{10}, index_t{32}, index_t{33}, block + 1})
    for (const index_t rows : {index_t{1}, index_t{5}}) agree_on_softmax<T>(on_fake_gpu, rows, cols, 3);
  agree_on_softmax<T>(on_fake_gpu, 5, 10, 0, true);
  agree_on_softmax<T>(on_fake_gpu, 0, 4, 0);
}

TEST_CASE_TEMPLATE("cuda: products agree with their definition, for any strides and extents", T, float, double,
                   rp::bfloat16, rp::float16) {
  for (const product_extents& e : {product_extents{1, 1, 1}, {3, 4, 5}, {17, 33, 9}, {2, 0, 3}, {1, 7, 1}})
    agree_on_products<T>(on_fake_gpu, e);
}

namespace {

/// Returns some ones, and addends that are each too small to change a one in bfloat16.
std::vector<rp::bfloat16> small_addends(std::size_t size, std::size_t ones) {
  std::vector<rp::bfloat16> x(size, rp::bfloat16(0x1p-9));
  std::fill_n(x.begin(), ones, rp::bfloat16(1));
  return x;
}
/// Checks that run(backend, result) gives the bits of the definition.
void check_sum_in_floats(const auto& run, const rp::cuda& on = fake_gpu()) {
  rp::bfloat16 want, got;
  run(rp::reference, &want);
  run(on, &got);
  CHECK(got.bits() == want.bits());
}

}  // namespace

TEST_CASE("cuda: sums in bfloat16 are computed in float: addends too small for bfloat16 still add up") {
  using rp::bfloat16;
  const std::vector<bfloat16> ones = small_addends(2048, 2048), x = small_addends(257, 1),
                              rows = small_addends(2048, 256);
  const std::vector<std::int32_t> ids(257);
  check_sum_in_floats([&](const auto& on, bfloat16* y) {
    rp::run(on, rp::gemm_args<bfloat16>{.a = {x.data(), 1, 257}, .b = {ones.data(), 257, 1}, .c = {y, 1, 1}});
  });
  check_sum_in_floats([&](const auto& on, bfloat16* y) {
    rp::run(on, rp::gemm_args<bfloat16>{.a = {x.data(), 1, 257}, .b = {ones.data(), 257, 1, 0}, .c = {y, 1, 1}});
  });
  for (const float in_products : {0.0F, 1.0F}) {
    const fake::playing with({.sums_in_products = in_products});
    const auto sum_of_rows = [&](const auto& on, bfloat16* y) {  // as many ones as a block has threads
      bfloat16 dw;
      rp::run(on, rp::dense_backward_weights_args<bfloat16>{
                      .x = {ones.data(), 2048, 1}, .dy = {rows.data(), 2048, 1}, .dw = {&dw, 1, 1}, .db = y});
    };
    check_sum_in_floats(sum_of_rows, rp::cuda());
  }
  check_sum_in_floats([&](const auto& on, bfloat16* y) {
    rp::run(on, rp::embedding_backward_args<bfloat16>{257, 1, 1, ids.data(), x.data(), y});
  });
  check_sum_in_floats([&](const auto& on, bfloat16* y) {
    rp::run(on, rp::avg_pool2d_args<bfloat16>{{.n = 1, .h = 16, .w = 16, .c = 1, .kh = 16, .kw = 16}, x.data(), y});
  });
}

TEST_CASE("cuda: a recorded product in bfloat16 keeps its sums in the workspace, and creates no plan") {
  const rp::cuda on;
  const index_t m = 3, k = 5, n = 7;
  const auto x = on.allocate(100), w = on.allocate(100), bias = on.allocate(100), y = on.allocate(100);
  const auto at = [](const auto& memory) { return static_cast<rp::bfloat16*>(memory.data()); };
  const rp::dense_args<rp::bfloat16> args{
      .x = {at(x), m, k}, .w = {at(w), k, n}, .bias = at(bias), .y = {at(y), m, n}, .act = rp::activation::tanh};
  const auto made = prepare(on, args, {});
  CHECK(made.info.workspace_bytes >= m * n * sizeof(float));
  const auto workspace = on.allocate(made.info.workspace_bytes + 2);
  const rp::call_memory memory{.workspace = static_cast<std::byte*>(workspace.data()) + 2};
  fake::reset();
  on.replay(on.record([&] { execute(on, made, args, memory); }));
  on.synchronize();
  CHECK(std::ranges::count(fake::calls(), "cublasLtMatmul") == 1);
  CHECK(std::ranges::count(fake::calls(), "cublasLtMatmulAlgoGetHeuristic") == 0);
}

TEST_CASE_TEMPLATE("cuda: sums of columns agree with their definition, in one part and in several, with cuBLAS and not",
                   T, float, double, rp::bfloat16) {
  for (const fake::machine& gpu_with : {fake::machine{.sums_in_products = 0},
                                        {.sums_in_products = 0, .none_is_invalid = true},
                                        {.sums_in_products = 1}}) {
    const fake::playing with(gpu_with);
    const rp::cuda gpu;
    const auto on = [&](int /*threads*/) -> const rp::cuda& { return gpu; };
    for (const auto& [rows, cols] : {std::pair<index_t, index_t>{1, 1}, {64, 33}, {65, 31}, {300, 70}, {2049, 1}})
      agree<T>(on, {random_values<T>(rows, 1), random_values<T>(rows * cols, 2), output(cols), output(cols)},
               [&, rows = rows, cols = cols](const auto& where, const auto& p, rp::step_state*) {
                 using S = element_t<decltype(p)>;
                 rp::run(where, rp::dense_backward_weights_args<S>{
                                    .x = {p[0], rows, 1}, .dy = {p[1], rows, cols}, .dw = {p[2], 1, cols}, .db = p[3]});
               });
  }
}

namespace {

/// The gradients of a layer's weights, and the fraction of the device that cublasLt keeps busy when it also sums
/// columns.
struct summed_product {
  float in_products;
  index_t rows, in, out;
  std::ptrdiff_t kernels;  // for sums that cublasLt does not compute
  bool none_is_invalid = false;
};
/// Returns the number of kernels launched in addition to the product, recorded and replayed.
template <class T>
std::ptrdiff_t kernels_with_product(const summed_product& s) {
  const fake::playing with({.sums_in_products = s.in_products, .none_is_invalid = s.none_is_invalid, .silent = true});
  const rp::cuda on;
  const auto allocate = [&](index_t size) { return on.allocate(static_cast<std::size_t>(size) * sizeof(T)); };
  const auto x = allocate(s.rows * s.in), dy = allocate(s.rows * s.out), dw = allocate(s.in * s.out),
             db = allocate(s.out);
  const auto at = [](const auto& memory) { return static_cast<T*>(memory.data()); };
  const rp::dense_backward_weights_args<T> args{
      .x = {at(x), s.rows, s.in}, .dy = {at(dy), s.rows, s.out}, .dw = {at(dw), s.in, s.out}, .db = at(db)};
  const auto made = prepare(on, args, {});
  const auto workspace = on.allocate(std::max<std::size_t>(made.info.workspace_bytes, 1));
  fake::reset();
  on.replay(on.record([&] { execute(on, made, args, {.workspace = workspace.data()}); }));
  CHECK(fake::illegal() == "");
  CHECK(std::ranges::count(fake::calls(), "cublasLtMatmul") == 1);
  CHECK(std::ranges::count(fake::calls(), "cublasLtMatmulAlgoGetHeuristic") == 0);
  return std::ranges::count(fake::calls(), "cudaLaunchKernel");
}

}  // namespace

TEST_CASE("cuda: cublasLt sums a bias's gradient if it can without leaving more of the device idle") {
  const auto check = [](const summed_product& s, std::ptrdiff_t of_bfloat16) {
    CAPTURE(s.in_products);
    CAPTURE(s.rows);
    CHECK(kernels_with_product<float>(s) == s.kernels);
    CHECK(kernels_with_product<rp::bfloat16>(s) == of_bfloat16);
  };
  check({1, 64, 784, 128, 0}, 0);
  check({0.5F, 64, 784, 128, 0}, 0);
  check({0.4F, 64, 784, 128, 1}, 1);
  check({0, 64, 784, 128, 1}, 1);
  check({0, 64, 784, 128, 1, true}, 1);
  check({0, 65, 784, 128, 2}, 2);  // in two parts
  check({1, 1 << 12, 1 << 8, 1 << 8, 0}, 0);
  check({1, (1 << 12) + 1, 1 << 8, 1 << 8, 2}, 2);  // a large product
  CHECK(kernels_with_product<double>({1, 64, 784, 128, 1}) == 1);
}

TEST_CASE("cuda: a product is planned for a bias that is not aligned for vectors") {
  const std::vector<float> x(12, 1), w(20, 2), bias{0, 1, 2, 3, 4, 5};
  std::vector<float> y(15);
  for (const std::size_t first : {0, 1}) {
    fake::reset();
    rp::run(fake_gpu(), rp::dense_args<float>{
                            .x = {x.data(), 3, 4}, .w = {w.data(), 4, 5}, .bias = &bias[first], .y = {y.data(), 3, 5}});
    CHECK(fake::illegal() == "");
    CHECK(y[0] == 8 + bias[first]);
  }
}

TEST_CASE_TEMPLATE("cuda: dropout gives the bits of the CPU's", T, float, rp::bfloat16) {
  for (const index_t size : around(rp::dropout_mask::block)) {
    const std::vector<T> x(static_cast<std::size_t>(size), T(1));
    std::vector<T> want(x.size()), got(x.size());
    const rp::step_state state = start;
    rp::dropout_args<T> args{
        .size = size, .x = x.data(), .y = want.data(), .rate = 0.45, .seed = 7, .stream = 3, .state = &state};
    rp::run(rp::reference, args);
    args.y = got.data();
    rp::run(fake_gpu(), args);
    CHECK(want == got);
  }
}

TEST_CASE_TEMPLATE("cuda: conversions round as the host does, and preserve special values", T, rp::bfloat16,
                   rp::float16) {
  std::vector<float> x;
  for (std::uint32_t high = 0; high < 0x10000; high += 13)
    for (const std::uint32_t low : {0U, 1U, 0x7FFFU, 0x8000U, 0x8001U, 0xFFFFU})
      x.push_back(std::bit_cast<float>(high << 16 | low));
  for (std::uint32_t high = 0x3300; high < 0x4790; ++high)  // the range of float16, and a little beyond
    for (const std::uint32_t low : {0x0FFFU, 0x1000U, 0x1001U, 0x3000U, 0xEFFFU, 0xF000U})
      x.push_back(std::bit_cast<float>(high << 16 | low));
  std::vector<T> want(x.size()), got(x.size());
  rp::convert(rp::reference, x, want);
  rp::convert(fake_gpu(), x, got);
  std::vector<float> back(x.size());
  rp::convert(fake_gpu(), got, back);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    wrong += got[i].bits() != want[i].bits();
    wrong += std::bit_cast<std::uint32_t>(back[i]) != std::bit_cast<std::uint32_t>(static_cast<float>(want[i]));
  }
  CHECK(wrong == 0);
}

TEST_CASE_TEMPLATE("cuda: a gradient stored in a shorter type is scaled and restored", T, rp::bfloat16, rp::float16) {
  const rp::step_state state{.loss_scale = 1024};
  const std::vector<float> x = {0x1p-30F, -3, 0, 70, 0x1.01p-20F};
  const auto size = static_cast<index_t>(x.size());
  std::vector<T> want(x.size()), got(x.size());
  rp::convert_args<T, float> there{.size = size, .x = x.data(), .y = want.data(), .scale_state = &state};
  rp::run(rp::reference, there);
  there.y = got.data();
  rp::run(fake_gpu(), there);
  CHECK(got == want);
  CHECK(static_cast<float>(got[0]) == 0x1p-20F);
  std::vector<float> back(x.size());
  rp::run(fake_gpu(),
          rp::convert_args<float, T>{.size = size, .x = got.data(), .y = back.data(), .scale_state = &state});
  CHECK(std::isinf(back[3]) == std::is_same_v<T, rp::float16>);  // 71680
  back[3] = x[3];
  CHECK(back[4] == 0x1p-20F * (std::is_same_v<T, rp::float16> ? 1.00390625F : 1.0F));
  back[4] = x[4];
  CHECK(back == x);
}

TEST_CASE("cuda: ignored labels do not count, a label out of range gives NaN") {
  const index_t rows = 4, classes = 3;
  const operand logits = random_values<double>(rows * classes, 1);
  for (const std::int32_t last : {-1, 2, 7}) {
    const std::vector<std::int32_t> labels{2, -1, 0, last};
    std::vector<double> want(12), got(12);
    rp::step_state want_state = start, got_state = start;
    rp::softmax_cross_entropy_args<double> args{.logits = {logits.values.data(), rows, classes},
                                                .labels = labels.data(),
                                                .dlogits = {want.data(), rows, classes},
                                                .state = &want_state,
                                                .weight = 0.5,
                                                .ignored = -1};
    execute(rp::reference, args);
    args.dlogits.data = got.data();
    args.state = &got_state;
    execute(fake_gpu(), args);
    for (std::size_t i = 0; i < want.size(); ++i) CHECK(ulp_distance(got[i], want[i]) <= 8);
    CHECK(ulp_distance(got_state.loss, want_state.loss) <= 8);
    CHECK(got_state.correct == want_state.correct);
    CHECK(got_state.ignored == want_state.ignored);
  }
}

TEST_CASE("cuda: the first of several equal maximum logits is the prediction") {
  const std::vector<float> logits{0, 3, 1, 3, 3, 0, 0, 0, 2, 0};
  for (const std::int32_t label : {1, 3}) {
    rp::step_state want = start, got = start;
    const auto run = [&](const auto& on, rp::step_state* state) {
      rp::run(on, rp::softmax_cross_entropy_args<float>{
                      .logits = {logits.data(), 1, 10}, .labels = &label, .dlogits = {}, .state = state});
    };
    run(rp::reference, &want);
    run(fake_gpu(), &got);
    CHECK(got.correct == (label == 1 ? 1 : 0));
    CHECK(got.correct == want.correct);
  }
}

namespace {

/// One update of a hundred weights, with a ring of threads, for all or some of ten rows.
template <class Args>
void agree_on_update(const rp::update_rule& rule, bool some_rows) {
  constexpr index_t size = 300, width = 10;
  const std::vector<std::int32_t> rows{4, -1, 17, 0};
  agree<double>(on_fake_gpu,
                {random_values<double>(size, 1), random_values<double>(size, 2), random_values<double>(size, 3, 0, 1),
                 random_values<double>(size, 4, 0, 1)},
                [&](const auto& where, const auto& p, rp::step_state* state) {
                  using S = element_t<decltype(p)>;
                  using args = typename Args::template of<S>;
                  args u = Args::template make<S>(p);
                  u.size = size;
                  u.w = p[0];
                  u.g = p[1];
                  u.state = state;
                  u.rule = rule;
                  if (some_rows) u.listed = {.rows = rows.data(), .count = 4, .width = width};
                  rp::run(where, u);
                });
}
struct sgd {
  template <class S>
  using of = rp::sgd_update_args<S>;
  template <class S>
  static of<S> make(const auto&) {
    return {};
  }
};
struct momentum {
  template <class S>
  using of = rp::momentum_update_args<S>;
  template <class S>
  static of<S> make(const auto& p) {
    return {.a = p[2]};
  }
};
struct rmsprop_keras {
  template <class S>
  using of = rp::rmsprop_keras_update_args<S>;
  template <class S>
  static of<S> make(const auto& p) {
    return {.a = p[2]};
  }
};
struct rmsprop_tf1 {
  template <class S>
  using of = rp::rmsprop_tf1_update_args<S>;
  template <class S>
  static of<S> make(const auto& p) {
    return {.ms = p[2], .mom = p[3]};
  }
};
struct adam {
  template <class S>
  using of = rp::adam_update_args<S>;
  template <class S>
  static of<S> make(const auto& p) {
    return {.m = p[2], .v = p[3]};
  }
};
struct adadelta {
  template <class S>
  using of = rp::adadelta_update_args<S>;
  template <class S>
  static of<S> make(const auto& p) {
    return {.a = p[2], .d = p[3]};
  }
};

}  // namespace

TEST_CASE_TEMPLATE("cuda: updates agree with their definition, with every rule and for listed rows", Args, sgd,
                   momentum, rmsprop_keras, rmsprop_tf1, adam, adadelta) {
  agree_on_update<Args>({}, false);
  agree_on_update<Args>(
      {.rate_factor = 0.5, .weight_decay = 0.01, .decoupled_weight_decay = 0.02, .clip_value = 0.75, .clip_norm = 1.25},
      false);
  agree_on_update<Args>({.clip_norm = 100}, true);
}

TEST_CASE_TEMPLATE("cuda: gradients whose squares overflow float give the updates of the definition", Args, sgd,
                   momentum, rmsprop_keras, rmsprop_tf1, adam, adadelta) {
  constexpr index_t size = 300;
  const auto trained = [&](const auto& on, double clip_norm) {
    std::array<std::vector<float>, 4> p;  // w, g, and up to two vectors of the optimiser
    for (auto& values : p) values.resize(size);
    for (const float at : {1.0F, 1e20F, -3e38F, 2.0F}) {
      for (std::size_t i = 0; i < size; ++i) p[1][i] = i % 3 == 0 ? at : 0.5F;
      rp::step_state state{.learning_rate = 0.25};
      rp::run(on, rp::sum_of_squares_args<float>{.size = size, .x = p[1].data(), .state = &state});
      auto u = Args::template make<float>(std::array{p[0].data(), p[1].data(), p[2].data(), p[3].data()});
      u.size = size, u.w = p[0].data(), u.g = p[1].data(), u.state = &state, u.rule.clip_norm = clip_norm;
      rp::run(on, u);
    }
    return p;
  };
  for (const double clip_norm : {0.0, 1.0}) {
    CAPTURE(clip_norm);
    const auto got = trained(fake_gpu(), clip_norm), want = trained(rp::reference, clip_norm);
    for (std::size_t v = 0; v < got.size(); ++v) check_close(got[v], want[v], 1e-5, 1e-6);
  }
}

TEST_CASE("cuda: the sum of squares accumulates, or is reset") {
  const std::vector<float> x(1'000, 0.5F);
  for (const bool adds : {false, true}) {
    rp::step_state state = start;
    rp::run(fake_gpu(),
            rp::sum_of_squares_args<float>{.size = 1'000, .x = x.data(), .accumulate = adds, .state = &state});
    CHECK(state.gradient_squares == 250 + (adds ? 2.5 : 0));
  }
}

TEST_CASE("cuda: a step ends, and its rate follows its schedule") {
  using form = rp::rate_schedule::form;
  for (const form decay :
       {form::constant, form::step, form::exponential, form::cosine, form::inverse_time, form::piecewise})
    for (const index_t warm_up : {0, 3})
      for (const std::uint64_t step : {0, 2, 7, 40}) {
        rp::step_state want{.step = step, .learning_rate = 1, .base_learning_rate = 0.5}, got = want;
        const rp::rate_schedule schedule{
            .decay = decay, .warm_up_steps = warm_up, .steps = 20, .factor = 0.25, .boundaries = {5, 0, 30, 9}};
        rp::run(rp::reference, rp::advance_args{.state = &want, .schedule = schedule});
        rp::run(fake_gpu(), rp::advance_args{.state = &got, .schedule = schedule});
        CHECK(got.step == want.step);
        CHECK(ulp_distance(got.learning_rate, want.learning_rate) <= 2);
      }
}

TEST_CASE("cuda: the loss scale adapts to the gradients, and a step with gradients that are not finite is skipped") {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double squares : {4.0, infinity, std::nan("")})
    for (const std::uint32_t finite_steps : {0U, 6U})
      for (const index_t steps_to_grow : {0, 7}) {
        rp::step_state want{.step = 9, .gradient_squares = squares, .loss_scale = 64, .finite_steps = finite_steps},
            got = want;
        rp::run(rp::reference, rp::advance_args{.state = &want, .steps_to_grow = steps_to_grow});
        rp::run(fake_gpu(), rp::advance_args{.state = &got, .steps_to_grow = steps_to_grow});
        CHECK(got.step == 10);
        CHECK(got.loss_scale == want.loss_scale);
        CHECK((want.loss_scale == 64) == (steps_to_grow == 0 || (squares == 4 && finite_steps == 0)));
        CHECK(got.finite_steps == want.finite_steps);
        CHECK(got.skipped_steps == want.skipped_steps);
        float w = 1, g = 1;
        got.learning_rate = 0.5;
        rp::run(fake_gpu(), rp::sgd_update_args<float>{
                                .size = 1, .w = &w, .g = &g, .state = &got, .rule = {.skips_non_finite = true}});
        CHECK(w == (squares == 4 ? 0.5F : 1.0F));
      }
}
