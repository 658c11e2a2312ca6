#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tool.sh <the ridgepoint command> <case>: what the command says and returns when something is wrong, or stops it.
set -euo pipefail
tool=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# expect <exit code> <text on stderr> <arguments…>
expect() {
  local want=$1 text=$2 code=0
  shift 2
  "$tool" "$@" >out 2>err || code=$?
  if [ $code -ne "$want" ] || ! grep -qF -- "$text" err; then
    printf '%s\nreturned %s; must be %s and say "%s":\n' "$*" $code "$want" "$text"
    cat out err
    exit 1
  fi
}
# A network, data and batch that take no time.
small=(mnist-mlp --batch 8 --threads 1)

help() {
  local command
  "$tool" --help >help
  for command in $(sed -n '/^Subcommands:/,/^$/s/^  \([a-z]\+\) .*/\1/p' help); do
    "$tool" "$command" --help | grep -q "$command" || { echo "$command --help fails"; exit 1; }
  done
}
wrong_usage() {
  expect 2 "subcommand is required"
  expect 2 "--help" no-such-command
  expect 2 "--no-such-option" machine --no-such-option
  expect 2 "no machine is called cray" machine --show cray
  expect 2 "mnist-mlp" train no-such-network
  expect 2 "must be one of: mnist-mlp" train paradnn-fc          # no digits fit it
  expect 2 "must be cpu, onednn or reference" train --backend abacus
}
wrong_files() {
  expect 2 "no such file" machine --show absent.json
  printf '{"schema": "something else"}' >odd.json
  expect 2 "odd.json" machine --show odd.json
  mkdir empty
  expect 2 "train-images-idx3-ubyte" train --data empty
  printf 'not a checkpoint' >odd.checkpoint
  expect 2 "odd.checkpoint" train "${small[@]}" --resume odd.checkpoint
}
wrong_output() {
  expect 2 "No such file or directory" machine --show v100 --json absent/v100.json
  expect 2 "No space left on device" machine --show v100 --json /dev/full
  expect 2 "No space left on device" train "${small[@]}" --checkpoint /dev/full --epochs 0
  mkdir v100.json
  expect 2 "is a directory" machine --show v100 --json v100.json
  [ -z "$(find . -name '*.tmp')" ] || { echo "a half-written file is left"; exit 1; }
  local command code
  for command in --help --version "machine --list" "machine --show v100"; do
    code=0
    "$tool" $command >/dev/full 2>err || code=$?
    [ $code -eq 2 ] && grep -qF "standard output: can not be written" err || { echo "$command to /dev/full returned $code"; exit 1; }
  done
  "$tool" machine --show v100 --json /dev/stdout >both           # the file must not replace what was printed
  "$tool" machine --show v100 --json v100_only.json >table
  cat table v100_only.json | cmp - both
}
absent_isa() {
  RIDGEPOINT_ISA=mmx expect 2 "must be scalar, sse4_2" train --epochs 0
  grep -q avx512vl /proc/cpuinfo || RIDGEPOINT_ISA=avx512 expect 3 "avx512" train --epochs 0
}
# SIGINT in the middle of an epoch: exit code 130, and a checkpoint from which training goes on where it stopped.
interrupt() {
  "$tool" train "${small[@]}" --epochs 0 >/dev/null                                     # draws the digits
  "$tool" train "${small[@]}" --checkpoint run.checkpoint >out 2>err &
  local process=$! code=0
  until [ -s run.checkpoint ]; do sleep 0.1; done
  sleep 1
  kill -INT $process
  wait $process || code=$?
  grep -q "interrupted after step [1-9]" err && [ $code -eq 130 ] || { echo "returned $code"; cat out err; exit 1; }
  [ -z "$(find . -name '*.tmp')" ] || { echo "a half-written file is left"; exit 1; }
  "$tool" train "${small[@]}" --resume run.checkpoint --epochs 0 >out
  grep -q "0 of 0 epochs done" out
}
# SIGINT while the network is evaluated, that is, right after the checkpoint of an epoch, counts like any other.
interrupt_evaluation() {
  "$tool" train --threads 1 --epochs 0 >/dev/null                                       # draws the digits
  touch drawn
  local process code=0
  "$tool" train --threads 1 --epochs 3 --checkpoint run.checkpoint >out 2>err &
  process=$!
  until [ run.checkpoint -nt drawn ]; do sleep 0.02; done
  touch started
  until [ run.checkpoint -nt started ]; do sleep 0.02; done
  kill -INT $process
  wait $process || code=$?
  grep -q "interrupted after step" err && [ $code -eq 130 ] || { echo "returned $code"; cat out err; exit 1; }
}
# Every implementation against every other, on a product that takes no time.
versus() {
  printf 'm,n,k\n16,16,16\n33,47,65\n' >shapes.csv
  "$tool" versus gemm --shapes shapes.csv --rounds 1 --json versus.json >out 2>err || { cat out err; exit 1; }
  grep -q '"geomean"' versus.json && grep -q '"best_peer"' versus.json && grep -q '"cpu_model"' versus.json

  local peer                                                     # one that does not start must not stop the others
  mkdir peers
  for peer in "${tool%/*}"/peer_*; do ln -s "$peer" peers/; done
  rm peers/peer_openblas
  printf '#!/bin/sh\nexit 1\n' >peers/peer_openblas
  chmod +x peers/peer_openblas
  expect 0 "openblas: peer_openblas: can not be run here" versus gemm --shape 16,16,16 --rounds 1 --peers peers
}
# What the network learns in its usual five epochs on the synthetic digits.
train_accuracy() {
  "$tool" train mnist-mlp --epochs 5 >out 2>err || { cat out err; exit 1; }
  awk '/test accuracy/ { epochs++; for (i = 1; i < NF; ++i) if ($i == "accuracy") last = $(i + 1) }
       END { exit !(epochs == 5 && last >= 97) }' out || { cat out; exit 1; }
}
# The number formats of a TPU's array: a report on the test set, and a file that is whole or not there.
mxu_accuracy() {
  "$tool" mxu accuracy mnist-mlp --epochs 0 --steps 2 --format bf16 --threads 2 --json accuracy.json >out 2>err || { cat out err; exit 1; }
  grep -q "bf16 on the MXU" out && grep -q '"changed_predictions"' accuracy.json
  expect 2 "must be bf16, int8 or fp32" mxu accuracy --format fp8
  expect 2 "no chip is called v9" mxu accuracy --chip v9
  expect 2 "model is" mxu accuracy no-such-network
}

"$2"
