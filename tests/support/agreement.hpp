// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/ops/step_state.hpp>
#include <ridgepoint/reference/all.hpp>

#include "support/bias.hpp"
#include "support/bounded.hpp"
#include "support/guarded.hpp"

/// Checks that a backend agrees with the definition, within bounds that follow from the arithmetic (bounded.hpp).
namespace agreement {

using ridgepoint::index_t;

/// Rounding bound of a length-k inner product (Higham): |fl(x·y) − x·y| ≤ γ(k)·|x|·|y|, γ(k) = k·u / (1 − k·u).
template <std::floating_point T>
[[nodiscard]] constexpr double gamma(index_t k) noexcept {
  const double ku = static_cast<double>(k) * std::numeric_limits<T>::epsilon() / 2;
  return ku / (1 - ku);
}

/// Extents that straddle a tile.
[[nodiscard]] inline std::vector<index_t> around(index_t tile) { return {1, tile - 1, tile, tile + 1, 2 * tile + 3}; }

/// |got − want| in units of the last place of want; 0 for equal values and for two NaN.
template <std::floating_point T>
[[nodiscard]] double ulp_distance(T got, double want) {
  if (std::isnan(want) || std::isnan(got))
    return std::isnan(want) && std::isnan(got) ? 0 : std::numeric_limits<double>::infinity();
  const auto rounded = static_cast<T>(want);
  if (std::bit_cast<std::array<std::byte, sizeof(T)>>(got) == std::bit_cast<std::array<std::byte, sizeof(T)>>(rounded))
    return 0;
  const T size = std::max(std::abs(rounded), std::numeric_limits<T>::min());
  if (!std::isfinite(size) || !std::isfinite(got)) return std::numeric_limits<double>::infinity();
  using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const T below = std::bit_cast<T>(std::bit_cast<word>(size) - 1);
  const double ulp = static_cast<double>(size) - static_cast<double>(below);
  return std::abs(static_cast<double>(got) - want) / ulp;
}

/// One operand: its values before the run.
struct operand {
  std::vector<double> values;
};

/// Uniform in [0, 1), with as many random bits as T holds: with fewer, products by a constant round in one direction.
template <class T>
[[nodiscard]] double uniform(ridgepoint::random_stream& random) {
  const double first = random.uniform();  // 24 bits
  if constexpr (sizeof(T) <= 4) return first;
  return first + static_cast<double>(random() >> 3) * 0x1p-53;
}
/// `size` values in [low, high) that T holds exactly.
template <class T>
[[nodiscard]] operand random_values(index_t size, std::uint64_t seed, double low = -2, double high = 2) {
  ridgepoint::random_stream random(seed);
  operand result;
  result.values.reserve(static_cast<std::size_t>(size));
  for (index_t i = 0; i < size; ++i)
    result.values.push_back(static_cast<double>(static_cast<T>(low + (high - low) * uniform<T>(random))));
  return result;
}
/// `size` NaN: memory an op must overwrite without reading.
[[nodiscard]] inline operand output(index_t size) {
  return {std::vector<double>(static_cast<std::size_t>(size), std::numeric_limits<double>::quiet_NaN())};
}

/// Returns the operands as elements of S, one pointer each.
template <class S, class Vector>
struct memory {
  std::vector<Vector> vectors;
  std::vector<S*> pointers;
  template <class Make>
  memory(const std::vector<operand>& operands, const Make& make) {
    vectors.reserve(operands.size());
    for (const operand& o : operands) {
      Vector& v = vectors.emplace_back(make(static_cast<index_t>(o.values.size())));
      for (std::size_t i = 0; i < o.values.size(); ++i) v[i] = static_cast<S>(o.values[i]);
      pointers.push_back(v.data());
    }
  }
};

/// Element type S of the pointers that agree() passes to its callable.
template <class Pointers>
using element_t = std::remove_pointer_t<typename std::remove_cvref_t<Pointers>::value_type>;

/// Step state every run of agree() starts from.
inline constexpr ridgepoint::step_state start{
    .step = 4, .learning_rate = 0.01, .loss = -1, .correct = 12345, .gradient_squares = 2.5};

namespace detail {
/// Result of the definition on some operands, with error bounds for other implementations.
template <class T>
struct expectation {
  memory<bounded<T>, std::vector<bounded<T>>> values;
  ridgepoint::step_state state = start;
  double sum_error = 0;  // of the one sum in the state, relative to it
};

/// An op on a backend with both types erased, so that the comparison is compiled once per T.
template <class T>
struct run_on {
  const void *on, *run;
  void (*execute)(const run_on&, int threads, const std::vector<T*>&, ridgepoint::step_state*);
};

/// Runs an op on a backend, from every placement and for every number of threads, and checks its results.
template <class T>
void compare(const expectation<T>& expected, const std::vector<operand>& operands, const run_on<T>& op) {
  using exact = bounded<T>;
  const auto check_sum = [&](const char* what, double got, double want) {
    const double error = expected.sum_error * std::abs(want) + exact::tiny;
    CHECK_MESSAGE((got == want || (std::isnan(got) && std::isnan(want)) || std::abs(got - want) <= error),
                  what << ' ' << got << " must be " << want << " +- " << error);
  };

  std::vector<std::vector<T>> first;
  ridgepoint::step_state first_state;
  for (const auto where :
       {placement_in_page::at_the_end, placement_in_page::at_the_start, placement_in_page::misaligned}) {
    for (const int threads : {1, 2, 3, 4}) {
      if (threads > 1 && where != placement_in_page::at_the_end) continue;
      memory<T, guarded_vector<T>> got(operands, [&](index_t n) { return guarded_vector<T>(n, where); });
      ridgepoint::step_state state = start;
      op.execute(op, threads, got.pointers, &state);
      if (first.empty()) {
        first_state = state;
        index_t wrong = 0;
        for (std::size_t o = 0; o < operands.size(); ++o) {
          const auto& values = got.vectors[o];
          first.emplace_back(values.data(), values.data() + values.size());
          bias errors;
          for (std::size_t i = 0; i < values.size(); ++i) {
            const exact& want = expected.values.vectors[o][i];
            const auto value = static_cast<double>(values[i]);
            const bool close =
                std::isnan(want.value()) ? std::isnan(value) : std::abs(want.off_by(value)) <= want.error();
            if (std::isfinite(want.value())) errors.add(want, value);
            if (close || value == want.value() || ++wrong > 3) continue;
            FAIL_CHECK("operand " << o << " element " << i << " of " << values.size() << " is " << value << "; must be "
                                  << want.value() << " +- " << want.error());
          }
          if (wrong > 0) continue;
          const double sum = std::max(std::abs(errors.upwards()), std::abs(errors.outwards()));
          CHECK_MESSAGE(sum <= errors.limit(), "the errors of operand " << o << " sum up to " << errors.upwards()
                                                                        << ", away from 0 to " << errors.outwards()
                                                                        << "; must be 0 +- " << errors.limit());
        }
        check_sum("loss", state.loss, expected.state.loss);
        check_sum("gradient_squares", state.gradient_squares, expected.state.gradient_squares);
        CHECK(state.correct == expected.state.correct);
        CHECK(state.ignored == expected.state.ignored);
        CHECK(state.step == expected.state.step);
        continue;
      }
      for (std::size_t o = 0; o < operands.size(); ++o) {
        const std::size_t bytes = first[o].size() * sizeof(T);
        const bool same = bytes == 0 || std::memcmp(got.vectors[o].data(), first[o].data(), bytes) == 0;
        CHECK_MESSAGE(
            same, "operand " << o << " differs with " << threads << " threads, placement " << static_cast<int>(where));
      }
      CHECK(std::memcmp(&state, &first_state, sizeof state) == 0);
    }
  }
}

template <class T, class Run>
[[nodiscard]] expectation<T> expect(const std::vector<operand>& operands, const Run& run) {
  using exact = bounded<T>;
  expectation<T> expected{{operands, [](index_t n) { return std::vector<exact>(static_cast<std::size_t>(n) + 1); }}};
  exact::last_error() = 0;
  run(ridgepoint::reference, expected.values.pointers, &expected.state);
  expected.sum_error = exact::last_error();
  return expected;
}
template <class T, class Run, class On>
void compare(const expectation<T>& expected, const std::vector<operand>& operands, const Run& run, const On& on) {
  const auto execute = [](const run_on<T>& op, int threads, const std::vector<T*>& pointers,
                          ridgepoint::step_state* state) {
    (*static_cast<const Run*>(op.run))((*static_cast<const On*>(op.on))(threads), pointers, state);
  };
  compare<T>(expected, operands, run_on<T>{.on = &on, .run = &run, .execute = execute});
}

}  // namespace detail

/// Runs an op on the definition and on each of `on` (callables from a thread count to a backend) for threads 1 to 4 and
/// every placement of its operands. Every element must agree within its bound, the sum of an operand's errors within
/// the bound of their sum (bias.hpp), and every run of a backend with its first, bit for bit.
///
/// run(backend, pointers, state) is called with std::vector<S*> for S = T and S = bounded<T>.
template <class T, class Run, class... On>
void agree_each(const std::vector<operand>& operands, const Run& run, const On&... on) {
  const detail::expectation<T> expected = detail::expect<T>(operands, run);
  (detail::compare<T>(expected, operands, run, on), ...);
}

/// agree() for runs that share one definition (such as the algorithms of an op), which is computed once.
template <class T, class On, class Run>
void agree_all(const On& on, const std::vector<operand>& operands, const std::vector<Run>& runs) {
  const detail::expectation<T> expected = detail::expect<T>(operands, runs.at(0));
  for (std::size_t number = 0; number < runs.size(); ++number) {
    CAPTURE(number);
    detail::compare<T>(expected, operands, runs[number], on);
  }
}

/// agree_each() for one backend.
template <class T, class On, class Run>
void agree(const On& on, const std::vector<operand>& operands, const Run& run) {
  agree_each<T>(operands, run, on);
}

/// agree() with a NaN in each position of operand `which`, one after the other.
template <class T, class On, class Run>
void agree_on_nan(const On& on, std::vector<operand> operands, std::size_t which, const Run& run) {
  for (double& value : operands[which].values) {
    const double before = std::exchange(value, std::numeric_limits<double>::quiet_NaN());
    agree<T>(on, operands, run);
    value = before;
  }
}

}  // namespace agreement
