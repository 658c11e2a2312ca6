#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tool.sh <the ridgepoint command> <case> <an instruction set it has> [<C++ compiler>]: checks the command's output and
# exit code when something is wrong, or stops it.
set -euo pipefail
tool=$1 isa=$3 compiler=${4-} tests=$(dirname "$(readlink -f "$0")")
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
# As expect, in one line, and before anything is measured or printed.
expect_early() {
  expect "$@"
  ! grep -q measuring err && [ ! -s out ] || { echo "$*: worked first"; cat out err; exit 1; }
  [ "$(wc -l <err)" -eq 1 ] || { echo "$*: must say it in one line"; cat err; exit 1; }
}
# has <file> <text…>
has() {
  local file=$1 text
  shift
  for text; do grep -qF -- "$text" "$file" || { echo "$file must have: $text"; cat "$file"; exit 1; }; done
}
no_litter() {
  [ -z "$(find . -name '*.tmp')" ] || { echo "a half-written file is left"; exit 1; }
}
# A network, data and batch that take no time.
small=(mnist-mlp --batch 8 --threads 1)

# The commands that a page of help lists.
listed() { sed -n '/^Subcommands:/,/^$/s/^  \([a-z]\+\) .*/\1/p' "$1"; }
help() {
  local command nested
  "$tool" --help >help
  has help "Simulate a TPU's matrix unit" "Refit the constants" "Compare the CPU, GPU or TPU model"
  for command in "" $(listed help); do
    "$tool" $command --help >group || { echo "$command --help fails"; exit 1; }
    for nested in "" $(listed group); do
      "$tool" $command $nested --help >out || { echo "$command $nested --help fails"; exit 1; }
      has out "$command" "$nested"
      ! LC_ALL=C.UTF-8 awk 'length > 100' out | grep . || { echo "$command $nested --help exceeds 100 columns"; exit 1; }
    done
  done
}
wrong_usage() {
  expect 2 "subcommand is required"
  expect 2 "no command is called rooflin; must be one of bench, calibrate, compare, cost, flags, machine, merge, models, mxu, replay, report, roofline, " rooflin --steps 3
  expect 2 "no command of mxu is called no-such-command; must be one of " mxu no-such-command
  expect 2 "validate (did you mean roofline?); see ridgepoint --help" Rooflin
  expect 2 "(did you mean mnist-mlp?)" models mnist-mpl
  expect 2 "(did you mean mnist-mlp?)" train mnist-mpl
  expect 2 "(did you mean resnet-50?)" roofline RESNET50
  expect 2 "(did you mean pytorch?); see ridgepoint bench gemm --help" bench gemm --against pytroch
  expect 2 "(did you mean gemm?); see ridgepoint bench --help" bench gem
  expect 2 "(did you mean tpu-v3?)" roofline --on tpu_v3
  expect 2 "; see ridgepoint train --help" train --no-such-option
  expect 2 "; see ridgepoint mxu trace --help" mxu trace --m x
  expect 2 "--help" no-such-command
  expect 2 "--no-such-option" machine --no-such-option
  expect 2 "no machine is called cray" machine --show cray
  expect_early 2 "excludes" machine --list --isa avx2
  expect_early 2 "excludes" machine --list --threads 1
  expect_early 2 "excludes" machine --gpu --isa avx2
  expect_early 2 "excludes" machine --gpu --threads 1
  expect 2 "mnist-mlp" train no-such-network
  expect 2 "densenet-121, vgg-16, retinanet, paradnn-fc, paradnn-cnn, paradnn-rnn" train no-such-network
  expect 2 "lstm-text-generation, text-generator-keras" roofline no-such-network
  expect_early 2 'imdb-fasttext: has no option "width"; must be one of: vocabulary, length, ngrams' train imdb-fasttext --set width=2
  expect_early 2 "imdb-fasttext: ngrams is 3; must be 1 or 2" roofline imdb-fasttext --set ngrams=3
  expect_early 2 "paradnn-gru learns from noise; . must not be given" train paradnn-gru --data .
  expect_early 2 "train: mnist-mlp writes no text; --sample needs lstm-text-generation" train --sample 9
  expect_early 2 "avg_pool: height is 4 with its padding but the window reaches 7" train paradnn-cnn --set pixels=100
  expect_early 2 "the window reaches 7" roofline paradnn-cnn --set pixels=192
  expect_early 2 "group 2 has 0 blocks" train paradnn-cnn --set blocks2=0
  expect_early 2 'paradnn-fc: has no option "pixels"; must be one of: layers' roofline paradnn-fc --set pixels=200
  expect_early 2 'mnist-mlp: has no option "blocks"; it has none' train --set blocks=2
  expect_early 2 "paradnn-cnn learns from noise; . must not be given" train paradnn-cnn --data .
  expect 2 "--algorithm" train --algorithm fastest
  expect 2 "--optimizer" roofline --optimizer newton
  expect 2 "--precision" train --precision f8
  expect 2 "must be one of: mnist-mlp, mnist-cnn, keras-mnist-mlp, keras-mnist-cnn" mxu accuracy resnet-32
  expect 2 "must be cpu, cuda, onednn or reference" train --backend abacus
  [ -e /dev/nvidiactl ] || expect_early 3 "cuda: no GPU: " train --backend cuda
  [ -e /dev/nvidiactl ] || expect_early 3 "cuda: no GPU: " roofline resnet-32 --precision bf16 --backend cuda
  expect_early 2 "must be one of: mnist-mlp" roofline no-such-network
  [ ! -e data ] || { echo "drew digits for a rejected network"; exit 1; }
  expect_early 2 "must be cpu, cuda, onednn or reference" roofline --backend abacus
  expect_early 2 "paradnn-cnn: bottleneck is 2; must be 0 or 1" train paradnn-cnn --set bottleneck=2
  expect 2 "--steps: is 0; must be an integer from 1 to 18446744073709551615" train --steps 0
  expect 2 "--steps: is 18446744073709551616; must be" train --steps 18446744073709551616
  expect 2 "--minutes: is nan; must be a number from 0 to 10000" flags --minutes nan
  local seed
  for seed in -1 12345678901234567890123 1.5; do
    expect 2 "--seed: is $seed; must be an integer from 0 to 18446744073709551615" train --seed "$seed"
  done
}
# Former names of commands print the new spelling and run nothing.
old_names() {
  expect_early 2 "this command has a new name; call ridgepoint bench gemm --random 3" versus gemm --random 3
  expect_early 2 "this command has a new name; call ridgepoint validate tpu --data ." tpu validate --data .
  expect_early 2 "this command has a new name; call ridgepoint calibrate gpu --help" GPU calibrate --help
  expect_early 2 "this command has a new name; call ridgepoint sweep cnn --on tpu-v2" tpu sweep cnn --quick
  expect_early 2 "call ridgepoint sweep fc --on tpu-v2" tpu sweep --quick
  expect_early 2 "this command has a new name; call ridgepoint roofline resnet-50 --on tpu-v2" tpu resnet-50 --chip v3
  expect_early 2 "this command has a new name; call ridgepoint roofline NETWORK --on v100" Gpu --help
  expect_early 2 "this command has a new name; call ridgepoint roofline mnist-cnn --on host,h200,tpu-v3" chart mnist-cnn
}
# Every numeric option of every command accepts only decimal numbers in its range.
numbers() {
  local command option wrong options=0
  for command in compare cost flags machine models roofline train "mxu accuracy" "mxu trace" sweep "bench gemm" "bench map" "bench mlp" "bench network" "bench conv" "bench rnn" "bench pool" "bench norm"; do
    "$tool" $command --help >help
    for option in $(sed -nE 's/^  (--[a-z0-9-]+) (INT|UINT|FLOAT)([ :=].*)?$/\1/p' help); do
      options=$((options + 1))
      for wrong in -1 0x10 010 +1 1x nan 99999999999999999999999; do
        expect_early 2 "$option: is $wrong; must be a" $command "$option" "$wrong"
      done
    done
  done
  [ $options -ge 60 ] || { echo "only $options numeric options"; exit 1; }
}
# Names of commands, networks, machines and peers are case-insensitive.
any_case() {
  local row lower upper
  for row in "roofline mnist-mlp --on v3:Roofline MNIST-MLP --on V3" "roofline mnist-mlp --on v100 --precision f32:ROOFLINE Mnist-Mlp --on V100 --precision F32" \
    "roofline mnist-mlp --on tpu-v3,v100:Roofline MNIST-mlp --on TPU-V3,V100"; do
    read -ra lower <<<"${row%:*}" && read -ra upper <<<"${row#*:}"
    "$tool" "${lower[@]}" >lower.out
    "$tool" "${upper[@]}" >upper.out
    cmp lower.out upper.out
  done
  "$tool" train "${small[@]}" --seed 7 --steps 1 >out
  "$tool" train MNIST-MLP "${small[@]:1}" --backend CPU --seed 7 --steps 1 >out
  expect 2 "must be one of: mnist-mlp" train MNIST-MPL
  expect 2 "absent: no such directory" bench gemm --against OpenBLAS --peers absent
}
# Eight black images of 2x2 pixels, in MNIST's four files.
tiny_digits() {
  local part
  mkdir tiny
  for part in train t10k; do
    { printf '\0\0\10\3\0\0\0\10\0\0\0\2\0\0\0\2'; head -c 32 /dev/zero; } >tiny/$part-images-idx3-ubyte
    { printf '\0\0\10\1\0\0\0\10'; head -c 8 /dev/zero; } >tiny/$part-labels-idx1-ubyte
  done
}
wrong_files() {
  expect 2 "no such file" machine --show absent.json
  printf '{"schema": "something else"}' >odd.json
  expect 2 "odd.json" machine --show odd.json
  "$tool" machine --show v100 --json v100.json >out
  sed 's/"threads": 0/"threads": 9999999/' v100.json >threads.json
  expect 2 "threads.json: ceilings[0].threads is 9999999" machine --show threads.json
  sed 's/"name": "v100"/"name": ""/' v100.json >nameless.json
  expect 2 "nameless.json: machine: the name is empty" machine --show nameless.json
  mkdir empty
  expect 2 "train-images-idx3-ubyte" train --data empty
  expect_early 2 "train-images-idx3-ubyte" roofline --data empty
  expect 2 "data_batch_1.bin" train resnet-32 --data empty
  expect_early 2 "data_batch_1.bin" roofline cifar10-cnn --data empty
  tiny_digits
  expect_early 2 "must have at least a batch of 128" roofline --data tiny
  printf 'not a checkpoint' >odd.checkpoint
  expect 2 "odd.checkpoint" train "${small[@]}" --resume odd.checkpoint
}
# Tables of shapes: by column names; otherwise rejected with file and line before anything is measured.
wrong_tables() {
  local head shape
  for head in m,m,k 64,32,16 m,n,K; do
    printf "$head\n16,64,32\n" >shapes.csv
    expect_early 2 "shapes.csv: line 1 has " bench gemm --shapes shapes.csv
  done
  for shape in 0 -1 1e3 "" 0x10 064; do
    printf "m,n,k\n1,2,3\n4,$shape,6\n" >shapes.csv
    expect_early 2 "shapes.csv: line 3, column n is \"$shape\"; must be a positive integer" bench gemm --shapes shapes.csv
  done
  printf 'op,cols\ntanh,64\n' >shapes.csv
  expect_early 2 "shapes.csv: line 1 has no column rows; found op,cols" bench map --shapes shapes.csv
}
# No output overwrites an input or another output, under any name.
same_files() {
  local other twice="would replace"
  benchmark_json 10 >a.json
  cp a.json b.json
  mkdir runs
  cp a.json runs/1.json
  ln -s a.json link.json
  ln a.json hard.json
  for other in a.json ./a.json "$PWD/a.json" link.json hard.json b.json; do
    expect_early 2 "$other would replace what is read from " compare a.json b.json --json "$other"
  done
  expect_early 2 "$twice" compare runs b.json --json runs/1.json
  cmp a.json b.json
  "$tool" machine --show v100 --json v100.json >/dev/null
  expect_early 2 "$twice what is read from v100.json" machine --show v100.json --json ./v100.json
  cp v100.json roofline.json
  expect_early 2 "write: ./roofline.json would replace what is read from roofline.json" roofline --on h200,roofline.json
  mkdir -p stored linked data/digits include project
  for other in train-images-idx3-ubyte train-labels-idx1-ubyte; do : >stored/$other && ln -s "$PWD/stored/$other" linked/; done
  : >data/digits/train-images-idx3-ubyte >include/one.hpp >project/CMakeLists.txt >fake-c++ >bench.cpp
  for other in linked stored; do
    expect_early 2 "$twice what is read from linked" train --data linked --checkpoint $other/train-images-idx3-ubyte
  done
  expect_early 2 "$twice what is read from data" train --checkpoint data/digits/train-images-idx3-ubyte
  expect_early 2 "$twice what is read from ./fake-c++" flags --source bench.cpp --compiler ./fake-c++ --json fake-c++
  expect_early 2 "$twice what is read from include" flags --source bench.cpp --include include --json include/one.hpp
  expect_early 2 "$twice what is read from project" flags --target x --project project --html project/CMakeLists.txt
  ln -s new dangling
  for other in x ./x "$PWD/x"; do expect_early 2 "$twice x of the same command" train --checkpoint x --html "$other"; done
  expect_early 2 "$twice new of the same command" train --checkpoint new --html dangling
  expect_early 2 "$twice x of the same command" machine --show tpu-v2 --json x --chip ./x
  expect_early 2 "$twice x of the same command" mxu trace --svg x --html x
  "$tool" machine --show tpu-v2 --chip v2.json >/dev/null
  tiny_digits
  expect_early 2 "$twice what is read from tiny" train --data tiny --batch 8 --checkpoint tiny/train-images-idx3-ubyte
  expect_early 2 "$twice what is read from v2.json" mxu accuracy --checkpoint v2.json --json v2.json
  printf 'm,n,k\n1,2,3\n' >shapes.csv
  expect_early 2 "$twice what is read from shapes.csv" bench gemm --shapes shapes.csv --json shapes.csv
  printf 'int main() {}\n' >bench.cpp
  expect_early 2 "$twice what is read from bench.cpp" flags --source bench.cpp --html bench.cpp
  expect_early 2 "$twice x of the same command" flags --source bench.cpp --json x --html x
  no_litter
}
# Missing inputs are wrong usage.
absent_inputs() {
  local command
  for command in "validate gpu" "calibrate gpu" "validate tpu" "calibrate tpu" train roofline "mxu accuracy"; do
    expect_early 2 "--data: is absent: no such" $command --data absent
  done
  expect_early 2 "--resume: is absent: no such" train --resume absent
  expect_early 2 "--checkpoint: is absent: no such" mxu accuracy --checkpoint absent
  expect_early 2 "--peers: is absent: no such directory; must exist" bench gemm --peers absent
  expect_early 2 "--include: is absent: no such directory; must exist" flags --include absent
  expect_early 2 "absent: has no CMakeLists.txt" flags --target x --project absent
  expect_early 2 "absent.json: no such file" roofline --on absent.json
  expect_early 2 "absent.json: no such file" sweep fc --on absent.json
  expect_early 2 "validate: . has no paradnn_gpu_fc.csv; --only fc-steps must have it" validate gpu --data . --only fc-steps
  echo >file
  expect_early 2 "--data: is file: no such directory; must exist" validate gpu --data file
  [ ! -e data ] || { echo "drew digits for a rejected command"; exit 1; }
}
wrong_output() {
  local command
  expect 2 "No such file or directory" machine --show v100 --json absent/v100.json
  expect 2 "No space left on device" machine --show v100 --json /dev/full
  expect 2 "No space left on device" train "${small[@]}" --checkpoint /dev/full --epochs 0
  expect_early 2 "No such file or directory" train "${small[@]}" --html absent/train.html
  mkdir v100.json
  expect 2 "is a directory" machine --show v100 --json v100.json
  expect_early 2 "No such file or directory" machine --json absent/machine.json
  expect_early 2 "No such file or directory" mxu trace --svg absent/trace.svg
  expect_early 2 "No such file or directory" mxu trace --html absent/trace.html
  expect_early 2 "No such file or directory" mxu accuracy --json absent/accuracy.json
  expect_early 2 "No such file or directory" validate tpu --data . --json absent/validate.json
  expect_early 2 "No such file or directory" calibrate tpu --data . --chip absent/v2.json
  mkdir -p taken/tpu_sweep_fc.vl.json taken/sweep_fc.html
  expect_early 2 "sweep_fc.html is a directory" sweep fc --on v100,tpu-v2 --out taken
  expect_early 2 "tpu_sweep_fc.vl.json is a directory" sweep fc --out taken
  expect_early 2 "No such file or directory" machine --show tpu-v2 --chip absent/v2.json
  expect_early 2 "No such file or directory" validate gpu --data . --json absent/validate.json
  mkdir -p taken/roofline.html
  for command in host tpu-v2 tpu-v2,v100; do expect_early 2 "roofline.html is a directory" roofline --on $command --out taken; done
  no_litter
  local code
  for command in --help --version "machine --list" "machine --show v100"; do
    code=0
    "$tool" $command >/dev/full 2>err || code=$?
    [ $code -eq 2 ] && grep -qF "standard output: cannot be written" err || { echo "$command to /dev/full returned $code"; exit 1; }
  done
  "$tool" machine --show v100 --json /dev/stdout >both           # the file must not replace what was printed
  "$tool" machine --show v100 --json v100_only.json >table
  cat table v100_only.json | cmp - both
}
learns() { "$tool" "$@" >out 2>err || { echo "$*: failed"; cat out err; exit 1; }; }
# Some black images in the folders digits and cifar.
black_images() {
  local part
  mkdir digits cifar
  for part in train t10k; do
    { printf '\0\0\10\3\0\0\0\20\0\0\0\34\0\0\0\34'; head -c $((16 * 784)) /dev/zero; } >digits/$part-images-idx3-ubyte
    { printf '\0\0\10\1\0\0\0\20'; head -c 16 /dev/zero; } >digits/$part-labels-idx1-ubyte
  done
  for part in data_batch_1 data_batch_2 data_batch_3 data_batch_4 data_batch_5 test_batch; do
    head -c $((4 * 3073)) /dev/zero >cifar/$part.bin
  done
}
# Every network on images of its size.
networks() {
  local model
  black_images
  for model in mnist-mlp mnist-cnn keras-mnist-mlp keras-mnist-cnn mnist-autoencoder; do
    learns train $model --data digits --batch 8 --epochs 1 --threads 1
    has out "$model on " "test loss"
  done
  ! grep accuracy out || { echo "an autoencoder has no accuracy"; exit 1; }
  for model in cifar10-cnn resnet-32; do
    learns train $model --data cifar --batch 4 --epochs 2 --threads 1 --checkpoint $model.checkpoint
    has out "$model on " "epoch 2/2" "test accuracy"
    [ "$(rows_with out 'test loss')" -eq 1 ] || { echo "$model: not evaluated once, at the end"; cat out; exit 1; }
    [ "$(nproc)" -eq 1 ] || grep -qE '^prefetched +[0-9.]+ s  of samples, by other threads$' out ||
      { echo "$model: a free core must prefetch batches"; cat out; exit 1; }
    learns train $model --data cifar --batch 4 --epochs 2 --resume $model.checkpoint
    has out "2 of 2 epochs done" "epoch 2/2  test loss"
  done
  learns train mnist-mlp --data digits --batch 8 --epochs 2 --threads 1 --html page.html --json history.json
  has page.html "test accuracy, %"
  [ "$(rows_with out 'test loss')" -eq 2 ] || { echo "a history needs each epoch's accuracy"; cat out; exit 1; }
  learns train mnist-mlp --data digits --batch 8 --epochs 2 --threads 1 --evaluate end --json end.json
  [ "$(rows_with end.json '"epoch":')" -eq 1 ] || { echo "an epoch without accuracy is in the history"; cat end.json; exit 1; }
  has history.json '"schema": "ridgepoint.training"' '"training": "mnist-mlp, batch 8"' '"epoch": 2' '"train_s": '
  "$tool" cost --batch 8 --on k80 --accuracy 0.01 --history history.json >out
  has out "batch 8, until a test accuracy of 0.01 as in history.json, epoch 1, "
  learns train resnet-32 --data cifar --batch 4 --steps 2 --threads 1 --algorithm winograd --optimizer adam --html page.html
  has out "memory of a step: " "saved activations" "pre-process" " %" "samples/s by one thread"
  has page.html "Steps per second" "vega-lite/v5.json" "steps/s" "memory of a step"
  local shaped=(--set blocks=1,blocks3=2,bottleneck=0,filters=4,pixels=193,outputs=12)
  learns train paradnn-cnn "${shaped[@]}" --batch 2 --steps 2 --threads 1 --checkpoint noise.checkpoint
  has out "paradnn-cnn blocks=1 blocks3=2 bottleneck=0 filters=4 outputs=12 pixels=193 on " "step 2  loss"
  learns train paradnn-cnn "${shaped[@]}" --batch 2 --steps 2 --threads 1 --resume noise.checkpoint
  learns roofline paradnn-cnn "${shaped[@]}" --batch 2 --steps 2 --threads 1 --out placed
  has out "avg_pool_1" "2x193x193x3" "memory of a step: " "saved activations"
  shaped[1]=blocks=1,blocks3=1,bottleneck=0,filters=4,pixels=193,outputs=12
  expect 2 "conv2d_12.w is 3x3x16x16; must be" train paradnn-cnn "${shaped[@]}" --batch 2 --resume noise.checkpoint
  learns train paradnn-fc --set layers=2,nodes=8,inputs=20,outputs=5 --batch 4 --steps 2 --threads 1
  learns train retinanet --data cifar --set pixels=32 --batch 1 --steps 1 --threads 1
  learns train mnist-mlp --data digits --batch 8 --steps 2 --threads 1 --precision bf16
  expect 3 "mnist-cnn needs conv2d<" train mnist-cnn --data digits --precision bf16
  expect 3 " does not have; must be another precision or backend" train mnist-mlp --data digits --precision f16
  learns train mnist-mlp --data digits --batch 8 --epochs 5 --steps 3 --threads 1 --checkpoint steps.checkpoint --json partial.json
  [ "$(rows_with partial.json '"epoch":')" -eq 1 ] || { echo "half an epoch is in the history"; cat partial.json; exit 1; }
  has out "epoch 1/5" "step 3  loss"
  ! grep -F "epoch 2/5" out || { echo "two steps were reported as a second epoch"; exit 1; }
  learns train mnist-mlp --data digits --batch 8 --epochs 5 --steps 3 --resume steps.checkpoint
  has out "1 of 5 epochs done"
  ! grep -F "loss" out || { echo "trained beyond --steps"; exit 1; }
}
# Networks of text on some lines and some reviews.
small_texts() {
  local i part
  for i in $(seq 40); do echo "the cat sat on the mat, the dog on the log"; done >text.txt
  for part in train test; do
    mkdir -p reviews/$part/{neg,pos}
    for i in 1 2 3 4; do
      echo "a good film, number $i" >reviews/$part/pos/$i.txt
      echo "a bad film, number $i" >reviews/$part/neg/$i.txt
    done
  done
}
texts() {
  small_texts
  local cell text=(--data text.txt --set length=10 --batch 8 --threads 1) reviews=(--data reviews --set length=6 --batch 4 --threads 1)
  learns train lstm-text-generation "${text[@]}" --steps 3 --sample 20
  has out "lstm-text-generation length=10 on " "step 3  loss" "test accuracy" 'what it writes after "' 'temperature 0.2: "' 'temperature 1.2: "'
  mkdir folder && cp text.txt folder/
  learns train text-generator-keras --data folder "${text[@]:2}" --steps 2 --sample 5
  grep -qE 'test accuracy [0-9.e+-]+ %, [0-9.e+-]+ %$' out || { echo "both losses must have an accuracy"; cat out; exit 1; }
  learns roofline lstm-text-generation "${text[@]}" --steps 2 --out placed
  has out "lstm_1" "softmax_cross_entropy" "memory of a step: "
  learns roofline text-generator-keras "${text[@]}" --steps 2 --out placed
  has out "embedding_1" "batch_norm_2"
  learns train imdb-bidirectional-lstm "${reviews[@]}" --set vocabulary=20 --steps 1
  has out "imdb-bidirectional-lstm length=6 vocabulary=20 on " "step 1  loss" "test accuracy"
  learns train imdb-fasttext "${reviews[@]}" --set vocabulary=20,ngrams=2 --epochs 2 --checkpoint pairs.checkpoint
  has out "epoch 2/2  loss" "test accuracy"
  learns train imdb-fasttext "${reviews[@]}" --set vocabulary=20,ngrams=2 --epochs 3 --resume pairs.checkpoint
  has out "2 of 3 epochs done"
  expect 2 "embedding_1.w is" train imdb-fasttext "${reviews[@]}" --set vocabulary=20 --resume pairs.checkpoint
  for cell in rnn gru lstm; do
    learns train paradnn-$cell --set layers=1,width=8,vocabulary=5,length=4 --batch 4 --steps 2 --threads 1
    has out "paradnn-$cell layers=1 length=4 vocabulary=5 width=8 on " "test accuracy"
  done
  local tiny=(--set layers=1,width=16,hidden=32,heads=2,vocabulary=50 "${text[@]}")
  learns train transformer-base "${tiny[@]}" --steps 3 --checkpoint pairs.checkpoint
  has out "transformer-base heads=2 hidden=32 layers=1 length=10 vocabulary=50 width=16 on " "step 3  loss" "test accuracy"
  ! grep -iE 'loss -?(nan|inf)' out || { echo "its loss is not a number"; exit 1; }
  learns train transformer-base "${tiny[@]}" --steps 3 --resume pairs.checkpoint
  learns roofline transformer-big "${tiny[@]}" --steps 2 --out placed
  has out "attention_3" "sinusoidal_positions_2" "unembedding_1" "layer_norm_5" "memory of a step: "
  expect_early 2 "transformer-base writes no text; --sample needs lstm-text-generation" train transformer-base --sample 9
  expect_early 2 "transformer-big: vocabulary is 9, but the text has 1" train transformer-big --set vocabulary=9 "${text[@]}"
  expect_early 2 "must have two windows of 5000" train transformer-base "${text[@]:0:2}" --set length=5000
  expect_early 2 "lstm-text-generation: vocabulary is 57, but the text has 1" train lstm-text-generation "${text[@]}" --set vocabulary=57
  expect_early 2 "must have more than a sequence, 5000" train lstm-text-generation "${text[@]:0:2}" --set length=5000
  expect_early 2 "absent.txt" roofline text-generator-keras --data absent.txt
  printf 'ab\377' >odd.txt
  expect_early 2 "odd.txt: is not UTF-8 from byte 2 on" train lstm-text-generation --data odd.txt
  expect_early 2 "has no directory train/neg" train imdb-fasttext --data folder
  expect_early 2 "vocabulary is 4; must be > 4" train imdb-fasttext "${reviews[@]}" --set vocabulary=4
}
# A step of every network for ImageNet, on images enlarged to its 224 pixels.
imagenet_networks() {
  local model
  black_images
  for model in resnet-50 mobilenet-v1 squeezenet densenet-121 vgg-16; do
    learns train $model --batch 1 --steps 1 --threads 1 --data cifar
    has out "$model on " "batch 1, " "memory of a step: " "saved activations" "step 1  loss " "test loss "
    ! grep -iE 'loss -?(nan|inf)' out || { echo "$model: its loss is not a number"; exit 1; }
  done
}
# --algorithm selects the algorithm of convolutions, and --optimizer the optimiser.
reported_steps() {
  local name shown
  black_images
  for name in segments patches joined dots winograd-2x2 winograd-4x4; do
    learns roofline resnet-32 --data cifar --batch 4 --steps 2 --threads 1 --algorithm $name --out requested
    shown=${name/-/ }
    [ $name != joined ] || ! grep -q "on ridgepoint.scalar" out || shown=segments  # nothing to join without vectors
    grep -qE "conv2d_1 +forward .* $shown\$" out || { echo "did not compute as $shown"; cat out; exit 1; }
    has requested/roofline.html "<th>algorithm</th>" "<td>$shown</td>"
  done
  for name in sgd momentum rmsprop=rmsprop_keras rmsprop-tf1=rmsprop_tf1 adam adamw adadelta; do
    learns train mnist-mlp --data digits --batch 8 --steps 1 --threads 1 --optimizer ${name%=*} --checkpoint $name.checkpoint
    head -c 200 $name.checkpoint | tr -d '\0' >header
    has header "\"optimiser\":\"${name#*=}\"" '"batch":"8"'
  done
}
# Study C's network on black images of one to four cells, in PNG files.
embryos() {
  local cells code=0
  mkdir -p trees/{1,2,3,4}
  { printf %s iVBORw0KGgoAAAANSUhEUgAAAeAAAAHgCAAAAABYv+FJAAAA9klEQVR42u3BAQ0AAADCoPdPbQ8HF; head -c 297 /dev/zero | tr '\0' A; printf %s D8G4YNAAFhqIJ6AAAAAElFTkSuQmCC; } | base64 -d >black.png
  for cells in 1 2 3 4; do cp black.png trees/$cells/E4.png; cp black.png trees/$cells/E5.png; done
  "$tool" train embryo-cnn --data trees --batch 8 --steps 2 --threads 1 --html page.html >out 2>err || code=$?
  if [ $code -eq 3 ]; then has err "this build has no libpng"; return; fi
  [ $code -eq 0 ] || { echo "returned $code"; cat out err; exit 1; }
  has out "embryo-cnn on " "step 2  loss" "test accuracy" load pre-process compile train evaluate
  has page.html "Preparation of the images" "4 cells: trees/4/E4.png" "3. shadows inverted" "4. rotated by 18°, resized to 64"
  [ "$(grep -c "<img .*src='data:image/png;base64,iVBORw0KGgo" page.html)" -eq 20 ] || { echo "not five pictures of each class"; exit 1; }
  expect_early 2 "embryos: class 1 has 1 training images; must have 4 for 5 images of each class" train embryo-cnn --data trees --per-class 5
  expect 2 "--per-class: is 4; must be an integer from 5" train embryo-cnn --data trees --per-class 4
  for words in "--per-class 766" --rotated-test; do
    expect 2 "mnist-mlp learns from no embryos; --per-class and --rotated-test need embryo-cnn" train mnist-mlp $words
  done
  expect 2 "must have at least a batch of 100" train embryo-cnn --data trees --batch 100
  for cells in 1 2 3 4; do for other in 1 2 3; do cp black.png trees/$cells/E$other.png; done; done
  learns train embryo-cnn --data trees --per-class 5 --rotated-test --batch 8 --epochs 0 --threads 1 --html rotated.html
  has rotated.html "320 training and 80 test samples"
  rm trees/?/E[123].png
  head -c 295 black.png >trees/3/E4.png
  expect_early 2 "trees/3/E4.png: cut off, corrupt or no PNG file" roofline embryo-cnn --data trees
  rm trees/3/*
  expect 2 "trees/3 has no image; must have PNG files" train embryo-cnn --data trees
  mkdir trees/5
  expect 2 "trees has a directory 5; must be 1, 2, 3 or 4" train embryo-cnn --data trees
}
# A rejected run leaves an earlier checkpoint unchanged.
kept_checkpoint() {
  tiny_digits
  echo "hours of work" >run.checkpoint
  expect 2 "must have at least a batch of 9" train --data tiny --checkpoint run.checkpoint --batch 9
  expect 2 "the network's input is" train --data tiny --checkpoint run.checkpoint --batch 8
  expect 2 "odd.checkpoint" train --data tiny --checkpoint run.checkpoint --batch 8 --resume odd.checkpoint
  [ "$(cat run.checkpoint)" = "hours of work" ] || { echo "the checkpoint was overwritten"; exit 1; }
  no_litter
}
absent_isa() {
  RIDGEPOINT_ISA=mmx expect 2 "is 'mmx'; must be one of" train --epochs 0
  grep -q avx512vl /proc/cpuinfo || RIDGEPOINT_ISA=avx512 expect 3 "avx512" train --epochs 0
  RIDGEPOINT_ISA=mmx expect_early 2 "is 'mmx'; must be one of" machine
  expect_early 2 "is 'mmx'; must be one of" machine --isa mmx
}
# Names with escape sequences, line ends and bytes that are not UTF-8 are printed escaped, on one line.
odd_names() {
  local odd=$'a\e[31m\n\xff' shown='a\x1b[31m\n\xff' file
  expect 2 "$shown.json: no such file" machine --show "$odd.json"
  expect 2 "no command is called $shown" "$odd"
  expect 2 "$shown" train --data "$odd"
  expect 2 "$shown" train --epochs 0 --resume "$odd"
  expect 2 "$shown" machine --json "$odd/m.json"
  RIDGEPOINT_ISA=$odd expect 2 "is '$shown'; must be one of" train --epochs 0
  RIDGEPOINT_CACHES=$odd expect 2 "is '$shown'; must be" train --epochs 0
  "$tool" machine --show v100 --json m.json >out
  sed -i 's/"name": "[^"]*"/"name": "a\\u001b[31m\\n\\u202e"/' m.json
  "$tool" machine --show m.json >out
  has out 'a\x1b[31m\n\u202e'
  "$tool" machine --show tpu-v2 --chip chip.json >out
  sed -i 's/"name": "[^"]*"/"name": "a\\u001b[31m\\n"/' chip.json
  "$tool" sweep fc --quick --newer chip.json >out 2>err || { cat out err; exit 1; }
  has out 'a\x1b[31m\n over'
  cp out swept
  printf '{"benchmarks": [{"name": "good", "time_unit": "ns", "real_time": 1}, {"name": "a\033[31m", "time_unit": "ns",
    "real_time": 1, "label": "\001"}, {"name": "twice", "iterations": 1, "real_time": 1, "time_unit": "ns", "iterations": 2}]}' >rows.json
  "$tool" compare rows.json rows.json >out 2>err || { cat out err; exit 1; }
  has out "good" 'a\x1b[31m' "twice" "unreadable: has the key iterations twice"
  for file in swept out err; do
    ! LC_ALL=C grep -q $'[\x01-\x09\x0b-\x1f\xff]' $file || { echo "$file has a control character"; cat -v $file; exit 1; }
  done
}
# RIDGEPOINT_ISA acts like --isa; the file records the measuring conditions.
forced_isa() {
  RIDGEPOINT_CACHES=48K,2M,480M RIDGEPOINT_ISA=$isa expect 0 "measuring ridgepoint.$isa" machine --threads 1 --json forced.json
  has err "suspicious: the roof of DRAM may be that of L3: it was measured in a set of 160 MiB; must be > 480 MiB"
  [ "$(grep -c "measuring" err)" -eq 1 ] || { echo "measured more than one instruction set"; cat err; exit 1; }
  has forced.json "\"RIDGEPOINT_ISA=$isa\"" '"steal_share"'
  grep '^suspicious: ' out >doubts || true                       # of the ceilings: in the table, on stderr, in the file
  local doubt
  while read -r doubt; do
    has err "$doubt"
    has forced.json "${doubt#suspicious: }"
  done <doubts

  unshare -rm mount -t tmpfs none /proc 2>/dev/null || return 0   # a system without information about itself
  unshare -rm sh -c 'mount -t tmpfs none /proc && mount -t tmpfs none /sys && exec "$0" "$@"' \
    "$tool" machine --threads 1 --isa "$isa" --json blind.json >out 2>err || { cat out err; exit 1; }
  has err "this system does not report: "
  has blind.json '"level": "DRAM"' "time that other processes and the host take"
}
# A signal in the middle of an epoch: exit code 130, and a checkpoint from which training continues where it stopped.
interrupt() {
  "$tool" train "${small[@]}" --epochs 0 >/dev/null                                     # generates the digits
  local signal process code given=(mnist-mlp --data data/digits --batch 8 --optimizer adam --precision f32 --threads 1 --checkpoint run.checkpoint)
  for signal in HUP XCPU TERM INT; do
    rm -f run.checkpoint
    env --default-signal=HUP,XCPU,TERM,INT "$tool" train "${given[@]}" >out 2>err &
    process=$! code=0
    until grep -q "epochs done" out; do sleep 0.1; done
    sleep 1
    kill -$signal $process
    wait $process || code=$?
    grep -q "interrupted after step [1-9]" err && [ $code -eq 130 ] && [ -e run.checkpoint ] ||
      { echo "$signal: returned $code"; cat out err; exit 1; }
    has err "; continue with ridgepoint train ${given[*]} --resume run.checkpoint"
    no_litter
  done
  cp run.checkpoint before
  (ulimit -f 4; expect 2 "run.checkpoint: File too large" train "${small[@]}" --resume run.checkpoint --epochs 0 \
    --checkpoint run.checkpoint)
  cmp run.checkpoint before
  no_litter
  "$tool" train "${small[@]}" --resume run.checkpoint --epochs 0 >out
  grep -q "0 of 0 epochs done" out
  expect 2 "run.checkpoint: of batch 8; must be 128" train --threads 1 --resume run.checkpoint --epochs 0
  expect 2 "run.checkpoint: of seed 42; must be 43" train "${small[@]}" --seed 43 --resume run.checkpoint --epochs 0
}
# SIGINT during an evaluation, right after the checkpoint of an epoch, counts like any other.
interrupt_evaluation() {
  "$tool" train --threads 1 --epochs 0 >/dev/null                                       # generates the digits
  local process code=0 images=data/digits/train-images-idx3-ubyte labels=data/digits/train-labels-idx1-ubyte
  { printf '\0\0\10\3\0\0\7\320'; head -c $((16 + 2000 * 784)) $images | tail -c +9; } >few  # a short epoch: 2,000 images
  mv few $images
  { printf '\0\0\10\1\0\0\7\320'; head -c 2008 $labels | tail -c +9; } >few
  mv few $labels
  "$tool" train --data data/digits --threads 1 --epochs 3 --checkpoint run.checkpoint >out 2>err &
  process=$!
  until [ -e run.checkpoint ]; do sleep 0.02; done
  kill -INT $process
  wait $process || code=$?
  grep -q "interrupted after step" err && [ $code -eq 130 ] || { echo "returned $code"; cat out err; exit 1; }
}
# Every implementation against every other, on a tiny product.
bench() {
  printf 'm,n,k\n16,16,16\n33,47,65\n' >shapes.csv
  "$tool" bench gemm --shapes shapes.csv --rounds 1 --json bench.json >out 2>err || { cat out err; exit 1; }
  has bench.json '"geomean"' '"best_peer"' '"cpu_model"' '"steal_share"' '"schema_version": 2' '"packed_geomean"' '"windows_s"'
  mkdir versions                                                 # the same file, as if newer versions had written it
  cp bench.json versions/versions_1.json
  sed 's/: \([A-Za-z]*\) [0-9][0-9.]* /: \1 99 /; s/"compiler": "\([a-z]*\) [^"]*"/"compiler": "\1 99"/' bench.json >versions/versions_2.json
  "$tool" validate tpu --only versions --data versions >out
  [ "$(grep -cE '^measured, ridgepoint bench gemm --shapes shapes.csv --rounds 1: .* 99 over .*, 2 rows +1[.]000 ' out)" -ge 2 ] || { echo "no versions"; cat out; exit 1; }

  "$tool" bench gemm --type bf16 --shape 33,47,65 --rounds 1 --json bf16.json >out 2>err || { cat out err; exit 1; }
  has bf16.json '"type": "bf16"' '"33x47x65"'

  local peer                                                     # one that does not start must not stop the others
  mkdir peers
  for peer in "${tool%/*}"/peer_*; do ln -s "$peer" peers/; done
  rm peers/peer_openblas
  printf '#!/bin/sh\nexit 1\n' >peers/peer_openblas
  chmod +x peers/peer_openblas
  expect 0 "openblas: peer_openblas: cannot be run here" bench gemm --shape 16,16,16 --rounds 1 --peers peers

  expect 2 "No such file or directory" bench gemm --shape 16,16,16 --json absent/bench.json
  expect 2 "that are available" bench gemm --shape 99999999,99999999,1
  mkdir peers/shapes                                             # a file named without its folder
  printf 'm,n,k\n17,16,16\n' >peers/shapes/named.csv
  RIDGEPOINT_ISA=$isa expect 0 "RIDGEPOINT_ISA=$isa is set" bench gemm --shapes named.csv --rounds 1 --peers peers \
    --json named.json
  has named.json '"17x16x16"' "\"RIDGEPOINT_ISA=$isa\""
  expect 2 "absent.csv: no such file" bench gemm --shapes absent.csv --peers peers
}
# A peer in the folder "peers" that prints its settings and its instruction-set limit, logs its turns, and takes as long
# as the setting says. [answer=<to a problem>] fake_peer <name> <lines of settings…>
fake_peer() {
  local program=peers/peer_$1 name=$1
  shift
  cat >"$program" <<END
#!/bin/sh
[ \$# -eq 0 ] && { printf '%s\\n' $(printf "'%s' " "$@"); exit; }
while read -r line; do
  case \$line in
    about) echo "ok held to '\$RIDGEPOINT_CAP'" ;;
    run*) echo $name >>"$folder/turns"; echo "ok \$1" ;;
    *) echo "${answer:-ok 1}" ;;
  esac
done
END
  chmod +x "$program"
}
# Selection of contenders: plain against plain, in random order, none beyond the requested instruction set.
bench_fair() {
  mkdir peers
  ln -s "${tool%/*}/peer_ridgepoint" peers/
  unset RIDGEPOINT_ISA                                          # --isa below says what a peer is held to
  local one=(bench gemm --shape 16,16,16 --peers peers)
  fake_peer openblas "plain 1000" "packed 1e-20"
  "$tool" "${one[@]}" --rounds 1 >out
  local -a ratios
  mapfile -t ratios < <(sed -n 's|^geometric mean of .* / best peer: ||p' out)
  [ ${#ratios[@]} -eq 2 ] && [ "${ratios[1]}" = 0.000 ] && awk "BEGIN { exit !(${ratios[0]} > 1) }" ||
    { echo "B packed beforehand must be compared separately"; cat out; exit 1; }
  has out "held to ''"
  "$tool" "${one[@]}" --rounds 1 --isa "$isa" >out
  has out "held to '$isa'"
  RIDGEPOINT_ISA=$isa "$tool" "${one[@]}" --rounds 1 >out 2>err
  has out "held to '$isa'"

  fake_peer openblas "plain 1e-3"
  fake_peer blis "plain 1e-3"
  "$tool" "${one[@]}" --rounds 1 --against blis --json blis.json >out
  ! grep -q openblas blis.json || { echo "openblas was not requested"; cat out; exit 1; }
  has blis.json '"blis"' "ridgepoint bench gemm --shape 16,16,16 --against blis --rounds 1"
  expect 2 "abacus not in" "${one[@]}" --against abacus
  local seed
  for seed in 1 1 2; do
    rm -f turns
    "$tool" "${one[@]}" --rounds 20 --seed $seed >out
    head -n 40 turns >>"turns.$seed"
  done
  cmp -s <(head -n 40 turns.1) <(tail -n 40 turns.1) || { echo "one seed must give one order"; exit 1; }
  ! cmp -s <(head -n 40 turns.1) turns.2 || { echo "another seed must give another order"; exit 1; }
}
# Random shapes: equal for equal seeds, a summary of them, every row in the file.
bench_random() {
  mkdir peers
  ln -s "${tool%/*}/peer_ridgepoint" peers/
  fake_peer openblas "plain 1e-6"
  local seed
  for seed in 7 7 8; do
    "$tool" bench gemm --random 12 --seed $seed --rounds 1 --peers peers --json random.json >out
    has out "12 random shapes of seed $seed" "the ten worst" "below 0.90" "planner: predicted / measured time of"
    has random.json "\"seed\": $seed" '"class"' '"planner"' '"predicted_over_measured"'
    grep '"shape"' random.json >>"shapes.$seed"
  done
  [ "$(wc -l <shapes.8)" -eq 12 ]
  cmp <(head -n 12 shapes.7) <(tail -n 12 shapes.7)
  ! cmp -s <(head -n 12 shapes.7) shapes.8 || { echo "another seed must give other shapes"; exit 1; }
  awk -F'[",x ]+' '{ if (2 * $4 * $5 * $6 > 2e9 || $4 > 4096 || $5 > 4096 || $6 > 4096) exit 1 }' shapes.7 shapes.8
  expect 2 "excludes" bench gemm --random 5 --shape 16,16,16
  expect 2 "--random" bench gemm --random 0
}
# Convolutions, poolings and normalisations per pass, against oneDNN's.
bench_images() {
  mkdir peers
  ln -s "${tool%/*}"/peer_ridgepoint peers/
  local peer="${tool%/*}/peer_onednn_images"
  if [ -e "$peer" ]; then ln -s "$peer" peers/; fi
  compared() { "$tool" bench "$@" --rounds 1 --peers peers --json row.json >out 2>err || { cat out err; exit 1; }; }
  compared conv --shape 2,6,3,5,3,1
  has row.json '"conv2d/forward/2x6x3x5x3x1"' '"conv2d/backward-data/' '"conv2d/backward-weights/' '"class": "forward"'
  [ ! -e "$peer" ] || has out "best peer, backward-weights: "
  printf 'op,n,size,c,f,kernel,stride\ndepthwise_conv2d,1,5,4,8,3,2\n' >depthwise.csv
  compared conv --shapes depthwise.csv --pass forward
  has out "depthwise_conv2d/forward/1x5x4x8x3x2"
  ! grep backward out
  printf 'op,n,size,c,window,stride\nmax_pool2d,1,6,3,2,2\navg_pool2d,1,6,3,3,2\n' >pools.csv
  compared pool --shapes pools.csv
  has out "max_pool2d/forward/1x6x3x2x2" "avg_pool2d/backward/1x6x3x3x2" "ceiling.roof"
  printf 'op,rows,channels\nbatch_norm,40,8\nlayer_norm,40,8\n' >norms.csv
  compared norm --shapes norms.csv
  has out "batch_norm/forward/40x8" "batch_norm/backward/40x8" "batch_norm/inference/40x8" "layer_norm/backward/40x8"
  compared conv --random 1 --seed 3 --pass forward
  has out "1 random shapes of seed 3" "below 0.85"
  expect 2 "the window reaches 8" bench conv --shape 1,1,3,5,8,1 --peers peers
  expect 2 "must be 6 positive integers" bench conv --shape 1,1,3 --peers peers
  expect 2 "--pass" bench conv --shape 2,6,3,5,3,1 --pass sideways
  printf 'op,n,size,c,f,kernel,stride\ndepthwise_conv2d,1,5,4,6,3,2\n' >depthwise.csv
  expect 2 "f is 6 of 4 channels; must be a multiple" bench conv --shapes depthwise.csv --peers peers
}
# Recurrent layers per pass, of every cell, against oneDNN's.
bench_rnn() {
  mkdir peers
  ln -s "${tool%/*}"/peer_ridgepoint peers/
  local peer="${tool%/*}/peer_onednn_recurrent" cell
  if [ -e "$peer" ]; then ln -s "$peer" peers/; fi
  compared() { "$tool" bench rnn "$@" --rounds 1 --peers peers --json row.json >out 2>err || { cat out err; exit 1; }; }
  for cell in lstm gru_reset_after gru_reset_before rnn; do
    compared --shape 3,5,6,9 --cell $cell
    has row.json "\"$cell/inference/3x5x6x9\"" "\"$cell/forward/" "\"$cell/backward/" '"class": "forward"'
    [ ! -e "$peer" ] || has out "best peer, backward: "
  done
  has row.json "ridgepoint bench rnn --shape 3,5,6,9 --cell rnn --rounds 1"
  printf 'op,steps,n,in,units\nlstm,2,3,4,5\n' >layers.csv
  compared --shapes layers.csv --pass forward
  has out "lstm/forward/2x3x4x5"
  ! grep -E 'backward|inference' out
  compared --random 1 --seed 3 --pass inference
  has out "1 random shapes of seed 3" "below 0.90"
  mkdir -p peers/network
  : >peers/network/recurrent.py
  fake_python "echo 'ok 1'"
  compared --shape 3,5,6,9 --pass backward --python ./python
  has out "pytorch eager: fake eager"
  fake_python ":" "no there is no module torch"
  expect 0 "pytorch is left out: there is no module torch" bench rnn --shape 3,5,6,9 --rounds 1 --peers peers --python ./python
  expect 2 "must be 4 positive integers" bench rnn --shape 1,1,3 --peers peers
  expect 2 "--cell" bench rnn --shape 2,6,3,5 --cell elman
  expect 2 "excludes" bench rnn --shape 2,6,3,5 --random 3
}
# The planner's predictions next to the measurements: here 1 to 12 million cycles for a millisecond each.
bench_planner() {
  mkdir peers
  local random=(bench gemm --random 12 --rounds 1 --peers peers --json random.json)
  fake_peer openblas "plain 1e-6"
  answer='ok 1 predicted_cycles=$((n += 1000000)) kernel' fake_peer ridgepoint "plain 1e-3"
  "$tool" "${random[@]}" >out
  has out "time of 12 shapes, scaled to a median of 1 (6.50 cycles/ns): 10 % of shapes below 0.32x, 90 % below 1.68x"
  [ "$(grep -c ' : openblas ' out)" -eq 10 ]
  has out "     0.15  1e-3 / kernel : openblas" "     1.54  1e-3 / kernel : openblas"
  has random.json '"shapes": 12' '"cycles_per_s": 6500000000.0' '"p10": 0.3230769' '"p90": 1.676923' \
    '"predicted_over_measured": 0.1538'

  fake_peer ridgepoint "plain 1e-3"                              # one without predictions
  "$tool" "${random[@]}" >out
  ! grep -E 'planner|predicted' out random.json
}
# A Python that answers "network…" and "run…" with the shell text $1. Of PyTorch it has the settings $2, or "plain
# eager"; it has no TensorFlow.
fake_python() {
  cat >python <<END
#!/bin/sh
[ \$# -ne 2 ] || { case \$2 in pytorch) echo "${2-plain eager}" ;; *) echo "no there is no module tensorflow" ;; esac; exit; }
while read -r line; do
  case \$line in about) echo "ok fake \$3" ;; *) $1 ;; esac
done
END
  chmod +x python
}
# Training steps compared with a Python's: who is left out, who disagrees, who fails.
bench_network() {
  mkdir peers
  ln -s "${tool%/*}"/peer_ridgepoint "${tool%/*}"/network peers/
  local one=(bench network mnist-mlp --batch 2 --rounds 1 --peers peers --python ./python)
  fake_python ":" "no there is no module torch"
  expect 0 "pytorch is left out: there is no module torch" "${one[@]}" --json alone.json
  has err "onednn is left out: it was not built" "tensorflow is left out: there is no module tensorflow"
  has out "mnist-mlp/2, 1 thread: ms a training step" "without dropout; the steps that are timed have it"
  has alone.json '"command": "ridgepoint bench network mnist-mlp --batch 2 --python ./python --rounds 1"' '"losses"'
  ! grep -q "times as fast" out || { echo "there is no peer to compare with"; exit 1; }
  local losses
  losses=$(tr -d ' \n' <alone.json | sed -E 's/.*"losses":\[([^]]*)\].*/\1/')

  learns() { echo "case \$line in network*) echo 'ok 1 losses=$1' ;; *) echo 'ok ${2:-100}' ;; esac"; }
  fake_python "$(learns "$losses")"
  expect 0 "tensorflow is left out" "${one[@]}" --json both.json
  has out "pytorch.eager: fake eager" "times as fast as pytorch.eager, the best of pytorch" " 100000.000 "
  has both.json '"pytorch.eager": 0.01' '"best_peer": "pytorch.eager"'
  expect 0 "" "${one[@]}" --against onednn
  ! grep -q pytorch out || { echo "pytorch was not requested"; cat out; exit 1; }
  expect 0 "" "${one[@]}" --against pytorch.eager
  has out "times as fast as pytorch.eager"
  expect 0 "" "${one[@]}" --against pytorch.compile
  ! grep -q pytorch.eager out || { echo "pytorch.eager was not requested"; cat out; exit 1; }

  breaks() {                                                     # <message>: ours is still printed
    expect 1 "tensorflow is left out" "${one[@]}"
    has out "pytorch.eager: $1" "ridgepoint."
  }
  fake_python "$(learns 9.5,9.25)"
  breaks "the loss of step 1 is 9.5; must be "
  fake_python "$(learns "${losses%,*},9.25")"
  breaks "the loss of step 2 is 9.25; must be "
  fake_python "$(learns nan,nan)"
  breaks "the loss of step 1 is nan; must be "
  fake_python "$(learns "${losses%,*}")"
  breaks "reports 1 losses; must report 2"
  fake_python "echo 'ok 1 nothing of losses'"
  breaks "reports 0 losses; must report 2"
  fake_python "echo hello"
  breaks "the answer to 'network f32 mnist-mlp 2' is 'hello'; must begin with ok or no"
  fake_python "$(learns twelve)"
  breaks "an answer has 'twelve'; must be a number"
  fake_python "$(learns "$losses" soon)"
  breaks "an answer has 'soon'; must be a number"
  fake_python "exit 3"
  breaks "the program ended or gave no answer to 'network f32 mnist-mlp 2'"
  fake_python "echo 'no pooling of that kind'"                   # a refusal of its own
  expect 0 "tensorflow is left out" "${one[@]}"
  has out "pytorch.eager: pooling of that kind"
  fake_python ":" "hello"
  expect 1 "pytorch: printed 'hello' as a setting; expected 'plain' or 'no'" "${one[@]}"
  printf '#!/bin/sh\n' >python
  expect 1 "tensorflow: printed no settings; expected a line starting with 'plain' or 'no'" "${one[@]}"
  printf '#!/bin/sh\nexit 3\n' >python
  expect 1 "pytorch: python: cannot be run here" "${one[@]}"
  rm python
  expect_early 2 "--python is ./python, which cannot be executed; must be a Python" "${one[@]}"
  expect_early 2 "--python is absent, which cannot be executed" bench network mnist-mlp --python absent
  fake_python ":"
  expect_early 2 "must be one of: mnist-mlp" bench network paradnn-fc --python ./python
  expect_early 2 "(did you mean layers?)" bench network paradnn-rnn --set layer=2 --python ./python
  expect 2 "network is required" bench network
  expect 2 "--batch" bench network mnist-mlp --batch 0
  (PATH=$PWD/peers && "$tool" bench network mnist-mlp --batch 2 --rounds 1 --peers peers >out 2>err)
  has err "pytorch and tensorflow are left out: there is no python3"
  TMPDIR=/absent expect 2 "TMPDIR must be a folder" "${one[@]}"
}
# Training steps and ops compared with PyTorch's on a GPU, both fake; without a GPU one line says so.
bench_gpu() {
  mkdir peers
  local one=(bench network mnist-mlp --batch 2 --rounds 1 --peers peers --python ./python --backend cuda)
  fake_python ":"
  expect_early 3 "has no peer_cuda; it must have been built with CUDA's libraries" "${one[@]}"
  printf '#!/bin/sh\necho no cuda: no GPU: fake\n' >peers/peer_cuda
  chmod +x peers/peer_cuda
  expect_early 3 "bench: cuda: no GPU: fake" "${one[@]}"
  cat >peers/peer_cuda <<'END'
#!/bin/sh
[ $# -gt 0 ] || { echo "plain recorded"; echo "plain eager"; exit; }
while read -r line; do
  case $line in
    about) echo "ok fake on $RIDGEPOINT_DEVICE, TF32 $RIDGEPOINT_TF32" ;;
    network\ bf16*) echo "ok 1 losses=$HALVES" ;;
    network*) echo "ok 1 losses=$LOSSES" ;;
    *\ bf16\ *) echo "ok 16" ;;
    run*) [ $1 = eager ] && echo "ok 4" || echo "ok 2" ;;
    *) echo "ok 8" ;;
  esac
