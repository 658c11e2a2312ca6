#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# ranks.sh MPIRUN-WORDS TOOL: `ridgepoint train` under mpirun: losses of one rank, checkpoints for any number of ranks,
# one rank's output, errors, and a rank that is killed.
set -euo pipefail
mpirun=$1 tool=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
small=(mnist-mlp --batch 64 --micro-batches 4 --threads 1 --evaluate epochs)
fail() { echo "$*"; for file in out err; do [ ! -s $file ] || cat $file; done; exit 1; }
ranks() { local count=$1; shift; timeout 200 $mpirun -np "$count" "$tool" train "$@" >out 2>err; }

"$tool" train "${small[@]}" --steps 30 --checkpoint of_1 >alone
for count in 1 2 4; do
  ranks $count "${small[@]}" --steps 30 --checkpoint of_$count || fail "$count ranks: failed"
  [ "$(grep -c 'epochs done' out)" = 1 ] || fail "$count ranks: one rank must print"
  diff <(sed -n 's/.* loss \([^ ]*\).*/\1/p' alone | head -n 1) <(sed -n 's/.* loss \([^ ]*\).*/\1/p' out | head -n 1) ||
    fail "$count ranks: the loss differs"
done
cmp of_1 of_4 || fail "the checkpoint of 4 ranks differs from that of 1"
grep -q "batch 64 of 4 ranks (mpi: " out || fail "the ranks are not named"
ranks 2 "${small[@]}" --steps 40 --resume of_4 --checkpoint resumed || fail "resuming failed"
"$tool" train "${small[@]}" --steps 40 --resume of_1 --checkpoint alone_resumed >alone
cmp resumed alone_resumed || fail "2 ranks that resume have other weights than 1"

expect() {                                                      # expect TEXT RANKS OPTION …
  local text=$1 code=0
  shift
  ranks "$@" || code=$?
  [ $code -ne 0 ] && [ $code -ne 124 ] || fail "$*: returned $code"
  grep -qF -- "$text" out err || fail "$*: the message lacks \"$text\""
}
expect "train: a batch of 64 for 3 ranks; must be a multiple" 3 mnist-mlp --batch 64 --threads 1 --steps 1
expect "train: --micro-batches is 5 for a batch of 64; must divide it" 2 mnist-mlp --batch 64 --micro-batches 5
expect "2 ranks with --backend cuda; must be cpu, onednn or reference" 2 mnist-mlp --backend cuda

# A rank that is killed at any moment ends all; the checkpoint is one that was complete.
ranks_of_this_test() {                                          # process numbers of the command's ranks
  local process
  for process in $(pgrep -x ridgepoint); do
    ! tr '\0' ' ' <"/proc/$process/cmdline" 2>/dev/null | grep -qF "$folder/run.checkpoint" || echo "$process"
  done
}
cp of_1 run.checkpoint
for delay in 0 0.7 1.5; do
  timeout 100 $mpirun -np 2 "$tool" train "${small[@]}" --epochs 50 --resume "$folder/run.checkpoint" \
    --checkpoint "$folder/run.checkpoint" --rank-timeout 5 >out 2>err &
  job=$! code=0
  until [ "$(ranks_of_this_test | wc -l)" -ge 2 ]; do sleep 0.05; done
  sleep $delay
  kill -9 "$(ranks_of_this_test | tail -n 1)"
  wait $job || code=$?
  [ $code -ne 0 ] && [ $code -ne 124 ] || fail "killed after $delay s: returned $code"
  "$tool" train "${small[@]}" --epochs 0 --resume run.checkpoint >out 2>err ||
    fail "killed after $delay s: the checkpoint is damaged"
done
echo "ranks train together"
