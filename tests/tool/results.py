#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""results.py <repository>: tests tools/results on canned runs, valid ones and damaged ones."""
import atexit
import copy
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(sys.argv[1])
ROOT = pathlib.Path(tempfile.mkdtemp())
atexit.register(shutil.rmtree, ROOT, ignore_errors=True)


def run_of(ratios, load=0.1, packed=None, **changes):
    rows = [{"shape": f"{16 * i + 16}x8x8", "class": "narrow", "rates": {"ridgepoint.avx2": 2e9 * r, "blis": 2e9},
             "best_peer": "blis", "ratio": r, "settings": {"ridgepoint.avx2": "plain / gemm", "blis": "zen3 / gemm"}}
            for i, r in enumerate(ratios)]
    if packed is not None:
        rows[0]["packed"] = {**rows[0], "ratio": packed}
    return {"schema": "ridgepoint.versus", "schema_version": 2, "version": "0.1.0",
            "command": "ridgepoint bench gemm --isa avx2", "what": "gemm", "unit": "FLOP/s", "random": 0,
            "ours": "ridgepoint.avx2", "implementations": ["blis zen3: BLIS 0.9.0"], "rows": rows,
            "environment": {"compiler": "gcc 12.2.0", "cpu_model": "Abacus | 9000", "hypervisor": "none",
                            "cores_allowed": 2, "load_1min": load, "steal_share": 0.01}, **changes}


def results(*arguments, **environment):
    return subprocess.run([sys.executable, REPOSITORY / "tools" / "results", "--root", ROOT, *arguments], text=True,
                          capture_output=True, env={**os.environ, **environment})


def add(documents, **environment):
    files = []
    for i, document in enumerate(documents):
        files.append(ROOT / f"run{i}.json")
        files[-1].write_text(document if isinstance(document, str) else json.dumps(document))
    return results("add", *files, **environment)


def expect(done, code, text):
    said = done.stdout + done.stderr
    if done.returncode != code or text not in said or "Traceback" in said:
        sys.exit(f"returned {done.returncode}; must be {code} and say '{text}':\n{said}")


def has(path, *texts):
    page = (ROOT / path).read_text()
    for text in texts:
        if text not in page:
            sys.exit(f"{path} must have: {text}\n{page}")


def changed(value, *way):
    """Returns a valid run with the value at the end of the path replaced; ... removes it."""
    document = run_of([1.0, 2.0])
    place = document
    for step in way[:-1]:
        place = place[step]
    if value is ...:
        del place[way[-1]]
    else:
        place[way[-1]] = value
    return document


(ROOT / "docs").mkdir()
shutil.copy(REPOSITORY / "README.md", ROOT)
three = [run_of([0.9, 1.1], 0.3, packed=1.5), run_of([1.2, 1.0], 0.2, packed=1.4), run_of([1.0, 0.8], 0.1, packed=1.6)]

# Minimum, median and maximum of every row, with load and steal; machine names are not markup.
expect(add(three), 0, "wrote")
has("docs/results.md", r"## Abacus \| 9000", "| 16x8x8 | 2 | 0.900 · 1.000 · 1.200 | blis zen3 / gemm | 1.400 · 1.500 · 1.600 |",
    "| 32x8x8 | 2 | 0.800 · 1.000 · 1.100 | blis zen3 / gemm | – |", "0.10 · 0.20 · 0.30", "1.00 · 1.00 · 1.00",
    "1.000 (16x8x8)", "blis zen3: BLIS 0.9.0", "gcc 12.2.0", "commit")
has("README.md", "| `ridgepoint bench gemm` | 0.894 · 0.995 · 1.095 |")
expect(results("check"), 0, "")

