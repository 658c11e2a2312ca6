// SPDX-License-Identifier: MIT
#pragma once

#include <limits>

#include "support/cpu_copies.hpp"
#include "support/recurrent_case.hpp"
#include "support/run_prepared.hpp"
#include "support/tested_isa.hpp"

/// Shapes around blocks of units, around the samples of a tile, of a part and of the in-place multiplication; single
/// steps, several chunks, and a rest; enough rows that weights are packed; row strides of, or near, a multiple of a
/// page; a product shared by threads; one deeper than a block of da.
template <class T>
[[nodiscard]] std::vector<recurrent_case> recurrent_cases() {
  using ridgepoint::index_t;
  const index_t nr = tested::panel_width<T>(), mr = tested::tile_rows();
  std::vector<recurrent_case> all{{1, 0, 2, 3},
                                  {1, 1, 1, 1},
                                  {3, 1, 2, nr + 1},
                                  {1, 30, 3, 5},
                                  {3, 8, 2, 3},
                                  {17, 4, 1, 2},
                                  {9, 9, 3, nr},
                                  {2, 70, 5, nr + 1},
                                  {3, 17, 4, 2},
                                  {4, 130, 2, 3},
                                  {1, 520, 2, nr},
                                  {2, 270, 3, nr + 1},
                                  {2, 260, 2, nr - 1},
                                  {1, 10, 4096 / sizeof(T), 2},
                                  {17, 31, 2, 1},
                                  {6, 3, 300, 70},
                                  {2, 3, 2, 512 / sizeof(T)},
                                  {2, 17, 2, 175}};
  for (const index_t units : agreement::around(nr)) all.push_back({3, 5, 4, units});
  for (const index_t n : agreement::around(mr)) all.push_back({2, n, 7, nr + 1});
  for (const index_t n : {2, 3, 4}) all.push_back({7, n, 3, 5});
  std::vector<recurrent_case> varied;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (unsigned change = 0; change < 8; ++change) {
      recurrent_case c = all[i];
      c.sample_major = (change & 1U) != 0, c.states = (change & 2U) == 0, c.whole = (change & 4U) == 0;
      c.backwards = (i + change / 2) % 3 == 0;
      if ((c.units <= 5 && c.n < 100) || change == i % 8) varied.push_back(c);  // all variants if that is fast
      if (change == i % 8 || (c.units <= 5 && change == (i + 3) % 8)) varied.push_back(c.masked());
    }
  std::erase_if(varied, [](const recurrent_case& c) { return c.units < 1; });
  return varied;
}

/// The CPU backend of this program with prepared calls, with all memory constant or none, and run in memory of exactly
/// the reported size.
struct cpu_of_prepared {
  tested_cpu on;
  ridgepoint::prepare_options options = {};
  template <class Args>
  friend void execute(const cpu_of_prepared& backend, const Args& args) {
    const auto made = prepare(backend.on, args, backend.options);
    CHECK(made.info.algorithm[0] != '\0');
    CHECK((made.info.executed.matrix_flop > 0 || receipt(args).matrix_flop == 0));
    run_prepared(backend.on, made, args);
  }
};
inline constexpr auto on_cpu_of_prepared = [](int threads) { return cpu_of_prepared{tested_cpu(threads)}; };
inline const auto on_cpu_of_constants = [](int threads) {
  return cpu_of_prepared{tested_cpu(threads),
                         {.constant = reinterpret_cast<const void*>(std::uintptr_t{64}),
                          .constant_bytes = std::numeric_limits<std::size_t>::max() / 2}};
};
