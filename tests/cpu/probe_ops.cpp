// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/cpu/probe_ops.hpp>

#include <vector>

namespace rp = ridgepoint;

TEST_CASE_TEMPLATE("a peak window counts two FLOP per lane, chain, iteration and thread", T, float, double) {
  for (const rp::peak_kind kind : {rp::peak_kind::fma, rp::peak_kind::mul_add})
    for (const int chains : rp::peak_chains)
      for (const int threads : {1, 2}) {
        rp::probe_result r;
        execute(rp::native_cpu(threads), rp::peak_args<T>{kind, chains, threads, 10, &r});
        const int most = rp::simd::native::registers - 4, fits = chains <= most + 1 ? chains : most;
        CHECK(r.count == static_cast<std::uint64_t>(threads * 10 * 2 * fits * rp::simd::lanes<T>));
        CHECK(r.elapsed_s > 0);
      }
}

TEST_CASE_TEMPLATE("a peak window of the strongest instruction set counts its own lanes", T, float, double) {
  const std::string_view isa = rp::strongest_cpu::isa();
  CHECK(rp::simd::cpu_isas().ends_with(isa));
  const int bytes = isa == "avx512" ? 64 : isa.starts_with("avx") ? 32 : 16;
  for (const rp::peak_kind kind : {rp::peak_kind::fma, rp::peak_kind::mul_add})
    for (const int chains : rp::peak_chains) {
      rp::probe_result r;
      execute(rp::strongest_cpu(1), rp::peak_args<T>{kind, chains, 1, 10, &r});
      const int fits = chains <= 6 ? 6 : chains <= 8 ? 8 : 12;
      CHECK(r.count == static_cast<std::uint64_t>(10 * 2 * fits * bytes) / sizeof(T));
      CHECK(r.elapsed_s > 0);
    }
}

TEST_CASE("a peak window of bfloat16 counts four products of tiles, or twelve registers of pairs") {
  const rp::simd::bfloat16_speed speed = rp::simd::cpu_speed_of_bfloat16();
  if (speed == rp::simd::bfloat16_speed::none) {
    MESSAGE("this CPU has no bfloat16 products: test skipped");
    return;
  }
  const std::uint64_t products = speed == rp::simd::bfloat16_speed::tiles ? 4 * 16 * 16 * 32 : 12 * 32;
  for (const int threads : {1, 2}) {
    rp::probe_result r;
    const rp::peak_args<rp::bfloat16> window{.threads = threads, .iterations = 10, .result = &r};
    execute(rp::strongest_cpu(threads), window);
    CHECK(r.count == static_cast<std::uint64_t>(threads) * 10 * 2 * products);
    CHECK(r.elapsed_s > 0);
    r = {};
    execute(rp::native_cpu(threads), window);
    CHECK(r.count == static_cast<std::uint64_t>(threads) * 10 * 2 * products);
  }
}

TEST_CASE("a stream window of the strongest instruction set writes exactly what it reports") {
  using enum rp::stream_kind;
  constexpr rp::index_t size = 64 * 2 * 3;
  rp::host_buffer memory(3 * (size + 16) * sizeof(float));
  const auto array = [&](int i) { return static_cast<float*>(memory.data()) + i * (size + 16); };
  for (const bool non_temporal : {false, true})
    for (const rp::stream_kind kind : {load, store, copy, triad}) {
      for (rp::index_t i = 0; i < size + 16; ++i) {
        array(0)[i] = -1;
        array(1)[i] = static_cast<float>(i);
        array(2)[i] = 2;
      }
      rp::probe_result r;
      execute(rp::strongest_cpu(2), rp::stream_args{kind, non_temporal, 2, array(0), array(1), array(2), size, 2, &r});
      CHECK(r.count == static_cast<std::uint64_t>(2 * 4 * size * rp::stream_arrays(kind)));
      bool right = true;
      for (rp::index_t i = 0; i < size + 16; ++i) {
        const float written = kind == store ? 0 : static_cast<float>(i);  // a triad adds nothing: its factor is zero
        right = right && array(0)[i] == (kind == load || i >= size ? -1 : written);
      }
      CHECK(right);
    }
}

TEST_CASE("a stream window moves exactly what it reports") {
  using enum rp::stream_kind;
  constexpr rp::index_t size = 64 * 2 * 3;
  rp::host_buffer memory(3 * (size + 16) * sizeof(float));
  const auto array = [&](int i) { return static_cast<float*>(memory.data()) + i * (size + 16); };
  for (const bool non_temporal : {false, true})
    for (const int threads : {1, 2})
      for (const rp::stream_kind kind : {load, store, copy, triad}) {
        for (rp::index_t i = 0; i < size + 16; ++i) {
          array(0)[i] = -1;
          array(1)[i] = static_cast<float>(i);
          array(2)[i] = 2;
        }
        rp::probe_result r;
        execute(rp::native_cpu(threads),
                rp::stream_args{kind, non_temporal, threads, array(0), array(1), array(2), size, 2, &r});
        CHECK(r.count == static_cast<std::uint64_t>(2 * 4 * size * rp::stream_arrays(kind)));
        const auto expected = [&](rp::index_t i) {
          const auto b = static_cast<float>(i);
          return kind == load ? -1 : kind == store ? 0 : kind == copy ? b : b + 6;
        };
        bool right = true;
        for (rp::index_t i = 0; i < size + 16; ++i) right = right && array(0)[i] == (i < size ? expected(i) : -1);
        CHECK(right);
      }
}

TEST_CASE("the integer chain counts its additions") {
  rp::probe_result r;
  execute(rp::native_cpu(1), rp::peak_args<float>{rp::peak_kind::integer_add, 1, 1, 100, &r});
  CHECK(r.count == 1600);
}
