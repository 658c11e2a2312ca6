# SPDX-License-Identifier: MIT
"""gpu_gates.py .../tools/gpu_gates: tests its verdicts on made-up measurements."""
import json
import math
import pathlib
import subprocess
import sys
import tempfile


def row(shape, **seconds):
    windows = {name.replace("__", "."): [s, s, len(name) * s] for name, s in seconds.items()}
    return {"shape": shape, "windows_s": windows}


def steps(losses, **seconds):
    said = {name.replace("__", "."): {"seconds": [s], "losses": losses} for name, s in seconds.items()}
    return {"shape": "network", "steps": said, "losses": [2.0] * len(losses)}


def bench(*rows, options=""):
    return {"command": f"ridgepoint bench gemm --backend cuda{options} --rounds 5", "rows": rows}


TF32, BF16 = " --tensor-floats", " --type bf16"
FARTHEST = "50 losses of CPU, GPU and PyTorch, largest gap"


def verdicts(folder, code, *options):
    ended = subprocess.run([sys.executable, sys.argv[1], folder, *options], capture_output=True, text=True, check=False)
    assert ended.returncode == code, ended
    gates = json.loads((pathlib.Path(folder) / "gates.json").read_text(encoding="utf-8"))
    assert ended.stdout.count("\n") == len(gates) + 1, ended.stdout
    return {gate["gate"]: (gate["measured"], gate["verdict"]) for gate in gates}


