// SPDX-License-Identifier: MIT
// Checks every family of GEMM on shapes around its edges, whether or not the planner would choose it.
#include <doctest/doctest.h>

#include <ridgepoint/cpu/gemm.hpp>

#include "support/agreement.hpp"
#include "support/cpu_sizes.hpp"
#include "support/gemm_operands.hpp"

namespace rp = ridgepoint;
namespace kernels = rp::kernels;
using kernels::gemm_family;
using kernels::gemm_plan;
using rp::index_t;

namespace {

template <class T>
constexpr index_t lanes = rp::simd::lanes<T>;
template <class T>
constexpr index_t panel = kernels::panel_width<T>(kernels::native_unit);
constexpr index_t rows_of_tile = kernels::tile_rows(kernels::native_unit);

/// Runs g on a schedule, in exactly the workspace that it reports.
template <class T>
void run_on(const rp::native_cpu& on, const rp::detail::gemm_schedule& schedule, const rp::gemm_args<T>& g) {
  const rp::host_buffer workspace(schedule.workspace_bytes());
  rp::detail::run(on, schedule, g, static_cast<std::byte*>(workspace.data()));
}
template <class T>
void run_on(const rp::native_cpu& on, const gemm_plan& plan, const rp::gemm_args<T>& g) {
  run_on(on, rp::detail::schedule_on(on, plan, g), g);
}

/// Backend with the kernels compiled in this program, on a given plan.
struct planned {
  rp::native_cpu on;
  gemm_plan plan;
  template <std::floating_point T>
  friend void execute(const planned& given, const rp::gemm_args<T>& g) {
    run_on(given.on, given.plan, g);
  }
};

/// Same backend, computing along the columns of C.
struct turned {
  rp::native_cpu on;
  template <std::floating_point T>
  friend void execute(const turned& given, const rp::gemm_args<T>& g) {
    run_on(given.on, rp::detail::schedule_turned(given.on, g), g);
  }
};

/// Checks `problem` against the definition on the backend on(threads).
template <class T, class On>
void agree_with(const On& on, const gemm_case& problem) {
  CAPTURE(problem.m);
  CAPTURE(problem.n);
  CAPTURE(problem.k);
  CAPTURE(problem.transposed_a);
  CAPTURE(problem.transposed_b);
  agreement::agree<T>(on, problem.operands<T>(),
                      [&](const auto& backend, const auto& p, rp::step_state*) { execute(backend, problem.args(p)); });
}

/// Checks `problem` on `plan` against the definition.
template <class T>
void agree_on(const gemm_plan& plan, const gemm_case& problem) {
  CAPTURE(plan.mr);
  CAPTURE(plan.nv);
  CAPTURE(plan.kc);
  agree_with<T>([&](int threads) { return planned{rp::native_cpu(threads), plan}; }, problem);
}

/// Returns the problem with each epilogue: none, reading C, all options.
std::vector<gemm_case> epilogues(const gemm_case& problem) {
  gemm_case reading = problem, all = problem;
  reading.beta = -0.5;
  all.alpha = 0.75, all.beta = 1, all.bias = true, all.act = rp::activation::relu;
  return {problem, reading, all};
}

template <class T>
gemm_plan in_place(index_t tallest, int nv, int slices, index_t kc) {
  return {.family = gemm_family::in_place, .kc = kc, .mr = tallest, .nv = nv, .slices = slices};
}

}  // namespace

TEST_CASE_TEMPLATE("tiles in place: every height and width, ragged, overlapping and narrow", T, float, double) {
  for (int height = 1; height <= kernels::most_rows(kernels::native_unit); ++height)
    for (int nv = 1; nv <= kernels::widest_tile(kernels::native_unit, height); ++nv) {
      const index_t width = nv * lanes<T>;
      for (const index_t n : {width - lanes<T> + 1, width - 1, width, width + 1, 2 * width + lanes<T> + 1}) {
        if (n < 1 || (nv == 1 && n > lanes<T>)) continue;
        agree_on<T>(in_place<T>(height, nv, 1, 5), {.m = height, .n = n, .k = 5});
      }
    }
}