done
END
  local losses learns="case \$line in run*) echo 'ok 100' ;; network\ bf16*) echo \"ok 1 losses=\$HALVES\" ;; network*) echo \"ok 1 losses=\$LOSSES\" ;; *) echo 'ok 8' ;; esac"
  fake_python "$learns" "plain graphed"
  LOSSES=1,1,1 expect 1 "" "${one[@]}" --losses 3 --json first.json
  has out "ridgepoint: the loss of step 1 is 1; must be "
  losses=$(tr -d ' \n' <first.json | sed -E 's/.*"losses":\[([^]]*)\],"rounds".*/\1/')
  [ "$(tr -cd , <<<"$losses" | wc -c)" -eq 2 ] || { echo "three losses must be recorded: $losses"; exit 1; }
  LOSSES=$losses expect 0 "" "${one[@]}" --json network.json
  has out "ridgepoint recorded: fake on cuda, TF32 0" "ridgepoint.eager" "ours is 50.000 times as fast as pytorch.graphed"
  has network.json '"best_peer": "pytorch.graphed"' '"ratio": 50.0' "--backend cuda"
  LOSSES=$losses expect 0 "" "${one[@]}" --tensor-floats
  has out "fake on cuda, TF32 1"
  local off
  off=$(awk -v both="$losses" 'BEGIN { split(both, l, ","); printf "%.9g,%.9g", 1.005 * l[1], 1.05 * l[2] }')
  LOSSES=$off expect 1 "" "${one[@]}"
  HALVES=$off expect 0 "" "${one[@]}" --type bf16 --json network.json
  has network.json '"type": "bf16"' "--type bf16"
  HALVES=$(awk -v both="$losses" 'BEGIN { split(both, l, ","); print 1.02 * l[1] "," l[2] }') expect 1 "" "${one[@]}" --type bf16
  HALVES=$(awk -v both="$losses" 'BEGIN { split(both, l, ","); print l[1] "," 1.2 * l[2] }') expect 1 "" "${one[@]}" --type bf16
  local what
  for what in "gemm --shape 16,16,16" "conv --shape 2,6,3,5,3,1 --pass forward" "rnn --shape 2,3,4,5 --pass forward"; do
    expect 0 "" bench $what --rounds 1 --peers peers --python ./python --backend cuda --json op.json
    has op.json '"best_peer": "pytorch.graphed"' '"ratio": 50.0'
  done
  for what in "gemm --shape 16,16,16" "conv --shape 2,6,3,5,3,1 --pass forward"; do
    fake_python "case \$line in 'gemm bf16 nn 16 16 16' | 'conv2d bf16 forward 2 6 3 5 3 1') echo 'ok 16' ;; run*) echo 'ok 100' ;; *) echo 'no such type' ;; esac"
    expect 0 "" bench $what --type bf16 --rounds 1 --peers peers --python ./python --backend cuda --json op.json
    has op.json '"best_peer": "pytorch.eager"' "--type bf16"
  done
  expect_early 2 "--type is bf16, which is compared on a GPU; must be f32, or --backend cuda" bench conv --shape 1,8,4,4,3,1 --type bf16
  expect_early 2 "--type is bf16" bench network mnist-mlp --type bf16
  expect 2 "--backend" bench gemm --shape 16,16,16 --backend tpu
  expect 2 "--losses" "${one[@]}" --losses 1
}
# Samples resident on a fake GPU: equal results, and their memory is printed at the start.
train_resident() {
  black_images
  { head -c 16 digits/train-images-idx3-ubyte; head -c $((16 * 784)) "$tests/tool.sh"; } >images     # no two images are equal
  { head -c 8 digits/train-labels-idx1-ubyte; printf '\0\1\2\3\4\5\6\7\10\11\0\1\2\3\4\5'; } >digits/train-labels-idx1-ubyte.new
  mv images digits/train-images-idx3-ubyte
  mv digits/train-labels-idx1-ubyte.new digits/train-labels-idx1-ubyte
  mkdir -p bin lib/ridgepoint
  cp "$tool" bin
  ln -s "${tool%/*}/../lib/ridgepoint/fake/libridgepoint_cuda.so" lib/ridgepoint
  expect_early 2 "train: --resident keeps samples on a GPU, but --backend is cpu; must be cuda" train --resident
  tool=bin/ridgepoint
  expect_early 2 "train: --resident keeps samples on a GPU, but --backend is reference" train --resident --backend reference
  expect_early 2 "train: the samples of paradnn-fc change from epoch to epoch; --resident must not be given" \
    train paradnn-fc --set layers=1,nodes=8 --batch 2 --backend cuda --resident
  local one=(train mnist-mlp --data digits --batch 2 --epochs 2 --backend cuda)
  learns "${one[@]}"
  has out "on cuda.a fake GPU" "batches ahead 25.3 kB"  # two of 2 images and labels, at either end
  grep loss out >sent
  learns "${one[@]}" --resident
  has out "batches ahead 50.4 kB"                                # 16 samples and their order
  grep loss out | diff sent - || { echo "loss differs from that with batches sent"; exit 1; }
}
# The description that other programs read, checked by one that computes the loss from it; and the scripts without their
# framework.
bench_network_files() {
  mkdir peers bare
  ln -s "${tool%/*}"/peer_ridgepoint "${tool%/*}"/network peers/
  printf '#!/bin/sh\nexec python3 "%s" "$@"\n' "$tests/network_peer.py" >python
  chmod +x python
  local one=(--rounds 1 --peers peers --python ./python) model losses
  SECOND_LOSS=0 expect 1 "" bench network mnist-mlp --batch 2 "${one[@]}" --json first.json
  has out "the loss of step 2 is 0; must be "
  losses=$(tr -d ' \n' <first.json | sed -E 's/.*"losses":\[([^]]*)\].*/\1/')
  SECOND_LOSS=${losses#*,} expect 0 "" bench network mnist-mlp --batch 2 "${one[@]}"
  has out "times as fast as pytorch.eager"
  for model in mnist-cnn keras-mnist-mlp keras-mnist-cnn mnist-autoencoder cifar10-cnn resnet-18 resnet-32 embryo-cnn mnist-rnn mnist-lstm \
    imdb-bidirectional-lstm imdb-fasttext lstm-text-generation text-generator-keras paradnn-rnn paradnn-gru \
    paradnn-lstm transformer-base; do
    expect 0 "" bench network $model --batch 2 "${one[@]}"
    has out "$model/2" "pytorch.eager: such network"
  done
  local serve=peers/network/serve.py code=0
  python3 $serve >out 2>err || code=$?
  [ $code -eq 2 ] && grep -q "prints its settings" err || { echo "serve.py without a framework returned $code"; exit 1; }
  python3 -I -S $serve pytorch >out                              # without site-packages it is missing
  has out "no there is no module torch for"
  printf 'raise ImportError("half of it")\n' >bare/torch.py
  PYTHONPATH=bare python3 $serve pytorch >out
  has out "plain eager" "plain channels_last" "plain compile"
  PYTHONPATH=bare RIDGEPOINT_CAP=avx2 python3 $serve pytorch >out
  has out "DNNL_MAX_CPU_ISA=AVX2"
  PYTHONPATH=bare RIDGEPOINT_CAP=sse4_2 python3 $serve pytorch >out
  has out "no pytorch cannot be held to sse4_2"
  echo "network f32 mnist-mlp 2" | PYTHONPATH=bare python3 $serve pytorch eager >out
  has out "no ImportError: half of it"
  local script
  for script in serve recurrent ops; do                          # on a GPU
    PYTHONPATH=bare RIDGEPOINT_DEVICE=cuda python3 peers/network/$script.py pytorch >out
    has out "no ImportError: half of it"
  done
  printf '__version__ = "0"\nclass cuda:\n    is_available = staticmethod(lambda: %s)\n' False >bare/torch.py
  PYTHONPATH=bare RIDGEPOINT_DEVICE=cuda python3 $serve pytorch >out
  has out "no PyTorch 0 finds no GPU"
  RIDGEPOINT_DEVICE=cuda python3 $serve tensorflow >out
  has out "no "
  sed -i 's/False/True/' bare/torch.py
  PYTHONPATH=bare RIDGEPOINT_DEVICE=cuda python3 $serve pytorch >out
  has out "plain eager" "plain channels_last" "plain graphed" "plain graphed_channels_last" "plain compile"
  PYTHONPATH=bare RIDGEPOINT_DEVICE=cuda python3 peers/network/ops.py pytorch >out
  has out "plain eager" "plain graphed"
  [ -z "$(find "${tool%/*}/network" -name '__pycache__')" ] || { echo "bytecode is left next to the scripts"; exit 1; }
}
# The network's accuracy after its usual five epochs on the synthetic digits.
train_accuracy() {
  "$tool" train mnist-mlp --epochs 5 --evaluate epochs >out 2>err || { cat out err; exit 1; }
  awk '/test accuracy/ { epochs++; for (i = 1; i < NF; ++i) if ($i == "accuracy") last = $(i + 1) }
       END { exit !(epochs == 5 && last >= 97) }' out || { cat out; exit 1; }
}
# The last number printed after these words.
last() { sed -nE "s/.* $1 ([0-9.e+-]+).*/\1/p" out | tail -n 1; }
# A network on characters learns the language of the synthetic text. Of the synthetic reviews, the mean of their words
# classifies three of four, by construction; pairs of words, or a sequence, resolve "not good but great".
learns_text() {
  learns train lstm-text-generation --set length=20 --batch 32 --steps 400 --sample 40
  awk "BEGIN { exit !($(last 'test loss') < 1) }" || { cat out; exit 1; }  # nat a character; a guess: ln 41 = 3.7
  learns train transformer-base --set layers=1,width=64,hidden=128,heads=4,vocabulary=60,length=32 --batch 8 --optimizer adam --steps 300
  awk "BEGIN { exit !($(last 'test loss') < 2) }" || { cat out; exit 1; }  # single characters: 2.9
  local words pairs reviews=(--set length=40,vocabulary=400)
  learns train imdb-fasttext "${reviews[@]}" --epochs 40
  words=$(last 'test accuracy')
  learns train imdb-fasttext "${reviews[@]}" --epochs 20 --set ngrams=2
  pairs=$(last 'test accuracy')
  learns train imdb-bidirectional-lstm "${reviews[@]}" --epochs 2
  awk "BEGIN { exit !($words > 65 && $words < 80 && $pairs > 95 && $(last 'test accuracy') > 95) }" ||
    { echo "words $words %, pairs $pairs %"; cat out; exit 1; }
}
# A step without measurement has no circumstances.
modelled() {
  "$tool" roofline --on tpu-v2 >out
  has out "modelled: mnist-mlp, training on TPU v2" "wrote ./roofline.json and ./roofline.html"
  has roofline.json '"ridgepoint.roofline"'
  ! grep '"environment"' roofline.json
  updates() { awk '$1 ~ /^dense_/ && / update / { sum += $(NF - 4) } END { printf "%d", 1e4 * sum }' "$1"; }
  "$tool" roofline --on tpu-v2 --optimizer sgd --precision bf16 >sgd
  has sgd "mnist-mlp optimizer=sgd, training on TPU v2"
  [ "$(updates sgd)" -lt "$(updates out)" ] || { echo "SGD moves less than Adam"; cat out sgd; exit 1; }
  for machine in tpu-v2 v100; do                                  # a slow host decides the rate
    "$tool" roofline --on $machine --feed 1000 >out
    grep -qE '(1000|99[0-9](\.[0-9])?) samples/s;' out || { echo "$machine: not fed 1000 samples/s"; cat out; exit 1; }
  done
  "$tool" roofline --on tpu-v1 --precision int8 >out
  has out "mnist-mlp, inference on TPU v1"
  "$tool" roofline --on tpu-v3 --cores 2 --batch 16 --rows 1 >out
  has out "2 cores, batch 16" "more)"
  "$tool" roofline transformer-base --on tpu-v2 --set layers=1,width=8 --set heads=2,hidden=8,vocabulary=9 --rows 0 >out
  has out "transformer-base heads=2 hidden=8 layers=1 vocabulary=9 width=8, training on TPU v2" "batch 32"
  "$tool" roofline mnist-mlp --on cpu16-compiled >out
  has out "model of CPU cpu16-compiled with tensorflow, AVX2" "copy of the batch" "8 cores of a Skylake, 2.7 GHz under load"
  "$tool" roofline --on skylake-vm >out
  has out "roofs of skylake-vm" "dense_1" "wrote ./roofline.json"
  "$tool" machine --show tpu-v3 --chip chip.json >out
  "$tool" roofline --on chip.json >out
  has out "training on TPU v3"
  rm roofline.*
  expect_early 2 "TPU v2: --precision is f32, but its arrays multiply bf16; must be bf16" roofline --on tpu-v2 --precision f32
  expect_early 2 "TPU v1: --precision is bf16, but its arrays multiply int8" roofline --on tpu-v1 --precision bf16
  expect_early 3 "TPU v1 only infers; it cannot run" roofline --on tpu-v1 --optimizer sgd
  expect_early 2 "skylake-vm: --precision is bf16; must be f32" roofline --on skylake-vm --precision bf16
  expect_early 2 "--precision is tf32, which only models of machines have; must be f32, bf16 or f16" roofline --precision tf32
  expect_early 2 "3 cores" roofline --on tpu-v2 --cores 3
  expect 2 "--optimizer" roofline --on tpu-v2 --optimizer newton
  [ ! -e roofline.json ] || { echo "wrote a rejected step"; exit 1; }
  expect_early 2 'sweep: no machine is called "h20"; must be one of host, k80' sweep fc --on h20
  expect_early 2 'sweep: --newer is "h200"; must be one of tpu-v1, tpu-v2' sweep fc --newer h200
  expect_early 2 "(did you mean tpu-v3?)" sweep fc --on tpu_v3
  expect_early 2 'machine: --chip needs a TPU, but --show is "v100"; must be one of tpu-v1, tpu-v2' machine --show v100 --chip x.json
  expect_early 2 "--chip requires --show" machine --chip x.json
  expect_early 2 "--chip requires --show" machine --gpu --chip x.json
  expect_early 2 "--chip requires --show" machine --list --chip x.json
  expect_early 2 "--show excludes --list" machine --list --show tpu-v2 --chip x.json
  expect_early 2 "--show excludes --gpu" machine --gpu --show tpu-v2 --chip x.json
  expect_early 2 "--json excludes --list" machine --list --json x.json
  [ ! -e x.json ] || { echo "wrote a chip or a list that was refused"; exit 1; }
  "$tool" roofline --help >help
  has help "--on" "--set" "nothing runs"
  [ "$(wc -l <help)" -le 45 ] || { echo "roofline --help must fit a screen"; cat help; exit 1; }
}
modelled_gpu() {
  "$tool" roofline --on v100 >out
  has out "modelled: mnist-mlp, training on GPU v100 in f16 with recorded, batch 128"
  has roofline.json '"ridgepoint.roofline"'
  ! grep '"environment"' roofline.json
  "$tool" roofline --on p100 --software tensorflow --optimizer sgd >sgd
  has sgd "mnist-mlp optimizer=sgd, training on GPU p100 in f32 with tensorflow" "carried over from V100, not fitted"
  expect_early 2 "gpu p100: has no units for f16" roofline --on p100 --precision f16
  expect_early 2 "GPU p100: --precision is bf16; must be f32, tf32 or f16" roofline --on p100 --precision bf16
  expect_early 2 'no machine is called "p900"; must be one of host, k80' roofline --on p900
  expect_early 2 "no software is called mxnet; must be one of tensorflow" roofline --on p100 --software mxnet
  "$tool" roofline --on 2xk80 --batch 64 >out
  has out "mnist-mlp, training on 2 GPUs k80 in f32 with recorded, batch 64" "all-reduce" "sums of gradients over pcie3: "
  has roofline.json '"all-reduce"' "model of 2 GPU k80"
  "$tool" roofline --on k80 --gpus 2 --batch 64 >same
  diff out same
  expect_early 2 "3 GPUs v100: the batch is 32; must be a multiple" roofline --on 3xv100 --batch 32
  expect_early 2 "0xk80 has a number of GPUs that must be 1 to 65536" roofline --on 0xk80
  expect_early 2 "2xhost names several of host; must be a published GPU" roofline --on 2xhost
  expect_early 2 "no link is called pcie; must be one of pcie3" roofline --on 2xk80 --link pcie
  expect_early 2 "no target is called nothing; must be one of fc-steps" validate gpu --data . --only nothing
}
# A machine that lacks the step's memory is refused, with both figures, before anything is measured or written.
out_of_memory() {
  local large=(roofline paradnn-fc --set layers=2,nodes=300000 --batch 8)
  expect_early 2 "GPU k80: out of memory: the step needs 19.6 GiB; 12.0 GiB are available" roofline resnet-50 --on k80
  expect_early 2 "TPU v2, each core: out of memory: the step needs " "${large[@]}" --on tpu-v2
  has err " GiB; 8.00 GiB are available"
  expect_early 2 "host: out of memory: the step needs " "${large[@]}" --on host
  has err " GiB are available"
  expect_early 2 "host: out of memory: the step needs " roofline mnist-mlp --batch 1073741824 --on host
  [ ! -e data ] || { echo "drew digits for a step that does not fit"; exit 1; }
  [ ! -e roofline.json ] || { echo "wrote a step that does not fit"; exit 1; }
}
# Networks are listed with their parameters and options; --set takes these options.
models() {
  "$tool" models >out
  has out "mnist-mlp" "1.20 M" "transformer-big" "layers=8, nodes=1024, inputs=2000, outputs=1000" "bottleneck=1, blocks, blocks1=3"
  [ "$(wc -l <out)" -ge 30 ] || { echo "models lists too few networks"; cat out; exit 1; }
  "$tool" models Paradnn-FC --set layers=2 --set nodes=16,inputs=4 --batch 3 >out
  has out "paradnn-fc inputs=4 layers=2 nodes=16: batch 3 (the model's: 1024), epochs 1" "defaults: layers=8, nodes=1024" "dense_3" "a step of 3 in f32"
  ! grep dense_4 out || { echo "more layers than requested"; exit 1; }
  "$tool" models mnist-mlp >out
  has out "mnist-mlp: batch 128, epochs 5" "options for --set, with defaults: none" "1,195,018"
  "$tool" models transformer-base >out
  has out "transformer-base: batch 2 (the model's: 32)" "a step of 2 in f32"
  local wrong
  for wrong in layers =3 layers= layers=-1 layers=0x10 layers=2,nodes layers=1073741825 layers==2 "" layers=2,,nodes=3; do
    expect_early 2 "--set: is $wrong; must be NAME=VALUE with an integer from 0 to 1073741824" models paradnn-fc --set "$wrong"
  done
  expect_early 2 'no option "layer"; must be one of: layers, nodes, inputs, outputs (did you mean layers?)' models paradnn-fc --set layer=2
  expect_early 2 "(did you mean resnet-50?)" models RESNET50
  expect_early 2 "models: --set or --batch without a network; must name one" models --set layers=2
}
# A training's cost on modelled machines and on a saved step, at the studies' prices and at a file's.
cost() {
  "$tool" cost keras-mnist-mlp --on k80,p100 --software keras --date 2017-11 --json cost.json >out
  has out "keras-mnist-mlp, batch 128, 20 epochs of 60000 samples, 9380 steps" "0.497" "2017-11" "cheapest: k80"
  has cost.json '"schema": "ridgepoint.cost"' '"samples": 60000' '"usd_per_hour": 1.5075' '"price_source": "study D, November 2017'
  "$tool" cost keras-mnist-mlp --on k80 --date 2017-10 >out
  has out "0.745" "2017-07"
  printf 'machine,usd_per_hour,date,source\nk80,0.2,2026-01,mine\nmeasured.json,9,2026-01,mine\n' >prices.csv
  "$tool" roofline mnist-mlp --on v100 >gpu
  mv roofline.json measured.json
  "$tool" cost --on measured.json,k80,p100 --prices prices.csv --epochs 2 --samples 1000 >out
  has out "2 epochs of 1000 samples, 16 steps" "2026-01" "1.51" "cheaper than measured.json below this price"
  "$tool" cost mnist-cnn --on k80,cpu8,cpu8-compiled,cpu64 --software keras-loops --date 2017-07 >out
  has out "cpu8-compiled" "0.0636  2017-07" "cheapest: cpu8-compiled"
  expect_early 2 "CPU cpu8: --precision is f16; must be f32" cost --on cpu8 --precision f16
  expect_early 2 "cost: k80 has no price up to 2016-12; --prices must name a file with the line k80,PRICE,DATE,SOURCE" cost --on k80 --date 2016-12
  expect_early 2 "cost: h200 has no price; --prices" cost --on h200
  expect_early 2 'cost: --date is "2017-13"; must be a year and month' cost --date 2017-13
  expect_early 2 "cost: paradnn-fc learns from random data; --samples must say" cost paradnn-fc
  expect_early 2 "cost: host is not modelled; measure it with ridgepoint roofline mnist-mlp" cost --on k80,host
  expect_early 2 "cost: --on is empty" cost --on ""
  expect_early 2 "cost: --on has k80 twice" cost --on k80,k80
  expect_early 2 "did you mean k80?" cost --on k8
  expect_early 2 "--prices: is absent.csv: no such file" cost --prices absent.csv
  printf '%s' '{"schema": "ridgepoint.training", "schema_version": 1, "training": "mnist-mlp, batch 64, optimizer sgd", "epochs":
    [{"epoch": 1, "steps": 900, "accuracies": [0.9]}, {"epoch": 2, "steps": 1800, "accuracies": [0.975]}]}' >history.json
  local learnt=(--batch 64 --optimizer sgd --history history.json)
  "$tool" cost "${learnt[@]}" --accuracy 0.975 --json cost.json >out
  has out "batch 64, until a test accuracy of 0.975 as in history.json, epoch 2, 1800 steps"
  has cost.json '"accuracy": 0.975' '"epochs": 2' '"steps": 1800.0'
  expect_early 2 "history.json reaches a test accuracy of 0.975; must reach 0.98" cost "${learnt[@]}" --accuracy 0.98
  expect_early 2 "history.json is of mnist-mlp, batch 64, optimizer sgd; must be of mnist-cnn, batch 64, optimizer sgd" \
    cost mnist-cnn "${learnt[@]}" --accuracy 0.9
  expect_early 2 "must be of mnist-mlp, batch 64" cost --batch 64 --accuracy 0.9 --history history.json
  expect_early 2 "--accuracy requires --history" cost --accuracy 0.9
  expect_early 2 "--epochs excludes --accuracy" cost --accuracy 0.9 --history history.json --epochs 2
  expect_early 2 "--accuracy excludes --samples" cost --accuracy 0.9 --history history.json --samples 1000
  learnt=(--batch 64 --optimizer sgd --accuracy 0.95 --history wrong.json)
  sed 's/\[0.9\]/[]/' history.json >wrong.json
  expect_early 2 "wrong.json: mnist-mlp has no accuracy; must have one" cost "${learnt[@]}"
  sed 's/0.975/97.5/' history.json >wrong.json
  expect_early 2 "wrong.json: epochs[1].accuracies[0] is 97.5; must be from 0 to 1" cost "${learnt[@]}"
  sed 's/"epoch": 1/"epoch": 3/' history.json >wrong.json
  expect_early 2 "wrong.json: epochs[0].epoch is 3; must be 1" cost "${learnt[@]}"
  sed 's/"epochs":/"epochs": []}/; 2d' history.json >wrong.json
  expect_early 2 "wrong.json has no epoch; must have one" cost "${learnt[@]}"
  printf 'machine,usd_per_hour,date,source\nk80,nan,2026-01,mine\n' >prices.csv
  expect_early 2 'prices.csv: line 2, column usd_per_hour is "nan"; must be 1e-6 to 1e6 US dollars' cost --prices prices.csv
  expect_early 2 "would replace what is read from prices.csv" cost --prices prices.csv --json prices.csv
  expect_early 2 "cost: no machine of --on can run the step: k80 (GPU k80: out of memory" cost --on k80 --batch 16777216
  "$tool" cost --on k80,v100 --batch 1048576 >out
  has out "k80: cannot run it: GPU k80: out of memory" "cheapest: v100"
  local code=0
  "$tool" cost --on k80 --hours 0.000001 --usd 5 >out || code=$?
  [ $code -eq 1 ] && grep -qF "no machine trains it within 1e-06 h and USD 5" out || { echo "a deadline was missed with code $code"; cat out; exit 1; }
  no_litter
}
# Published and modelled results: a page and its data, also without the published tables.
report() {
  "$tool" report --study C --out there >out
  has out "C: A convolutional network" "wrote there/report.html and there/report.md from there/report.json"
  has there/report.html "<h2 id='C'>" "parameters, from the sizes of the layers" "ridgepoint validate gpu --only study-c --data DIR" "nothing ran on the machines"
  has there/report.md "## Study C: " "| parameters, from the sizes of the layers | 16834436 | 16834436 | 0 | definitional | equal | holds |"
  has there/report.json '"schema": "ridgepoint.report"' '"study": "C"' '"ours": 16834436.0'
  "$tool" replay there/report.json --out again >out
  cmp there/report.html again/report.html && cmp there/report.md again/report.md
  [ "$(rows_with there/report.html '"description":"errors"')" -eq 1 ] || { echo "a chart of errors for 4 errors, none for 2"; exit 1; }
  sed 's/"ours": 16834436.0/"ours": 2.5/; s/"title": "study C/"title": "<b>study `C/' there/report.json >changed.json
  "$tool" replay changed.json --out again >out
  has again/report.html "<td class='n'>2.500</td>" '&lt;b&gt;study `C'
  has again/report.md '\<b\>study \`C'
  sed 's/"judged": [0-9]*/"judged": "1"/' there/report.json >damaged.json
  expect_early 2 'damaged.json: studies[0].results[0].judged is "1"; must be an integer from 0 to ' replay damaged.json --out new
  [ ! -e new ] || { echo "a refused replay made its directory"; exit 1; }
  sed 's/"holds": true/"holds": "yes"/' there/report.json >damaged.json
  expect_early 2 "holds is yes; must be true or false" replay damaged.json
  sed 's/"study": "C"/"study": "F"/' there/report.json >damaged.json
  expect_early 2 "studies[0].study is F; must be A to E in order, each once" replay damaged.json
  sed 's/"schema_version": 2/"schema_version": 1/' there/report.json >damaged.json
  expect_early 2 "damaged.json: schema_version is 1; must be 2" replay damaged.json
  "$tool" report --study d --data . >out
  has report.html "maxwoolf_summary.csv is missing" "skipped"
  grep -qE "^D: .* 8 +7 +0 +0$" out || { echo "counts of study D changed"; cat out; exit 1; }
  expect_early 2 "--study: F not in {A,B,C,D,E,all}" report --study F
  expect_early 2 "--data: is absent: no such directory" report --data absent
  expect_early 2 "file: is absent.json: no such file or directory" replay absent.json
  mkdir -p taken/report.html
  expect_early 2 "report.html is a directory" replay there/report.json --out taken
  expect_early 2 "report.html is a directory" report --study C --out taken
  no_litter
}
# The list of printed items: 79 rows, each answered by a target, a command with its options, or a page that exists.
printed() {
  local answer command words word group
  "$tool" report --out there >out                                         # refuses rows whose target does not exist
  has there/report.html "<h2 id='printed'>Published items and their state</h2>"
  has there/report.md "of 79 tables, figures, systems and methods have our number next to the published one" "| A | Table 1: times of training on the GPU | validate gpu --only study-a | compared | 5 |" "| A | Table 1: times of training on the CPU | validate cpu --only study-a | skipped |"
  [ "$(rows_with there/report.json '"answer": ')" -eq 79 ] || { echo "there are not 79 rows"; exit 1; }
  [ -z "$(sed -n 's/^ *"what": //p' there/report.json | head -n 79 | sort | uniq -d)" ] || { echo "a row is there twice"; exit 1; }
  "$tool" --help >help
  "$tool" models >networks
  "$tool" roofline --help >machines
  sed -n 's/^ *"answer": "\(.*\)",*$/\1/p' there/report.json | sort -u >answers
  while read -r answer; do
    case $answer in
      docs/*) [ -f "$tests/../../$answer" ] || { echo "there is no page $answer"; exit 1; }; continue ;;
      validate*) continue ;;
    esac
    read -ra words <<<"$answer"
    command=${words[0]}
    listed help | grep -qx "$command" || { echo "$answer: there is no such command"; exit 1; }
    "$tool" "$command" --help >options
    if group=$(listed options) && [ -n "$group" ]; then
      command+=" ${words[1]}"
      grep -qx "${words[1]}" <<<"$group" || { echo "$answer: there is no such command"; exit 1; }
      "$tool" $command --help >options
    fi
    for word in "${words[@]}"; do
      case $word in
        --*) grep -qE "^  $word " options || { echo "$answer: there is no option $word"; exit 1; } ;;
        *-*,* | v100 | k80 | tpu-*) for word in ${word//,/ }; do has machines "$word"; done ;;
        mnist-* | resnet-* | embryo-* | keras-* | lstm-* | paradnn-*) grep -qE "^$word " networks || { echo "$answer: there is no network $word"; exit 1; } ;;
      esac
    done
  done <answers
  "$tool" replay there/report.json --out again >out
  cmp there/report.html again/report.html && cmp there/report.md again/report.md
  sed '0,/"state": "compared"/s//"state": "nearby"/' there/report.json >damaged.json
  expect_early 2 "studies[0].printed[1].state is nearby; must be compared, works, partly, missing or skipped" replay damaged.json
  sed 's/"printed": \[/"of_old": [/' there/report.json >old.json
  "$tool" replay old.json --out again >out
  ! grep -q "Published items and their state" again/report.html || { echo "an older report got a section that it lacks"; exit 1; }
}
# A grid of four networks, two of them too large for this machine, and its options.
sweep_grid() {
  printf '{"schema": "ridgepoint.grid", "schema_version": 1, "network": "mnist-mlp", "batch": [1, 2, 4, 8, 16, 32]}' >tiny.json
  printf '{"schema": "ridgepoint.grid", "schema_version": 1, "network": "paradnn-fc", "set": {"layers": [1, 64], "nodes": [8, 65536],
    "inputs": [8], "outputs": [4]}, "batch": [2]}' >grid.json
  quick=(--threads 1 --step-seconds 0.01s)
}
# How many rows of a file have this text.
rows_with() { grep -cF -- "$2" "$1" || true; }
# Rows of points on machines: measured in child processes, modelled, out of memory and of time; bad input.
sweep_rows() {
  sweep_grid
  "$tool" sweep grid.json --on host,v100,tpu-v2 "${quick[@]}" --limit 20s >out 2>err || { cat out err; exit 1; }
  has out "12 rows in ./sweep_grid.jsonl" "out of memory" "times host"
  [ "$(rows_with sweep_grid.jsonl '"state":"ok"')" -ge 6 ] || { echo "fewer than six steps"; cat sweep_grid.jsonl; exit 1; }
  has sweep_grid.jsonl '"machine":"host","matrix_flop"' '"origin":"measured"' '"peak_memory_bytes":' '"one_core_utilisation":' \
    '"command":"ridgepoint sweep paradnn-fc --row --batch 2 --threads 1 --step-seconds 0.01 --set inputs=8 --set layers=1 --set nodes=8 --set outputs=4"' \
    '"machine":"v100"' '"origin":"modelled"' '"state":"out of memory"'
  has sweep_grid.html "highest utilisation on host" "v100 over host" "9th to 91st percentile"
  ! grep -F '"text":"##"' sweep_grid.html || { echo "a network of one layer fits"; exit 1; }
  sed 's/\[1, 64\]/[64]/; s/\[8, 65536\]/[65536]/' grid.json >deep.json
  "$tool" sweep deep.json --on v100 >out
  has sweep_deep.html '"text":"##"'
  "$tool" sweep tiny.json --on v100,tpu-v2,cpu8 --out fed >out
  ! grep -F "against the feed" fed/sweep_tiny.html || { echo "a chart of the feed without --feed"; exit 1; }
  "$tool" sweep tiny.json --on v100,tpu-v2,cpu8 --feed 1000 --out fed >out      # next to rows of the models' hosts
  has out "30 rows in fed/sweep_tiny.jsonl"
  has fed/sweep_tiny.html "utilisation of v100 against the feed" "utilisation of tpu-v2 against the feed"
  grep -F 'feed of 1000 samples/s' fed/sweep_tiny.jsonl >slow_feed
  [ "$(grep -cE '"batch":(4|8|16|32),.*"feed_share":0[.]([89]|7[5-9])' slow_feed)" -eq 8 ] || { echo "1,000 samples/s do not limit"; cat slow_feed; exit 1; }
  ! grep -F '"machine":"cpu8"' slow_feed || { echo "a CPU with a feed"; exit 1; }
  expect_early 2 "merge: rows of v100 have the settings tensorflow, tensorflow, feed of 1000 samples/s; must have one" \
    merge fed/sweep_tiny.jsonl --machine v100 --format paradnn --out x
  "$tool" sweep tiny.json --on v100 --feed 1000000000 --out fast >out
  [ "$(grep -cE '"feed_share":(0[.]0|[0-9.]+e-[0-9]+),' fast/sweep_tiny.jsonl)" -eq 6 ] || { echo "dispatch counts as feed"; cat fast/sweep_tiny.jsonl; exit 1; }
  expect_early 2 "sweep: --on is cpu8, without a feed; must have a GPU or TPU for --feed" sweep tiny.json --on cpu8 --feed 9
  expect_early 2 "--feed excludes --row" sweep paradnn-fc --row --feed 9
  "$tool" sweep study-a --on v100,k80 --out digits >out
  has digits/sweep_study-a.html "k80 over v100"
  ! grep "highest utilisation on" digits/sweep_study-a.html || { echo "a map without a parameter"; exit 1; }
  cp sweep_grid.jsonl before
  "$tool" sweep grid.json --on host,v100,tpu-v2 "${quick[@]}" >out 2>err                # nothing is left to do
  cmp before sweep_grid.jsonl
  [ ! -s err ] || { echo "measured without need"; cat err; exit 1; }
  "$tool" sweep paradnn-fc --row --set layers=1,nodes=8,inputs=8,outputs=4 --batch 2 "${quick[@]}" >out
  has out '"step_s":' '"step_min_s":' '"threads":1'
  "$tool" sweep tiny.json --on host --threads 1 --step-seconds 9s --limit 0.2s --shard 1/2 --out late >out 2>err
  has late/sweep_tiny.jsonl '"state":"out of time"' '"how":"took more than 0.2 s"' '"limit_s":0.2'
  cp late/sweep_tiny.jsonl late.jsonl
  "$tool" sweep tiny.json --on host "${quick[@]}" --limit 0.1s --shard 1/2 --out late >out 2>err      # no longer limit
  cmp late.jsonl late/sweep_tiny.jsonl
  "$tool" sweep tiny.json --on host "${quick[@]}" --limit 20s --shard 1/2 --out late >out 2>err       # measures them again
  local points
  points=$(wc -l <late.jsonl)
  [ "$(rows_with late/sweep_tiny.jsonl '"state":"ok"')" -eq "$points" ] || { echo "not measured again"; cat late/sweep_tiny.jsonl; exit 1; }
  has out "$points rows in late/sweep_tiny.jsonl"
  "$tool" merge late/sweep_tiny.jsonl late.jsonl --out kept.jsonl >out
  has out "$points rows in kept.jsonl; $((2 * points)) repeated rows left out"
  [ "$(rows_with kept.jsonl '"state":"ok"')" -eq "$points" ] || { echo "merge kept rows out of time"; cat kept.jsonl; exit 1; }
  sed 's/"step_s":[0-9.e-]*/"step_s":9/' kept.jsonl >differs.jsonl
  expect_early 2 "differs.jsonl: mnist-mlp" merge late.jsonl kept.jsonl differs.jsonl --out x
  has err "differs from the row in kept.jsonl; must be there once"
  "$tool" merge late.jsonl late/sweep_tiny.jsonl --out kept.jsonl >out
  [ "$(rows_with kept.jsonl '"state":"ok"')" -eq "$points" ] || { echo "merge kept earlier rows out of time"; cat kept.jsonl; exit 1; }
  "$tool" sweep fc --on host "${quick[@]}" --limit 0.001s --budget 0.01s --out budget >out 2>err || { cat out err; exit 1; }
  has out "points are left: repeat the command to resume"
  [ "$(rows_with budget/sweep_fc.jsonl 'predicted: ')" -ge 1 ] || { echo "ran what is predicted to take too long"; exit 1; }

  # Shards are disjoint and complete; merge joins them, never mixes hosts and refuses contradictions.
  local shard
  for shard in 1 2 3; do "$tool" sweep tiny.json --on v100 --shard $shard/3 --out shard$shard >out; done
  "$tool" sweep tiny.json --on v100 --out whole >out
  [ "$(head -n 2 whole/sweep_tiny.jsonl | sed 's/.*"batch":\([0-9]*\).*/\1/' | sort -n | tr '\n' ' ')" = "1 32 " ] ||
    { echo "the first two batches are not the smallest and the largest"; cat whole/sweep_tiny.jsonl; exit 1; }
  # Several threads model the points; the file is the same, also when a part of it is there.
  "$tool" sweep fc --quick --on v100,cpu8 --threads 1 --out serial >out
  has out "162 rows in serial/sweep_fc.jsonl"
  mkdir parallel
  head -c 5000 serial/sweep_fc.jsonl >parallel/sweep_fc.jsonl
  "$tool" sweep fc --quick --on v100,cpu8 --threads 4 --out parallel >out
  cmp serial/sweep_fc.jsonl parallel/sweep_fc.jsonl
  "$tool" merge shard?/sweep_tiny.jsonl whole/sweep_tiny.jsonl --out merged.jsonl >out
  has out "6 rows in merged.jsonl; 6 repeated rows left out"
  sort merged.jsonl | cmp - <(sort whole/sweep_tiny.jsonl)
  "$tool" merge sweep_grid.jsonl --machine v100 --format paradnn --out columns.json >out
  has columns.json '"labels":["layer_' '-node_8-input_8-output_4-bs_2"' '"step_per_sec":[' '"states":["OOM"'
  expect_early 2 'merge: --machine is ""; must be one of host, tpu-v2, v100' merge sweep_grid.jsonl --format paradnn --out x
  sed 's/"step_s":[0-9.e-]*/"step_s":9/' whole/sweep_tiny.jsonl >other.jsonl
  expect_early 2 "differs from the row in whole/sweep_tiny.jsonl; must be there once" merge whole/sweep_tiny.jsonl other.jsonl --out x
  sed 's/"schema_version":1/"schema_version":2/' whole/sweep_tiny.jsonl >newer.jsonl
  expect_early 2 "newer.jsonl: line 1: schema_version is 2; must be 1" merge whole/sweep_tiny.jsonl newer.jsonl --out x
  sed 's/"host":"[^"]*"/"host":"another"/' sweep_grid.jsonl >theirs.jsonl
  "$tool" merge sweep_grid.jsonl theirs.jsonl --out both.jsonl >out
  has out "16 rows in both.jsonl; 8 repeated" "measured on" "another"
  expect_early 2 "merge: the rows are of 2 hosts; must be of one" merge both.jsonl --format paradnn --machine host --out x
  expect_early 2 "would replace what is read from" merge both.jsonl --out both.jsonl
  [ ! -e x ] || { echo "wrote a refused merge"; exit 1; }

  # A file as it may be found.
  mkdir theirs half twice
  cp theirs.jsonl theirs/sweep_grid.jsonl
  expect_early 2 "has rows of another, this is" sweep grid.json --on host --out theirs
  { cat before; head -c 40 before; } >half/sweep_grid.jsonl
  "$tool" sweep grid.json --on host,v100,tpu-v2 "${quick[@]}" --out half >out 2>err
  has err "removed half a line at the end of half/sweep_grid.jsonl"
  cmp before half/sweep_grid.jsonl
  cat before before >twice/sweep_grid.jsonl
  expect_early 2 "is also in line 1; must be there once" sweep grid.json --on host --out twice
  echo '{"schema": "ridgepoint.machine"}' >twice/sweep_grid.jsonl
  expect_early 2 "line 1: schema is ridgepoint.machine; must be ridgepoint.sweep" sweep grid.json --on v100 --out twice

  # Grids.
  expect_early 2 "absent.json: no such file" sweep absent.json --on host
  expect_early 2 "sweep: networks is densenet; must be fc, cnn, rnn, study-a or a file" sweep densenet --on host
  sed 's/"batch": .*/"batch": []}/' tiny.json >empty.json
  expect_early 2 "batch is empty; must have at least one value" sweep empty.json
  sed 's/mnist-mlp/mnist-mpl/' tiny.json >unknown.json
  expect_early 2 "unknown.json: network is mnist-mpl; must be one of" sweep unknown.json
  has err "(did you mean mnist-mlp?)"
  sed 's/"nodes"/"knots"/' grid.json >knots.json
  expect_early 2 "knots.json: set.knots: paradnn-fc has no such option" sweep knots.json
  local values
  values=$(seq -s, 1 1000)
  printf '{"schema": "ridgepoint.grid", "schema_version": 1, "network": "paradnn-fc", "set": {"layers": [%s], "nodes": [%s], "inputs": [%s]}, "batch": [%s]}' \
    $values $values $values $values >absurd.json
  expect_early 2 "sweep absurd: has 1e+12 points; must have at most 1e+06" sweep absurd.json
  printf '{"schema": "ridgepoint.grid", "schema_version": 1, "network": "paradnn-fc", "set": {"layers": [0, 1], "nodes": [8]}, "batch": [2]}' >zero.json
  "$tool" sweep zero.json --on v100 --out zero >out
  has zero/sweep_zero.jsonl '"state":"ok"' '"how":"paradnn-fc: layers is 0; must be >= 1"' '"state":"not possible"'
  sed 's/1, 2,/0, 2,/' tiny.json >none.json
  expect_early 2 "batch[0] is 0; must be a number >= 1" sweep none.json
  sed 's/"state":"ok"/"state":7/' whole/sweep_tiny.jsonl >sweep_wrong.jsonl
  expect_early 2 "sweep_wrong.jsonl: line 1: state is 7; must be a string" merge sweep_wrong.jsonl --out x
  expect_early 2 "sweep: --shard is for rows; --on must be host, another machine or a list" sweep fc --shard 1/4
  expect_early 2 "sweep: --newer is for charts; --on must be one TPU, and networks fc, cnn or rnn" sweep fc --on v100 --newer tpu-v3
  expect_early 2 "--step-seconds: is 0.0001s; must be a time" sweep fc --on host --step-seconds 0.0001s
  "$tool" sweep study-a --on cpu8,cpu8-compiled --out mnist >out
  has out "10 rows in mnist/sweep_study-a.jsonl" "cpu8-compiled"
  [ "$(rows_with mnist/sweep_study-a.jsonl '"setting":"tensorflow, AVX2"')" -eq 5 ] || { echo "a setting is wrong"; exit 1; }
  expect_early 2 "--shard: is 5/4; must be I/N" sweep tiny.json --shard 5/4
  expect_early 2 "--budget: is soon; must be a time such as 90s, 20min or 2h" sweep tiny.json --budget soon
  expect_early 2 "requires --row" sweep fc --batch 8
  (ulimit -f 4; expect 2 "write: full/sweep_fc.jsonl: File too large" sweep fc --quick --on v100 --out full)
  "$tool" sweep fc --quick --on v100 --out full >out 2>err
  [ ! -s err ] && has out "81 rows in full/sweep_fc.jsonl"
  no_litter
}
# The CPU model, fitted to some steps of a sweep and judged on the others.
validate_cpu() {
  sweep_grid
  printf '{"schema": "ridgepoint.grid", "schema_version": 1, "network": "paradnn-fc", "set": {"layers": [1, 2], "nodes": [8, 64],
    "inputs": [8], "outputs": [4]}, "batch": [2, 64]}' >fc.json
  sed 's/mnist-mlp/mnist-cnn/; s/1, 2, 4, 8, 16, 32/1, 2/' tiny.json >cnn.json
  printf '{"schema": "ridgepoint.grid", "schema_version": 1, "network": "paradnn-rnn", "set": {"layers": [1], "width": [8],
    "length": [4], "vocabulary": [5]}, "batch": [1, 2, 3, 4, 5, 6, 7, 8]}' >rnn.json
  local family code=0
  "$tool" sweep study-a --on host "${quick[@]}" --limit 20s >out 2>err || { cat out err; exit 1; }
  for family in fc cnn rnn; do "$tool" sweep $family.json --on host "${quick[@]}" >out 2>err || { cat out err; exit 1; }; done
  "$tool" machine --show skylake-vm --json machine.json >out
  sed -i 's/"other_cores":[0-9.e-]*/"other_cores":0/; s/"steal_share":[0-9.e-]*/"steal_share":0/' sweep_*.jsonl
  code=0
  expect_early 2 "processor: machine skylake-vm has no f32 peak or no bandwidth of one thread; must have both" validate cpu --data .
  sed -i 's/"threads": 0/"threads": 1/' machine.json
  "$tool" validate cpu --data . --json validation.json >out || code=$?
  [ $code -le 1 ] || { echo "returned $code"; cat out; exit 1; }
  has out "fc: mean error of 1 steps, %" "rnn: mean error of 1 steps, %" "calibration: mean error of 16 steps, %" "of their time at the peak" \
    "paradnn-rnn --set layers=1,length=4,vocabulary=5,width=8 --batch" "mnist-lstm --batch 128, 1 core, ms"
  has validation.json '"target": "steps"' '"rows": 23' '"target": "study-c"'
  ! grep "left out" out || exit 1
  sed -i '1s/"other_cores":0/"other_cores":0.9/; 2s/"steal_share":0/"steal_share":0.02/' sweep_study-a.jsonl
  "$tool" validate cpu --data . --json validation.json >out || true
  has out "2 points were measured while other work used the CPU, and are left out"
  has validation.json '"rows": 21'
  mkdir busy && cp machine.json busy
  for family in fc cnn rnn; do sed 's/"other_cores":0/"other_cores":1/' sweep_$family.jsonl >busy/sweep_$family.jsonl; done
  expect_early 2 "no point to fit to; 18 points were measured while other work used the CPU" validate cpu --data busy --only steps
  sed 's/"host":"[^"]*"/"host":"another"/' sweep_cnn.jsonl >other
  mv sweep_cnn.jsonl cnn && mv other sweep_cnn.jsonl
  expect_early 2 "sweep_cnn.jsonl has a row of another; must have rows of one host" validate cpu --data .
  mv cnn sweep_cnn.jsonl
  sed -i 's/"step_s":[0-9.e-]*/"step_s":-1/' sweep_fc.jsonl
  expect_early 2 "step_s is -1" validate cpu --data .
  rm sweep_rnn.jsonl
  "$tool" validate cpu --data . >out
  has out "sweep_rnn.jsonl is missing" "skipped"
  expect_early 2 "validate: . has no sweep_rnn.jsonl; --only steps must have it" validate cpu --data . --only steps
}
# Killed at random moments, a sweep goes on without losing or repeating a point.
sweep_killed() {
  sweep_grid
  "$tool" sweep tiny.json --on host,v100 "${quick[@]}" >out 2>err &
  local process=$! kills=0 code
  until [ -s sweep_tiny.jsonl ]; do sleep 0.05; done
  code=0
  "$tool" sweep tiny.json --on host "${quick[@]}" >out2 2>err2 || code=$?
  [ $code -ne 0 ] && { has err2 "is in use by another run; must be another --out, or wait until it has ended"; [ $code -eq 2 ]; }
  kill -KILL $process
  while [ "$(wc -l <sweep_tiny.jsonl)" -lt 12 ] && [ $kills -lt ${RIDGEPOINT_KILLS:-200} ]; do
    "$tool" sweep tiny.json --on host,v100 "${quick[@]}" >out 2>err &
    process=$!
    sleep $((RANDOM % 2)).$((5 + RANDOM % 5))$((RANDOM % 10))
    kill -KILL $process 2>/dev/null && kills=$((kills + 1))
    wait $process || true
  done
  "$tool" sweep tiny.json --on host,v100 "${quick[@]}" >out 2>err
  [ "$(wc -l <sweep_tiny.jsonl)" -eq 12 ] && [ "$(sed 's/.*"batch":\([0-9]*\).*"machine":"\([a-z0-9]*\)".*/\1 \2/' sweep_tiny.jsonl | sort -u | wc -l)" -eq 12 ] ||
    { echo "after $kills kills"; cat sweep_tiny.jsonl; exit 1; }
  # Interrupted, it says how to go on.
  "$tool" sweep fc --on host "${quick[@]}" --out long >out 2>err &
  process=$! code=0
  until [ -s long/sweep_fc.jsonl ]; do sleep 0.05; done
  kill -INT $process
  wait $process || code=$?
  [ $code -eq 130 ] || { echo "returned $code"; cat out err; exit 1; }
  has out "points are left: repeat the command to resume"
  no_litter
}
# One chart of machines measured here, saved and modelled: tests/tool/chart.txt is the expected output for the modelled
# ones.
chart() {
  LC_ALL=C "$tool" roofline mnist-mlp --on v100,h200,tpu-v3,tpu-v1,skylake-vm --rows 2 >out
  diff "$tests/chart.txt" out || { echo "the table of modelled machines changed"; exit 1; }
  has roofline.json '"ridgepoint.chart"' '"step_is": "modelled"' '"step_is": "none"' '"bound": "launches"' '"launch_roof_s"'
  has roofline.html "hollow and small: modelled" "<td>tpu-v1</td><td>none</td>" "id='run'"

  black_images
  "$tool" roofline mnist-mlp --batch 8 --threads 1 --steps 2 --data digits --on host,p100 --out here >out 2>err
  has out "A  host     measured  f32" "b  p100     modelled  f32" "A host: measured: by ridgepoint." "stays below"
  has err "measuring the ceilings of ridgepoint."
  has here/roofline.json '"step_is": "measured"' '"environment"' '"time": "2'
  has here/roofline.html "<td>host</td><td>measured</td>"

  "$tool" roofline mnist-mlp --on p100 >gpu                       # from files: a model's step, a measured one, ceilings without a step
  mv roofline.json gpu.json
  sed 's/^{/{"environment": {"cpu_model": "a CPU", "time": "2026-01-31T23:59:59Z", "version": "0.1.0"},/' gpu.json >measured.json
  "$tool" machine --show h200 --json h200.json >shown
  "$tool" machine --show skylake-vm --json cpu.json >shown
  "$tool" machine --show tpu-v2 --chip chip.json >shown
  "$tool" roofline mnist-mlp --on gpu.json,measured.json,h200.json,cpu.json,chip.json >out
  has out "a gpu.json: modelled: model of GPU p100" "B measured.json: measured: by" "host a CPU, 2026-01-31T23:59:59Z" \
    "c h200.json: modelled: ceilings of h200, tiles of h200" "d cpu.json: modelled: each op takes what the ceilings of skylake-vm allow" "e chip.json: modelled: 8 of 8 cores"
  rm roofline.*
  "$tool" roofline mnist-mlp --on measured.json >out              # alone: shown again; its JSON exists
  has out "mnist-mlp, training on model of GPU p100" "wrote ./roofline.html"
  [ ! -e roofline.json ] || { echo "a copy would lose where the step was measured"; exit 1; }
  mv measured.json roofline.json
  "$tool" roofline mnist-mlp --on roofline.json >out
  has out "mnist-mlp, training on model of GPU p100"
  "$tool" roofline mnist-mlp --on h200.json >out
  has out "nothing is fitted" "training on GPU h200"
  "$tool" roofline mnist-mlp --batch 64 --on gpu.json,h200 --rows 0 >out
  has out "its step has 2.00 times the multiply-adds"
  "$tool" roofline mnist-mlp --on k80,a100,tpu-v2 --precision tf32 >out
  has out "a k80: none: gpu k80: has no units for tf32" "c tpu-v2: none: TPU v2: --precision is tf32"
  rm roofline.*
  expect_early 2 "roofline: no machine of --on can run the step: k80 (gpu k80: has no units for tf32; must be another format), a100 (GPU a100: out of memory: the step needs " \
    roofline vgg-16 --batch 4096 --on k80,a100,tpu-v2 --precision tf32
  has err "), tpu-v2 (TPU v2: --precision is tf32"
  [ ! -e roofline.json ] || { echo "wrote a chart without a step"; exit 1; }

  expect_early 2 'no machine is called "cray"; must be one of host, k80, p100' roofline --on cray
  expect_early 2 'no machine is called ""; must be one of' roofline --on host,,h200
  expect_early 2 "roofline: --on is empty; must name a machine: host, k80, p100" roofline --on ""
  expect_early 2 "has host twice; must have it once" roofline --on host,v100,HOST
  expect_early 2 "has tpu-v3 twice; must have it once" roofline --on host,tpu-v3,v3
  expect_early 2 "has ./gpu.json twice" roofline --on gpu.json,./gpu.json
  expect_early 2 "must have 1 to 8" roofline --on host,k80,p100,v100,a100,h100,h200,v1,v2
  expect_early 2 "no software is called mxnet" roofline --software mxnet --on v100,host
  expect_early 2 "must be one of: mnist-mlp" roofline no-such-network --on v100,h200
  expect_early 2 "gpu.json: profile.title is modelled: mnist-mlp, training; must be a step of mnist-cnn" roofline mnist-cnn --on gpu.json
  expect_early 2 "absent.json" roofline --on host,absent.json
  printf '{"schema": "something else"}' >odd.json
  expect_early 2 "odd.json: schema is something else; must be ridgepoint.roofline, ridgepoint.machine or ridgepoint.tpu_chip" roofline --on odd.json
  printf '%s' "$(printf '[%.0s' $(seq 99))" >odd.json
  expect_early 2 "odd.json: is nested deeper than 16" roofline --on odd.json
  sed 's/"step_s": .*/"step_s": 1e300,/' gpu.json >odd.json
  expect_early 2 "odd.json: profile: the step takes 1e+300 s; must be" roofline --on host,odd.json
  head -c 17000000 /dev/zero >odd.json
  expect_early 2 "odd.json" roofline --on host,odd.json
}
# benchmark_json <nanoseconds> [a line of the context…]: nine repetitions of two benchmarks, as Google Benchmark writes
# them. The first takes <nanoseconds>, with steps of a thousandth between repetitions; the second takes 5.
benchmark_json() {
  local time=$1 comma="" name i line
  printf '{"context": {"host_name": "here"'
  for line in "${@:2}"; do printf ', %s' "$line"; done
  printf '}, "benchmarks": ['
  for name in 'f<std::vector<int>, \"a\">' other; do
    for i in 1 2 3 4 5 6 7 8 9; do
      printf '%s\n{"run_name": "%s", "run_type": "iteration", "repetition_index": %d, "time_unit": "ns", "real_time": %s, "odd": NaN}' \
        "$comma" "$name" "$i" "$(awk -v time="$time" -v i="$i" 'BEGIN { print time * (1 + i / 1000) }')"
      comma=,
    done
    time=5
  done
  printf ']}\n'
}
# Two files of results: their comparison, exit codes of a gate, and comparisons that are rejected.
compares() { "$tool" compare "$@" >out 2>err || { echo "compare $*: failed"; cat out err; exit 1; }; }
compare() {
  local i
  benchmark_json 10 '"threads": 1' >a.json
  benchmark_json 12 '"threads": 1' >slower.json
  benchmark_json 10.05 '"threads": 1' >same.json
  compares a.json slower.json --json result.json
  has out "A: a.json, Google Benchmark" 'f<std::vector<int>, "a">' "0.833" "slower" "0 faster, 1 slower, 1 same, 0 can't tell" "geometric mean of the speed-ups: 0.913"
  has result.json '"ridgepoint.compare"' '"verdict": "slower"' '"samples": 9' '"p_holm"'
  expect 1 'slower by more than 2 %: f<std::vector<int>, "a">, by 20.0 %' compare a.json slower.json --gate 2%
  has out "1 slower"
  compares slower.json a.json --gate 2%
  compares a.json slower.json --gate 25
  has out "2 same"
  compares a.json same.json --gate 2% --paired --seed 7
  has out "2 same"
  compares a.json slower.json --metric odd
  has out "can't tell: A: odd is not finite"
  expect 1 'not judged: other: A: odd is not finite; must be, or else --allow-missing' compare a.json a.json --metric odd --gate 2%
  expect 1 'not judged: other: A: absent is missing' compare a.json a.json --metric absent --gate 2%
  compares a.json a.json --metric absent --gate 2% --allow-missing
  sed 's/"run_name": "other"/"run_name": "other", "error_occurred": true, "error_message": "out of memory"/' a.json >failing.json
  expect 1 'not judged: other: B: failed: out of memory' compare a.json failing.json --gate 2%
  compares a.json failing.json --gate 2% --allow-missing
  sed 's/"run_name": "other"/"run_name": "new"/' a.json >missing.json
  expect 1 'not judged: other: missing in B' compare a.json missing.json --gate 2%
  compares a.json missing.json --gate 2% --allow-missing
  expect 2 "--allow-missing requires --gate" compare a.json a.json --allow-missing

  benchmark_json 10 '"threads": 2' >threads.json
  expect_early 2 "a.json and threads.json differ in threads: 1 and 2; must agree, or else --anyway" compare a.json threads.json
  compares a.json threads.json --anyway
  has out "different threads: 1 and 2" "2 same"

  mkdir runs_a runs_b                                            # a directory: each file is one sample
  for i in 1 2 3 4 5 6 7 8; do
    benchmark_json "10.0$i" >runs_a/$i.json
    benchmark_json "11.0$i" >runs_b/$i.json
  done
  expect 1 "slower by more than 2 %: f" compare runs_a runs_b --gate 2% --paired
  has out "0.91"
  rm runs_b/8.json
  expect 1 "8 rounds and 7; pairs need equal counts; must be, or else --allow-missing" compare runs_a runs_b --gate 2% --paired
  compares runs_a runs_b --gate 2% --paired --allow-missing
  has out "can't tell: 8 rounds and 7; pairs need equal counts"
  cp threads.json runs_a/9.json
  cp a.json runs_a/1.json
  expect_early 2 "runs_a/1.json and runs_a/9.json differ in threads: 1 and 2; must agree" compare runs_a runs_b
  mkdir empty
  expect_early 2 "empty: is a directory without a file .json" compare a.json empty

  sed 's/"other"/"new\\u001b[2J"/' a.json >renamed.json          # on one side only, and nothing that a terminal interprets
  compares a.json renamed.json
  has out "only in A:" "  other" "only in B:" "  new\x1b[2J"

  expect 2 "B is required" compare a.json
  expect_early 2 "absent.json: no such file" compare a.json absent.json
  expect_early 2 "No such file or directory" compare a.json a.json --json absent/result.json
  expect 2 "--gate: is fast; must be a percentage from 0 to 100, as 2%" compare a.json a.json --gate fast
  local gate
  for gate in 0 0x2 02 +2% nan 2%% 100; do expect 2 "--gate: is $gate; must be" compare a.json a.json --gate $gate; done
  printf '{"schema": "something else"}' >odd.json
  expect_early 2 "odd.json: schema is something else; must be ridgepoint.versus, ridgepoint.flags or ridgepoint.roofline" compare a.json odd.json
  printf '{"benchmarks": [{"name": "x", "time_unit": "h", "real_time": 1}]}' >hours.json
  expect_early 2 "hours.json: benchmarks[0].time_unit is h; must be ns, us, ms or s" compare hours.json a.json
  head -c 300 a.json >torn.json
  expect_early 2 "torn.json: is not JSON" compare a.json torn.json
  printf '{"benchmarks": [{"name": "x", "time_unit": "s", "real_time": 1}]}' >strange.json
  expect_early 2 "have 2 and 1 rows, none of them in common; must have one" compare a.json strange.json
  no_litter
}
# A fake compiler and a fake benchmark, both shell scripts: programs report the times of two benchmarks, half the time
# with -DFAST, longer in every round of three sets with -DDRIFT; -DCRASH, -DHANG, -DEMPTY and -DSLOW do what they say.
# -DFLUSH reports FTZ and DAZ, -DCHATTY leaves a daemon that writes forever. Compilations are logged in compiled, runs
# of programs in ran.
fake_compiler() {
  cat >fake-c++ <<'END'
#!/usr/bin/env bash
# In addition to the real flags it knows -msse3, which every CPU has, -mamx-tile, and no -funknown.
case " $* " in
  *" --version "*) echo "fake-c++ 1.0"; exit ;;
  *" -funknown "*) echo "fake-c++: error: unrecognized command-line option '-funknown'" >&2; exit 1 ;;
  *" -dM "*)
    echo "#define __cplusplus 202002L"
    case " $* " in *" -mno-sse3 "*) ;; *" -msse3 "*) echo "#define __SSE3__ 1" ;; esac
    case " $* " in *" -mamx-tile "*) echo "#define __AMX_TILE__ 1"; echo "#define __FMA4__ 1" ;; esac
    case " $* " in *" -DCLANG "*) echo "#define __clang__ 1" ;; esac
    ! [ -e another_cpu ] || echo "#define __SSE2__ 1"
    exit ;;
  *" -print-prog-name="*) echo ./absent-profdata; exit ;;
