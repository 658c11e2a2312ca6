#!/bin/sh
# SPDX-License-Identifier: MIT
# seal.sh ENTRY LD OBJCOPY COMPILER ARGUMENT…: compiles an object, then leaves ENTRY as its only global symbol.
# COMDAT groups are resolved first: a local copy of a group could be dropped in favour of another one of that name. -d
# gives common symbols (OpenMP's locks) a place, so that they can become local too.
entry=$1 ld=$2 objcopy=$3
shift 3
"$@" || exit
before="" object=""
for argument; do
  [ "$before" != -o ] || object=$argument
  before=$argument
done
"$ld" -r -d --force-group-allocation -o "$object.sealed" "$object" &&
  "$objcopy" --keep-global-symbol="$entry" "$object.sealed" && mv -f "$object.sealed" "$object" && exit
rm -f "$object" "$object.sealed"
exit 1