TEST_CASE_TEMPLATE("tiles in place: several tiles of rows, slices of depth, every epilogue", T, float, double) {
  for (const index_t n : {lanes<T> - 1, lanes<T>, 2 * lanes<T> + 1, 5 * lanes<T> - 1})
    for (const index_t m : {index_t{3}, rows_of_tile + 1, 2 * rows_of_tile + 3})
      for (const bool turned : {false, true}) {
        if (n < 1) continue;
        const int nv = n <= lanes<T> ? 1 : 2;
        for (const gemm_case& problem : epilogues({.m = m, .n = n, .k = 11, .transposed_a = turned, .gap = 3}))
          agree_on<T>(in_place<T>(std::min(m, rows_of_tile), nv, 1, 4), problem);
      }
}

TEST_CASE_TEMPLATE("tiles in place: the depth split into parts that are summed in parallel", T, float, double) {
  for (const int slices : {2, 4})
    for (const int nv : {1, 2})
      for (index_t m = 1; m * nv < (slices == 2 ? 7 : 4); ++m)
        for (const index_t n : {lanes<T> - 1, lanes<T>, 3 * lanes<T> + 1}) {
          if (n < 1 || (nv == 1 && n > lanes<T>)) continue;
          for (const index_t k : {1, 4, 23})
            for (const gemm_case& problem : epilogues({.m = m, .n = n, .k = k}))
              agree_on<T>(in_place<T>(m, nv, slices, k), problem);
        }
}

TEST_CASE_TEMPLATE("tiles in place that prefetch B", T, float, double) {
  for (index_t height = 1; height <= rows_of_tile; ++height) {
    const int nv = kernels::widest_tile(kernels::native_unit, height);
    gemm_plan plan = in_place<T>(height, nv, 1, 6);
    plan.fetch_b = 2 * nv * lanes<T>;
    agree_on<T>(plan, {.m = height, .n = 2 * nv * lanes<T> + 3, .k = 13});
    agree_on<T>(plan, {.m = 2 * height + 1, .n = 2 * nv * lanes<T> + 3, .k = 13});
  }
}

TEST_CASE_TEMPLATE("tiles in place that prefetch the next rows of A", T, float, double) {
  for (index_t height = 1; height <= rows_of_tile; ++height) {
    const int nv = kernels::widest_tile(kernels::native_unit, height);
    for (const index_t n : {index_t{nv} * lanes<T>, 2 * nv * lanes<T> + 3})
      for (const index_t k : {15, 16, 37})
        for (const bool turned : {false, true}) {
          gemm_plan plan = in_place<T>(height, nv, 1, k);
          plan.far_a = true;
          agree_on<T>(plan, {.m = 3 * height + 1, .n = n, .k = k, .transposed_a = turned, .gap = 3});
          plan.kc = 17;
          agree_on<T>(plan, {.m = 3 * height + 1, .n = n, .k = k, .transposed_a = turned, .gap = 3});
        }
  }
}

TEST_CASE_TEMPLATE("packed panels: blocks smaller than the problem in every direction", T, float, double) {
  for (const index_t n : {panel<T> - 1, 2 * panel<T>, 3 * panel<T> + 1, 3 * panel<T> + lanes<T>})
    for (const index_t m : {index_t{1}, rows_of_tile, 2 * rows_of_tile + 3})
      for (int which = 0; which < 4; ++which) {
        if (n < 1) continue;
        const gemm_plan plan{.family = gemm_family::packed,
                             .mc = rows_of_tile,
                             .nc = 2 * panel<T>,
                             .kc = which == 0 ? 17 : 5,
                             .far_a = which == 0,
                             .pack_a = kernels::replicates_a<T>(kernels::native_unit) || which == 3};
        for (const gemm_case& problem : epilogues({.m = m,
                                        .n = n,
                                        .k = which == 0 ? 37 : 13,
                                        .transposed_a = (which & 1) != 0,
                                        .transposed_b = (which & 2) != 0,
                                        .gap = 1}))
          agree_on<T>(plan, problem);
      }
}

TEST_CASE_TEMPLATE("packed panels that tiles of every height copy from B", T, float, double) {
  for (index_t m = rows_of_tile + 1; m <= 2 * rows_of_tile; ++m)
    for (const index_t n : {panel<T>, 2 * panel<T> + 1})
      agree_on<T>({.family = gemm_family::packed,
                   .mc = m,
                   .nc = 2 * panel<T>,
                   .kc = 5,
                   .pack_a = kernels::replicates_a<T>(kernels::native_unit)},
                  {.m = m, .n = n, .k = 13, .gap = 1});
}

