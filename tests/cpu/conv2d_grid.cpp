// SPDX-License-Identifier: MIT
// Compares every algorithm of every pass of conv2d on every convolution of a grid (support/conv2d_grid.hpp) with the
// definition in double, which runs once for all algorithms.
#include <ridgepoint/cpu/conv2d.hpp>

#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "support/conv2d_grid.hpp"
#include "support/cpu_copies.hpp"
#include "support/winograd_bound.hpp"

namespace rp = ridgepoint;
using namespace winograd_bound;
using rp::conv_algorithm;

namespace {

/// Memory that ends at an inaccessible page. of(size) returns its last `size` elements.
template <class T>
class last_elements {
 public:
  explicit last_elements(std::ptrdiff_t most) : all_(most, placement_in_page::at_the_end) {}
  [[nodiscard]] T* of(std::size_t size) const {
    rp::require<rp::value_error>(size + spare <= all_.size(), "conv2d_grid: ", size, " elements; must be ",
                                 all_.size() - spare, " at most");
    return all_.data() + all_.size() - size;
  }
  /// Fills the last `size` elements, and some before them, with NaN.
  void spoil(std::size_t size) const {
    std::fill_n(of(size) - spare, size + spare, std::numeric_limits<T>::quiet_NaN());
  }
  /// Returns whether the elements before the last `size` are unchanged since spoil().
  [[nodiscard]] bool is_whole(std::size_t size) const {
    return std::all_of(of(size) - spare, of(size), [](T value) { return std::isnan(value); });
  }

 private:
  static constexpr std::size_t spare = 16;
  guarded_vector<T> all_;
};

constexpr index_t most_elements = 1 << 16;

/// Operands and results of all passes of a convolution.
template <class S>
struct pass_tensors {
  const S *x, *w, *bias, *residual, *dy;
  S *y, *dx, *dw, *db;
};
/// Memory of the operands, whose values T represents exactly, and of the results.
template <class S, class T>
struct pass_memory {
  last_elements<S> x{most_elements}, w{most_elements}, bias{most_elements}, residual{most_elements}, dy{most_elements},
      y{most_elements}, dx{most_elements}, dw{most_elements}, db{most_elements};

  pass_memory() {
    std::uint64_t seed = 0;
    for (const last_elements<S>* values : {&x, &w, &bias, &residual, &dy}) {
      rp::random_stream random(++seed);
      constexpr std::size_t size = most_elements / 2;
      std::generate_n(values->of(size), size, [&] { return static_cast<S>(static_cast<T>(random.uniform(-2, 2))); });
    }
  }
  [[nodiscard]] pass_tensors<S> of(const rp::conv2d_geometry& g) const {
    const auto input = static_cast<std::size_t>(g.input_size()), output = static_cast<std::size_t>(g.output_size()),
               filter = static_cast<std::size_t>(g.filter_size()), f = static_cast<std::size_t>(g.f);
    return {x.of(input),  w.of(filter),  bias.of(f), residual.of(output), dy.of(output), y.of(output),
            dx.of(input), dw.of(filter), db.of(f)};
  }
};

/// Convolution of the grid with its epilogue.
struct grid_case {
  rp::conv2d_geometry g;
  rp::activation act = rp::activation::none;
  bool biased = false, residual = false;

