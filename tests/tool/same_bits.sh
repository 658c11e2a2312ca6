#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# same_bits.sh <tools/same_bits>: the differences between two programs that it finds, with fakes for the ridgepoint
# command whose results are in files and whose only instruction set is avx2.
set -euo pipefail
tool=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset RIDGEPOINT_ISA                                            # the programs here have none
export TMPDIR=$folder/stage
cd "$folder"
mkdir stage tables old new
cat >old/ridgepoint <<'END'
#!/bin/bash
here=$(dirname "$0") file=""
case "$*" in *--json*) file=${*: -1} ;; *--checkpoint*) file=trained ;; esac
case "$*" in *"epochs 0"*)
  mkdir -p data/digits
  for part in train t10k; do
    for kind in images-idx3 labels-idx1; do head -c 6000000 /dev/zero >data/digits/$part-$kind-ubyte; done
  done
  exit ;;
esac
[ "${RIDGEPOINT_ISA-avx2}" = avx2 ] || { echo "this CPU has no $RIDGEPOINT_ISA" >&2; exit 3; }
printf '%s: loss %s\nload  %s s\n' "$*" "$(cat "$here/loss")" "0.$RANDOM"
[ -z "$file" ] || cp "$here/bits" "$file"
exit "$(cat "$here/code")"
END
chmod +x old/ridgepoint
cp old/ridgepoint new
fresh() { for tree in old new; do echo 0.25 >$tree/loss; echo 10010 >$tree/bits; echo 0 >$tree/code; done; }
cat >old/test_models <<'END'
#!/bin/bash
cd "$(dirname "$0")"
[ -s bits ] || exit 0
mkdir "$RIDGEPOINT_PLANS"
for name in mnist-mlp mnist-cnn; do cat loss bits >"$RIDGEPOINT_PLANS/$name.training.float.txt"; done
exit "$(cat code)"
END
chmod +x old/test_models
cp old/test_models new
# expect <exit code> <text in the output> [OPTION …]
expect() {
  local code=0
  "$tool" "${@:3}" old new >out 2>&1 || code=$?
  if [ $code -ne "$1" ] || ! grep -qF -- "$2" out || [ -n "$(ls stage)" ]; then
    echo "returned $code; must be $1, say \"$2\" and leave nothing in the stage, which holds \"$(ls stage)\":"
    cat out
    exit 1
  fi
}

with_tables() { expect "$1" "$2" --tables tables; }

fresh && with_tables 0 "the same bits in 13 comparisons; 8 not available here"
echo 0.26 >new/loss && with_tables 1 "train mnist-mlp, avx2, threads: 1: exit codes 0 0; printed (< old, > new)"
fresh && echo 10011 >new/bits && with_tables 1 "train mnist-mlp, avx2, threads: 1: trained, as above"
fresh && echo 1 >new/code && with_tables 1 "exit codes 0 1"
fresh && echo 2 >old/code && cp old/code new && with_tables 2 "both returned 2"
fresh && sed -i 's/= avx2 \]/= none ]/' new/ridgepoint && with_tables 1 "exit codes 0 3; printed"
cp old/ridgepoint new && rm new/bits && with_tables 2 "new wrote no trained"
rm new/ridgepoint && with_tables 2 "no program new/ridgepoint"

fresh && expect 0 "the same 2 plans" --plans
echo 10011 >new/bits && expect 1 "+10011" --plans
fresh && echo 1 >new/code && expect 2 "new/test_models wrote no plans" --plans
fresh && : >old/bits && expect 2 "old/test_models wrote no plans" --plans
rm new/test_models && expect 2 "no program new/test_models" --plans
