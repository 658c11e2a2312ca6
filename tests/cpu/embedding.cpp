// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/embedding.hpp>

#include "support/cpu_copies.hpp"
#include "support/cpu_sizes.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {
struct table_extents {
  index_t tokens, vocabulary, width;
};
/// Sizes around a register and a thread's share; more and fewer tokens than rows; one row and one token.
template <class T>
std::vector<table_extents> tables() {
  std::vector<table_extents> all{{0, 3, 2}, {1, 1, 1}, {40, 3, 7}, {3, 40, 7}, {700, 90, 130}, {700, 2, 130}};
  for (const index_t width : around(4 * tested::lanes<T>())) all.push_back({9, 5, width});
  return all;
}
/// Ids of each kind: repeated ones, the first and the last row, and out of range on both sides.
std::vector<std::int32_t> tokens_of(const table_extents& e) {
  std::vector<std::int32_t> ids;
  for (index_t i = 0; i < e.tokens; ++i) ids.push_back(static_cast<std::int32_t>((i * 7) % (e.vocabulary + 2) - 1));
  return ids;
}
}  // namespace

TEST_CASE_TEMPLATE("rows of a table and their gradient agree with the definition", T, float, double) {
  for (const table_extents& e : tables<T>()) {
    CAPTURE(e.tokens);
    CAPTURE(e.vocabulary);
    CAPTURE(e.width);
    const std::vector<std::int32_t> ids = tokens_of(e);
    const index_t rows = e.tokens * e.width, table = e.vocabulary * e.width;
    agree<T>(on_cpu, {random_values<T>(table, 1), output(rows)}, [&](const auto& on, const auto& p, rp::step_state*) {
      using S = element_t<decltype(p)>;
      execute(on, rp::embedding_args<S>{e.tokens, e.vocabulary, e.width, ids.data(), p[0], p[1]});
    });
    agree<T>(on_cpu, {random_values<T>(rows, 2), output(table)}, [&](const auto& on, const auto& p, rp::step_state*) {
      using S = element_t<decltype(p)>;
      execute(on, rp::embedding_backward_args<S>{e.tokens, e.vocabulary, e.width, ids.data(), p[0], p[1]});
    });
  }
}
