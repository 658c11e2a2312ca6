# SPDX-License-Identifier: MIT
"""gpu_gates.py .../tools/gpu_gates: what it says of made-up measurements."""
import json
import pathlib
import subprocess
import sys
import tempfile


def row(shape, **seconds):
    return {"shape": shape, "windows_s": {name.replace("__", "."): [s, s, 9 * s] for name, s in seconds.items()}}


def steps(losses, **seconds):
    said = {name.replace("__", "."): {"seconds": [s], "losses": losses} for name, s in seconds.items()}
    return {"shape": "network", "steps": said, "losses": [2.0] * len(losses)}


def verdicts(folder, code):
    ended = subprocess.run([sys.executable, sys.argv[1], folder], capture_output=True, text=True, check=False)
    assert ended.returncode == code, ended
    gates = json.loads((pathlib.Path(folder) / "gates.json").read_text(encoding="utf-8"))
    assert ended.stdout.count("\n") == len(gates) + 1, ended.stdout
    return {gate["gate"]: (gate["measured"], gate["verdict"]) for gate in gates}


def main():
    assert subprocess.run([sys.executable, sys.argv[1]], capture_output=True, check=False).returncode == 2
    with tempfile.TemporaryDirectory() as folder:
        def write(name, document):
            (pathlib.Path(folder) / name).write_text(
                document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
        found = verdicts(folder, 0)
        assert {verdict for _, verdict in found.values()} == {"unmeasured"}

        write("versus.gemm.exact.json", {"rows": [row("a", ridgepoint=1, pytorch__eager=2, pytorch__graphed=1),
                                                  row("b", ridgepoint=1.02, pytorch__eager=1, ridgepoint__eager=9)]})
        write("versus.conv.exact.json", {"rows": [row("a", ridgepoint=1.2, pytorch__eager=1)]})
        write("versus.conv.tf32.json", {"rows": [row("a", ridgepoint=1), row("b", ridgepoint=1, pytorch__eager=1)]})
        write("versus.mnist-mlp.exact.json", {"rows": [steps([2, 2], ridgepoint=1, ridgepoint__eager=3,
                                                             pytorch__eager=6, pytorch__graphed=1)]})
        write("versus.losses.json", {"rows": [steps([2.0] * 49 + [2.0001], ridgepoint=1, pytorch__eager=1)]})
        write("versus.map.json", '{"rows": [')                 # was cut off
        write("gpu.json", {"ceilings": [{"operation": "copy", "level": "DRAM", "per_s": 100.0}]})
        write("bench.json", {"benchmarks": [{"name": "map/cuda/adam/1x1/manual_time", "bytes_per_s": 85.0},
                                            {"name": "map/cuda/relu/1x1/manual_time", "error_occurred": True}]})
        write("sanitizer.memcheck.txt", "========= ERROR SUMMARY: 0 errors\n")
        write("sanitizer.racecheck.txt", "========= RACECHECK SUMMARY: 0 hazards displayed\n")
        found = verdicts(folder, 1)
        wanted = {"products, exact": (1.02, "met"), "convolutions, exact": (1.2, "short"),
                  "convolutions, tf32": (None, "unmeasured"),
                  "adam of 100 million weights, share of a copy": (0.85, "met"),
                  "relu, share of a copy": (None, "unmeasured"),
                  "mnist-mlp, exact: eager against eager": (0.5, "met"),
                  "mnist-mlp, exact: recorded against graphed": (1, "met"),
                  "mnist-mlp, exact: recorded against compiled": (None, "unmeasured"),
                  "errors that compute-sanitizer counts": (0, "met")}
        for gate, said in wanted.items():
            assert found[gate] == said, (gate, found[gate])
        assert found["50 losses of CPU, GPU and PyTorch, farthest apart"][1] == "met"


main()