esac
output= rule= compile= profile= sources=() flags=
while [ $# -gt 0 ]; do
  case $1 in
    -o) output=$2; shift ;;
    -MF) rule=$2; shift ;;
    -c) compile=yes ;;
    -D*) flags+=" $1" ;;
    -fprofile-generate) flags+=" counting" ;;
    -fprofile-use) profile=yes ;;
    -*) ;;
    *) sources+=("$1") ;;
  esac
  shift
done
[ -z "$profile" ] || flags+=" $(cat "${output%.*}.gcda")"
case "$flags" in *-DBROKEN*) echo "In file included from a:" >&2; echo "bench.cpp:3:1: error: broken" >&2; exit 1 ;; esac
case "$flags" in *-DLONG*) set -m; sleep 100 & echo $! >away; touch compiling; wait ;; esac   # in its own process group
cat "${sources[-1]}" >"$output" || exit 1
if [ -n "$rule" ]; then echo "$output: ${sources[-1]}" >"$rule"; echo "$flags" >>compiled; fi
if [ -z "$compile" ]; then { echo "#!/usr/bin/env bash"; echo "flags='$flags'"; cat "${sources[-1]}"; } >"$output"; chmod +x "$output"; fi
END
  chmod +x fake-c++
  cat >bench.cpp <<'END'
