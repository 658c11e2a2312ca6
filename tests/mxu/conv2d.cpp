// SPDX-License-Identifier: MIT
#include <ridgepoint/mxu/conv2d.hpp>

#include "mxu/backend.hpp"

namespace rp = ridgepoint;
namespace sys = ridgepoint::systolic;
using namespace agreement;

namespace {

const rp::conv2d_geometry geometries[] = {
    {.n = 1, .h = 1, .w = 1, .c = 1, .f = 1},
    {.n = 2, .h = 5, .w = 6, .c = 3, .f = 5, .kh = 3, .kw = 3, .padding = {1, 1, 1, 1}},
    {.n = 1, .h = 7, .w = 7, .c = 2, .f = 9, .kh = 3, .kw = 2, .stride = {2, 1}, .padding = {1, 0, 0, 1}},
    {.n = 2, .h = 9, .w = 8, .c = 1, .f = 4, .kh = 2, .kw = 3, .stride = {3, 2}, .dilation = {2, 1}},
    {.n = 3, .h = 4, .w = 4, .c = 8, .f = 3, .kh = 1, .kw = 1, .stride = 2},
    {.n = 2, .h = 5, .w = 4, .c = 6, .f = 4, .kh = 3, .kw = 2, .stride = {1, 2}, .padding = {1, 0, 0, 1}, .groups = 2},
    {.n = 0, .h = 4, .w = 4, .c = 2, .f = 3, .kh = 3, .kw = 3},
};

template <class On, class Make>
void check_conv2d(const On& on, const rp::conv2d_geometry& g, const Make& make) {
  CAPTURE(to_string(g));
  const operand x = make(g.input_size(), 1), w = make(g.filter_size(), 2), dy = make(g.output_size(), 4),
                bias = random_values<float>(g.f, 3);
  const operand residual = random_values<float>(g.output_size(), 5);
  for (const rp::activation act : {rp::activation::none, rp::activation::relu, rp::activation::leaky_relu,
                                   rp::activation::relu6, rp::activation::sigmoid, rp::activation::tanh})
    for (const bool added : {false, true})
      agree<float>(on, {x, w, bias, residual, output(g.output_size())},
                   [&](const auto& where, const auto& p, rp::step_state*) {
                     using S = element_t<decltype(p)>;
                     execute(where, rp::conv2d_args<S>{.geometry = g,
                                                       .x = p[0],
                                                       .w = p[1],
                                                       .bias = p[2],
                                                       .y = p[4],
                                                       .act = act,
                                                       .residual = added ? p[3] : nullptr,
                                                       .slope = 0.25});
                   });
  agree<float>(on, {dy, w, output(g.input_size())}, [&](const auto& where, const auto& p, rp::step_state*) {
    using S = element_t<decltype(p)>;
    execute(where, rp::conv2d_backward_data_args<S>{g, p[0], p[1], p[2]});
  });
  agree<float>(on, {x, dy, output(g.filter_size()), output(g.f)},
               [&](const auto& where, const auto& p, rp::step_state*) {
                 using S = element_t<decltype(p)>;
                 execute(where, rp::conv2d_backward_weights_args<S>{g, p[0], p[1], p[2], p[3]});
               });
}

std::vector<float> random_floats(index_t size, rp::random_stream& random) {
  std::vector<float> v(static_cast<std::size_t>(size));
  for (float& x : v) x = static_cast<float>(random.uniform(-1, 1));
  return v;
}

}  // namespace

TEST_CASE("conv2d agrees with its definition if the format rounds nothing") {
  for (const rp::conv2d_geometry& g : geometries) {
    check_conv2d(mxu_backend::on_fp32, g,
                 [](index_t size, std::uint64_t seed) { return random_values<float>(size, seed); });
    check_conv2d(mxu_backend::on_bf16, g, mxu_backend::bf16_values);
  }
}

