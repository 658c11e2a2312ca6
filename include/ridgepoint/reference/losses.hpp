// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <ridgepoint/ops/binary_cross_entropy.hpp>
#include <ridgepoint/ops/detection.hpp>
#include <ridgepoint/ops/mse.hpp>
#include <ridgepoint/ops/softmax.hpp>
#include <ridgepoint/ops/softmax_cross_entropy.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(i, j) ← e^(x(i, j) − max_i) / Σ_j e^(x(i, j) − max_i), summed in double.
template <scalar T>
void execute(const reference_backend&, const softmax_args<T>& s) {
  using std::exp;
  using wide = accumulator_t<T>;
  std::vector<wide> e(static_cast<std::size_t>(s.x.cols), wide(0));
  for (index_t i = 0; i < s.x.rows; ++i) {
    auto max = static_cast<wide>(-std::numeric_limits<double>::infinity());
    wide sum(0);
    for (index_t j = 0; j < s.x.cols; ++j)
      if (wide x = wide(s.x(i, j)); x > max) max = x;
    for (index_t j = 0; j < s.x.cols; ++j) {
      auto& e_j = e[static_cast<std::size_t>(j)];
      e_j = exp(wide(s.x(i, j)) - max);
      sum = sum + e_j;
    }
    const wide scale = wide(1) / sum;
    for (index_t j = 0; j < s.x.cols; ++j) s.y(i, j) = T(e[static_cast<std::size_t>(j)] * scale);
  }
}

/// loss ← mean_i max(y, 0) − y·t + ln(1 + e^−|y|), dy(i) ← weight·(σ(y) − t) / size, summed in double.
template <scalar T>
void execute(const reference_backend&, const binary_cross_entropy_args<T>& b) {
  using std::exp, std::log1p, std::abs;
  using wide = accumulator_t<T>;
  const auto scale = static_cast<wide>(b.weight / static_cast<double>(b.size));
  wide loss(0);
  std::uint32_t correct = 0;
  for (index_t i = 0; i < b.size; ++i) {
    const wide y(b.y[i]), t(b.target[i]);
    const bool positive = y > wide(0), is_one = t > wide(0.5);
    loss = loss + ((y < wide(0) ? wide(0) : y) - y * t + log1p(exp(-abs(y))));
    correct += positive == is_one ? 1 : 0;
    if (b.dy != nullptr) b.dy[i] = T(scale * (sigmoid(y) - t));
  }
  b.state->loss = static_cast<double>(loss) / static_cast<double>(b.size);
  b.state->correct = correct;
}

/// loss ← mean_i (y(i) − target(i))², dy(i) ← weight·(2/size)·(y(i) − target(i)), summed in double.
template <scalar T>
void execute(const reference_backend&, const mse_args<T>& m) {
  using wide = accumulator_t<T>;
  const auto scale = static_cast<wide>(2 * m.weight / static_cast<double>(m.size));
  wide loss(0);
  for (index_t i = 0; i < m.size; ++i) {
    const wide error = wide(m.y[i]) - wide(m.target[i]);
    loss = loss + error * error;
    if (m.dy != nullptr) m.dy[i] = T(scale * error);
  }
  m.state->loss = static_cast<double>(loss) / static_cast<double>(m.size);
  m.state->correct = 0;
}