file=/dev/null
for option; do case $option in --benchmark_out=*) file=${option#*=} ;; esac; done
echo "$flags" >>ran
case "$flags" in
  *-DCRASH*) kill -SEGV $$ ;;
  *-DHANG*) sleep 100 ;;
  *-DEMPTY*) echo "nothing to run" >&2; exit 0 ;;
  *-DSLOW*) sleep 0.05 ;;
  *-DLACKS*) lacks=yes ;;
  *-DCHATTY*) setsid yes & ;;
esac
context=
case "$flags" in *-DFLUSH*) context=', "mxcsr": "0x9fe1"' ;; esac
time=10 kept=1
case "$flags" in *-DFAST*) time=5 kept=0 ;; *trained*) time=4 ;; esac
kept_by_other=
case "$flags" in *-DNAN=[01]*) kept_by_other=', "nan_kept": '$(sed 's/.*-DNAN=\([01]\).*/\1/' <<<"$flags") ;; esac
case "$flags" in *-DDRIFT*) time=$((time * (1 + ($(grep -c DRIFT ran) - 1) / 3))) ;; esac
case "$flags" in
  *-DSHY*) ;;
  *-DCLANG*counting*)
    [ "$(tr '\0' '\n' </proc/$$/environ | grep -c ^LLVM_PROFILE_FILE=)" = 1 ] || exit 1
    echo trained >"$LLVM_PROFILE_FILE"
    ;;
  *counting*) echo trained >"${0%/*}/program.gcda"; echo "$RIDGEPOINT_FLAGS $*" >trained_with ;;