def main():
    for arguments in ([], ["/absent"], ["--allow-missing"], [".", "."]):
        assert subprocess.run([sys.executable, sys.argv[1], *arguments], capture_output=True, check=False).returncode == 2
    with tempfile.TemporaryDirectory() as folder:
        def write(name, document):
            (pathlib.Path(folder) / name).write_text(
                document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
        found = verdicts(folder, 1)                                                            # nothing is measured
        assert found == verdicts(folder, 0, "--allow-missing")
        assert {verdict for _, verdict in found.values()} == {"unmeasured"}

        write("bench.gemm.exact.json", bench(row("a", ridgepoint=1, pytorch__eager=2, pytorch__graphed=1),
                                               row("b", ridgepoint=1.02, pytorch__eager=1, ridgepoint__eager=9)))
        write("bench.gemm.tf32.json", bench(row("a", ridgepoint=1, pytorch__eager=1)))         # not measured in TF32
        write("bench.gemm.bf16.json", bench(row("a", ridgepoint=1, pytorch__eager=1), options=BF16))
        write("bench.conv.exact.json", bench(row("a", ridgepoint=1.2, pytorch__eager=1)))
        write("bench.conv.tf32.json", bench(row("a", ridgepoint=1), row("b", ridgepoint=1, pytorch__eager=1),
                                              options=TF32))
        write("bench.conv.bf16.json", bench(row("a", ridgepoint=1, pytorch__eager=1),
                                              row("b", ridgepoint=1, pytorch__eager=math.nan), options=BF16))
        write("bench.mnist-mlp.exact.json", bench(steps([2, 2], ridgepoint=1, ridgepoint__eager=3, pytorch__eager=6,
                                                          pytorch__graphed=1)))
        write("bench.mnist-cnn.exact.json", bench(steps([2, 2], ridgepoint=0, ridgepoint__eager=0, pytorch__eager=6)))
        write("bench.resnet-18.bf16.json", bench(steps([2, 2], ridgepoint=1.06, pytorch__compile=1, pytorch__eager=9),
                                                   options=BF16))
        write("bench.losses.json", bench(steps([2.0] * 49 + [2.0001], ridgepoint=1, pytorch__eager=1)))
        write("bench.map.json", '{"rows": [')                 # truncated
        write("bench.pool.json", "[1]")
        write("bench.norm.json", bench(row("layer_norm/forward/1x1", ridgepoint=0.9, pytorch__eager=1),
                                         row("layer_norm/backward/1x1", ridgepoint=0.8, pytorch__eager=1),
                                         row("layer_norm_of_others/1x1", ridgepoint=9, pytorch__eager=1)))
        write("gpu.json", {"ceilings": [{"operation": "read", "level": "DRAM", "per_s": 10.0},
                                        {"operation": "copy", "level": "L2", "per_s": 1000.0},
                                        {"operation": "copy", "level": "DRAM", "per_s": 100.0}]})
        rates = {"map/cuda/adam/1x1": 85.0, "map/cuda/softmax/1x1": 300.0, "map/cuda/softmax/1x1/cold": 79.0,
                 "map/cuda/softmax_cross_entropy/1x1": 20.0, "map/cuda/softmax_cross_entropy/1x1/cold": 81.0,
                 "map/cuda/bias_relu/1x1": 10.0, "map/cuda/bias_relu/1x1/cold": 80.0, "map/cuda/relu/1x1": 90.0,
                 "layer_norm/cuda/forward/1x1/cold": 90.0, "layer_norm/cuda/backward/1x1/cold": 70.0}
        errors = [{"name": "map/cuda/relu/1x1/cold/manual_time", "bytes_per_s": math.nan},
                  {"name": "max_pool2d/cuda/forward/1x1/cold/manual_time", "bytes_per_s": 90.0},
                  {"name": "max_pool2d/cuda/backward/1x1/cold/manual_time", "error_occurred": True}]
        write("bench.json", {"benchmarks": errors + [{"name": f"{name}/manual_time", "bytes_per_s": rate}
                                                     for name, rate in rates.items()]})
        write("sanitizer.memcheck.txt", "========= ERROR SUMMARY: 0 errors\n")
        write("sanitizer.racecheck.txt", "========= RACECHECK SUMMARY: 0 hazards displayed\n")
        found = verdicts(folder, 1)
        wanted = {"products, exact": (1.02, "met"), "products, tf32": (None, "unmeasured"), "products, bf16": (1, "met"),
                  "convolutions, exact": (1.2, "short"), "convolutions, tf32": (None, "unmeasured"),
                  "convolutions, bf16": (None, "unmeasured"),
                  "adam of 100 million weights, share of a copy": (0.85, "met"),
                  "adam, against the fused one": (None, "unmeasured"),
                  "softmax, share of a copy": (0.79, "short"),
                  "softmax_cross_entropy, share of a copy": (0.81, "met"),
                  "softmax_cross_entropy, against eager": (None, "unmeasured"),
                  "bias_relu, share of a copy": (0.8, "met"),
                  "relu, share of a copy": (None, "unmeasured"),     # its warm row does not count
                  "layer_norm, share of a copy": (0.7, "short"), "layer_norm, against eager": (0.9, "met"),
                  "max_pool2d, share of a copy": (None, "unmeasured"),
                  "mnist-mlp, exact: eager against eager": (0.5, "met"),
                  "mnist-mlp, exact: recorded against graphed": (1, "met"),
                  "mnist-mlp, exact: recorded against compiled": (None, "unmeasured"),
                  "mnist-cnn, exact: eager against eager": (None, "unmeasured"),
                  "resnet-18 of 512 images, bf16: recorded against compiled": (1.06, "short"),
                  "errors that compute-sanitizer counts": (0, "met")}
        for gate, said in wanted.items():
            assert found[gate] == said, (gate, found[gate])
        assert found[FARTHEST][1] == "met"
        only_short = {gate for gate, (_, verdict) in found.items() if verdict == "short"}
        assert only_short == {gate for gate, (_, verdict) in wanted.items() if verdict == "short"}, only_short

        loss = row("softmax_cross_entropy/1x1", ridgepoint=0.9, pytorch__eager=1, pytorch__graphed=0.1)
        write("bench.map.json", bench(loss, row("softmax/1x1", ridgepoint=2, pytorch__eager=1)))
        found = verdicts(folder, 1)
        assert found["softmax_cross_entropy, against eager"] == (0.9, "met"), found
        assert found["softmax, against eager"] == (2, "short"), found

        write("bench.losses.json", bench(steps([2.0, math.nan] + [2.0] * 48, ridgepoint=1, pytorch__eager=1)))
        assert verdicts(folder, 1)[FARTHEST] == ("inf", "short")
        write("bench.losses.json", bench(steps([2.0] * 49 + [2.0003], ridgepoint=1, pytorch__eager=1)))
        assert verdicts(folder, 1)[FARTHEST][1] == "short"
        write("bench.losses.json", bench(steps([2.0] * 49, ridgepoint=1, pytorch__eager=1)))
        assert verdicts(folder, 1)[FARTHEST] == (None, "unmeasured")
        partly = steps([2.0] * 50, ridgepoint=1, pytorch__eager=1)
        partly["steps"]["ridgepoint"]["losses"] = [2.0] * 49
        write("bench.losses.json", bench(partly))
        assert verdicts(folder, 1)[FARTHEST] == (None, "unmeasured")
        write("sanitizer.racecheck.txt", "".join(f"==== RACECHECK SUMMARY: {n} hazards displayed\n" for n in (0, 3)))
        assert verdicts(folder, 1)["errors that compute-sanitizer counts"] == (3, "short")
        (pathlib.Path(folder) / "sanitizer.memcheck.txt").unlink()
        assert verdicts(folder, 1)["errors that compute-sanitizer counts"] == (None, "unmeasured")


main()
