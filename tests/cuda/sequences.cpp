// SPDX-License-Identifier: MIT
// Embeddings, positions, attention, and batched and packed products, against their definitions on a fake GPU.
#include "fake_case.hpp"
#include "support/attention_case.hpp"
#include "support/gemm_operands.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {

struct table_extents {
  index_t tokens, vocabulary, width;
};
using id_list = std::vector<std::int32_t>;

/// Returns ids of each kind: the first and the last row, and both sides out of range.
id_list tokens_of(const table_extents& e) {
  id_list ids;
  for (index_t i = 0; i < e.tokens; ++i) ids.push_back(static_cast<std::int32_t>((i * 7) % (e.vocabulary + 2) - 1));
  return ids;
}

}  // namespace

TEST_CASE_TEMPLATE("cuda: rows of a table and their gradient agree with their definitions", T, float, double,
                   rp::bfloat16, rp::float16) {
  for (const table_extents& e : {table_extents{0, 3, 2},
                                 {1, 1, 1},
                                 {40, 3, 7},
                                 {3, 40, 7},
                                 {255, 90, 1},
                                 {256, 40, 1},
                                 {300, 2, 3},
                                 {1024, 5, 1},
                                 {1025, 3, 2},
                                 {3100, 700, 1}}) {  // tiles of 1024 are sorted, then merged
    CAPTURE(e.tokens);
    CAPTURE(e.vocabulary);
    const id_list ids = tokens_of(e);
    const index_t rows = e.tokens * e.width, table = e.vocabulary * e.width;
    agree<T>(on_fake_gpu, {random_values<T>(table, 1), output(rows)},
             [&](const auto& on, const auto& p, rp::step_state*) {
               using S = element_t<decltype(p)>;
               execute(on, rp::embedding_args<S>{e.tokens, e.vocabulary, e.width, ids.data(), p[0], p[1]});
             });
    agree<T>(on_fake_gpu, {random_values<T>(rows, 2), output(table)},
             [&](const auto& on, const auto& p, rp::step_state*) {
               using S = element_t<decltype(p)>;
               execute(on, rp::embedding_backward_args<S>{e.tokens, e.vocabulary, e.width, ids.data(), p[0], p[1]});
             });
    id_list want(ids.size(), 7);
    agree<T>(on_fake_gpu, {random_values<T>(rows, 2), output(rows)},
             [&](const auto& on, const auto& p, rp::step_state*) {
               using S = element_t<decltype(p)>;
               id_list got(ids.size(), 8);
               const bool by_definition = std::is_same_v<decltype(on), const rp::reference_backend&>;
               execute(on, rp::embedding_rows_args<S>{e.tokens, e.vocabulary, e.width, ids.data(), p[0],
                                                      (by_definition ? want : got).data(), p[1]});
               if (!by_definition) CHECK(got == want);
             });
  }
}

TEST_CASE("cuda: listed rows have the bits of the dense gradient, up to the largest ids") {
  const std::int32_t last = 0x7FFFFFFE;
  const id_list ids{last, 5, -1, last, 0, 5, 0x7FFFFFFF, 5};
  const operand drawn = random_values<float>(16, 3);
  const std::vector<float> dy(drawn.values.begin(), drawn.values.end());
  std::vector<float> sums(dy.size());
  id_list rows(ids.size());
  rp::run(fake_gpu(),
          rp::embedding_rows_args<float>{8, 0x7FFFFFFF, 2, ids.data(), dy.data(), rows.data(), sums.data()});
  CHECK(rows == id_list{0, 5, last, -1, -1, -1, -1, -1});
  std::vector<float> dense(12);
  rp::run(fake_gpu(), rp::embedding_backward_args<float>{8, 6, 2, ids.data(), dy.data(), dense.data()});
  CHECK(std::equal(dense.begin(), dense.begin() + 2, sums.begin()));
  CHECK(std::equal(dense.begin() + 10, dense.end(), sums.begin() + 2));
}

TEST_CASE("cuda: the gradient of a row is summed in the order of its tokens") {
  const index_t tokens = 60, vocabulary = 3, width = 2;
  id_list ids;
  for (index_t i = 0; i < tokens; ++i) ids.push_back(static_cast<std::int32_t>(i * 7 % vocabulary));
  const operand drawn = random_values<float>(tokens * width, 3);
  const std::vector<float> dy(drawn.values.begin(), drawn.values.end());
  std::vector<float> got(vocabulary * width), want(got.size());
  for (std::size_t i = 0; i < dy.size(); ++i) want[static_cast<std::size_t>(ids[i / 2]) * 2 + i % 2] += dy[i];
  rp::run(fake_gpu(), rp::embedding_backward_args<float>{tokens, vocabulary, width, ids.data(), dy.data(), got.data()});
  CHECK(got == want);
}