  template <class S>
  [[nodiscard]] auto forward(const pass_tensors<S>& at, conv_algorithm algorithm) const {
    return rp::conv2d_args<S>{.geometry = g,
                              .x = at.x,
                              .w = at.w,
                              .bias = biased ? at.bias : nullptr,
                              .y = at.y,
                              .act = act,
                              .algorithm = algorithm,
                              .residual = residual ? at.residual : nullptr,
                              .slope = 0.125};
  }
  template <class S>
  [[nodiscard]] auto backward_data(const pass_tensors<S>& at, conv_algorithm algorithm) const {
    return rp::conv2d_backward_data_args<S>{.geometry = g, .dy = at.dy, .w = at.w, .dx = at.dx, .algorithm = algorithm};
  }
  template <class S>
  [[nodiscard]] auto backward_weights(const pass_tensors<S>& at, conv_algorithm algorithm) const {
    return rp::conv2d_backward_weights_args<S>{
        .geometry = g, .x = at.x, .dy = at.dy, .dw = at.dw, .db = biased ? at.db : nullptr, .algorithm = algorithm};
  }
};

/// Error bound of a sum of n products, a bias and a residual in any order, followed by an activation.
template <class T>
[[nodiscard]] double direct_bound(index_t n) {
  return gamma<T>(n + 4) * static_cast<double>(4 * n + 4) + 8 * bounded<T>::u * special_ulp;
}
/// Condition number of the transforms of `algorithm` for taps × taps filters; 0 if it has no transforms.
[[nodiscard]] double condition(std::string_view algorithm, index_t taps, gives what) {
  using key = std::tuple<std::string_view, index_t, gives>;
  static const std::map<key, double> all = [] {
    std::map<key, double> conditions;
    for (const way& by : ways)
      for (const gives each : {gives::image, gives::filter})
        conditions[{by.name(), by.taps, each}] = by.condition(each);
    return conditions;
  }();
  return algorithm.starts_with("winograd") ? all.at({algorithm, taps, what}) : 0;
}

/// Walks the grid, shape by shape, cycling through activation, bias, residual, constant filters and threads.
template <class T>
class grid_walk {
 public:
  void operator()(const rp::conv2d_geometry& g) {
    constexpr rp::activation acts[] = {rp::activation::none, rp::activation::relu, rp::activation::leaky_relu,
                                       rp::activation::relu6, rp::activation::tanh};
    const grid_case at{.g = g, .act = acts[walked_ % 5], .biased = walked_ % 3 != 0, .residual = walked_ % 4 == 1};
    on_ = tested_cpu(walked_ % 32 == 0 ? 2 : 1);
    keeps_filter_ = walked_ % 2 == 0;
    ++walked_;
    const pass_tensors<double> exact = exact_.of(g);
    execute(rp::reference, at.forward(exact, conv_algorithm::automatic));
    execute(rp::reference, at.backward_data(exact, conv_algorithm::automatic));
    execute(rp::reference, at.backward_weights(exact, conv_algorithm::automatic));
    const pass_tensors<T> ours = ours_.of(g);
    const auto input = static_cast<std::size_t>(g.input_size()), output = static_cast<std::size_t>(g.output_size()),
               filter = static_cast<std::size_t>(g.filter_size()),
               biases = at.biased ? static_cast<std::size_t>(g.f) : 0;
    const index_t taps = g.kh * g.kw, pixels = g.n * g.oh() * g.ow();
    for (const conv_algorithm algorithm : algorithms) {
      if (rp::is_winograd(algorithm) && !(rp::detail::winograd_element<T> && rp::winograd_takes(algorithm, g)))
        continue;
      const auto check = [&](const char* result, const last_elements<T>& got, const last_elements<double>& want,
                             std::size_t size, double bound) {
        if (agrees(got, want, size, bound)) return;
        FAIL_CHECK(result << " of " << to_string(g) << " padded by " << g.padding.top << ' ' << g.padding.bottom << ' '
                          << g.padding.left << ' ' << g.padding.right << ", " << rp::to_string(at.act) << ", algorithm "
                          << static_cast<int>(algorithm) << ": " << algorithm_);
      };
      const auto tiles_of = [&] {
        const index_t results = algorithm_ == "winograd 4x4" ? 4 : 2;
        return g.n * rp::ceil_div(g.oh(), results) * rp::ceil_div(g.ow(), results);
      };
      const auto bound = [&](index_t products, index_t sum, gives what) {
        return direct_bound<T>(products) + way::bound(sum, condition(algorithm_, g.kh, what));
      };
      ours_.y.spoil(output);
      run(at.forward(ours, algorithm));
      check("y", ours_.y, exact_.y, output, bound(taps * g.group_c(), g.group_c(), gives::image));
      ours_.dx.spoil(input);
      run(at.backward_data(ours, algorithm));
      check("dx", ours_.dx, exact_.dx, input, bound(taps * g.group_f(), g.group_f(), gives::image));
      ours_.dw.spoil(filter), ours_.db.spoil(biases);
      run(at.backward_weights(ours, algorithm));
      check("dw", ours_.dw, exact_.dw, filter, bound(pixels, tiles_of(), gives::filter));
      check("db", ours_.db, exact_.db, biases, direct_bound<T>(pixels));
    }
  }
  [[nodiscard]] index_t walked() const { return walked_; }
  /// Returns the number of passes computed by an algorithm.
  [[nodiscard]] index_t runs_by(std::string_view algorithm) const {
    const auto found = runs_.find(algorithm);
    return found == runs_.end() ? 0 : found->second;
  }