TEST_CASE_TEMPLATE("outer products", T, float, double) {
  for (index_t k = 1; k <= kernels::outer_depth; ++k)
    for (const index_t m : {1, 4, 7})
      for (const index_t n : {index_t{1}, lanes<T> + 1, 2 * lanes<T>, 5 * lanes<T> + 2})
        for (const double alpha : {1.0, 0.75})
          agree_on<T>({.family = gemm_family::outer, .mr = 4},
                      {.m = m, .n = n, .k = k, .transposed_a = k == 2, .alpha = alpha, .gap = 2});
}

TEST_CASE_TEMPLATE("element by element, for any strides", T, float, double) {
  for (const index_t m : {1, 3})
    for (const index_t n : {1, 2, 5})
      for (const index_t k : {1, 4})
        for (int which = 0; which < 4; ++which)
          for (const gemm_case& problem : epilogues({.m = m,
                                          .n = n,
                                          .k = k,
                                          .transposed_a = (which & 1) != 0,
                                          .transposed_b = (which & 2) != 0,
                                          .gap = 2}))
            agree_on<T>({.family = gemm_family::element}, problem);
}

TEST_CASE_TEMPLATE("a B stored by columns is transposed to row-major first", T, float, double) {
  constexpr index_t edge = rp::simd::transpose_edge<T>;
  for (const index_t n : {index_t{2}, edge, 3 * edge + 1, 3 * edge + lanes<T> - 1})
    for (const index_t k : {index_t{1}, index_t{3}, edge, edge + 1, 2 * edge - 1})
      for (const index_t gap : {0, 5}) {
        gemm_case problem{.m = 3, .n = n, .k = k, .transposed_b = true, .gap = gap};
        gemm_plan plan = in_place<T>(3, n <= lanes<T> ? 1 : 2, 1, k);
        plan.turn_b = true;
        agree_on<T>(plan, problem);
        if (k > kernels::outer_depth) continue;
        plan.family = gemm_family::outer;
        agree_on<T>(plan, problem);
      }
}

TEST_CASE_TEMPLATE("one row of A: columns in several chunks, A strided, every epilogue", T, float, double) {
  for (const index_t n : {index_t{1}, lanes<T> + 1, 5 * lanes<T> - 1, index_t{4096}, 2 * index_t{4096} + 3})
    for (const index_t k : {1, 8, 21})
      for (const bool turned : {false, true}) {
        gemm_case scaled{.m = 1, .n = n, .k = k, .transposed_a = turned, .gap = 2};
        std::vector<gemm_case> problems = epilogues(scaled);
        scaled.alpha = 0.75;
        problems.push_back(scaled);
        for (const gemm_case& problem : problems) agree_on<T>({.family = gemm_family::vector}, problem);
      }
}

TEST_CASE_TEMPLATE("one small row: parts of every width, any depth, every epilogue", T, float, double) {
  constexpr index_t stride = std::max<index_t>(1, lanes<T> - 1);  // of widths over three vectors
  for (index_t n = 1; n <= 17 * lanes<T>; n += n < 3 * lanes<T> ? 1 : stride)
    for (const index_t k : {1, 2, 3, 4, 5, 11})
      for (const gemm_case& problem : epilogues({.m = 1, .n = n, .k = k, .transposed_a = n % 2 == 0, .gap = n % 3}))
        agree_on<T>({.family = gemm_family::vector}, problem);
}

TEST_CASE_TEMPLATE("a narrow C: several steps in depth per register, every epilogue", T, float, double) {
  for (index_t n = 2; n <= lanes<T> / 2; ++n)
    for (const index_t k : {4, 5, 6, 7, 8, 9, 15, 16, 33}) {
      if (kernels::depth_fold<T>(kernels::native_unit, n, k) == 1) continue;
      for (const index_t m : {1, 2, 3, 4, 5, 6, 7, 8, 9, 17, 30})
        for (const gemm_case& problem : epilogues({.m = m, .n = n, .k = k, .gap = m % 3}))
          agree_on<T>({.family = gemm_family::narrow}, problem);
    }
}

TEST_CASE_TEMPLATE("few columns of any number: rows across registers, every epilogue", T, float, double) {
  constexpr kernels::vector_unit unit = kernels::native_unit;
  for (index_t n = 1; n <= kernels::most_columns; ++n) {
    if (!kernels::fits_columns<T>(unit, n)) continue;
    for (const index_t k : {1, 2, 3, 4, 5, 7, 8, 33})
      for (const index_t m : {lanes<T>, lanes<T> + 1, 2 * lanes<T> - 1, 2 * lanes<T>, 5 * lanes<T> + 3})
        for (const gemm_case& problem : epilogues({.m = m, .n = n, .k = k, .gap = m % 3}))
          agree_on<T>({.family = gemm_family::columns}, problem);
  }
}