TEST_CASE_TEMPLATE("cuda: positions and their gradient agree with their definitions, in place, too", T, float, double,
                   rp::bfloat16) {
  for (const index_t width : {1, 2, 7, 60})
    for (const index_t n : {0, 1, 3, 40})  // the last does not fill all threads
      for (const bool in_place : {false, true}) {
        const index_t steps = 5, size = n * steps * width;
        agree<T>(on_fake_gpu, {random_values<T>(size, 1), output(size)},
                 [&](const auto& on, const auto& p, rp::step_state*) {
                   using S = element_t<decltype(p)>;
                   execute(on, rp::positions_args<S>{n, steps, width, 1.7, p[0], in_place ? p[0] : p[1]});
                   execute(on, rp::positions_backward_args<S>{size, -0.3, p[0], in_place ? p[0] : p[1]});
                   execute(on, rp::positions_args<S>{n, steps, width, 1, p[0], p[1]});
                 });
      }
}

TEST_CASE_TEMPLATE("cuda: attention and its gradient agree with their definitions", T, float, double, rp::bfloat16,
                   rp::float16) {
  const attention_case cases[] = {{1, 1, 1, 1, 1},
                                  {2, 3, 5, 2, 4},
                                  {0, 3, 5, 2, 4},
                                  {2, 0, 5, 2, 4},
                                  {2, 3, 0, 2, 4},
                                  {2, 4, 4, 3, 2, true, true},
                                  {2, 7, 7, 2, 3, false, true},
                                  {2, 3, 7, 1, 3, true},
                                  {1, 40, 4, 2, 2, true},
                                  {4, 5, 6, 2, 3, false, false, {0, 1, 6, 9}},
                                  {4, 6, 6, 2, 3, true, true, {-1, 3, 6, 5}},
                                  {1, 3, 300, 1, 2, false, false, {257}},
                                  {1, 300, 3, 1, 2},
                                  {1, 3, 300, 1, 19},
                                  {1, 300, 3, 1, 19},
                                  {2, 3, 4, 2, 2, false, false, {}, 0.5},
                                  {1, 2, 3, 1, 260}};
  for (const attention_case& c : cases) {
    INFO(c.name());
    agree<T>(on_fake_gpu, c.template operands_of<T>(), c.run());
  }
}

TEST_CASE("cuda: keys and values beyond a sample's length are never read") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> q{1, 2}, k{0.5, nan}, v{3, nan}, y(2), log_sums(2), dy{1, 1}, dq(2), dk(2), dv(2);
  const std::int32_t length = 1;
  const auto of = [](std::vector<double>& x) { return rp::heads_view<double>(x.data(), {1, 2, 1, 1}); };
  rp::run(fake_gpu(),
          rp::attention_args<double>{
              .q = of(q), .k = of(k), .v = of(v), .lengths = &length, .y = of(y), .log_sums = log_sums.data()});
  CHECK(y == std::vector<double>{3, 3});
  rp::run(fake_gpu(), rp::attention_backward_args<double>{.q = of(q),
                                                          .k = of(k),
                                                          .v = of(v),
                                                          .lengths = &length,
                                                          .y = of(y),
                                                          .log_sums = log_sums.data(),
                                                          .dy = of(dy),
                                                          .dq = of(dq),
                                                          .dk = of(dk),
                                                          .dv = of(dv)});
  CHECK(dv == std::vector<double>{2, 0});
  CHECK(dk == std::vector<double>{0, 0});
  CHECK(dq == std::vector<double>{0, 0});
}

TEST_CASE_TEMPLATE("cuda: batched products, by strides and by pointers, agree with the definition", T, float, double,
                   rp::bfloat16, rp::float16) {
  const index_t count = 3, m = 5, n = 4, k = 6;
  for (const bool by_pointer : {false, true})
    for (const index_t b_step : {index_t{0}, k * n})
      agree<T>(on_fake_gpu,
               {random_values<T>(count * m * k, 1), random_values<T>(count * k * n, 2), output(count * m * n)},
               [&]<class S>(const auto& on, const std::vector<S*>& p, rp::step_state*) {
                 rp::gemm_batched_args<S> args{.first = {.a = {p[0], m, k}, .b = {p[1], k, n}, .c = {p[2], m, n}},
                                               .count = count,
                                               .a_step = m * k,
                                               .b_step = b_step,
                                               .c_step = m * n};
                 std::vector<S*> c_at;
                 for (index_t q = count; q-- > 0;) c_at.push_back(p[2] + q * m * n);
                 if (by_pointer) args.c_at = c_at.data();
                 rp::gemm_batched(on, args);
               });
}

TEST_CASE_TEMPLATE("cuda: a product with a packed B agrees with the definition, transposed or not", T, float, double) {
  for (const bool turned : {false, true}) {
    const gemm_case problem{
        .m = 3, .n = 7, .k = 40, .transposed_b = turned, .bias = true, .act = rp::activation::tanh, .gap = 2};
    agree<T>(on_fake_gpu, problem.operands<T>(), [&](const auto& on, const auto& p, rp::step_state*) {
      const auto args = problem.args(p);
      if constexpr (std::is_same_v<decltype(on), const rp::reference_backend&>) execute(on, args);
      else rp::gemm(on, args.a, rp::pack_b(on, args.b), args.c, args.options);
    });
  }
}
