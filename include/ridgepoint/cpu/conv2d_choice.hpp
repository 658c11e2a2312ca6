// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include <ridgepoint/cpu/conv2d_cost.hpp>
#include <ridgepoint/ops/prepare.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A pass of a convolution whose algorithm is chosen.
struct conv2d_prepared {
  preparation told;
  std::size_t packed_bytes = 0;  // of the filter as the algorithms read it: the first of the workspace, or constant
  std::size_t part_bytes = 0;    // of the workspace, for each part in groups that runs at once
  detail::filter_is filter = detail::filter_is::given;
  index_t joined = 0;                              // adjacent pixels computed as one; 0: each by itself
  std::array<conv_algorithm, 16> of_product = {};  // exact: of the image itself; of more, patches unless requested
  detail::gemm_schedule gemm = {};                 // of a product of the image itself
  index_t gemm_images = 0;                         // of so many images
};

namespace detail {

/// Throws: unsupported where a pass is requested by Winograd's algorithm, which cannot compute it.
template <class T>
void check_algorithm(std::string_view op, const conv2d_geometry& g, conv_algorithm requested) {
  if (!is_winograd(requested) || (winograd_element<T> && winograd_takes(requested, g))) return;
  require<unsupported>(false, op, ": ", to_string(g), " of ", sizeof(T),
                       " bytes an element; Winograd needs 3x3 taps of float, or ",
                       "5x5 for 2x2 results, stride and dilation 1");
}

/// offer(algorithm) for those of Winograd's that a pass may be computed by, of sums of so many products. Unless it is
/// requested, sums are long enough for its error to be at most twice that of direct summation.
template <class T, class Offer>
void offer_winograd(const conv2d_geometry& g, conv_algorithm requested, index_t sum, const Offer& offer) {
  if constexpr (winograd_element<T>) {
    if (requested != conv_algorithm::winograd && (requested != conv_algorithm::automatic || sum < 16)) return;
    for (const conv_algorithm tile : {conv_algorithm::winograd_4x4, conv_algorithm::winograd_2x2})
      if (winograd_takes(tile, g)) offer(tile);
  }
}

/// Keeps the algorithm of least predicted cycles among those it is given.
struct cheapest_algorithm {
  conv_algorithm algorithm = conv_algorithm::patches;
  double cycles = std::numeric_limits<double>::infinity();
  void operator()(conv_algorithm candidate, double predicted) noexcept {
    if (predicted < cycles) algorithm = candidate, cycles = predicted;
  }
};

/// Whether a product, or a gradient for a filter, is computed as is quickest: nothing else is requested.
[[nodiscard]] constexpr bool is_open(conv_algorithm requested) noexcept {
  return requested == conv_algorithm::automatic || requested == conv_algorithm::exact ||
         requested == conv_algorithm::joined;
}

/// The algorithm that leaves nothing to choose: of a product, or of a gradient for a filter; else automatic.
[[nodiscard]] constexpr conv_algorithm settled_algorithm(const auto& p, conv_algorithm requested) noexcept {
  if (requested == conv_algorithm::winograd_2x2 || requested == conv_algorithm::winograd_4x4) return requested;
  if (requested == conv_algorithm::winograd) return conv_algorithm::automatic;
  if (p.is_plain()) return conv_algorithm::exact;
  return is_open(requested) ? conv_algorithm::automatic : requested;
}

/// The algorithm of a product: the one requested, whose cycles are not predicted, or that of least predicted cycles on
/// one thread, whatever runs it.
template <class T>
[[nodiscard]] cheapest_algorithm algorithm_of(kernels::vector_unit v, const conv_product<T>& p,
                                              const conv2d_geometry& g, conv_algorithm requested, filter_is filter) {
  if (const auto settled = settled_algorithm(p, requested); settled != conv_algorithm::automatic)
    return {.algorithm = settled};
  cheapest_algorithm cheapest;
  const auto offer = [&](conv_algorithm algorithm) {
    cheapest(algorithm, cost::cycles(v, schedule_of(v, 1, p, algorithm, {}), p, filter));
  };
  if (is_open(requested)) {
    offer(conv_algorithm::patches);
    if (!kernels::replicates_a<T>(v)) offer(conv_algorithm::segments);
    if (may_be_dots(v, p)) offer(conv_algorithm::dots);
  }
  offer_winograd<T>(g, requested, p.source.channels, offer);
  return cheapest;
}
template <class T>
[[nodiscard]] conv_algorithm algorithm_of(kernels::vector_unit v, const conv2d_backward_weights_args<T>& a,
                                          const weights_product<T>& p) {
  const conv2d_geometry& g = a.geometry;
  if (const auto settled = settled_algorithm(p, a.algorithm); settled != conv_algorithm::automatic) return settled;
  cheapest_algorithm cheapest;
  const auto offer = [&](conv_algorithm algorithm) {
    cheapest(algorithm, cost::cycles(v, schedule_of(v, 1, p, algorithm, {}), p, g.input_size()));
  };
  if (is_open(a.algorithm)) {
    offer(conv_algorithm::patches), offer(conv_algorithm::dots);
    if (!kernels::replicates_a<T>(v)) offer(conv_algorithm::segments);
  }
  offer_winograd<T>(g, a.algorithm, g.n * g.oh() * g.ow(), offer);
  return cheapest.algorithm;
}

/// The products of a group of a pass, and the phase of each.
template <class T>
[[nodiscard]] index_t products_of(const conv_pass<T>& a) noexcept {
  return a.phases().h * a.phases().w;
}
template <class T>
[[nodiscard]] spatial phase_of(const conv_pass<T>& a, index_t number) noexcept {
  const index_t across = a.phases().w;
  return {number / across, number % across};
}

/// Steps of a group of a pass that is prepared, and their algorithms. Joined pixels are those of all phases of a row.
template <class T>
[[nodiscard]] index_t steps_of(const conv_pass<T>& a, const conv2d_prepared& made) noexcept {
  return made.joined > 0 ? a.phases().h : products_of(a);
}
template <class T>
[[nodiscard]] conv_algorithm algorithm_of_step(const conv_pass<T>& a, const conv2d_prepared& made,
                                               index_t number) noexcept {
  if (made.joined > 0) return conv_algorithm::joined;
  const auto at = static_cast<std::size_t>(number);
  if (at < made.of_product.size()) return made.of_product[at];
  return is_open(a.algorithm) ? conv_algorithm::patches : a.algorithm;
}
/// use(step) for each.
template <cpu_backend On, class T, class Use>
void for_steps(const On& on, const conv_pass<T>& a, index_t group, const conv2d_prepared& made, const Use& use) {
  const kernels::vector_unit v = on.vectors();
  const index_t threads = on.thread_count(), count = steps_of(a, made);
  gemm_schedule replanned;
  for (index_t number = 0; number < count; ++number) {
    const conv_algorithm algorithm = algorithm_of_step(a, made, number);
    const spatial phase = made.joined > 0 ? spatial(number, 0) : phase_of(a, number);
    conv_product<T> p = product_of(a, group, phase);
    if (made.joined > 0) join(a, made.joined, p);
    const bool replans = algorithm == conv_algorithm::exact && a.geometry.n != made.gemm_images;
    if (replans) replanned = detail::schedule(on, p.plain());
    use(conv_step<T>{p, schedule_of(v, threads, p, algorithm, replans ? replanned : made.gemm), phase, made.joined});
  }
}

/// The cycles that a group of a pass is predicted to take.
template <cpu_backend On, class T>
[[nodiscard]] double predicted_cycles(const On& on, const conv_pass<T>& a, const conv2d_prepared& made) {
  double sum = 0;
  for_steps(on, a, 0, made, [&](const conv_step<T>& step) {
    sum += cost::cycles(on.vectors(), step.schedule, step.product, made.filter);
  });
  return sum;
}

/// How many adjacent pixels of a pass are computed as one: some if requested, or where that is predicted to take less
/// than `cycles`, those of the way that is prepared, infinite if not known; 0: each by itself.
template <cpu_backend On, class T>
[[nodiscard]] index_t pixels_to_join(const On& on, const conv_pass<T>& a, const conv2d_prepared& made, double cycles) {
  const bool requested = a.algorithm == conv_algorithm::joined;
  if (!requested && (a.algorithm != conv_algorithm::automatic || kernels::replicates_a<T>(on.vectors()))) return 0;
  const index_t joined = likely_joined(on.vectors(), a);
  if (requested || joined == 0) return joined;
  conv2d_prepared other = made;
  other.joined = joined;
  if (exactly(cycles, std::numeric_limits<double>::infinity())) cycles = predicted_cycles(on, a, made);
  return predicted_cycles(on, a, other) < cycles ? joined : 0;
}

}  // namespace detail

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
