# form.sh <repository>: checks every source's licence line, line and file length, include guard, namespace and macros.
set -eu
cd "$1"
failed=0
complain() { echo "$*"; failed=1; }
headers=$(find include -name '*.hpp' | LC_ALL=C sort)
sources=$(find include tests tools benchmarks measurement examples \( -name '*.hpp' -o -name '*.cpp' \) | LC_ALL=C sort)

# Characters, not bytes: continuation bytes of UTF-8 do not count.
LC_ALL=C awk '
function complain(what) { print what; failed = 1 }
function end_of_file() {
  if (is_header && !once) complain(file ": must have #pragma once")
  if (is_header && lines > 800) complain(file ": has " lines " lines; must be at most 800")
}
FNR == 1 {
  end_of_file()
  file = FILENAME; is_header = file ~ /^include\/.*[.]hpp$/; once = 0; before = ""
  if ($0 != "// SPDX-License-Identifier: MIT") complain(file ": the first line must be // SPDX-License-Identifier: MIT")
}
{ lines = FNR }
length > 120 { line = $0; gsub(/[\200-\277]/, "", line); if (length(line) > 120) complain(file ":" FNR ": " length(line) " columns; must be at most 120") }
!is_header { next }
/^#pragma once$/ { once = 1 }
/^struct [a-z0-9_]*options \{/ && before !~ /^\/\/\// { complain(file ":" FNR ": " $2 " must have a /// comment") }
/^ *# *define/ && file != "include/ridgepoint/core/config.hpp" && !(file ~ /core\/isa[.]hpp$/ && /define RIDGEPOINT_ISA /) {
  complain(file ":" FNR ":" $0); complain(file ": defines a macro; only core/config.hpp may")
}
!/^template/ { before = $0 }
END { end_of_file(); exit failed }' $sources || failed=1

grep -nE 'using namespace' $headers && complain "a header must not say using namespace"
grep -nE '^ *# *if 0|TODO|FIXME|XXX' $sources && complain "unfinished or dead code"
grep -nE '\<Approx *[({]|doctest::Approx' $sources && complain "Approx is absolute below 1, so that seconds always pass; must be near(value, share) of support/near.hpp"
# Matches parameters only, since members end with ;. Excepts the conditions `bool ok` and `bool mask`.
named=$(find include tools benchmarks measurement \( -name '*.hpp' -o -name '*.cpp' \))
grep -nE '(^ *|[(,] *)(const +)?bool&?( +[a-z_0-9]+)?( = [a-z]+)?[,)]' $named | grep -vE 'bool (ok|mask)[,)]|: *bool [^()]*;$' &&
  complain "a parameter must not be bool; use an enumerator or a member of an option aggregate"
[ $failed -ne 0 ] || echo "$(echo "$sources" | wc -l) sources have the required form"
exit $failed
