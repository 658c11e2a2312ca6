// SPDX-License-Identifier: MIT
// A TPU: a product in the numerics of its matrix unit, and the modelled time of a network on one core.
#include <iostream>

#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/models/mnist.hpp>
#include <ridgepoint/mxu/all.hpp>
#include <ridgepoint/mxu/chips.hpp>
#include <ridgepoint/study/modelled_graph.hpp>
#include <ridgepoint/study/modelled_profile.hpp>

namespace rp = ridgepoint;

int main() {
  const rp::mxu on(rp::cpu(1), rp::tpu::find_chip("v2"));  // bf16; computed on one thread of this CPU

  const float a[] = {1.01F, 100}, b[] = {1, 1};  // 1.01 enters the array as 1.0078125
  float c = 0;
  rp::gemm<float>(on, {a, 1, 2}, {b, 2, 1}, rp::matrix_view<float>(&c, 1, 1));
  std::cout << "1.01·1 + 100·1 = " << c << " on " << on.name() << "\n\n";

  using model = rp::models::mnist_mlp;
  rp::graph net("mnist-mlp");
  const rp::node logits = model::build(net);
  const auto made = rp::plan_training(net, logits, model::loss{}, model::optimiser{}, {.batch = model::batch});
  rp::tpu::modelled_step step = rp::modelled(on, made);  // one core; rp::modelled(on, made, 8): the board
  step.title = net.name();
  std::cout << rp::study::table(step);
  return c == 101.0078125F && step.utilisation() < 1 ? 0 : 1;
}

// Prints, among more:
//   1.01·1 + 100·1 = 101.008 on mxu.v2.bf16
//   modelled: mnist-mlp on TPU v2, 1 core, batch 128
//   layer                  times  pass              shape, per core         each      all   share  MXU used  bound
//   dense_2                    3  forward           128x512 * 512x512 relu  7.66   0.0230   0.924      38.2  hbm
//   dense_4                    3  backward-weights  512x128 * 128x512       7.66   0.0230   0.924      38.2  hbm
//   dense_5                    1  forward           128x512 * 512x10        3.50  0.00350   0.141      1.63  fill
//   wait for infeed               feed              128x784                          2.01    80.8            host
//   step                                                                             2.49     100      1.43
//   51459 samples/s; 1.45 % of the quoted 22.5 TFLOP/s
