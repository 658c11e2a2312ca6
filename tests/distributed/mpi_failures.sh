#!/bin/sh
# SPDX-License-Identifier: MIT
# mpi_failures.sh MPIRUN-WORDS PROGRAM: every way in which ranks can fail ends all of them, with an error that names the
# rank and the call.
set -eu
mpirun=$1 program=$2 failed=0
check() {                                                       # check FAILURE EXIT-CODE TEXT …
  failure=$1 wanted=$2 status=0
  shift 2
  output=$(timeout 60 $mpirun -np 3 "$program" "$failure" 2>&1) || status=$?
  [ $status -ne 124 ] || { echo "$failure: the ranks have not ended"; failed=1; }
  case "$wanted:$status" in
    0:0 | not0:[1-9]*) ;;
    *) echo "$failure: exit code is $status; must be $wanted"; failed=1 ;;
  esac
  for text in "$@"; do
    printf '%s\n' "$output" | grep -qF "$text" || { printf '%s: the output lacks "%s":\n%s\n' "$failure" "$text" "$output"; failed=1; }
  done
}
check none 0 "no error"
check initialised 0 "no error"
check exception not0 "a rank's own error" "mpi: rank 2 ended by an exception after 1 calls"
check late not0 "mpi: all_reduce of 10 floats, call 1, did not end within 1 s: rank 2 has made 1 calls"
check "other call" not0 "mpi: call 1 is barrier on rank 2 and all_reduce of 10 floats on rank"
check end not0 "mpi: call 1 is the end of its communicator on rank 2 and all_reduce of 10 floats on rank"
check large not0 "mpi: call 1 is all_reduce of 99999 floats on rank 2 and all_reduce of 100000 floats on rank"
check killed not0
[ $failed -ne 0 ] || echo "all failures end all ranks"
exit $failed
