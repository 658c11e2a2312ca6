#!/usr/bin/env bash
# named.sh <repository> <the ridgepoint command>: every sub-command and option of `ridgepoint …` in the pages exists.
set -euo pipefail
tool=$2
cd "$1"
failed=0 count=0
while IFS=: read -r page text; do
  read -r -a words <<<"${text#*ridgepoint }"
  path=() options=()
  for word in "${words[@]}"; do
    case $word in
      \#* | \| | \> | \;) break ;;
      --*) options+=("$word") ;;
      *) [ ${#options[@]} -gt 0 ] || path+=("$word") ;;          # a sub-command, or a value of the last one
    esac
  done
  [ ${#path[@]} -gt 0 ] && [ "${path[0]}" != COMMAND ] || continue
  count=$((count + 1))
  help=$("$tool" "${path[@]}" --help)
  usage=$(grep '^Usage: ridgepoint ' <<<"$help")
  wrong=""
  [[ $usage == "Usage: ridgepoint ${path[0]} "* ]] || wrong="has no ${path[0]}"
  [[ $usage != *SUBCOMMAND* || ${#path[@]} -eq 1 ]] || wrong="has no ${path[*]}"
  for option in "${options[@]}"; do
    grep -qE -- "(^|[ ,])$option([ ,]|$)" <<<"$help" || wrong="has no $option"
  done
  [ -z "$wrong" ] || { echo "$page: ridgepoint ${words[*]}: the command $wrong"; failed=1; }
done < <(awk '
  /^```/ { shell = /^```sh/ }
  shell || /^    / { if (/^ *(build\/release\/bin\/)?ridgepoint [a-z]/) print FILENAME ":" $0; next }
  { while (match($0, /`ridgepoint [a-z][^`]*/)) {
      print FILENAME ":" substr($0, RSTART, RLENGTH)
      $0 = substr($0, RSTART + RLENGTH)
    } }' README.md docs/*.md)
echo "$count commands"
[ $failed -eq 0 ] && [ $count -gt 0 ]