TEST_CASE_TEMPLATE("few columns of many rows: parts of several threads, the last one short", T, float, double) {
  const index_t m = 6 * lanes<T> + 4, k = 1500 * 16 / lanes<T>;
  for (const index_t n : {index_t{5}, 2 * lanes<T> + 2})
    for (const gemm_case& problem : epilogues({.m = m, .n = n, .k = k, .gap = 1}))
      agree_with<T>([](int threads) { return rp::native_cpu(threads); }, problem);
}

TEST_CASE_TEMPLATE("last columns separately from those that fill registers, every epilogue", T, float, double) {
  index_t separate = 0;
  for (index_t n = kernels::most_columns + 1; n <= 5 * lanes<T>; ++n) {
    const index_t m = 4 * lanes<T> + 5, k = 500;
    separate += kernels::separate_columns<T>(kernels::native_unit, m, n, k, {k, 1}, {n, 1});
    for (const gemm_case& problem : epilogues({.m = m, .n = n, .k = k, .gap = n % 2})) {
      agree_with<T>([](int threads) { return rp::native_cpu(threads); }, problem);
    }
  }
  CHECK((separate > 0) == kernels::fits_columns<T>(kernels::native_unit, 1));
}

TEST_CASE_TEMPLATE("one column: rows of any depth, every epilogue", T, float, double) {
  for (const index_t k : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33, 257})
    for (const index_t m : {1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 50})
      for (const index_t gap : {0, 2})
        for (const gemm_case& problem : epilogues({.m = m, .n = 1, .k = k, .gap = gap}))
          agree_on<T>({.family = gemm_family::dot}, problem);
}

TEST_CASE_TEMPLATE("dot products: any number of columns and rows, B as stored or transposed", T, float, double) {
  for (index_t n = 1; n <= 13; ++n)
    for (const index_t m : {1, 2, 3, 5, 8, 9, 17})
      for (const index_t k : {index_t{1}, 2 * lanes<T>, 3 * lanes<T> + 1})
        for (const bool turned : {false, true})
          agree_on<T>({.family = gemm_family::dot}, {.m = m, .n = n, .k = k, .transposed_b = turned});
}

TEST_CASE_TEMPLATE("dot products of a narrow B whose rows overlap, or repeat", T, float, double) {
  std::vector<T> a(40, T(1)), b(60), c(2 * 3);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<T>(i % 7);
  for (const index_t ld : {0, 1, 2}) {  // rows of three elements at strides below three
    const rp::gemm_args<T> g{.a = {a.data(), 2, 20}, .b = {b.data(), 20, 3, ld, 1}, .c = {c.data(), 2, 3}};
    run_on(rp::native_cpu(1), gemm_plan{.family = gemm_family::dot}, g);
    for (index_t i = 0; i < 2; ++i)
      for (index_t j = 0; j < 3; ++j) {
        T exact = 0;
        for (index_t p = 0; p < 20; ++p) exact += g.b(p, j);
        CHECK(g.c(i, j) == exact);  // small integers
      }
  }
}

TEST_CASE_TEMPLATE("a small product of a B whose rows repeat, overlap or descend", T, float, double) {
  constexpr index_t m = 4, k = 8;
  const std::vector<T> a(m * k, T(1));
  for (const index_t n : {lanes<T> - 1, lanes<T> - lanes<T> / 4, lanes<T> + 1})
    for (const index_t ld : {index_t{0}, index_t{-1}, -n, -n - 3}) {
      if (n < 1) continue;
      std::vector<T> b(static_cast<std::size_t>(n - (k - 1) * ld)), c(static_cast<std::size_t>(m * n));
      for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<T>(i % 7);
      const rp::gemm_args<T> g{
          .a = {a.data(), m, k}, .b = {b.data() - (k - 1) * ld, k, n, ld, 1}, .c = {c.data(), m, n}};
      execute(rp::native_cpu(1), g);
      for (index_t i = 0; i < m; ++i)
        for (index_t j = 0; j < n; ++j) {
          T exact = 0;
          for (index_t p = 0; p < k; ++p) exact += g.b(p, j);
          CHECK(g.c(i, j) == exact);  // small integers
        }
    }
}

