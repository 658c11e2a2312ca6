// SPDX-License-Identifier: MIT
// bench_embedding: the tokens, tables and widths of shapes/embedding.csv: gather of rows, its gradient as a dense
// table and as rows, and Adam on the full table and on these rows.
#include <algorithm>
#include <cmath>
#include <map>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/ops/adam.hpp>
#include <ridgepoint/ops/embedding_rows.hpp>
#include <ridgepoint/reference/optimisers.hpp>

#include "measurement/peers/prepared_task.hpp"
#include "suite.hpp"

namespace rp = ridgepoint;
using rp::index_t;

namespace {

struct extents {
  index_t tokens, vocabulary, width;
  [[nodiscard]] index_t table() const { return vocabulary * width; }
};

/// Distinct tokens, as receipts assume, scattered over the table; row i of dy belongs to token i.
struct problem {
  explicit problem(const extents& given)
      : e(given), ids(static_cast<std::size_t>(e.tokens)), rows(ids.size()), dy({e.tokens, e.width}), y(dy.shape()) {
    for (index_t i = 0; i < e.tokens; ++i) {
      ids[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i * 7919 % e.vocabulary);
      for (index_t j = 0; j < e.width; ++j) dy[i * e.width + j] = static_cast<float>((i + j) % 17) / 8 - 1;
    }
  }
  extents e;
  std::vector<std::int32_t> ids, rows;
  rp::tensor<float> dy, y;
  rp::tensor<float> w = {}, m = {}, v = {};  // of the table's size, if needed
  rp::step_state state{.learning_rate = 1e-3};

  void make(std::initializer_list<rp::tensor<float>*> tables) const {
    for (rp::tensor<float>* t : tables) *t = rp::tensor<float>({e.vocabulary, e.width});
  }
  /// Throws: peer::wrong_result unless row(i), the row of token i, equals expected(element of dy).
  template <class Row, class Expected>
  void verify(const Row& row, const Expected& expected) const {
    for (index_t i = 0; i < e.tokens; ++i)
      for (index_t j = 0; j < e.width; ++j) {
        const float got = row(i)[j], wanted = expected(dy[i * e.width + j]);
        if (!(std::abs(got - wanted) <= 0x1p-18F))
          throw peer::wrong_result(rp::concat("element ", j, " of token ", i, " is ", got, "; expected ", wanted));
      }
  }
  [[nodiscard]] const float* row_of(const rp::tensor<float>& table, index_t i) const {
    return table.data() + ids[static_cast<std::size_t>(i)] * e.width;
  }
};

/// Returns a weight of 0 after Adam's first step with gradient g.
float first_step(float g) {
  float w = 0, m = 0, v = 0;
  const rp::step_state state{.learning_rate = 1e-3};
  rp::run(rp::reference, rp::adam_update_args<float>{.size = 1, .w = &w, .g = &g, .m = &m, .v = &v, .state = &state});
  return w;
}

peer::task gather(const rp::cpu& on, const extents& e) {
  const auto p = std::make_shared<problem>(e);
  p->make({&p->w});
  for (index_t i = 0; i < e.tokens; ++i)
    std::copy_n(p->dy.data() + i * e.width, e.width, p->w.data() + p->ids[static_cast<std::size_t>(i)] * e.width);
  return {
      .run = [&on, p] { rp::embedding(on, p->ids, p->w, p->y); },
      .verify = [p] { p->verify([&](index_t i) { return p->y.data() + i * p->e.width; }, [](float x) { return x; }); }};
}
peer::task dense_gradient(const rp::cpu& on, const extents& e) {
  const auto p = std::make_shared<problem>(e);
  p->make({&p->w});
  return {.run = [&on, p] { rp::embedding_backward(on, p->ids, p->dy, p->w); },
          .verify = [p] { p->verify([&](index_t i) { return p->row_of(p->w, i); }, [](float x) { return x; }); }};
}
rp::embedding_rows_args<float> rows_of(problem& p) {
  return {p.e.tokens, p.e.vocabulary, p.e.width, p.ids.data(), p.dy.data(), p.rows.data(), p.y.data()};
}
peer::task row_gradient(const rp::cpu& on, const extents& e) {
  const auto p = std::make_shared<problem>(e);
  peer::task t{
      .run = {}, .verify = [p] {
        std::map<std::int32_t, index_t> place;
        for (std::size_t k = 0; k < p->rows.size(); ++k) place[p->rows[k]] = static_cast<index_t>(k);
        p->verify([&](index_t i) { return p->y.data() + place.at(p->ids[static_cast<std::size_t>(i)]) * p->e.width; },
                  [](float x) { return x; });
      }};
  peer::run_prepared_call(t, on, rows_of(*p));
  return t;
}
rp::adam_update_args<float> update_of(problem& p, const float* g, const rp::listed_rows& listed) {
  return {.size = p.e.table(),
          .w = p.w.data(),
          .g = g,
          .m = p.m.data(),
          .v = p.v.data(),
          .state = &p.state,
          .listed = listed};
}
peer::task dense_update(const rp::cpu& on, const extents& e) {
  const auto p = std::make_shared<problem>(e);
  const auto g = std::make_shared<rp::tensor<float>>();
  p->make({&p->w, &p->m, &p->v, g.get()});
  rp::embedding_backward(on, p->ids, p->dy, *g);
  return {.run = [&on, p, g] { rp::run(on, update_of(*p, g->data(), {})); },
          .verify = [p] { p->verify([&](index_t i) { return p->row_of(p->w, i); }, first_step); }};
}
peer::task row_update(const rp::cpu& on, const extents& e) {
  const auto p = std::make_shared<problem>(e);
  p->make({&p->w, &p->m, &p->v});
  rp::run(on, rows_of(*p));
  const rp::listed_rows listed{.rows = p->rows.data(), .count = e.tokens, .width = e.width};
  return {.run = [&on, p, listed] { rp::run(on, update_of(*p, p->y.data(), listed)); },
          .verify = [p] { p->verify([&](index_t i) { return p->row_of(p->w, i); }, first_step); }};
}

void add(const rp::cpu& on) {
  for (const std::vector<std::string>& s : suite::shapes("embedding.csv", measurement::columns::embedding)) {
    const extents e{std::stol(s.at(0)), std::stol(s.at(1)), std::stol(s.at(2))};
    const std::int32_t some = 0;  // placeholder for memory
    const rp::adam_update_args<float> of_rows{.size = e.table(),
                                              .listed = {.rows = &some, .count = e.tokens, .width = e.width}};
    const auto add_op = [&](const char* op, const rp::work& work, peer::task (*make)(const rp::cpu&, const extents&)) {
      suite::add(op, on.name(), s[0] + 'x' + s[1] + 'x' + s[2], work, [&on, make, e] { return make(on, e); });
    };
    add_op("embedding", receipt(rp::embedding_args<float>{.tokens = e.tokens, .width = e.width}), gather);
    add_op(
        "embedding_backward",
        receipt(rp::embedding_backward_args<float>{.tokens = e.tokens, .vocabulary = e.vocabulary, .width = e.width}),
        dense_gradient);
    add_op("embedding_rows", receipt(rp::embedding_rows_args<float>{.tokens = e.tokens, .width = e.width}),
           row_gradient);
    add_op("adam_update", receipt(rp::adam_update_args<float>{.size = e.table()}), dense_update);
    add_op("adam_update_rows", receipt(of_rows), row_update);
  }
}

}  // namespace

void register_benchmarks();
void register_benchmarks() {
  suite::threads();
  for (const auto& on : suite::backends()) add(*on);
}
