# SPDX-License-Identifier: MIT
"""faults.py <ridgepoint> <c++> <folder>: checks that `ridgepoint flags` shows each known fault of damaging flag sets
in its row, and none with the base. Exits 77 if the CPU has no FMA."""
import json
import pathlib
import re
import subprocess
import sys

tool, compiler, folder = sys.argv[1:]
if " fma " not in pathlib.Path("/proc/cpuinfo").read_text():
    print("this CPU has no FMA")
    sys.exit(77)
out = pathlib.Path(folder)
out.mkdir(parents=True, exist_ok=True)
rule = "sigmoid/1x65536/kernels: accuracy <= 3 ulp"
run = subprocess.run([tool, "flags", "--sets", pathlib.Path(__file__).with_name("faults.json"), "--compiler", compiler,
                      "--build", out / "builds", "--rounds", "6", "--minutes", "0", "--benchmark-time", "0.0001",
                      "--json", out / "flags.json", "--require", rule], capture_output=True, text=True, check=False)
if run.returncode != 1 or f"broken: {rule}: NaN is lost with fast" not in run.stderr:
    sys.exit(f"returned {run.returncode}; must be 1 for the NaN that is lost\n{run.stdout}{run.stderr}")
result = json.loads((out / "flags.json").read_text())
rows = {(row["set"], row["name"]): row["accuracy"] for row in result["rows"]}
sets = {one["name"]: one for one in result["sets"]}
failed = False


def complain_unless(holds, what):
    global failed
    if not holds:
        print(what)
        failed = True


def of(name, pattern):
    """Returns the matching rows of a set; fails if none match."""
    found = {row: accuracy for (where, row), accuracy in rows.items() if where == name and re.fullmatch(pattern, row)}
    complain_unless(found, f"{name}: no row is {pattern}")
    return found


def other_bits(name, pattern):
    return {row for row, accuracy in of(name, pattern).items() if not accuracy["same_bits"]}


def lost(name, what, pattern=".*"):
    return {row for row, accuracy in of(name, pattern).items() if what in accuracy.get("lost", [])}


FAINT = "(gemm|dense|conv2d|max_pool|relu|tanh|adam)/.*|lstm/.*/definition"  # rows in which subnormals matter
for row, accuracy in of("base", "[^t].*|tanh.*").items():
    complain_unless(accuracy["nan_kept"] == 1, f"base: {row} has lost a NaN")
    complain_unless(accuracy["subnormals_kept"] == 1 or not re.fullmatch(FAINT, row), f"base: {row} has lost subnormals")
for row, accuracy in of("base", "training/.*").items():
    complain_unless(accuracy["gradient_error"] < 1e-6, f"base: the gradients of {row} are off")
complain_unless(not other_bits("base again", ".*"), "the base has other bits than itself")

complain_unless(len(other_bits("contracted", "gemm/.*/definition")) == 2, "contracted: a sum has the same bits")
complain_unless(not other_bits("contracted", "[^t].*/kernels"), "contracted: kernels use explicit FMAs, but have other bits")
complain_unless(not lost("contracted", "NaN"), "contracted: a NaN is lost")

complain_unless(other_bits("reordered", "(gemm|dense)/.*/definition"), "reordered: no sum has another order")
complain_unless(not lost("reordered", "NaN") and not lost("reordered", "subnormals"), "reordered: a NaN or subnormals are lost")

nan_rows = of("fast", "(lstm|sigmoid)/.*/kernels").keys()
complain_unless(lost("fast", "NaN", "(lstm|sigmoid)/.*/kernels") == nan_rows, "fast: a NaN is not lost")
faint_rows = of("fast", "(gemm|dense|conv2d|relu|tanh|adam)/.*/kernels").keys()
complain_unless(lost("fast", "subnormals", "(gemm|dense|conv2d|relu|tanh|adam)/.*/kernels") == faint_rows, "fast: subnormals are not lost")
complain_unless(sets["fast"]["flushes_denormals"] and not sets["base"]["flushes_denormals"], "fast must flush, and base not")

for name, one in sets.items():
    complain_unless(one.get("roof", {}).get("flop_per_s", 0) > 1e9, f"{name} has no roof")
if not failed:
    print("every damage to NaN, subnormals, contraction and order is found")
sys.exit(failed)