esac
printf '{"context": {"host_name": "here"%s}, "benchmarks": [' "$context" >"$file"
printf '{"name": "f<a, \\"b\\">/8", "time_unit": "ns", "real_time": %s, "ulp_max": %s, "nan_kept": %s, "bits": 7},' $time $time $kept >>"$file"
printf '{"name": "%s", "time_unit": "ns", "real_time": 7%s}]}' "${lacks:+an}other" "$kept_by_other" >>"$file"
END
}
# ladder <set>=<flags with commas>…: writes a ladder of them to ladder.json; the first is the base. Names with pgo have
# a profile.
ladder() {
  local set comma=
  printf '{"schema": "ridgepoint.flags.ladder", "schema_version": 1, "base": "%s", "sets": [' "${1%%=*}"
  for set; do
    printf '%s{"name": "%s", "flags": [%s]' "$comma" "${set%%=*}" "$(sed -E 's/[^,]+/"&"/g' <<<"${set#*=}")"
    case ${set%%=*} in *pgo) printf ', "profile_guided": true' ;; esac
    printf '}'
    comma=,
  done
  printf ']}\n'
}
run_flags() { "$tool" flags --source bench.cpp --compiler ./fake-c++ --no-roofs "$@" >out 2>err || { echo "flags $*: failed"; cat out err; exit 1; }; }
# The full run with a fast fake compiler: builds once, reports every set, or why it has no result.
flags() {
  fake_compiler
  ladder plain=-O2 fast=-O2,-DFAST sse3=-msse3 broken=-DBROKEN unknown=-funknown revoked=-msse3,-mno-sse3 \
    absent=-mamx-tile crash=-DCRASH empty=-DEMPTY hang=-DHANG >ladder.json
  run_flags --sets ladder.json --rounds 6 --time-limit 2 --json flags.json --html flags.html --require 'f<a, "b">/8: fast/base >= 1.9' \
    --require 'all: sse3/base <= 1.1'
  grep -qE '^f<a, "b">/8 +plain again +10.0 ns +10.0 ns +1.000 +1.000 … 1.000 +same +10.0 ulp, same bits$' out || { echo "no A/A row"; cat out; exit 1; }
  grep -qE '^ +fast +10.0 ns +5.00 ns +2.000 +2.000 … 2.000 +faster +NaN LOST, 5.00 ulp, same bits$' out || { echo "no row of fast"; cat out; exit 1; }
  has out "8 rounds: no interval is wide" "plain against itself: 0 of 2 rows distinguished" \
    "failed: bench.cpp:3:1: error: broken" "failed: fake-c++: error: unrecognized command-line option '-funknown'" \
    "failed: -msse3 has no effect with the other flags" "is not in this CPU" \
    "failed: killed by signal 11" "failed: has no result: nothing to run" "failed: took more than 2 s"
  has flags.json '"ridgepoint.flags"' '"verdict": "faster"' '"compiler_version": "fake-c++ 1.0"' '"lost": [' '"failure": "killed by signal 11'
  has flags.html "<title>What flags buy: bench.cpp</title>" "f&lt;a, &quot;b&quot;&gt;/<wbr>8" "8 rounds: no interval is wide" \
    "took more than 2 s" "-O2 -DFAST" "vega-lite/v5.json" \
    "bench.cpp -o program -lbenchmark_main -lbenchmark -lpthread &amp;&amp; ./program &#39;--benchmark_filter=^f&lt;a, &quot;b&quot;&gt;/8$&#39;"
  [ "$(grep -c FAST ran)" -eq 9 ] && [ "$(grep -c HANG ran)" -eq 1 ] || { echo "not every set ran in every round"; cat ran; exit 1; }
  compares flags.json flags.json
  has out "A: flags.json, ridgepoint flags" 'f<a, "b">/8 fast' "8 same"
  mkdir versions
  cp flags.json versions/versions_faked.json
  "$tool" validate tpu --only versions --data versions >out
  grep -qE '^measured, faked: fast over plain, 2 rows +1[.]414 ' out || { echo "no speed-up of versions"; cat out; exit 1; }

  rm compiled                                                     # nothing is compiled twice, unless it has changed
  run_flags --sets ladder.json --rounds 6 --time-limit 2
  [ ! -e compiled ] || { echo "compiled once more"; cat compiled; exit 1; }
  grep -qE '^fast .* kept ' out || { echo "fast was not kept"; cat out; exit 1; }
  echo "# changed" >>bench.cpp
  ladder plain=-O2 fast=-O2,-DFAST >two.json
  rm -f compiled
  run_flags --sets two.json --rounds 6
  [ "$(wc -l <compiled)" -eq 2 ] || { echo "a changed file was not recompiled"; cat compiled; exit 1; }
  touch another_cpu
  run_flags --sets two.json --rounds 6
  [ "$(wc -l <compiled)" -eq 4 ] || { echo "the compiler's macros have changed, and nothing was compiled"; exit 1; }
  rm another_cpu
  run_flags --sets two.json --sets two.json --base plain,fast --rounds 6
  has out "fast,fast" "plain,fast again"
  ladder plain=-DDRIFT fast=-DDRIFT,-DFAST >drift.json            # paired by round: a drift common to all sets is not noise
  run_flags --sets drift.json --rounds 6
  grep -qE '^ +fast .* 2.000 +2.000 … 2.000 +faster ' out || { echo "not judged round by round"; cat out; exit 1; }

  expect 1 'broken: f<a, "b">/8: fast/base >= 2.5: is 2.000, from 2.000 to 2.000' flags --source bench.cpp \
    --compiler ./fake-c++ --sets two.json --rounds 6 --require 'f<a, "b">/8: fast/base >= 2.5'
  expect 1 'broken: all: accuracy <= 10 ulp: f<a, "b">/8 NaN is lost with fast' flags --source bench.cpp \
    --compiler ./fake-c++ --sets two.json --rounds 6 --require 'all: accuracy <= 10 ulp'
  expect 1 'broken: f<a, "b">/8: accuracy <= 7 ulp: 10.0 ulp with plain again' flags --source bench.cpp \
    --compiler ./fake-c++ --sets two.json --rounds 6 --require 'f<a, "b">/8: accuracy <= 7 ulp'
  expect 1 'broken: other: accuracy <= 7 ulp: no such row reports its accuracy' flags --source bench.cpp \
    --compiler ./fake-c++ --sets two.json --rounds 6 --require 'other: accuracy <= 7 ulp'
  ladder plain=-DNAN=1 fast=-DNAN=0 >nan.json                     # a row with only NaN findings
  expect 1 'broken: all: accuracy <= 10 ulp: other NaN is lost with fast' flags --source bench.cpp --compiler ./fake-c++ \
    --sets nan.json --rounds 6 --require 'all: accuracy <= 10 ulp'
  ladder plain=-O2 lacks=-DLACKS >lacks.json
  expect 1 'broken: all: lacks/base >= 0.5: other is missing with lacks' flags --source bench.cpp --compiler ./fake-c++ \
    --sets lacks.json --rounds 6 --require 'all: lacks/base >= 0.5'
  expect 1 'broken: none: fast/base >= 2: there is no such row' flags --source bench.cpp --compiler ./fake-c++ \
    --sets two.json --rounds 6 --require 'none: fast/base >= 2'
  expect 1 "broken: all: crash/base >= 1: the set failed: killed by signal 11" flags --source bench.cpp \
    --compiler ./fake-c++ --sets ladder.json --rounds 6 --time-limit 2 --require 'all: crash/base >= 1'
  expect 1 "flags: the base, crash: killed by signal 11" flags --source bench.cpp --compiler ./fake-c++ \
    --sets ladder.json --base crash --rounds 6
  expect 1 "flags: the base, broken: bench.cpp:3:1: error: broken" flags --source bench.cpp --compiler ./fake-c++ \
    --sets ladder.json --base broken
  expect_early 2 'model is "odd"; must be one of: mnist-mlp' flags odd
  expect 2 "what excludes --source" flags kernels --source bench.cpp
  expect_early 2 "absent.cpp: no such file" flags --source absent.cpp
  expect_early 2 "no ladder is called wide; must be one of" flags --source bench.cpp --sets wide
  expect_early 2 "absent.json: no such file" flags --source bench.cpp --sets absent.json
  sed 's/-O2/-fplugin=.\/a.so/' two.json >evil.json
  expect_early 2 'evil.json: sets[0].flags has "-fplugin=./a.so"; must be flags that choose code' flags --source bench.cpp \
    --sets evil.json
  expect_early 2 "--compiler is ./absent-c++, which cannot be executed; must be a C++ compiler" flags --source bench.cpp \
    --sets two.json --compiler ./absent-c++
  expect_early 2 "no set is called odd; must be one of plain, fast" flags --source bench.cpp --sets two.json --base odd \
    --compiler ./fake-c++
  expect_early 2 "is about odd; must be one of the sets" flags --source bench.cpp --sets two.json \
    --compiler ./fake-c++ --require 'all: odd/base >= 1'
  expect_early 2 "must be '<row>: <set>/base >= <number>'" flags --source bench.cpp --sets two.json \
    --compiler ./fake-c++ --require fast
  expect_early 2 "/proc/flags cannot be created" flags --source bench.cpp --sets two.json --compiler ./fake-c++ \
    --build /proc/flags
  ladder $(for i in $(seq 65); do echo "set$i=-O2"; done) >many.json
  expect_early 2 "ladders of 4225 and 65 sets are crossed; must be at most 10000 sets" flags --source bench.cpp \
    --compiler ./fake-c++ --sets many.json many.json many.json
  rm compiled ran                                                 # only the base is built and run, for its numbers and the time
  expect_early 2 "; must be at most 64, or else --yes" flags --source bench.cpp --sets many.json --compiler ./fake-c++
  grep -qE 'flags: 65 sets would take about [0-9.]+ [MG]B of memory and [0-9][0-9a-z ]* to build, and [0-9][0-9a-z ]* for 10 rounds; must' err ||
    { echo "no prediction"; cat err; exit 1; }
  [ "$(wc -l <compiled)" -eq 1 ] && [ "$(wc -l <ran)" -eq 2 ] || { echo "other sets than the base were built or run"; exit 1; }
  expect_early 2 "of memory and" flags --source bench.cpp --sets many.json --compiler ./fake-c++
  grep -qE 'about [0-9.]+ GB of memory' err || { echo "nothing compiled: must assume 1 GiB each"; cat err; exit 1; }
  no_litter
}
# Compiled twice, the second time with the profile of a run of the first; or the reason is printed.
flags_profile() {
  fake_compiler
  ladder plain=-O2 pgo=-O2 crash+pgo=-DCRASH shy+pgo=-DSHY clang+pgo=-DCLANG >ladder.json
  LLVM_PROFILE_FILE=elsewhere GCOV_PREFIX=elsewhere BENCHMARK_OUT=elsewhere run_flags --sets ladder.json --rounds 6 --json flags.json --html flags.html --filter 'f|other'
  grep -qE '^ +pgo +10.0 ns +4.00 ns +2.500 +2.500 … 2.500 +faster' out || { echo "no row of pgo"; cat out; exit 1; }
  has out "-O2  (profile-guided)" "failed: its run for a profile: killed by signal 11" "failed: its profiling run wrote no profile" \
    "failed: llvm-profdata cannot be executed; a profile of Clang needs it"
  has flags.json '"profile_guided": true' '"set pgo": "fake-c++ 1.0 -O2  (profile-guided)"'
  [ "$(grep -c counting ran)" -eq 4 ] && [ ! -e elsewhere ] || { echo "not one run for each profile"; cat ran; exit 1; }
  has trained_with "time --benchmark_min_time=0.01 --benchmark_filter=f|other"
  grep -qE "<code>$PWD/ridgepoint-flags/pgo-[0-9a-f]+/program.0 &#39;--benchmark_filter=\^other" flags.html ||
    { echo "a profile-guided program cannot be built in one step"; exit 1; }
  rm compiled ran
  run_flags --sets ladder.json --rounds 6 --filter 'f|other'
  [ ! -e compiled ] || { echo "compiled once more"; cat compiled; exit 1; }
  ladder plain=-O2 pgo=-O2 | sed 's/true/false/' >without.json    # a different program, though name and flags are equal
  run_flags --sets without.json --rounds 6
  grep -qE '^ +pgo +10.0 ns +10.0 ns' out || { echo "the profile was kept"; cat out; exit 1; }
  ladder plain=-O2 pgo=-O2 | sed 's/true/3/' >odd.json
  expect_early 2 "odd.json: sets[1].profile_guided is 3; must be true or false" flags --source bench.cpp --sets odd.json
  no_litter
}
# Settled rows are left out of further rounds; a program that ignores the filter, or fails with it, runs in full.
flags_narrow() {
  fake_compiler
  cat >uneven.cpp <<'END'
for option; do case $option in --benchmark_out=*) file=${option#*=} ;; --benchmark_filter=*) filter=${option#*=} ;; esac; done
echo "$filter" >>filters
steady='{"name": "steady", "time_unit": "ns", "real_time": 10},'
case "$flags,$filter" in
  *-DFAILS*,?*) exit 1 ;;
  *-DIGNORES*) ;;
  *,'^noisy/a\+b$') steady= ;;
