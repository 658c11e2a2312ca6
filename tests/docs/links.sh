#!/usr/bin/env bash
# links.sh <repository>: checks that every local link and every repository file named in the pages exists.
set -euo pipefail
cd "$1"
failed=0
for page in README.md CHANGELOG.md CONTRIBUTING.md docs/*.md docs/reference/*.md; do
  while read -r link; do
    [ -e "$(dirname "$page")/${link%%#*}" ] || { echo "$page: $link does not exist"; failed=1; }
  done < <(sed '/^```/,/^```/d' "$page" | grep -oE '\]\([^):]+\)' | sed 's/^](//; s/)$//')
  while read -r file; do
    [ -e "$file" ] || [ -e "include/ridgepoint/$file" ] || [ "$file" = simd/isa/sse2.hpp ] || [ "$file" = tests/cpu/softsign.cpp ] || { echo "$page: $file does not exist"; failed=1; }
  done < <(grep -oE '`(core|roofline|simd|ops|reference|kernels|cpu|onednn|graph|models|data|tests|cmake|examples)/[a-z0-9_/.]+`' "$page" | tr -d '`')
done
exit $failed