TEST_CASE_TEMPLATE("a narrow C of a transposed A: along its columns, every epilogue, inside a larger matrix", T, float,
                   double) {
  const auto along_columns = [](int threads) { return turned{rp::native_cpu(threads)}; };
  for (const index_t n : {index_t{2}, index_t{3}, lanes<T> / 2})
    for (const index_t m : {2 * lanes<T>, panel<T> + 1, index_t{64}, index_t{67}, index_t{71}})
      for (const index_t k : {index_t{0}, index_t{1}, 2 * lanes<T> + 1})
        for (const bool turned_b : {false, true})
          for (const index_t gap : {0, 3}) {
            if (n < 2) continue;
            gemm_case bent{.m = m, .n = n, .k = k, .transposed_a = true, .transposed_b = turned_b, .gap = gap};
            std::vector<gemm_case> problems = epilogues(bent);
            bent.act = rp::activation::tanh;
            problems.push_back(bent);
            for (const gemm_case& problem : problems) {
              agree_with<T>(along_columns, problem);
              agree_with<T>(on_cpu, problem);
            }
          }
}

TEST_CASE_TEMPLATE("one row of A for all rows of C, with a bias", T, float, double) {
  const std::vector<T> a(16, T(2));
  for (const index_t m : {index_t{3}, 2 * rows_of_tile + 1, index_t{20}})
    for (const index_t n : {lanes<T>, panel<T> + 3}) {
      std::vector<T> b(static_cast<std::size_t>(16 * n)), bias(static_cast<std::size_t>(n)),
          c(static_cast<std::size_t>(m * n));
      for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<T>(i % 5);
      for (std::size_t j = 0; j < bias.size(); ++j) bias[j] = static_cast<T>(j);
      const rp::gemm_args<T> g{.a = {a.data(), m, 16, 0, 1},
                               .b = {b.data(), 16, n},
                               .c = {c.data(), m, n},
                               .options = {.bias = bias.data()}};
      for (const gemm_plan& plan : {in_place<T>(std::min(m, rows_of_tile), n <= lanes<T> ? 1 : 2, 1, 16),
                                    gemm_plan{.family = gemm_family::packed, .mc = m, .nc = n, .kc = 16}}) {
        if (kernels::replicates_a<T>(kernels::native_unit) && plan.family == gemm_family::packed)
          continue;  // this one packs A
        std::fill(c.begin(), c.end(), T(-1));
        run_on(rp::native_cpu(1), plan, g);
        for (index_t i = 0; i < m; ++i)
          for (index_t j = 0; j < n; ++j) {
            T exact = bias[static_cast<std::size_t>(j)];
            for (index_t p = 0; p < 16; ++p) exact += 2 * g.b(p, j);
            CHECK(g.c(i, j) == exact);  // small integers
          }
      }
    }
}

TEST_CASE_TEMPLATE("threads share dot products, and a B made row-major", T, float, double) {
  agree_on<T>({.family = gemm_family::dot}, {.m = 301, .n = 12, .k = 300});
  agree_on<T>({.family = gemm_family::dot}, {.m = 5001, .n = 1, .k = 250});
  agree_on<T>({.family = gemm_family::vector}, {.m = 1, .n = 392, .k = 2600});
  if (kernels::depth_fold<T>(kernels::native_unit, 4, 300) > 1)
    agree_on<T>({.family = gemm_family::narrow}, {.m = 1001, .n = 4, .k = 300, .gap = 1});
  gemm_plan plan = in_place<T>(rows_of_tile, 2, 1, 60);
  plan.turn_b = true;
  agree_on<T>(plan, {.m = 64, .n = 300, .k = 60, .transposed_b = true});
}

TEST_CASE_TEMPLATE("shapes drawn at random, on whatever the planner chooses", T, float, double) {
  rp::random_stream random(20);
  const auto extent = [&](double most) { return static_cast<index_t>(std::exp(random.uniform(0.0, std::log(most)))); };
  for (int i = 0; i < 40; ++i) {
    const double most = i % 4 == 0 ? 400 : 60;
    gemm_case problem{.m = extent(most), .n = extent(most), .k = extent(most)};
    problem.transposed_a = random.below(4) == 0;
    problem.transposed_b = random.below(4) == 0;
    agree_with<T>(on_cpu, problem);
  }
}
