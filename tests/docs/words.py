#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""words.py REPOSITORY [--update]: words that the project no longer uses, and how often they are still in its files.

words.txt lists each as a regular expression, its count and what to write instead. A count may only fall: a new use fails
and is shown; fewer uses fail until --update has recorded them. Counted are the comments, messages, help, names and pages
of every file of the repository, but for changelogs, records and licences.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
LIST = pathlib.Path(__file__).parent / "words.txt"
FOLDERS = (".ci", "benchmarks", "cmake", "docs", "examples", "fuzz", "include", "measurement", "tests", "tools")
ENDINGS = {"", ".cpp", ".hpp", ".cu", ".md", ".sh", ".py", ".cmake", ".in"}
LEFT_OUT = ("docs/results.md", "benchmarks/results/", "tests/docs/words", "docs/reference/")


def sources():
    files = [*ROOT.glob("*.md"), *ROOT.glob("*.txt"), ROOT / "quickstart"]
    for folder in FOLDERS:
        files += (ROOT / folder).rglob("*")
    for path in sorted(files):
        name = path.relative_to(ROOT).as_posix()
        if not path.is_file() or name == "CHANGELOG.md" or name.startswith(LEFT_OUT) or path.name == "tests.txt":
            continue
        if path.suffix in ENDINGS or path.name == "CMakeLists.txt":
            yield name, path.read_text(encoding="utf-8", errors="replace")


def main():
    lines = LIST.read_text(encoding="utf-8").splitlines()
    entries = [line.split("\t") for line in lines if line and not line.startswith("#")]
    texts, failed, total, written = list(sources()), False, 0, [line for line in lines if line.startswith("#")]
    for pattern, recorded, instead in entries:
        word = re.compile(pattern, re.MULTILINE)
        uses = [(name, text, match) for name, text in texts for match in word.finditer(text)]
        total += len(uses)
        written.append(f"{pattern}\t{len(uses)}\t{instead}")
        if len(uses) == int(recorded):
            continue
        failed = True
        print(f"{pattern}: {len(uses)} uses; expected {recorded}" +
              (f"; write {instead}:" if len(uses) > int(recorded) else "; record it by --update"))
        for name, text, match in uses if len(uses) > int(recorded) else ():
            line = text.count("\n", 0, match.start())
            print(f"  {name}:{line + 1}: {text.splitlines()[line].strip()[:100]}")
    if "--update" in sys.argv:
        LIST.write_text("\n".join(written) + "\n", encoding="utf-8")
        return 0
    print(f"{len(entries)} words, {total} uses")
    return failed


sys.exit(main())
