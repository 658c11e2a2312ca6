#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles every header alone, included twice, among foreign macros, with the flags of SOURCE in COMPILE_COMMANDS.

usage: headers_alone.py WORK INCLUDE HEADERS COMPILE_COMMANDS SOURCE PART PARTS

One file per header would parse the same headers hundreds of times. A header may follow another in a file if it includes
that one itself, directly or not, unconditionally and before its first line of code. Then the other header supplies
nothing that it forgot to include, and both are checked. So the files are chains, each header including the one before,
and begin with a precompiled hub that the first header includes. Hubs with their files are divided into parts, each a
test. The first part also compiles all headers in one file, after the system and library headers, among macros of Qt and
windows.h that would break system headers.
"""
import concurrent.futures
import functools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

work, include = map(pathlib.Path, sys.argv[1:3])
headers = pathlib.Path(sys.argv[3]).read_text().split()
listed = frozenset(headers)
part, parts = map(int, sys.argv[6:8])
commands = json.loads(pathlib.Path(sys.argv[4]).read_text())
compiler = shlex.split(next(c["command"] for c in commands if os.path.samefile(c["file"], sys.argv[5])))
compiler = compiler[:compiler.index("-o")] + ["-Winvalid-pch"]
macros = "".join(f"#define {name} not_a_name(\n" for name in ("I", "B0", "small", "ERROR", "DOMAIN", "CR", "PI"))
keywords = "".join(f"#define {name}\n" for name in ("emit", "foreach", "signals", "slots", "interface", "near", "far"))
functions = """\
#define min(a, b) (((a) < (b)) ? (a) : (b))
#define max(a, b) (((a) > (b)) ? (a) : (b))
"""


def includes(header):
    """Returns its unconditional includes before the first line of code, other directive or unchecked header of ours."""
    path, depth, found = include / header, 0, []
    for line in path.read_text().splitlines() if header in listed else []:
        line = line.split("//")[0].strip()
        depth += bool(re.match(r"#\s*if", line)) - bool(re.match(r"#\s*endif", line))
        name = re.match(r"#\s*include\s*<(.*)>", line)
        if name and (name[1] in listed or not (include / name[1]).exists()):
            found += [name[1]] if depth == 0 else []
        elif line and not re.match(r"#\s*(pragma once$|if|el|endif|error)", line):
            break
    return found


@functools.cache
def sees(header):
    """Returns the header and all headers surely included before its code begins."""
    return frozenset([header]).union(*map(sees, includes(header)))


def size(header):
    return len(sees(header)) if header else 0


def choose_hubs():
    """Returns {header: its hub or None}; greedily adds hubs that save more than they cost."""
    hub_of = dict.fromkeys(headers)
    users = {hub: [header for header in headers if hub in sees(header)] for hub in headers}

    def gain(hub):                                       # one in three headers begins a file; writing costs as much
        return sum(max(0, size(hub) - size(hub_of[header])) for header in users[hub]) / 3 - 2 * size(hub)

    while gain(best := max(headers, key=gain)) > 0:
        hub_of.update((header, best) for header in users[best] if size(hub_of[header]) < size(best))
    return hub_of


def chains(ascending):
    found = []
    for header in ascending:
        seen = [chain for chain in found if chain[-1] in sees(header)]
        if seen:
            max(seen, key=lambda chain: size(chain[-1])).append(header)
        else:
            found.append([header])
    return found


def share_out(files):
    """Returns {hub: its part, from 1}; assigns the costliest hub first, to the part with the least to compile."""
    cost = {hub: 2 * size(hub) + sum(10 + size(chain[-1]) - size(hub) for chain in of) for hub, of in files.items()}
    load, part_of = dict.fromkeys(range(1, parts + 1), 0), {}
    for hub in sorted(cost, key=lambda hub: (-cost[hub], hub or "")):
        part_of[hub] = min(load, key=load.get)
        load[part_of[hub]] += cost[hub]
    return part_of


def among_keywords():
    """Returns the compiler's errors for all headers in one file, or None."""
    text = "".join((include / header).read_text() for header in headers)
    foreign = sorted(name for name in set(re.findall(r"#\s*include <([^>]*)>", text)) if not (include / name).exists())
    known = "".join(f"#if __has_include(<{name}>)\n#include <{name}>\n#endif\n" for name in foreign)
    either = re.compile("/cuda/runtime/(cudnn|no)_")          # alternatives: another header includes the right one
    ours = "".join(f"#include <{header}>\n" for header in headers if not either.search(header))
    command = [*compiler, "-fsyntax-only", "-x", "c++", "-"]
    run = subprocess.run(command, input=known + keywords + functions + ours, capture_output=True, text=True)
    return f"{run.stderr}exit code {run.returncode}" if run.returncode else None


def twice(names):
    return "".join(f"#include <{name}>\n" * 2 for name in names)


def precompile(folder, hub):
    """Returns the hub and its text. If it does not compile, files that use it read the text and fail as well."""
    text = folder / (hub.replace("/", "_") if hub else "macros.hpp")
    text.write_text(macros + twice([hub] if hub else []))
    subprocess.run([*compiler, "-x", "c++-header", text, "-o", f"{text}.gch"], capture_output=True)
    return hub, text


def complaint(text, names):
    command = [*compiler, "-include", text, "-x", "c++", "-", "-S", "-o", os.devnull]
    run = subprocess.run(command, input=twice(names), capture_output=True, text=True)
    return f"{run.stderr}exit code {run.returncode}" if run.returncode else None


def check(file):
    """Returns the first failing header of the file and the compiler's errors, or None."""
    hub, chain = file
    words = complaint(texts[hub], chain)
    if words is None:
        return None
    alone = ((header, complaint(texts[None], [header])) for header in chain)
    return next((failure for failure in alone if failure[1]), (chain[-1], words))


headers.sort(key=lambda header: (size(header), header))
hub_of = choose_hubs()
with (tempfile.TemporaryDirectory(dir=work, prefix="headers_alone.") as folder,          # a GB of precompiled text
      concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool):
    by_hub = {hub: chains([header for header in headers if hub_of[header] == hub]) for hub in [None, *dict.fromkeys(hub_of.values())]}
    part_of = share_out(by_hub)
    hubs = [hub for hub in by_hub if part_of[hub] == part]
    texts = dict(pool.map(functools.partial(precompile, pathlib.Path(folder)), dict.fromkeys([None, *hubs])))
    files = [(hub, chain) for hub in hubs for chain in by_hub[hub]]
    together = pool.submit(among_keywords) if part == 1 else None
    failed = dict(filter(None, pool.map(check, files)))
    words = together.result() if together else None
if words:
    print(f"all headers together, among macros of Qt and windows.h:\n{words}\n")
for header in failed:
    if sees(header) & failed.keys() == {header}:         # the other headers include it
        print(f"{header} does not compile alone:\n{failed[header]}\n")
checked = sum(len(chain) for _, chain in files)
print(f"{checked} of {len(headers)} headers checked in {len(files)} files with {len(hubs)} hubs; {len(failed)} files failed")
sys.exit(bool(failed or words))
