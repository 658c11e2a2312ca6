// SPDX-License-Identifier: MIT
#include <ridgepoint/cpu/embedding.hpp>

#include <set>

#include "support/cpu_copies.hpp"
#include "support/cpu_sizes.hpp"

namespace rp = ridgepoint;
using namespace agreement;

namespace {
using id_list = std::vector<std::int32_t>;

/// Returns lists of ids: near and far from each other, at both ends of the vocabulary, repeated, and out of range.
std::vector<id_list> id_lists(std::int32_t vocabulary) {
  const std::int32_t last = vocabulary - 1;
  std::vector<id_list> all{{},
                           {0},
                           {last},
                           {-1},
                           {vocabulary},
                           {0, last, 0, -1, last, 0},
                           {last, 0},
                           id_list(77, last / 2),
                           {last / 2, 0, 0, last},
                           id_list(9, -5)};
  rp::random_stream random(3);
  id_list many(900);
  for (std::int32_t& id : many)
    id = static_cast<std::int32_t>(index_t{random.below(static_cast<std::uint32_t>(vocabulary) + 2)} - 1);
  all.push_back(std::move(many));
  return all;
}
/// Returns each valid id once, in ascending order, followed by -1.
id_list rows_of(const id_list& ids, std::int32_t vocabulary) {
  std::set<std::int32_t> known;
  for (const std::int32_t id : ids)
    if (id >= 0 && id < vocabulary) known.insert(id);
  id_list rows(known.begin(), known.end());
  rows.resize(ids.size(), -1);
  return rows;
}
}  // namespace

TEST_CASE_TEMPLATE("the gradient of an embedding as rows agrees with the definition", T, float, double) {
  const auto check_width = [](std::int32_t vocabulary, index_t width) {
    CAPTURE(vocabulary);
    CAPTURE(width);
    for (const id_list& ids : id_lists(vocabulary)) {
      const auto tokens = static_cast<index_t>(ids.size());
      CAPTURE(tokens);
      const id_list expected = rows_of(ids, vocabulary);
      agree<T>(
          on_cpu, {random_values<T>(tokens * width, 2), output(tokens * width)},
          [&](const auto& on, const auto& p, rp::step_state*) {
            using S = element_t<decltype(p)>;
            id_list rows(ids.size(), 7);
            execute(on, rp::embedding_rows_args<S>{tokens, vocabulary, width, ids.data(), p[0], rows.data(), p[1]});
            CHECK(rows == expected);
          });
    }
  };
  for (const index_t width : around(4 * tested::lanes<T>())) check_width(40, width);
  for (const std::int32_t vocabulary : {1, 2, 2048, 2049, 5'000'000, 0x7FFFFFFF}) check_width(vocabulary, 3);
  check_width(3000, 40);  // several parts
}

TEST_CASE_TEMPLATE("rows and their sums equal the dense gradient bit for bit", T, float, double) {
  const std::int32_t vocabulary = 300;
  const index_t width = 13;
  for (const id_list& ids : id_lists(vocabulary)) {
    const auto tokens = static_cast<index_t>(ids.size());
    const operand drawn = random_values<T>(tokens * width, 4);
    const std::vector<T> dy(drawn.values.begin(), drawn.values.end());
    std::vector<T> dense(vocabulary * width), sums(dy.size()), spread(dense.size());
    id_list rows(ids.size());
    execute(on_cpu(1), rp::embedding_backward_args<T>{tokens, vocabulary, width, ids.data(), dy.data(), dense.data()});
    execute(on_cpu(2),
            rp::embedding_rows_args<T>{tokens, vocabulary, width, ids.data(), dy.data(), rows.data(), sums.data()});
    for (std::size_t k = 0; k < rows.size(); ++k)
      if (rows[k] >= 0)
        std::copy_n(sums.begin() + static_cast<index_t>(k) * width, width, spread.begin() + rows[k] * width);
    CHECK(spread == dense);
  }
}

TEST_CASE("a prepared call reserves workspace for the id lists") {
  const id_list ids{3, 1, 3};
  const std::vector<float> dy{1, 2, 4};
  std::vector<float> sums(3);
  id_list rows(3);
  const rp::embedding_rows_args<float> args{3, 4, 1, ids.data(), dy.data(), rows.data(), sums.data()};
  const auto made = prepare(tested_cpu(1), args, {});
  CHECK(made.info.workspace_bytes == 3 * 16 + 4 * 4);
  rp::host_buffer workspace(made.info.workspace_bytes);
  execute(tested_cpu(1), made, args, {.workspace = workspace.data()});
  CHECK(rows == id_list{1, 3, -1});
  CHECK(sums == std::vector<float>{2, 5, 0});
}
