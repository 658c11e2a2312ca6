#!/usr/bin/env bash
# commands.sh <repository> <folder of the programs> <folder of published tables> <page>: runs the commands on a page of
# the documentation ("README", or "flags" for docs/flags.md) with their own defaults, and checks exit code and output
# against commands.txt. Every ```text block must match the output of the command before it (matches.sh). A command on
# several pages runs for the last of them, and for each that shows its output. The output of tools/results comes from
# other machines, so such a command runs without its options for the instruction set and the rounds, and with seed 1.
# commands.sh <repository> pages: prints the pages that have commands to run.
# commands.sh <repository> records: runs nothing. Fails if the pages name a command, an option or a list of shapes that
# no test here runs, or if commands.txt has a record that no page names.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
repository=$1 page=${!#}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0 ran=0
complain() { echo "$*"; failed=1; }
pages=("$repository"/README.md)
for file in "$repository"/docs/*.md; do [ "${file##*/}" = studies.md ] || pages+=("$file"); done    # a page by ridgepoint report: studies.sh

# The pages' contents, one per line: "<page> <tab> command <tab> …", "… text <tab> <file with the block>" or, in ```sh,
# "… shell <tab> …".
awk -v base="$folder/block" '
  function command(line) {
    sub(/^ *(build\/release\/bin\/)?/, "", line); sub(/ +# .*/, "", line); gsub(/ +/, " ", line); sub(/ $/, "", line)
    if (results && line ~ /^ridgepoint bench /) {
      gsub(/ --(isa|rounds) [^ ]+/, "", line); sub(/ --seed [0-9]+/, " --seed 1", line)
    }
    if (line ~ /^(ridgepoint [a-z]|bench_[a-z0-9_]+( |$))/) { print page "\tcommand\t" line; return 1 }
    return 0
  }
  function flush_paragraph() {
    while (match(paragraph, /`[^`]+`/)) {
      command(substr(paragraph, RSTART + 1, RLENGTH - 2))
      paragraph = substr(paragraph, RSTART + RLENGTH)
    }
    paragraph = ""
  }
  FNR == 1 { flush_paragraph(); kind = ""; page = FILENAME; gsub(/.*\/|[.]md$/, "", page); results = FILENAME ~ /\/results\.md$/ }
  /^<!-- .*: tools\/results -->$/ { flush_paragraph(); results = 1 }
  /^<!-- end of / { flush_paragraph(); results = 0 }
  /^```/ {
    flush_paragraph()
    if (kind != "") { if (kind == "text") print page "\ttext\t" file; kind = ""; next }
    kind = $0 == "```" ? "plain" : substr($0, 4)
    file = base (++blocks)
    next
  }
  kind == "text" { print > file; next }
  kind == "sh" { if (!command($0) && $0 !~ /^#/) print page "\tshell\t" $0; next }
  kind != "" { next }
  /^$/ { flush_paragraph(); next }
  /^    / { if (command($0)) next }
  { paragraph = paragraph " " $0 }
  END { flush_paragraph() }' "${pages[@]}" >"$folder/named"
# "<command> <tab> <page that runs it>". Slow commands have a page of their own: bench_gemm, bench_conv and bench_rnn
# are the long lists of `bench`, measuring_benchmarks are the benchmark suites.
awk -F'\t' '
  $2 == "command" { page[$3] = $1 }
  END {
    for (command in page) {
      split(command, word, " ")
      own = command ~ /^ridgepoint bench (gemm|conv|rnn)/ && command !~ / --json /
      suite = command ~ /^bench_/ && page[command] == "measuring"
      print command "\t" (own ? "bench_" word[3] : suite ? "measuring_benchmarks" : page[command])
    }
  }' "$folder/named" >"$folder/pages"
if [ "$page" = pages ]; then
  cut -f2 "$folder/pages" | LC_ALL=C sort -u
  exit
fi

# commands.txt as "<command> <tab> <kind> <tab> <value>".
awk '/^[$!] /{ command = substr($0, 3); print command "\t" substr($0, 1, 1) "\t"; next }
     /^[+=>*] /{ print command "\t" substr($0, 1, 1) "\t" substr($0, 3) }' "$here/commands.txt" >"$folder/records"
record() { awk -F'\t' -v command="$1" -v kind="$2" '$1 == command && $2 == kind { print $3 }' "$folder/records"; }

if [ "$page" = records ]; then
  diff <(cut -f1 "$folder/pages" | LC_ALL=C sort) <(awk -F'\t' '$2 == "$" { print $1 }' "$folder/records" | LC_ALL=C sort -u) ||
    complain "the pages name the commands on the left; tests/docs/commands.txt has the commands on the right"
  for option in $(grep -ohE -- '`--[a-z][a-z_-]+' "${pages[@]}" | tr -d '`' | sort -u); do
    grep -qE -- "$option([ =]|\$)" <(cut -f1,3 "$folder/records" | tr '\t' ' ') || complain "$option is named in the pages, but no command here has it"
  done
  for list in "$repository"/measurement/shapes/*.csv; do
    [ -n "$(awk -F'\t' -v list="${list##*/}" '$2 == "*" && $3 == list' "$folder/records")" ] || complain "no command here must print every row of ${list##*/}"
  done
  exit $failed
fi

PATH="$2:$PATH" tables=$3
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1    # as CI's user
mkdir "$folder/printed" "$folder/runs"
cp -r "$here"/my_* "$folder/runs"                                  # files of a user of docs/flags.md

# try <command>: runs it as in commands.txt and leaves its output file in $output.
try() {
  local command=$1 more want code=0 started=$SECONDS text rows
  ran=$((ran + 1)) output="$folder/printed/$ran"
  more=$(record "$command" +) want=$(record "$command" =)
  (cd "$folder/runs" && bash -uc "$command $more") >"$output" 2>&1 </dev/null || code=$?
  printf '%4d s  %s %s\n' $((SECONDS - started)) "$command" "$more"
  printf '%s\t%s\n' "$command" "$output" >>"$folder/outputs"
  [ "$code" -eq "${want:-0}" ] || { complain "$command $more: returned $code; must be ${want:-0}:"; tail -n 30 "$output"; }
  while IFS= read -r text; do
    grep -qF -- "$text" "$output" || { complain "$command $more: must print \"$text\":"; tail -n 30 "$output"; }
  done < <(record "$command" '>')
  while IFS= read -r rows; do                                   # every row of a list of shapes: op,1,2 as op/1x2 or op/who/1x2
    while IFS= read -r text; do
      grep -qE -- "$text" "$output" || complain "$command $more: lacks the row $text of $rows"
    done < <(tail -n +2 "$repository/measurement/shapes/$rows" | sed -E 's/^([a-z][a-z_0-9]*),/\1(\/[^ ]*)?\//; s/,/x/g')
  done < <(record "$command" '*')
}

# DIR in --data DIR is the folder of published tables, which are not part of this project. Skips such commands and their
# output if the folder is missing.
ln -s "$tables" "$folder/runs/DIR"
lacks_tables() { [[ "$1 " == *" DIR "* ]] && [ ! -d "$tables" ]; }
[ -d "$tables" ] || echo "no published tables in $tables: commands with --data DIR are skipped"
: >"$folder/outputs"
# run <command>: runs it unless it has run, and then the commands listed with it in commands.txt.
run() {
  local related
  output=$(awk -F'\t' -v command="$1" '$1 == command { print $2 }' "$folder/outputs")
  [ -z "$output" ] || return 0
  try "$1"
  while IFS= read -r related; do lacks_tables "$related" || try "$related"; done \
    < <(awk -F'\t' -v command="$1" '$2 == "$" { on = $1 == command } on && $2 == "!" { print $1 }' "$folder/records")
  output=$(awk -F'\t' -v command="$1" '$1 == command { print $2 }' "$folder/outputs")
}
while IFS=$'\t' read -r kind what; do
  [ "$kind" != command ] || last=$what
  ! lacks_tables "$last" || continue
  case $kind in
    command) ! grep -qxF -- "$what"$'\t'"$page" "$folder/pages" || run "$what" ;;
    shell)
      [[ "$what" != mpirun* ]] || command -v mpirun >/dev/null || { echo "without mpirun, skipped: $what"; continue; }
      (cd "$folder/runs" && bash -uc "$what") >"$folder/shell" 2>&1 </dev/null || { complain "$what: failed:"; cat "$folder/shell"; } ;;
    text)
      run "$last"
      bash "$here/matches.sh" "$what" "$output" || { complain "the \`\`\`text block below is not what \"$last\" prints:"; cat "$what"; } ;;
  esac
done < <(awk -F'\t' -v page="$page" 'FNR == NR { by[$1] = $2; next }
                                     $1 == page || ($2 == "command" && by[$3] == page) { print $2 "\t" $3 }' "$folder/pages" "$folder/named")
echo "$ran commands"
exit $failed