esac
printf '{"benchmarks": [%s{"name": "noisy/a+b", "time_unit": "ns", "real_time": %s}]}' "$steady" $((100 + RANDOM % 100)) >"$file"
END
  local how
  for how in HEEDS IGNORES FAILS; do
    rm -f filters
    ladder plain=-D$how other=-D$how,-DOTHER >uneven.json
    "$tool" flags --source uneven.cpp --compiler ./fake-c++ --sets uneven.json --rounds 8 --minutes 0.05 --no-roofs \
      --no-hot-loops --json $how.json >out 2>err || { echo "$how"; cat out err; exit 1; }
    [ $how != HEEDS ] || cp out heeds.out
    has out "the time is over, 2 of 4 intervals are wide"
    tail -1 filters | grep -qxF "$([ $how = FAILS ] || echo '^noisy/a\+b$')" || { echo "$how: the last filter is:"; tail -1 filters; exit 1; }
  done
  # samples <file> <row>: prints the number of samples of its first row
  samples() { tr -d ' \n' <"$1" | sed 's/"name":/\n&/g' | grep -m 1 -F "\"name\":\"$2\"" | sed 's/.*"samples":\[\([^]]*\)\].*/\1/' | tr , '\n' | grep -c .; }
  grep -q "rounds, 8 of them whole" heeds.out || { echo "whole rounds are not reported"; cat heeds.out; exit 1; }
  [ "$(samples HEEDS.json steady)" -eq 8 ] && [ "$(samples HEEDS.json noisy/a+b)" -gt 8 ] || { echo "not narrowed"; cat HEEDS.json; exit 1; }
  [ "$(samples IGNORES.json steady)" -gt 8 ] || { echo "a program that ignores the filter lost rounds"; exit 1; }
  [ "$(samples FAILS.json steady)" -gt 8 ] && [ "$(samples FAILS.json noisy/a+b)" -eq "$(samples FAILS.json steady)" ] ||
    { echo "a program that fails with a filter did not run in full"; exit 1; }
}
# fake_program <file> <flags>: writes the program that fake-c++ builds from bench.cpp.
fake_program() { { echo "#!/usr/bin/env bash"; echo "flags=' $2'"; cat bench.cpp; } >"$1"; chmod +x "$1"; }
# Programs that were built elsewhere: nothing is built, and their known flags are reported.
flags_programs() {
  fake_compiler
  fake_program slow ""
  fake_program quick=1 -DFAST
  fake_program crash -DCRASH
  local programs=(--program plain=slow crash=crash --program fast=./quick=1 --rounds 6)
  "$tool" flags "${programs[@]}" --json flags.json --require 'f<a, "b">/8: fast/base >= 1.9' >out 2>err || { cat out err; exit 1; }
  has out "fast      0         -    $PWD/./quick=1" "crash     0         -    failed: killed by signal 11" "plain again" \
    "layout: one link of each set, so its noise is not known"
  grep -qE '^ +fast +10.0 ns +5.00 ns +2.000 +2.000 … 2.000 +faster' out || { echo "no row of fast"; cat out; exit 1; }
  has flags.json '"base": "plain"' "\"program\": \"$PWD/slow\""
  [ ! -e ridgepoint-flags ] && [ ! -e compiled ] || { echo "something was built"; exit 1; }
  compares flags.json flags.json
  "$tool" flags "${programs[@]}" --base fast >out 2>err || { cat out err; exit 1; }
  has out "fast against itself"

  ladder fast=-O2,-DFAST plain=-O2 absent=-mamx-tile unknown=-funknown crash=-O2 missing=-O1 >sets.json
  "$tool" flags "${programs[@]}" --program absent=slow --sets sets.json --compiler ./fake-c++ --json flags.json >out 2>err || { cat out err; exit 1; }
  has out "-O2 -DFAST" "is not in this CPU" "unrecognized command-line option '-funknown'" "failed: has no program" "plain against itself"
  grep -qE '^absent +- +- +failed' out || { echo "absent has code"; cat out; exit 1; }
  has flags.json '"compiler_version": "fake-c++ 1.0"'

  expect_early 2 "flags: --program is plain=absent, which cannot be executed; must be a program" flags --program plain=absent
  expect_early 2 "flags: --program is a=bench.cpp, which cannot be executed" flags --program a=bench.cpp
  expect_early 2 "flags: --program is a once more; must differ from the others" flags --program a=slow a=crash
  expect_early 2 "flags: --program is ./slow; must be NAME=FILE" flags --program ./slow
  expect_early 2 "flags: --program is a b=slow; must be NAME=FILE" flags --program "a b=slow"
  expect_early 2 "flags: --program other belongs to no set; must be one of --sets" flags --program other=slow \
    --sets sets.json --compiler ./fake-c++
  mapfile -t programs < <(for i in $(seq 65); do echo "--program=set$i=slow"; done)
  expect_early 2 " s for 10 rounds; must be at most 64" flags "${programs[@]}"
  "$tool" flags "${programs[@]}" --rounds 6 --minutes 0 --yes >out 2>err || { cat out err; exit 1; }
  has out "set65"
  expect_early 2 "--source excludes --program" flags --program a=slow --source bench.cpp
  expect_early 2 "--program excludes --option" flags --program a=slow --option=-O1
  no_litter
}
# SIGINT while sets are built or measured: finished work is kept and reported.
flags_interrupt() {
  fake_compiler
  ladder plain=-O2 slow=-DLONG >long.json
  ladder plain=-O2 >one.json
  "$tool" flags --source bench.cpp --compiler ./fake-c++ --sets long.json >long.out 2>long.err &
  local process=$! code=0 i state
  until [ -e compiling ]; do sleep 0.05; done
  sleep 0.5
  expect_early 2 "flags: ridgepoint-flags/lock is in use by another run; must be another folder, or wait until it has ended" flags \
    --source bench.cpp --compiler ./fake-c++ --sets one.json
  kill -INT $process
  wait $process || code=$?
  [ $code -eq 130 ] && grep -qF "what was built is kept in ridgepoint-flags" long.err || { echo "returned $code"; cat long.out long.err; exit 1; }
  for ((i = 0; i < 100; ++i)); do                                 # gone, or not yet reaped by its new parent
    state=$(sed 's/.*) //' "/proc/$(cat away)/stat" 2>/dev/null) || true
    case "$state" in "" | Z*) break ;; esac
    sleep 0.05
  done
  [ $i -lt 100 ] || { echo "the compiler's child in another process group still runs"; exit 1; }
  no_litter
  ladder plain=-O2 slow=-DSLOW >slow.json
  "$tool" flags --source bench.cpp --compiler ./fake-c++ --sets slow.json --rounds 1000 --json flags.json \
    --html flags.html >out 2>err &
  process=$! code=0
  until [ -e ran ] && [ "$(grep -c SLOW ran)" -ge 8 ]; do sleep 0.05; done
  kill -INT $process
  wait $process || code=$?
  [ $code -eq 130 ] || { echo "returned $code"; cat out err; exit 1; }
  has out "rounds: interrupted" "plain again" " kept "
  has flags.json '"ended": "interrupted"'
  has flags.html "rounds: interrupted"
  no_litter
}
# Invalid program results, missing data, and folders and files without space.
flags_bad_input() {
  fake_compiler
  cat >odd.cpp <<'END'
for option; do case $option in --benchmark_out=*) file=${option#*=} ;; esac; done
row='{"name": "f", "time_unit": "ns", "real_time": 10}' end=']}'
case "$flags" in
  *-DTORN*) row=${row%10*} end= ;;
  *-DDEEP*) row=$(head -c 100000 /dev/zero | tr '\0' '[') ;;
  *-DTWICE*) row=${row%\}}', "name": "g"}' ;;
  *-DMINUS*) row=${row/10/-10} ;;
  *-DUNIT*) row=${row/ns/years} ;;
  *-DNUMBER*) row=3 ;;
  *-DBINARY*) row=$(head -c 4000 /dev/urandom | tr -d '\0') ;;
  *-DLARGE*) truncate -s 40M "$file"; exit ;;
  *-DPIPE*) rm -f "$file"; mkfifo "$file"; exit ;;
  *-DFOLDER*) rm -f "$file"; mkdir -p "$file/more"; exit ;;
  *-DOTHER*) row=${row/f/another} ;;
