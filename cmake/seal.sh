#!/bin/sh
# SPDX-License-Identifier: MIT
# seal.sh ENTRY[,ENTRY …] LD OBJCOPY COMPILER ARGUMENT…: compiles an object and keeps only these entries as global
# symbols. First resolves COMDAT groups: a local copy of a group could be dropped in favour of another one of that
# name. -d allocates common symbols (OpenMP's locks), so that they can become local too.
keep=--keep-global-symbol=$(echo "$1" | sed 's/,/ --keep-global-symbol=/g') ld=$2 objcopy=$3
shift 3
before="" object=""
for argument; do                                  # compiles to OBJECT.unsealed: OBJECT appears only once sealed
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
