// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <span>

/// Checks gradient(i) against the central difference of loss() in x[i], for every i.
///
/// x must be well inside the domain where loss is smooth. In double with a step of 1e-5 the difference is accurate to
/// about 1e-10.
template <class Loss>
void check_gradient(std::span<double> x, std::span<const double> gradient, const Loss& loss) {
  constexpr double step = 1e-5;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double before = x[i];
    x[i] = before + step;
    const double above = loss();
    x[i] = before - step;
    const double below = loss();
    x[i] = before;
    const double difference = (above - below) / (2 * step);
    CHECK_MESSAGE(std::abs(difference - gradient[i]) <= 1e-7 * (1 + std::abs(difference)),
                  "element " << i << ": gradient " << gradient[i] << ", difference quotient " << difference);
  }
}
