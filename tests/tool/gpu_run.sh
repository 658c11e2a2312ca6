#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# gpu_run.sh <.../tools/gpu_run> <the ridgepoint command>: without a GPU it says so and stops. With fake programs, the
# real command accepts each of its commands, and the results exist.
set -euo pipefail
run=$1 tool=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export CUDA_VISIBLE_DEVICES=
complain() { echo "$*"; exit 1; }
# returns CODE WORDS …
returns() {
  local want=$1 code=0
  shift
  "$run" "$@" >out 2>&1 || code=$?
  [ $code -eq "$want" ] || { cat out; complain "gpu_run $*: returned $code; must be $want"; }
}

returns 2
returns 0 --help
grep -q "gates.json" out && ! grep -q "set -euo" out || complain "--help must list the results only"
returns 3 nothing "${tool%/bin/*}"
[ ! -e nothing/gates.json ] || complain "gates without a GPU"

mkdir -p fake/bin
for program in cuda_on_device cuda_properties bench_cuda; do ln -s /bin/true fake/bin/$program; done
cat >fake/bin/ridgepoint <<END
#!/usr/bin/env bash
echo "\$*" >>"$folder/asked"
[ "\$1 \$2" != "machine --gpu" ] || { echo "{}" >"\$4"; exit 0; }
code=0
"$tool" "\$@" || code=\$?
[ \$code -ne 2 ] || echo "\$*" >>"$folder/refused"
[ "\$1 \$code" = "roofline 3" ] || exit \$code
case \$2 in mnist-mlp | resnet-18) "$tool" roofline \$2 --on v100 --out "\${@: -1}" ;; esac
END
chmod +x fake/bin/ridgepoint
returns 1 made fake
[ ! -e refused ] || complain "rejected commands: $(cat refused)"
grep '^failed: ' out | tr ' ' '\n' | sed 1d | grep -v '^bench\.' && complain "only comparisons with PyTorch may fail"
grep -q "^resnet-18 of 512 images, bf16.* unmeasured" out || complain "gates come last"
for name in mnist-mlp.f32 mnist-mlp.bf16 resnet-18.f32 resnet-18.bf16; do
  [ -s made/chart.$name/roofline.html ] && [ -s made/chart.$name/roofline.json ] || complain "no chart of $name"
done
for what in "--tensor-floats" "--type bf16"; do
  for op in gemm conv; do grep -q "^bench $op .*$what" asked || complain "no $op with $what"; done
done
grep -q "^softmax_cross_entropy,16384,1024$" made/map.csv || complain "no comparison of the loss with PyTorch's"
grep -q "^bench network resnet-18 --batch 512 --type bf16 " asked || complain "no resnet-18"