 private:
  static constexpr conv_algorithm algorithms[] = {
      conv_algorithm::automatic, conv_algorithm::exact,        conv_algorithm::segments,
      conv_algorithm::patches,   conv_algorithm::joined,       conv_algorithm::dots,
      conv_algorithm::winograd,  conv_algorithm::winograd_2x2, conv_algorithm::winograd_4x4};

  /// Runs a prepared pass in exactly the workspace that it reports, filled with garbage.
  template <class Args>
  void run(const Args& a) {
    rp::prepare_options options;
    if constexpr (requires { a.w; })
      if (keeps_filter_) options = {.constant = a.w, .constant_bytes = 1};
    const auto made = prepare(on_, a, options);
    const auto dirty = [](const last_elements<std::byte>& memory, std::size_t bytes) {
      return std::fill_n(memory.of(bytes), bytes, std::byte{0xff}) - bytes;
    };
    std::byte *const workspace = dirty(workspace_, made.info.workspace_bytes), *const constants =
                                                                                   dirty(constants_,
                                                                                         made.info.constant_bytes);
    if (made.info.constant_bytes != 0) make_constants(on_, made, a, constants);
    execute(on_, made, a, {.workspace = workspace, .constants = constants});
    algorithm_ = made.info.algorithm;
    ++runs_[algorithm_];
  }
  [[nodiscard]] static bool agrees(const last_elements<T>& got, const last_elements<double>& want, std::size_t size,
                                   double bound) {
    const T* const values = got.of(size);
    const double* const exact = want.of(size);
    int close = 1;
    for (std::size_t i = 0; i < size; ++i)
      close &= static_cast<int>(std::abs(static_cast<double>(values[i]) - exact[i]) <= bound);
    return close != 0 && got.is_whole(size);
  }

  pass_memory<double, T> exact_;
  pass_memory<T, T> ours_;
  last_elements<std::byte> workspace_{1 << 24}, constants_{1 << 24};
  std::map<std::string_view, index_t> runs_;
  std::string_view algorithm_;
  tested_cpu on_;
  bool keeps_filter_ = false;
  index_t walked_ = 0;
};

}  // namespace

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__
#endif
#endif
namespace {
#if defined(__SANITIZE_ADDRESS__)
constexpr index_t every = 25;  // walks every 25th shape, since each is many times slower
#else
constexpr index_t every = 1;
#endif
}  // namespace

TEST_CASE("all algorithms of all passes of conv2d agree with the definition on a grid of more than 20,000 shapes") {
  grid_walk<float> walk;
  std::vector<std::string> shapes;
  conv2d_grid::for_each([&](const rp::conv2d_geometry& g) {
    if (std::ssize(shapes) % every == 0) walk(g);
    const rp::padding2d& p = g.padding;
    shapes.push_back(rp::concat(to_string(g), ' ', p.top, p.bottom, p.left, p.right));
  });
  std::ranges::sort(shapes);
  shapes.erase(std::unique(shapes.begin(), shapes.end()), shapes.end());
  CHECK(shapes.size() >= 20'000);
  for (const char* algorithm :
       {"product", "segments", "patches", "joined", "dots", "depthwise", "winograd 2x2", "winograd 4x4"}) {
    CAPTURE(algorithm);
    CHECK(walk.runs_by(algorithm) >= 1'000 / every);
  }
}
TEST_CASE("all algorithms of all passes of conv2d in double agree with the definition on a part of the grid") {
  grid_walk<double> walk;
  index_t number = 0;
  conv2d_grid::for_each([&](const rp::conv2d_geometry& g) {
    if (number++ % (11 * every) == 0) walk(g);
  });
  CHECK(walk.walked() >= 1'900 / every);
}