TEST_CASE("a 1x1 convolution is a dense layer over pixels, bit for bit in every format and pass") {
  const rp::conv2d_geometry g{.n = 3, .h = 5, .w = 7, .c = 6, .f = 9};
  const index_t pixels = g.n * g.h * g.w;
  rp::random_stream random(1);
  const auto x = random_floats(pixels * g.c, random), w = random_floats(g.c * g.f, random),
             dy = random_floats(pixels * g.f, random), bias = random_floats(g.f, random);
  for (const sys::number_format f : sys::number_formats) {
    const auto on = mxu_backend::small_mxu(f);
    const auto both = [&](index_t size, const auto& conv, const auto& dense) {
      std::vector<float> a(static_cast<std::size_t>(size)), b(a.size());
      conv(a.data());
      dense(b.data());
      CHECK(a == b);
    };
    both(
        pixels * g.f,
        [&](float* y) {
          rp::run(on, rp::conv2d_args<float>{g, x.data(), w.data(), bias.data(), y, rp::activation::relu});
        },
        [&](float* y) {
          rp::dense<float>(on, {x.data(), pixels, g.c}, {w.data(), g.c, g.f}, bias.data(),
                           rp::matrix_view<float>(y, pixels, g.f), rp::activation::relu);
        });
    both(
        pixels * g.c,
        [&](float* dx) {
          rp::run(on, rp::conv2d_backward_data_args<float>{g, dy.data(), w.data(), dx});
        },
        [&](float* dx) {
          rp::dense_backward_data<float>(on, {dy.data(), pixels, g.f}, {w.data(), g.c, g.f},
                                         rp::matrix_view<float>(dx, pixels, g.c));
        });
    both(
        g.c * g.f,
        [&](float* dw) {
          rp::run(on, rp::conv2d_backward_weights_args<float>{g, x.data(), dy.data(), dw, nullptr});
        },
        [&](float* dw) {
          rp::dense_backward_weights<float>(on, {x.data(), pixels, g.c}, {dy.data(), pixels, g.f},
                                            rp::matrix_view<float>(dw, g.c, g.f), nullptr);
        });
  }
}

TEST_CASE("a large image, computed in several row blocks, gives the product of the full im2col matrix") {
  const rp::conv2d_geometry g{.n = 2, .h = 40, .w = 40, .c = 40, .f = 3, .kh = 5, .kw = 5, .padding = {2, 2, 2, 2}};
  const index_t rows = g.n * g.oh() * g.ow(), depth = g.kh * g.kw * g.c;
  REQUIRE(sys::rows_at_once(rows, depth, 1) < rows);
  rp::random_stream random(2);
  const auto x = random_floats(g.input_size(), random), w = random_floats(g.filter_size(), random),
             dy = random_floats(g.output_size(), random);
  std::vector<float> matrix(static_cast<std::size_t>(rows * depth));
  for (index_t r = 0; r < rows; ++r) rp::kernels::im2col_row(g, x.data(), r, matrix.data() + r * depth);
  for (const sys::number_format f : {sys::number_format::bf16, sys::number_format::fp32}) {
    const auto on = mxu_backend::small_mxu(f, 128, 128, 2);
    std::vector<float> y(static_cast<std::size_t>(g.output_size())), y0(y.size()), dw(w.size()), dw0(w.size());
    rp::run(on, rp::conv2d_args<float>{g, x.data(), w.data(), nullptr, y.data()});
    rp::gemm<float>(on, {matrix.data(), rows, depth}, {w.data(), depth, g.f},
                    rp::matrix_view<float>(y0.data(), rows, g.f));
    CHECK(y == y0);
    rp::run(on, rp::conv2d_backward_weights_args<float>{g, x.data(), dy.data(), dw.data(), nullptr});
    rp::gemm<float>(on, rp::matrix_view<const float>(matrix.data(), rows, depth).transposed(), {dy.data(), rows, g.f},
                    rp::matrix_view<float>(dw0.data(), depth, g.f));
    CHECK(dw == dw0);
  }
}
