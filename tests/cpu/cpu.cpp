// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/cpu/above_watershed.hpp>
#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/cpu/dispatched_cpu.hpp>
#include <ridgepoint/ops/prepare.hpp>
#include <ridgepoint/reference/gemm.hpp>

namespace rp = ridgepoint;

static_assert(rp::backend<rp::cpu>);

namespace {
/// Returns the names of the variants in this program that this CPU supports.
std::vector<std::string> runnable() {
  std::vector<std::string> names;
  for (const ridgepoint_isa_variant* v = ridgepoint_dispatch_variants; v->isa != nullptr; ++v)
    if (rp::simd::cpu_runs(v->isa)) names.emplace_back(v->isa);
  return names;
}
}  // namespace

TEST_CASE("every op is in the archive once, or in every copy, with arguments of the same size") {
  const auto sizes_of = []<class... Args>(rp::type_list<Args...>) { return std::vector{sizeof(Args)...}; };
  const std::vector<std::size_t> sizes = sizes_of(rp::dispatched_ops{});
  for (const ridgepoint_isa_variant* v = ridgepoint_dispatch_variants; v->isa != nullptr; ++v) {
    const auto& table = *static_cast<const ridgepoint_dispatch_table*>(v->table());
    CAPTURE(v->isa);
    const ridgepoint_dispatch_entry* const once = ridgepoint_dispatch_ops(&table, v->isa);
    REQUIRE(table.count == sizes.size());
    for (std::size_t op = 0; op < table.count; ++op) {
      CHECK((table.entries[op].run != nullptr) != (once[op].run != nullptr));
      CHECK((table.entries[op].prepare != nullptr) != (once[op].prepare != nullptr));
      CHECK(table.entries[op].args_size == sizes[op]);
      CHECK(once[op].args_size == sizes[op]);
    }
  }
}

// Caches are detected once per process, so each case runs as its own process: this program, with RIDGEPOINT_CACHES.
TEST_CASE("workspace of every copy" * doctest::skip()) {
  try {
    for (const std::string& isa : runnable()) {
      const rp::conv2d_args<float> patches{.geometry = {.n = 8, .h = 32, .w = 32, .c = 3, .f = 8, .kh = 3, .kw = 3},
                                           .algorithm = rp::conv_algorithm::patches};
      std::printf("%zu ", prepare(rp::cpu(1, isa), patches, {}).info.workspace_bytes);
    }
  } catch (const rp::value_error& refused) {
    std::printf("%s\n", refused.what());
  }
}
TEST_CASE("every copy of the library plans for the caches given by RIDGEPOINT_CACHES, and refuses invalid ones") {
  const auto with = [](const std::string& caches) {
    const std::string command = "RIDGEPOINT_CACHES=" + caches +
                                " /proc/$PPID/exe --no-intro --minimal --no-skip "
                                "--test-case='workspace of every copy'";
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> child(popen(command.c_str(), "r"), pclose);
    REQUIRE(child != nullptr);
    std::string printed;
    for (int c = std::fgetc(child.get()); c != EOF; c = std::fgetc(child.get())) printed += static_cast<char>(c);
    return printed;
  };
  const auto numbers = [](const std::string& text) {
    std::istringstream in(text);
    return std::vector<long>{std::istream_iterator<long>(in), {}};
  };
  const std::vector<long> small = numbers(with("32K,256K,8M")), large = numbers(with("48K,2M,0"));
  REQUIRE(small.size() == runnable().size());
  REQUIRE(large.size() == small.size());
  for (std::size_t i = 0; i < small.size(); ++i) CHECK(small[i] < large[i]);
  CHECK(numbers(with("32768,262144,8388608")) == small);
  CHECK(with("much").find("RIDGEPOINT_CACHES is 'much'; must be L1,L2,L3") != std::string::npos);
}

namespace {
/// Copy of an instruction set's table, to be corrupted.
struct table_copy {
  std::vector<ridgepoint_kernel_entry> entries;
  ridgepoint_kernel_table kernels;
  ridgepoint_dispatch_table table;

