// SPDX-License-Identifier: MIT
// Tasks that are compared and benchmarked on a GPU, here on a fake one: results come from device memory and are
// correct.
#include "measurement/peers/device_task.hpp"

#include <doctest/doctest.h>

#include "cuda/fake_case.hpp"

TEST_CASE("cuda: problems of one op are correct on the device, with operands in its memory") {
  for (const char* const problem : {"gemm f32 tn 5 7 9",
                                    "gemm f64 nn 4 3 2",
                                    "dense f32 forward 4 5 6",
                                    "dense f32 backward-data 4 5 6",
                                    "dense f32 backward-weights 4 5 6",
                                    "conv2d f32 forward 2 6 3 4 3 1",
                                    "conv2d f32 backward-data 2 6 3 4 3 1",
                                    "conv2d f32 backward-weights 2 6 3 4 3 1",
                                    "max_pool2d f32 forward 1 6 3 2 2",
                                    "avg_pool2d f32 backward 1 6 3 2 2",
                                    "layer_norm f32 forward 6 8",
                                    "batch_norm f32 backward 6 8",
                                    "lstm f32 forward 3 2 4 5",
                                    "lstm f32 backward 3 2 4 5",
                                    "gru_reset_after f32 backward 3 2 4 5",
                                    "rnn f32 inference 3 2 4 5",
                                    "map f32 relu 4 9",
                                    "map f32 bias_relu 4 9",
                                    "map f32 softmax 4 9",
                                    "map f32 softmax_cross_entropy 5 9",
                                    "map f32 adam 1 50",
                                    "gemm bf16 tn 5 7 4000",
                                    "conv2d bf16 forward 2 6 3 4 3 1",
                                    "conv2d bf16 backward-data 2 6 3 4 3 1",
                                    "conv2d bf16 backward-weights 2 6 3 4 3 1"}) {
    CAPTURE(problem);
    const auto [task, receipt] = peer::on_device(fake_gpu(), peer::split(problem));
    CHECK(task.work > 0);
    CHECK(receipt.flop + receipt.bytes.total() > 0);
    const std::size_t sent = fake::bytes_from_host();
    task.run();
    task.finish();
    CHECK(fake::bytes_from_host() == sent);
    CHECK_NOTHROW(task.verify());
  }
  CHECK_THROWS_AS(static_cast<void>(peer::on_device(fake_gpu(), {"dense", "f32", "sideways", "1", "1", "1"})),
                  peer::not_available);
  CHECK_THROWS_AS(static_cast<void>(peer::on_device(fake_gpu(), {"juggle", "f32"})), peer::not_available);
}
