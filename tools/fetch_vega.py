#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes Vega, Vega-Lite and Vega-Embed as one JavaScript file, from the PyPI package vl-convert-python.

usage: fetch_vega.py VENV OUTPUT.js

Makes the virtual environment if it is missing. Without network or pip it writes nothing and succeeds: charts on pages
are then plain SVG, and the next build, which lacks the file, tries again. An output that is already complete is kept.
"""
import pathlib
import subprocess
import sys
import venv

PACKAGE = "vl-convert-python==1.9.0"


def bundle(environment: pathlib.Path) -> bytes:
    python = environment / "bin" / "python"
    if not (environment / "bin" / "pip").exists():
        venv.create(environment, with_pip=True)
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, "--retries", "0", "--timeout", "10", PACKAGE], check=True)  # offline this takes a second
    code = "import sys, vl_convert; sys.stdout.write(vl_convert.javascript_bundle())"
    return subprocess.run([python, "-c", code], check=True, stdout=subprocess.PIPE).stdout


def main() -> None:
    environment, output = map(pathlib.Path, sys.argv[1:3])
    if output.exists() and output.stat().st_size > 100_000:
        output.touch()
        return
    output.parent.mkdir(parents=True, exist_ok=True)
    try:
        script = bundle(environment)
    except (OSError, subprocess.CalledProcessError) as problem:
        print(f"fetch_vega: no chart library ({problem}); charts on pages will be plain SVG", file=sys.stderr)
        output.unlink(missing_ok=True)
        return
    partial = output.with_suffix(".partial")
    partial.write_bytes(script)
    partial.replace(output)


if __name__ == "__main__":
    main()
