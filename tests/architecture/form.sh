# form.sh <repository>: the form every source keeps: licence line, line and file length, one-time inclusion, namespace, macros.
set -eu
cd "$1"
failed=0
complain() { echo "$*"; failed=1; }
headers=$(find include -name '*.hpp' | LC_ALL=C sort)
sources=$(find include tests tools benchmarks measurement examples \( -name '*.hpp' -o -name '*.cpp' \) | LC_ALL=C sort)

for file in $sources; do
  [ "$(head -n 1 "$file")" = "// SPDX-License-Identifier: MIT" ] || complain "$file: the first line must be // SPDX-License-Identifier: MIT"
done
for file in $headers; do
  grep -q '^#pragma once$' "$file" || complain "$file: must have #pragma once"
  lines=$(wc -l <"$file")
  [ "$lines" -le 400 ] || complain "$file: has $lines lines; must be at most 400"
  awk -v file="$file" '/^struct [a-z0-9_]*options \{/ && before !~ /^\/\/\// { print file ":" NR ": " $2 " must have its /// sentence"; bad = 1 }
                       !/^template/ { before = $0 } END { exit bad }' "$file" || failed=1
  [ "$file" = include/ridgepoint/core/config.hpp ] || ! grep -Hn '^ *# *define' "$file" | grep -v 'core/isa[.]hpp:.*define RIDGEPOINT_ISA ' ||
    complain "$file: defines a macro; only core/config.hpp may"
done
median=$(for file in $headers; do wc -l <"$file"; done | sort -n | awk '{ lines[NR] = $1 } END { print lines[int((NR + 1) / 2)] }')
[ "$median" -le 100 ] || complain "the median header has $median lines; must be at most 100"

# Characters, not bytes: continuation bytes of UTF-8 do not count.
for file in $sources; do
  LC_ALL=C sed 's/[\x80-\xbf]//g' "$file" | awk -v file="$file" 'length > 120 { print file ":" NR ": " length " columns; must be at most 120"; bad = 1 } END { exit bad }' || failed=1
done
grep -nE 'using namespace' $headers && complain "a header must not say using namespace"
grep -nE '^ *# *if 0|TODO|FIXME|XXX' $sources && complain "unfinished or dead code"
grep -nE '\<Approx *[({]|doctest::Approx' $sources && complain "Approx is absolute below 1, so that seconds always pass; must be near(value, share) of support/near.hpp"
# A parameter, not a member: no ; at the end. `bool ok` and `bool mask` are conditions, which nobody passes as true or false.
named=$(find include tools benchmarks measurement \( -name '*.hpp' -o -name '*.cpp' \))
grep -nE '(^ *|[(,] *)(const +)?bool&?( +[a-z_0-9]+)?( = [a-z]+)?[,)]' $named | grep -vE 'bool (ok|mask)[,)]|: *bool [^()]*;$' &&
  complain "a parameter must not be bool: an enumerator or a member of an option aggregate says at the call what is meant"
[ $failed -ne 0 ] || echo "$(echo "$sources" | wc -l) sources keep the form; the median header has $median lines"
exit $failed