  explicit table_copy(const ridgepoint_isa_variant& v)
      : table(*static_cast<const ridgepoint_dispatch_table*>(v.table())) {
    kernels = *table.kernels;
    entries.assign(kernels.entries, kernels.entries + kernels.count);
    kernels.entries = entries.data();
    table.kernels = &kernels;
  }
  table_copy(const table_copy&) = delete;
};
/// Returns the archive's error for a table changed by `damage`; empty if it accepts the table.
template <class Damage>
std::string refusal_of(const ridgepoint_isa_variant& v, const Damage& damage) {
  table_copy damaged(v);
  damage(damaged);
  try {
    ridgepoint_dispatch_ops(&damaged.table, v.isa);
  } catch (const std::runtime_error& refused) {  // the archive's own type
    return refused.what();
  }
  return {};
}
bool is_in(const std::string& part, const std::string& text) { return text.find(part) != std::string::npos; }
}  // namespace

TEST_CASE("a table with a wrong version, instruction set or kernel is refused") {
  for (const ridgepoint_isa_variant* v = ridgepoint_dispatch_variants; v->isa != nullptr; ++v) {
    CAPTURE(v->isa);
    CHECK(refusal_of(*v, [](table_copy&) {}).empty());
    CHECK(is_in("version 1 ", refusal_of(*v, [](table_copy& t) { t.kernels.version = 1; })));
    CHECK(is_in("number 1;", refusal_of(*v, [](table_copy& t) { t.kernels.count = 1; })));
    CHECK(is_in("compiled for sse9;", refusal_of(*v, [](table_copy& t) { t.kernels.isa = "sse9"; })));
    CHECK(is_in("kernel 3 of", refusal_of(*v, [](table_copy& t) { std::swap(t.entries[3], t.entries[7]); })));
    CHECK(is_in("kernel 5 of", refusal_of(*v, [](table_copy& t) { t.entries[5].run = nullptr; })));
  }
}

TEST_CASE("archive code calls the kernel of the given table and knows its registers") {
  static const void* called_with = nullptr;
  called_with = nullptr;
  std::vector<ridgepoint_kernel_entry> entries(rp::dispatched_kernels::size);
  void (*const add)(const rp::add_args<float>&, rp::kernels::stores, rp::index_t, rp::index_t) noexcept =
      [](const rp::add_args<float>& a, rp::kernels::stores, rp::index_t, rp::index_t) noexcept { called_with = &a; };
  entries[rp::dispatched_kernels::index_of<rp::kernels::add_chunk<float>>].run = reinterpret_cast<void (*)()>(add);
  const ridgepoint_kernel_table table{RIDGEPOINT_VERSION, "sse9", 32, 16, 1, entries.size(), entries.data()};
  const rp::dispatched_cpu on({1, 0, &table});
  CHECK(on.thread_count() == 1);
  CHECK(on.vectors().lanes<float>() == 8);
  CHECK(on.vectors().multiply_add(1 + 0x1p-30, 1 - 0x1p-30, -1) == -0x1p-60);
  const float x = 1;
  float y = 0;
  const rp::add_args<float> sum{.size = 1, .a = &x, .b = &x, .y = &y};
  execute(on, sum);
  CHECK(called_with == &sum);
}

