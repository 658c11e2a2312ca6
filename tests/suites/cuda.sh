#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# cuda.sh <bench_cuda>: checks its rows in each number format, with warm and cold caches. Each row has its roofline
# placement, or reports that the machine has no GPU.
set -euo pipefail
bench=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
complain() { echo "$*"; exit 1; }

"$bench" --benchmark_list_tests >names 2>err
has() { grep -q "^$1/min_warmup_time" names || complain "no row $1"; }
for numbers in cuda cuda.tf32 cuda.bf16; do
  has gemm/$numbers/nn/4096x4096x4096
  for pass in forward backward-data backward-weights; do has conv2d/$numbers/$pass/64x56x64x64x3x1; done
done
for row in map/cuda/{relu,bias_relu,tanh,softmax,softmax_cross_entropy}/16384x1024 {layer_norm/cuda/forward,layer_norm/cuda/backward}/16384x1024 \
  batch_norm/cuda/{forward,backward}/200704x64 max_pool2d/cuda/{forward,backward}/64x112x64x2x2; do
  has $row
  has $row/cold
done
for row in map/cuda/{sgd,adam}/1x100000000 dense/cuda/forward/1024x1024x1024 lstm/cuda/backward/128x64x1024x1024; do has $row; done
"$bench" --benchmark_filter='^(gemm/cuda/nn/512x|map/cuda/relu/16384x1024)' --benchmark_min_time=0.001 >rows 2>err
[ "$(grep -Ec 'no GPU: .|roof_percent' rows)" -eq 3 ] || { cat rows err; complain "three rows must have a placement or report that there is no GPU"; }
