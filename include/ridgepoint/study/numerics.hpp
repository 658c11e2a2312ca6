// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <ridgepoint/graph/host_batch.hpp>
#include <ridgepoint/graph/session.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Effect of another arithmetic on a trained classifier: its outputs on one backend against its outputs on another,
/// over a data set, with the same parameters. The error of an output is |got − expected|; NaN counts as infinite.
struct output_difference {
  index_t samples = 0;
  index_t expected_correct = 0, correct = 0;  // samples whose first largest output is the label's
  index_t changed = 0;                        // samples whose first largest output differs
  double largest_error = 0, mean_error = 0;
  double largest_output = 0;  // max |expected|: the reference for errors

  [[nodiscard]] double expected_accuracy() const noexcept { return share(expected_correct); }
  [[nodiscard]] double accuracy() const noexcept { return share(correct); }

 private:
  [[nodiscard]] double share(index_t part) const noexcept {
    return samples > 0 ? static_cast<double>(part) / static_cast<double>(samples) : 0;
  }
};

namespace detail {

/// Position of the first largest of n values.
template <class T>
[[nodiscard]] std::ptrdiff_t first_largest(const T* values, index_t n) {
  return std::max_element(values, values + n) - values;
}

/// Adds the samples of one batch.
template <class T>
void add_outputs(output_difference& d, double& error_sum, std::span<const std::int32_t> labels, const T* expected,
                 const T* got, index_t classes) {
  for (const std::int32_t label : labels) {
    const auto want = first_largest(expected, classes), is = first_largest(got, classes);
    ++d.samples;
    d.expected_correct += want == label ? 1 : 0;
    d.correct += is == label ? 1 : 0;
    d.changed += want == is ? 0 : 1;
    for (index_t j = 0; j < classes; ++j, ++expected, ++got) {
      const double error = std::abs(static_cast<double>(*got) - static_cast<double>(*expected));
      d.largest_error = (std::max)(d.largest_error, std::isnan(error) ? HUGE_VAL : error);
      d.largest_output = (std::max)(d.largest_output, std::abs(static_cast<double>(*expected)));
      error_sum += std::isnan(error) ? HUGE_VAL : error;
    }
  }
}

}  // namespace detail

/// Runs `output` of a classifier on both backends over all of `data`, `batch` samples at a time, with the parameters of
/// `trained`. `watch(done, of)` is called after every batch.
/// Throws: shape_error, value_error if data and network do not fit; unsupported if a backend lacks an op.
/// Example:
///   const auto d = rp::compare_outputs<float>(net, logits, trainer, on, rp::mxu(on, chip), test);  // rp::cpu on
///   d.accuracy(), d.largest_error
template <scalar T, class Trained, backend Expected, backend Got>
[[nodiscard]] output_difference compare_outputs(const graph& net, const node& output, const Trained& trained,
                                                const Expected& expected_on, const Got& got_on, const dataset& data,
                                                index_t batch = 500,
                                                const std::function<void(index_t, index_t)>& watch = {}) {
  require<value_error>(batch >= 1, "compare_outputs: batch is ", batch, "; must be >= 1");
  const index_t classes = output.extents().size();
  output_difference total;
  double error_sum = 0;
  const auto compare = [&](index_t first, index_t size, index_t end) {
    auto expected = net.compile<T>(expected_on, output, {.batch = size});
    auto got = net.compile<T>(got_on, output, {.batch = size});
    expected.load(trained);
    got.load(trained);
    feeder<T> batches(data,
                      {.inputs = expected.answering().form().inputs, .targets = {{.classes = classes}}, .batch = size});
    std::vector<T> want(static_cast<std::size_t>(size * classes)), is(want.size());
    for (; first + size <= end; first += size) {
      batches.take(first, size);
      expected.run(batches.x(), want);
      got.run(batches.x(), is);
      detail::add_outputs(total, error_sum, batches.targets().ids(), want.data(), is.data(), classes);
      if (watch) watch(first + size, data.size());
    }
  };
  const index_t whole = data.size() / batch * batch;
  if (whole > 0) compare(0, batch, whole);
  if (whole < data.size()) compare(whole, data.size() - whole, data.size());
  if (total.samples > 0) total.mean_error = error_sum / static_cast<double>(total.samples * classes);
  return total;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
