# spills.sh <archive or program>: checks that no register tile of GEMM moves a vector to or from the stack in its loop
# over depth: the loop that has a product per register of the tile and no stores. rbp addresses the stack only in a
# function that copies rsp into it. A store that no vector reload reads is not a spill: GCC emits such dead stores.
# Exits 77 without objdump.
set -eu
command -v objdump >/dev/null || exit 77
# An archive has a section per kernel; disassembling the rest takes minutes.
sections=$(objdump -h "$1" | awk '$2 ~ /^[.]text[.].*gemm_tile/ { print "-j" $2 }')
objdump -dC --no-show-raw-insn $sections "$1" | awk '
function padded(address) { return substr("0000000000000000", length(address) + 1) address }
# Finds innermost loops of a function: from the target of a backward jump to the jump, with no other such jump between.
function place(line) { return match(line, /[-0-9a-fx]*\(%r[sb]p[^)]*\)/) ? substr(line, RSTART, RLENGTH) : "" }
function examine(   i, j, products, spilt, stores, read) {
  for (i = 1; i <= lines; i++) if (code[i] ~ /\(%r[sb]p[^)]*\),.*[xyz]mm/) read[place(code[i])] = 1
  for (i = 1; i <= lines; i++) {
    if (code[i] !~ /^j[a-z]+ +[0-9a-f]+ /) continue
    split(code[i], part, / +/)
    if (padded(part[2]) >= at[i]) continue
    products = spilt = stores = 0
    for (j = i; j >= 1 && at[j] >= padded(part[2]); j--) {
      if (j < i && code[j] ~ /^j[a-z]+ +[0-9a-f]+ / && backward[j]) { products = 0; break }
      if (code[j] ~ /^(v?f?n?m(add|ul)[0-9]*[ps][sd]|vdpbf16ps) /) products++
      if (code[j] ~ /[xyz]mm/ && (code[j] ~ /\(%rsp/ || (framed && code[j] ~ /\(%rbp\)/))) spilt += place(code[j]) in read
      else if (code[j] ~ /[xyz]mm[0-9]+,[^ ]*\(%/) stores++
    }
    backward[i] = 1
    if (products < size || stores > 0) continue
    loops++
    if (spilt > 0) { print name ": " spilt " vectors on the stack among " products " products"; failed = 1 }
  }
  for (i in backward) delete backward[i]
  for (i in read) delete read[i]
  lines = framed = 0
}
/^[0-9a-f]+ <.*>:$/ { examine(); name = $0; sub(/^[0-9a-f]+ </, "", name); sub(/\(ridgepoint.*tile_run.*/, "", name); tile = $0 ~ /gemm_tile</; if (tile) { tiles++; split($0, extents, /, /); size = extents[2] * extents[3] } }
tile && /^ +[0-9a-f]+:\t/ {
  lines++; at[lines] = $1; sub(/:$/, "", at[lines]); at[lines] = padded(at[lines])
  code[lines] = $0; sub(/^[^\t]*\t/, "", code[lines])
  if (code[lines] ~ /^mov +%rsp,%rbp/) framed = 1
}
END {
  examine()
  if (tiles == 0 || loops < tiles) { print tiles + 0 " register tiles with " loops + 0 " loops of products; every tile must have one"; exit 1 }
  if (!failed) print loops " loops of " tiles " register tiles keep their vectors in registers"
  exit failed
}'
