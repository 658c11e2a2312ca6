#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# gpu_run.sh <.../tools/gpu_run> <the ridgepoint command>: where there is no GPU it says so and stops. With programs that
# play one, each of its commands is one that the real command takes, and what it makes of them is there.
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
grep -q "gates.json" out && ! grep -q "set -euo" out || complain "--help must say what is made, and no more"
returns 3 nothing "${tool%/bin/*}"
[ ! -e nothing/gates.json ] || complain "gates without a GPU"

mkdir -p played/bin
for program in cuda_on_device cuda_properties bench_cuda; do ln -s /bin/true played/bin/$program; done
cat >played/bin/ridgepoint <<END
#!/usr/bin/env bash
echo "\$*" >>"$folder/asked"
[ "\$1 \$2" != "machine --gpu" ] || { echo "{}" >"\$4"; exit 0; }
code=0
"$tool" "\$@" || code=\$?
[ \$code -ne 2 ] || echo "\$*" >>"$folder/refused"
[ \$1 = roofline ] || exit \$code
case \$2 in mnist-mlp | resnet-18) "$tool" gpu \$2 --chip v100 --out "\${@: -1}" && mv "\${@: -1}/gpu.json" "\${@: -1}/roofline.json" ;; esac
END
chmod +x played/bin/ridgepoint
returns 1 made played
[ ! -e refused ] || complain "commands that are refused: $(cat refused)"
grep '^failed: ' out | tr ' ' '\n' | sed 1d | grep -v '^versus\.' && complain "only what asks PyTorch may fail"
grep -q "^resnet-18 of 512 images, bf16.* unmeasured" out || complain "gates come last"
for name in mnist-mlp.f32 mnist-mlp.bf16 resnet-18.f32 resnet-18.bf16; do
  [ -s made/chart.$name.html ] && [ -s made/chart.$name.json ] || complain "no chart of $name"
done
for what in "--tensor-floats" "--type bf16"; do
  for op in gemm conv; do grep -q "^versus $op .*$what" asked || complain "no $op with $what"; done
done
grep -q "^softmax_cross_entropy,16384,1024$" made/map.csv || complain "no loss beside PyTorch's"
grep -q "^versus network resnet-18 --batch 512 --type bf16 " asked || complain "no resnet-18"