# Without git, and in a folder that git does not track, the commit is unknown, and a line gives the reason.
expect(add(three, PATH=str(ROOT)), 0, "results: git is not installed; the record's commit is unknown")
has("docs/results.md", "commit unknown")
if shutil.which("git"):
    expect(add(three), 0, f"results: {ROOT} is not a git checkout; the record's commit is unknown")
    subprocess.run(["git", "init", "-q", ROOT], check=True)
    subprocess.run(["git", "-C", ROOT, "add", "README.md"], check=True)
    subprocess.run(["git", "-C", ROOT, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"], check=True)
    if "unknown" in add(three).stderr:
        sys.exit("the commit of a checkout is unknown")
    shutil.rmtree(ROOT / ".git")

# A record of another instruction set stays; one of the same set is replaced completely, by worse runs as by better
# ones.
other = json.loads(json.dumps(three).replace("avx2", "avx512"))
expect(add(other), 0, "avx512.json")
has("README.md", "| `ridgepoint bench gemm` | 0.894 · 0.995 · 1.095 | 0.894 · 0.995 · 1.095 |")
worse = [run_of([0.5, 0.5]) for _ in range(3)]
expect(add(worse), 0, "avx2.json")
has("docs/results.md", ", avx2\n", ", avx512\n", "0.500 · 0.500 · 0.500", "0.900 · 1.000 · 1.200")

# The sample is the printed output.
path, = (ROOT / "benchmarks" / "results").glob("*avx2.json")
record = json.loads(path.read_text())
path.write_text(json.dumps({**record, "sample": "layer | time\n  <b>  1.0\n"}))
expect(results("write"), 0, "wrote")
has("README.md", "```text\nlayer | time\n  <b>  1.0\n```\n")

# Manual changes are found.
page = (ROOT / "docs" / "results.md").read_text()
(ROOT / "docs" / "results.md").write_text(page.replace("0.500", "1.500"))
expect(results("check"), 1, "results.md is not what tools/results write makes")
expect(results("write"), 0, "wrote")

# Damaged runs change nothing.
before = {file: file.read_bytes() for file in ROOT.rglob("*.*") if "run" not in file.name and file.is_file()}
good = run_of([1.0, 2.0])
for documents, text in [
        ([good, good], "2 runs; must be at least 3"),
        ([good, good, run_of([1.0])], "different shapes"),
        ([good, good, changed("clang 14", "environment", "compiler")], "runs disagree about compiler"),
        (["{"], "run0.json: "),
        (["[" * 100_000], "run0.json: "),
        (["[]"], "schema is null"),
        ([changed(1, "schema_version")], "must be ridgepoint.versus, 2"),
        ([changed([], "rows")], "rows is empty"),
        ([changed(..., "rows", 0, "shape")], "rows[0].shape is null; must be a text"),
        ([changed("fast", "rows", 1, "ratio")], 'rows[1].ratio is "fast"; must be a number'),
        ([changed(-1, "rows", 1, "ratio")], "rows[1].ratio is -1; must be a number of at least 0"),
        ([changed(float("nan"), "rows", 1, "ratio")], "rows[1].ratio is NaN; must be a number"),
        ([changed(10 ** 400, "rows", 1, "ratio")], "rows[1].ratio is 1000"),
        ([changed(True, "environment", "load_1min")], "load_1min is true; must be a number"),
        ([changed(..., "environment")], "environment is null; must be an object"),
        ([changed("zen3", "rows", 0, "settings")], "rows[0].settings is"),
        ([changed({"blis": 1}, "rows", 0, "settings")], "rows[0].settings.blis is 1; must be a text"),
        ([changed(["x"], "rows", 0, "packed")], "rows[0].packed.rates is null"),
        ([changed([1], "implementations")], "implementations is 1; must be a text")]:
    expect(add(documents), 2, text)
for name, value in [("lists", None), ("lists", [{}]), ("cores", "two"), ("date", 5), ("schema", "x")]:
    path.write_text(json.dumps({**record, name: value}))
    expect(results("write"), 2, name)
short = copy.deepcopy(record)
short["lists"][0]["rows"][0]["plain"]["ratio"].pop()
path.write_text(json.dumps(short))
expect(results("write"), 2, "must have a value of each of 3 runs")
path.write_bytes(before[path])
for file, content in before.items():
    if file.read_bytes() != content:
        sys.exit(f"{file} was changed by a damaged run")

# A ratio that a run lacks is shown as missing; text that cannot be encoded does no harm.
expect(add([run_of([1.0, 2.0]), run_of([1.0, 2.0]), changed(None, "rows", 1, "ratio")]), 0, "wrote")
has("docs/results.md", "| 32x8x8 | 4 | – | – |")
odd = [{**run_of([1.0]), "implementations": ["\ud800 | <b>\n# title"]} for _ in range(3)]
expect(add(odd), 0, "wrote")
has("docs/results.md", r"- ? \| \<b\> # title")
expect(results("measure", "--bin", str(ROOT)), 2, "is no program; build it first")
expect(results("--help"), 0, "tools/results measure")

# Files of versions are kept without their samples and without what is of no use there.
def versions(name, document):
    (ROOT / name).write_text(json.dumps(document))
    return results("versions", ROOT / name)


ladder = {"schema": "ridgepoint.flags", "schema_version": 1, "base": "gcc", "source": "/home/me/b.cpp", "environment": {},
          "sets": [{"name": "gcc", "compiler_version": "12", "flags": ["-O3"], "program": "/home/me/b"}],
          "rows": [{"name": "dot", "set": "gcc", "speedup": 1.23456789, "samples": [1, 2]}]}
expect(versions("versions_dot.json", ladder), 0, "wrote")
has("benchmarks/results/versions/versions_dot.json", '"speedup": 1.2346', '"compiler_version": "12"')
expect(versions("versions_gemm.1.json", run_of([1.0], command="ridgepoint bench gemm --python /home/me/python --isa avx2")),
       0, "wrote")
has("benchmarks/results/versions/versions_gemm.1.json", '"blis": 2000000000.0', '"cpu_model": "Abacus | 9000"', 'BLIS 0.9.0"',
    '"ridgepoint bench gemm --isa avx2"')
for kept in (ROOT / "benchmarks/results/versions").iterdir():
    for needless in ("samples", "/home", "settings", "best_peer"):
        if needless in kept.read_text():
            sys.exit(f"{kept} has {needless}")
expect(versions("dot.json", ladder), 2, "dot.json: must be called versions_NAME.json")
expect(versions("versions_a.json", {"schema": "ridgepoint.sweep"}), 2, 'schema is "ridgepoint.sweep"; must be')
expect(versions("versions_a.json", {**ladder, "rows": [1]}), 2, "1 must be an object")
expect(versions("versions_a.json", {**ladder, "environment": None}), 2, "environment is null; must be an object")
