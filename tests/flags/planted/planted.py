# SPDX-License-Identifier: MIT
"""Counts how often `ridgepoint flags` finds planted slowdowns, and false ones, on this machine.

Compares a program of eight benchmarks with itself and with copies that do 2, 5 and 50 % more work. Prints how often each
was found. Exits with 1 if a slowdown is reported as a speed-up, if no slowdown of 50 % is found, or if more than a tenth
of the equal pairs (and more than two) are reported as different. Finding smaller slowdowns depends on the load.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent


def one_run(options, seed):
    """Returns the rows of a run: (set, verdict, speed-up)."""
    file = pathlib.Path(options.folder) / "planted.json"
    command = [options.tool, "flags", "--source", HERE / "work.cpp", "--sets", HERE / "ladder.json", "--no-roofs",
               "--build", pathlib.Path(options.folder) / "builds", "--seed", str(seed), "--rounds", str(options.rounds),
               "--minutes", str(options.minutes), "--benchmark-time", str(options.benchmark_time), "--json", file]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return [(row["set"], row["verdict"], row["speedup"]) for row in json.loads(file.read_text())["rows"] if "verdict" in row]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="ridgepoint", help="the ridgepoint command")
    parser.add_argument("--folder", default=".", help="build folder of the programs")
    parser.add_argument("--runs", type=int, default=25)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--benchmark-time", type=float, default=0.03)
    options = parser.parse_args()
    pathlib.Path(options.folder).mkdir(parents=True, exist_ok=True)
    found = collections.defaultdict(collections.Counter)
    for run in range(options.runs):
        for name, verdict, _ in one_run(options, run + 1):
            found[name][verdict] += 1
        if sys.stderr.isatty():
            print(f"\rrun {run + 1} of {options.runs}", end="", file=sys.stderr)
    for name, verdicts in found.items():
        print(f"{name:12} {sum(verdicts.values()):4} rows:", ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common()))
    again = found["base again"]
    wrong = sum(found[name]["faster"] for name in found if name.startswith("slower"))
    false_alarms = again["faster"] + again["slower"]
    return int(wrong > 0 or found["slower-50"]["slower"] == 0 or false_alarms > max(2, 0.1 * sum(again.values())))


if __name__ == "__main__":
    sys.exit(main())