TEST_CASE("the copies of the library share one thread team") {
  for (const std::string& isa : runnable()) {
    const rp::cpu on(2, isa);
    std::vector<float> x(100'000, 1), y(x.size());
    const auto threads = [] {  // of this process, as counted by the operating system
      std::ifstream status("/proc/self/status");
      std::string word;
      while (status >> word && word != "Threads:") {
      }
      int count = 0;
      status >> count;
      return count;
    };
    const auto size = static_cast<rp::index_t>(x.size());
    execute(on, rp::add_args<float>{.size = size, .a = x.data(), .b = x.data(), .y = y.data()});
    const int before = threads();
    std::vector<float> c(200 * 200);
    execute(on, rp::gemm_args<float>{.a = {x.data(), 200, 200}, .b = {x.data(), 200, 200}, .c = {c.data(), 200, 200}});
    CAPTURE(isa);
    CHECK(threads() == before);
    CHECK(c[0] == 200);
  }
}

TEST_CASE("the backend reports what it runs") {
  unsetenv("RIDGEPOINT_ISA");
  const rp::cpu best;
  CHECK(best.isa() == runnable().back());
  CHECK(best.name() == "ridgepoint." + runnable().back());
  CHECK(best.thread_count() >= 1);
  CHECK(rp::cpu(3).thread_count() == 3);
  CHECK_THROWS_AS(rp::cpu(-1), rp::value_error);
  CHECK_THROWS_AS(rp::cpu(1025), rp::value_error);
  CHECK_THROWS_AS(rp::cpu(1, "sse9"), rp::value_error);
}

TEST_CASE_TEMPLATE("a product is correct on every supported instruction set", T, float, double) {
  const T a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, 2, 0, 1, 3};  // 2x3, 3x2
  for (const std::string& isa : runnable()) {
    CAPTURE(isa);
    const rp::cpu on(1, isa);
    T c[4] = {};
    CHECK(rp::gemm<T>(on, {a, 2, 3}, {b, 3, 2}, {c, 2, 2}) ==
          receipt(rp::gemm_args<T>{.a = {a, 2, 3}, .b = {b, 3, 2}, .c = {c, 2, 2}}));
    CHECK(c[0] == 1 * 1 + 2 * 2 + 3 * 1);
    CHECK(c[1] == 3 * 3);
    CHECK(c[2] == 4 * 1 + 5 * 2 + 6 * 1);
    CHECK(c[3] == 6 * 3);
  }
}

TEST_CASE("prepared products and unprepared ops give the same bits through the table") {
  const rp::index_t m = 70, n = 130, k = 90;
  std::vector<float> a(m * k), b(k * n), c(m * n), plain(m * n);
  rp::random_stream random(3);
  for (float& x : a) x = static_cast<float>(random.uniform(-2, 2));
  for (float& x : b) x = static_cast<float>(random.uniform(-2, 2));
  for (const std::string& isa : runnable())
    for (const int threads : {1, 2}) {
      CAPTURE(isa);
      const rp::cpu on(threads, isa);
      const rp::gemm_args<float> g{.a = {a.data(), m, k}, .b = {b.data(), k, n}, .c = {plain.data(), m, n}};
      execute(on, g);
      rp::gemm_args<float> mine = g;
      mine.c.data = c.data();
      const auto made = prepare(on, mine, {.constant = b.data(), .constant_bytes = 4});
      CHECK(made.info.executed.matrix_flop >= 2ULL * 70 * 130 * 90);
      const rp::host_buffer workspace(made.info.workspace_bytes), constants(made.info.constant_bytes);
      make_constants(on, made, mine, constants.data());
      execute(on, made, mine, {.workspace = workspace.data(), .constants = constants.data()});
      CHECK(c == plain);

      const rp::add_args<float> sum{.size = m * n, .a = plain.data(), .b = plain.data(), .y = c.data()};
      const auto as_it_is = prepare(on, sum, {});
      CHECK(as_it_is.info.workspace_bytes == 0);
      make_constants(on, as_it_is, sum, nullptr);
      execute(on, as_it_is, sum, {});
      CHECK(c.back() == 2 * plain.back());
    }
}