esac
printf '{"benchmarks": [%s%s' "$row" "$end" >"$file"
END
  ladder plain=-O2 torn=-DTORN deep=-DDEEP twice=-DTWICE minus=-DMINUS unit=-DUNIT number=-DNUMBER binary=-DBINARY \
    large=-DLARGE pipe=-DPIPE folder=-DFOLDER other=-DOTHER last=-O1 >odd.json
  "$tool" flags --source odd.cpp --compiler ./fake-c++ --sets odd.json --rounds 6 --no-roofs --json flags.json --html flags.html \
    >out 2>err || { cat out err; exit 1; }
  # fails <set> <text of its failure>
  fails() { tr -d '\n' <flags.json | grep -qE "\"name\": \"$1\"[^}]*\"failure\": \"[^}]*$2" || { echo "$1 does not say: $2"; cat flags.json; exit 1; }; }
  fails torn "is not JSON"
  fails deep "is nested deeper than 16; must not be"
  fails twice "has the key name twice; must have it once"
  fails minus "real_time is -10; must be a number >= 0"
  fails unit "time_unit is years; must be ns, us, ms or s"
  fails number "is number; must be an object"
  fails binary "is not JSON"
  fails large "has 41943040 bytes; must have at most 33554432"
  fails pipe "not an ordinary file; must be one"
  fails folder "not an ordinary file; must be one"
  grep -qE ' last .* same' out || { echo "the last set has no row"; cat out; exit 1; }
  ! grep -q another out || { echo "a benchmark that the base lacks has a row"; cat out; exit 1; }
  expect 1 "flags: the base, torn: " flags --source odd.cpp --compiler ./fake-c++ --sets odd.json --base torn --no-roofs

  expect_early 2 "--filter: is (: " flags --filter "("            # before anything is compiled
  expect_early 2 "--filter: is -[a: " flags --filter "-[a"
  expect_early 2 "flags: --compiler is /bin/true, which is not a C++ compiler: it does not define __cplusplus; must be a C++ compiler" \
    flags --source bench.cpp --sets odd.json --compiler /bin/true
  ladder plain=-O2 flush=-DFLUSH chatty=-DCHATTY >two.json        # FTZ and DAZ are reported without sampling the process
  run_flags --sets two.json --rounds 6 --no-hot-loops
  grep -qE '^flush .*\(flushes denormals: FTZ, DAZ\)$' out && grep -qE '^ +chatty .* same' out || { cat out; exit 1; }
  expect 1 "flags: the base, plain: no benchmark has nothing as a finite number; --metric must be real_time, cpu_time or a counter" \
    flags --source bench.cpp --compiler ./fake-c++ --sets two.json --no-roofs --metric nothing
  run_flags --sets two.json --rounds 6 --metric ulp_max           # of one benchmark only
  has out "can't tell: A: ulp_max is missing"

  rm -r ridgepoint-flags                                          # no space for a program, or for the page
  (ulimit -f 1; expect 1 "File too large" flags --source bench.cpp --compiler ./fake-c++ \
    --sets two.json --no-roofs)
  [ "$(ls ridgepoint-flags)" = lock ] || { echo "something was kept"; ls ridgepoint-flags; exit 1; }
  mkdir full
  (ulimit -f 4; expect 2 "full/flags.html: File too large" flags --source bench.cpp --compiler ./fake-c++ \
    --sets two.json --no-roofs --rounds 6 --html full/flags.html)
  has out "plain again"                                           # measured rows are reported
  [ -z "$(ls full)" ] || { echo "half a page is left"; exit 1; }
  run_flags --sets two.json --rounds 6
  no_litter
}
# With a real compiler, passed after the other arguments: a name of 4 kB, missing benchmarks, and the library's message
# for a compiler that is too old.
flags_compiled() {
  local long flags=(flags --compiler "$compiler" --rounds 6 --minutes 0 --benchmark-time 0.001)
  long=$(head -c 4096 /dev/zero | tr '\0' x)
  cat >bench.cpp <<'END'
#include <benchmark/benchmark.h>

float x[4096];
static void scale(benchmark::State& state) {
  for (auto _ : state) {
    for (float& v : x) v = 0.5F * v + 1;
    benchmark::ClobberMemory();
  }
}
BENCHMARK(scale)->Name("scale<" + std::string(4096, 'x') + ", 'a'>");
END
  ladder plain=-O1 fast=-O2 >two.json
  "$compiler" -E -dM -x c++ /dev/null >macros                     # an older compiler, by its macros
  ladder old=-U__GNUC__,-D__GNUC__=11 >old.json
  ! grep -q __clang_major__ macros || ladder old=-U__clang_major__,-D__clang_major__=13 >old.json
  "$tool" "${flags[@]}" --source bench.cpp --sets two.json --json flags.json --html flags.html >out 2>err || { cat out err; exit 1; }
  has out "scale<xxxxxxxxxxxxxxxxxx…"
  has flags.json "\"name\": \"scale<$long, 'a'>\""
  has flags.html "$long, &#39;a&#39;&gt;"
  compares flags.json flags.json --json compared.json
  has compared.json "scale<$long, 'a'> fast\""
  expect 1 "flags: the base, plain: has no result: Failed to match any benchmarks against regex: nothing" "${flags[@]}" \
    --source bench.cpp --sets two.json --filter nothing
  expect 1 "flags: the base, plain: no benchmark has nothing as a finite number" "${flags[@]}" --source bench.cpp \
    --sets two.json --metric nothing
  expect 1 "ridgepoint needs GCC 12 or Clang 14, and this compiler is older" "${flags[@]}" kernels --sets old.json
  no_litter
}
# The hot loops of benchmarks, with a real compiler, passed after the other arguments.
flags_hot_loops() {
  grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo || { echo "skipped: the CPU has no AVX2 or FMA"; exit 77; }
  type objdump >/dev/null || { echo "skipped: there is no objdump"; exit 77; }
  cat >bench.cpp <<'END'
#include <benchmark/benchmark.h>

#include <cmath>
#include <thread>

float x[4096], y[4096];
static void scale(benchmark::State& state) {
  for (auto _ : state) {
    for (int i = 0; i < 4096; ++i) y[i] = 0.5F * x[i] + y[i];
    benchmark::ClobberMemory();
  }
}
BENCHMARK(scale);
BENCHMARK(scale)->Threads(2)->Name("two");
static void after_much_else(benchmark::State& state) {
  volatile double other = 1;
  for (int i = 0; i < 50'000'000; ++i) other = other * 1.0000001;
  scale(state);
}
BENCHMARK(after_much_else)->Name("late<a>(c)[1]{2}.*");
static void gamma_of(benchmark::State& state) {
  for (auto _ : state) {
    float sum = 0;
    for (int i = 0; i < 100; ++i) sum += std::lgamma(x[i] + 3.5F);
    benchmark::DoNotOptimize(sum);
  }
}
BENCHMARK(gamma_of);
static void wait(benchmark::State& state) {
  for (auto _ : state) std::thread([] {
    volatile double other = 1;
    for (int i = 0; i < 5'000'000; ++i) other = other * 1.0000001;
  }).join();
}
BENCHMARK(wait)->UseRealTime();
END
  ladder plain=-O2,-fno-tree-vectorize,-fno-tree-slp-vectorize wide=-O3,-mavx2,-mfma,-ffast-math >ladder.json
  local flags=(flags --source bench.cpp --compiler "$compiler" --sets ladder.json --rounds 6 --minutes 0 --benchmark-time 0.001)
  "$tool" "${flags[@]}" --json flags.json >out 2>err || { cat out err; exit 1; }
  ! grep "hot loops: ptrace" out || { echo "skipped: hot loops need ptrace"; exit 77; }
  local row
  for row in scale two/threads:2 'late<a>(c)[1]{2}.*'; do
    grep -A1 -F "$row " out | grep -qE 'plain again .* scalar  ' && grep -A1 -F "$row " out | grep -qE 'wide .* 256 b, [0-9.]+ % FMA  ' ||
      { echo "$row is not scalar with plain and of 256 bits with wide"; cat out; exit 1; }
  done
  grep -A1 '^gamma_of' out | grep -qE 'wide .* in libm.so.6  ' || { echo "gamma_of is not in libm"; cat out; exit 1; }
  grep -A1 '^wait' out | grep -qE 'wide .* in other threads  ' || { echo "wait does not wait"; cat out; exit 1; }
  grep -qE '^wide .*\(flushes denormals: FTZ, DAZ\)$' out || { echo "MXCSR is not reported"; cat out; exit 1; }
  has flags.json '"vector_bits": 256' '"mxcsr": 8064' '"mxcsr": 40896' '"hot_code": "in libm.so.6"' '"share_of_samples"'
  ! grep -q "hot loops:" out || { echo "a hot loop was not found"; cat out; exit 1; }

  PATH=/nowhere "$tool" "${flags[@]}" --filter scale >out 2>err || { cat out err; exit 1; }
  has out "hot loops: objdump is not there"
  "$tool" "${flags[@]}" --filter scale --no-hot-loops >out 2>err || { cat out err; exit 1; }
  ! grep -qE "hot loop|256 b" out || { echo "analysed hot loops despite --no-hot-loops"; cat out; exit 1; }
  no_litter
}
# The number formats of a TPU's array: a report on the test set, and a file that is complete or missing.
mxu_accuracy() {
  "$tool" mxu accuracy mnist-mlp --epochs 0 --steps 2 --format bf16 --threads 2 --json accuracy.json >out 2>err || { cat out err; exit 1; }
  grep -q "bf16 on the MXU" out && grep -q '"changed_predictions"' accuracy.json
  "$tool" train "${small[@]}" --seed 7 --epochs 0 --checkpoint run.checkpoint >out
  "$tool" mxu accuracy --checkpoint run.checkpoint --steps 0 --format bf16 --threads 2 >out 2>err || { cat out err; exit 1; }
  grep -q "bf16 on the MXU" out
  expect 2 "must be bf16, int8 or fp32" mxu accuracy --format fp8
  expect 2 'mxu accuracy: --chip is "v9"; must be one of tpu-v1' mxu accuracy --chip v9
  expect 2 "model is" mxu accuracy no-such-network
}

"$2"