/// loss ← mean_i ln Σ_j e^(x(i, j) − max_i) + max_i − x(i, label_i), summed in double,
/// dlogits(i, j) ← weight·(p(j) − [j = label_i]) / rows, over the rows whose label is not ignored; 0 for the others. A
/// label out of range makes the loss and the row of dlogits NaN.
template <scalar T>
void execute(const reference_backend&, const softmax_cross_entropy_args<T>& s) {
  using std::exp, std::log;
  using wide = accumulator_t<T>;
  const index_t rows = s.logits.rows, classes = s.logits.cols;
  index_t ignored = 0;
  for (index_t i = 0; i < rows; ++i) ignored += s.ignores(s.labels[i]) ? 1 : 0;
  const auto divisor = static_cast<double>(std::max<index_t>(rows - ignored, 1));
  const auto weight = static_cast<wide>(s.weight / divisor),
             nan = static_cast<wide>(std::numeric_limits<double>::quiet_NaN());
  std::vector<wide> e(static_cast<std::size_t>(classes), wide(0));
  wide loss(0);
  std::uint32_t correct = 0;
  for (index_t i = 0; i < rows; ++i) {
    const std::int32_t label = s.labels[i];
    if (s.ignores(label)) {
      for (index_t j = 0; j < classes && s.dlogits.data != nullptr; ++j) s.dlogits(i, j) = T(0.0);
      continue;
    }
    const bool known = label >= 0 && label < classes;
    auto max = static_cast<wide>(-std::numeric_limits<double>::infinity());
    wide sum(0);
    index_t best = 0;
    for (index_t j = 0; j < classes; ++j)
      if (wide x = wide(s.logits(i, j)); x > max) max = x, best = j;
    for (index_t j = 0; j < classes; ++j) {
      auto& e_j = e[static_cast<std::size_t>(j)];
      e_j = exp(wide(s.logits(i, j)) - max);
      sum = sum + e_j;
    }
    loss = loss + (log(sum) + (max - (known ? wide(s.logits(i, label)) : nan)));
    correct += known && best == label && exactly(wide(s.logits(i, label)), max) ? 1U : 0U;  // false if all are NaN
    if (s.dlogits.data == nullptr) continue;
    const wide scale = known ? weight / sum : nan;
    for (index_t j = 0; j < classes; ++j) {
      wide d = e[static_cast<std::size_t>(j)] * scale;
      if (j == label) d = d - weight;
      s.dlogits(i, j) = T(d);
    }
  }
  s.state->loss = static_cast<double>(loss) / divisor;
  s.state->correct = correct;
  s.state->ignored = static_cast<std::uint32_t>(ignored);
}

/// With z = y for a present class, else −y, and r = 1 − q = σ(−z): loss a·r²·l for l = max(−z, 0) + ln(1 + e^−|z|),
/// dy ← ∓weight·a·r²·(2·(1 − r)·l + r) / samples. For a box: h(b − t) and its derivative. Summed in double.
template <scalar T>
void execute(const reference_backend&, const detection_args<T>& d) {
  using std::abs, std::exp, std::log1p;
  using wide = accumulator_t<T>;
  const double scale = d.weight / static_cast<double>(d.samples);
  wide loss(0);
  std::uint32_t correct = 0;
  for (index_t i = 0; i < d.samples; ++i) {
    const index_t first = i * (d.logits + d.boxes);
    for (index_t j = first; j < first + d.logits; ++j) {
      const wide y(d.y[j]);
      const bool positive = y > wide(0), there = wide(d.target[j]) > wide(0.5);
      const wide z = there ? y : -y, r = sigmoid(-z), squared = r * r;
      const double a = there ? d.options.alpha : 1 - d.options.alpha;
      const wide l = (z < wide(0) ? -z : wide(0)) + log1p(exp(-abs(z)));
      loss = loss + wide(a) * squared * l;
      correct += positive == there ? 1 : 0;
      if (d.dy == nullptr) continue;
      const wide slope = squared * (wide(2) * (wide(1) - r) * l + r);
      d.dy[j] = T(wide(there ? -scale * a : scale * a) * slope);
    }
    for (index_t j = first + d.logits; j < first + d.logits + d.boxes; ++j) {
      const wide t(d.target[j]), delta = wide(d.options.delta), half_delta = wide(d.options.delta / 2);
      const bool wanted = exactly(t, t);
      const wide e = wanted ? wide(d.y[j]) - t : wide(d.y[j]) - wide(d.y[j]), size = abs(e);
      const wide square = wide(0.5) * e * e, line = delta * (size - half_delta);
      const bool beyond = size > delta;
      loss = loss + wide(d.options.box_weight) * (beyond ? line : square);
      if (d.dy == nullptr) continue;
      const bool below = e < wide(0);
      d.dy[j] = T(wide(scale * d.options.box_weight) * (!beyond ? e : below ? -delta : delta));
    }
  }
  d.state->loss = static_cast<double>(loss) / static_cast<double>(d.samples);
  d.state->correct = correct;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
