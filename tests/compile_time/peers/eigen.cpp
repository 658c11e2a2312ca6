// SPDX-License-Identifier: MIT
// Smallest program with one product in Eigen: the baseline of the ratios.
#include <Eigen/Dense>

int main() {
  Eigen::MatrixXf x(2, 2), y(2, 2);
  x << 1, 2, 3, 4;
  y.noalias() = x * x;
  return static_cast<int>(y(0, 0));
}