TEST_CASE("a prepared product of bfloat16 gives the same bits through the table") {
  const rp::index_t m = 3, n = 40, k = 301;
  std::vector<rp::bfloat16> a(m * k), b(k * n), c(m * n), plain(m * n);
  rp::random_stream random(3);
  for (rp::bfloat16& x : a) x = rp::bfloat16(random.uniform(-2, 2));
  for (rp::bfloat16& x : b) x = rp::bfloat16(random.uniform(-2, 2));
  for (const std::string& isa : runnable()) {
    CAPTURE(isa);
    const rp::cpu on(2, isa);
    rp::gemm_args<rp::bfloat16> g{.a = {a.data(), m, k}, .b = {b.data(), k, n}, .c = {plain.data(), m, n}};
    execute(on, g);
    g.c.data = c.data();
    const auto made = prepare(on, g, {.constant = b.data(), .constant_bytes = 2});
    const bool in_pairs = isa == "avx512" && rp::simd::cpu_speed_of_bfloat16() != rp::simd::bfloat16_speed::none;
    CHECK((made.info.constant_bytes != 0) == in_pairs);  // packed once
    const rp::host_buffer workspace(made.info.workspace_bytes), constants(made.info.constant_bytes);
    make_constants(on, made, g, constants.data());
    execute(on, made, g, {.workspace = workspace.data(), .constants = constants.data()});
    CHECK(c == plain);
  }
}

TEST_CASE("the subnormal mode applies through the table, also to prepared calls") {
  const float x = 0, wx = 0, wh = 0.5F, h0 = 1.5F * std::numeric_limits<float>::min();
  float y = -1;
  const rp::rnn_args<float> args{
      .operands = {.x = {&x, 1, 1, 1, 1, 1}, .wx = &wx, .wh = &wh, .h0 = &h0, .y = {&y, 1, 1, 1, 1, 1}},
      .act = rp::activation::none};
  for (const std::string& isa : runnable())
    for (const auto treated : {rp::subnormals::flushed, rp::subnormals::as_they_are}) {
      CAPTURE(isa);
      const rp::cpu on(1, isa, treated);
      const float expected = treated == rp::subnormals::flushed ? 0 : 0.75F * std::numeric_limits<float>::min();
      rp::run(on, args);
      CHECK(y == expected);
      y = -1;
      rp::prepared(on, args).run();
      CHECK(y == expected);
    }
}

TEST_CASE("an array product has the same bits on every supported instruction set") {
  const rp::index_t m = 13, n = 37, k = 70;
  rp::random_stream random(1);
  std::vector<float> a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(k * n));
  for (float& x : a) x = static_cast<float>(random.uniform(-2, 2));
  for (float& x : b) x = static_cast<float>(random.uniform(-2, 2));
  const auto product = [&](const auto& on, auto format) {
    std::vector<float> c(static_cast<std::size_t>(m * n));
    execute(on, rp::array_gemm_args<decltype(format)>{
                    .a = {a.data(), m, k}, .b = {b.data(), k, n}, .c = {c.data(), m, n}, .depth = 32});
    return c;
  };
  const auto bf16 = product(rp::reference, rp::bfloat16()), fp32 = product(rp::reference, 0.0F);
  for (const std::string& isa : runnable()) {
    CAPTURE(isa);
    const rp::cpu on(2, isa);
    CHECK(product(on, rp::bfloat16()) == bf16);
    CHECK(product(on, 0.0F) == fp32);
  }
}

TEST_CASE("a B packed for one instruction set is refused by another") {
  const std::vector<std::string> isas = runnable();
  if (isas.size() < 2) return;
  const float a[2] = {1, 2}, b[2] = {3, 4};
  float c[1] = {};
  const auto packed = rp::pack_b(rp::cpu(1, isas.front()), rp::matrix_view<const float>(b, 2, 1));
  CHECK_THROWS_WITH_AS(rp::gemm(rp::cpu(1, isas.back()), {a, 1, 2}, packed, rp::matrix_view<float>(c, 1, 1)),
                       doctest::Contains("b is packed by ridgepoint."), rp::value_error);
  rp::gemm(rp::cpu(1, isas.front()), {a, 1, 2}, packed, rp::matrix_view<float>(c, 1, 1));
  CHECK(c[0] == 11);
}
