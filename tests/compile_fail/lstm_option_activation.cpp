// SPDX-License-Identifier: MIT
// expect: the option is gate, not activation
#include <ridgepoint/ops/lstm.hpp>

namespace rp = ridgepoint;

int main() {
#ifdef FIXED
  const rp::lstm_options<float> options{.gate = rp::activation::hard_sigmoid};
#else
  const rp::lstm_options<float> options{.activation = rp::activation::hard_sigmoid};
#endif
  return options.gate == rp::activation::hard_sigmoid ? 0 : 1;
}
