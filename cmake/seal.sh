#!/bin/sh
# SPDX-License-Identifier: MIT
# seal.sh ENTRY[,ENTRY …] LD OBJCOPY COMPILER ARGUMENT…: compiles an object, and leaves these as its only global symbols.
# COMDAT groups are resolved first: a local copy of a group could be dropped in favour of another one of that name. -d
# gives common symbols (OpenMP's locks) a place, so that they can become local too.
keep=--keep-global-symbol=$(echo "$1" | sed 's/,/ --keep-global-symbol=/g') ld=$2 objcopy=$3
shift 3
before="" object=""
for argument; do                                  # the same arguments, but for the object, which appears when it is sealed
  shift
  if [ "$before" = -o ]; then
    object=$argument
    argument=$object.unsealed
  fi
  set -- "$@" "$argument"
  before=$argument
done
"$@" && "$ld" -r -d --force-group-allocation -o "$object.sealed" "$object.unsealed" && "$objcopy" $keep "$object.sealed" &&
  mv -f "$object.sealed" "$object"
status=$?
rm -f "$object.unsealed" "$object.sealed"
exit $status
