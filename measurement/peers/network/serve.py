# SPDX-License-Identifier: MIT
"""A peer of `ridgepoint bench network`: training steps of one framework, in the protocol of ../peer.hpp.

  serve.py pytorch|tensorflow          prints its settings, one per line: "plain MODE NAME=value ...", or "no REASON"
  serve.py pytorch|tensorflow MODE     answers each line on standard input with one line:
    about                      ->  "ok <framework, version>"
    network f32 NAME BATCH     ->  reads the folder RIDGEPOINT_NETWORK (description.py) and takes two steps, or
                                   RIDGEPOINT_LOSSES, without dropout: "ok 1 losses=<of the first>,<of the second>", or
                                   "no <reason>"; in bf16 by autocast, which PyTorch has
    run 2e-4                   ->  steps for about that many seconds, at least one: "ok <seconds per step>"

Needs only this Python and the framework. RIDGEPOINT_DEVICE=cuda: on a GPU (PyTorch only), with TF32 if
RIDGEPOINT_TF32=1.
"""
import importlib.util
import os
import sys
import time

sys.dont_write_bytecode = True                                 # writes nothing next to an installed program

MODULES = {"pytorch": "torch", "tensorflow": "tensorflow"}
MODES = {"pytorch": ["eager", "channels_last", "compile"], "tensorflow": ["graph", "xla"]}
GPU_MODES = ["eager", "channels_last", "graphed", "graphed_channels_last", "compile"]

# Variables that keep a framework, and the libraries inside it, within a cap. TensorFlow's own kernels are
# compiled for AVX.
CAPS = {
    "avx2": ["ATEN_CPU_CAPABILITY=avx2", "DNNL_MAX_CPU_ISA=AVX2", "ONEDNN_MAX_CPU_ISA=AVX2",
             "MKL_ENABLE_INSTRUCTIONS=AVX2", "XLA_FLAGS=--xla_cpu_max_isa=AVX2"],
    "avx512": ["ATEN_CPU_CAPABILITY=avx512"],
    "": [],
}


def on_gpu():
    return os.environ.get("RIDGEPOINT_DEVICE", "cpu") == "cuda"


def why_no_gpu(framework):
    """Returns why a framework has no GPU here; "" if it has one."""
    if framework != "pytorch":
        return f"{framework} is not compared on a GPU"
    try:
        import torch
        return "" if torch.cuda.is_available() else f"PyTorch {torch.__version__} finds no GPU"
    except Exception as problem:
        return " ".join(f"{type(problem).__name__}: {problem}".split())


def settings(framework, modes=None):
    """Returns the lines with the available settings of a framework."""
    if importlib.util.find_spec(MODULES[framework]) is None:
        return [f"no there is no module {MODULES[framework]} for {sys.executable}"]
    cap = os.environ.get("RIDGEPOINT_CAP", "")
    if cap not in CAPS:
        return [f"no {framework} cannot be held to {cap}"]
    if on_gpu():
        without = why_no_gpu(framework)
        return [f"no {without}"] if without else [f"plain {mode}" for mode in modes or GPU_MODES]
    own = ["TF_CPP_MIN_LOG_LEVEL=3", "TORCHINDUCTOR_COMPILE_THREADS=1"]
    return [" ".join(["plain", mode, *CAPS[cap], *own]) for mode in modes or MODES[framework]]


class Timed:
    """Times a prepared step; finish() waits for all work started by steps."""

    def __init__(self, step, finish=lambda: None):
        self.step, self.finish = step, finish
        self.best_s = min(self.seconds_of(1), self.seconds_of(1))

    def seconds_of(self, steps):
        start = time.perf_counter()
        for _ in range(steps):
            self.step()
        self.finish()
        return (time.perf_counter() - start) / steps

    def window(self, window_s):
        elapsed_s = self.seconds_of(max(1, int(window_s / self.best_s)))
        self.best_s = min(self.best_s, elapsed_s)
        return elapsed_s


class Runner(Timed):
    """Training steps of a network."""

    def __init__(self, training_of, folder):
        from description import Description
        network = Description(folder)
        quiet = training_of(network, dropout=False)
        self.losses = [quiet.step() for _ in range(int(os.environ.get("RIDGEPOINT_LOSSES", "2")))]
        super().__init__((training_of(network, dropout=True) if network.has_dropout else quiet).step)


class ProblemPeer:
    """Answers each line for a peer of single ops: problem(words) returns a function that prepares one and returns its work
    and step, or raises ValueError."""

    def __init__(self, problem):
        self.problem, self.timed = problem, None

    def answer(self, line):
        words = line.split()
        if words[:1] == ["about"]:
            from device import about
            return about()
        if words[:1] == ["run"] and len(words) == 2:
            if self.timed is None:
                raise ValueError("no problem is prepared")
            return repr(self.timed.window(float(words[1])))
        prepare = self.problem(words)
        self.timed = None
        work, step = prepare()
        from device import finish
        self.timed = Timed(step, finish)
        return str(work)


class Peer:
    """Answers each line for a peer of networks."""

    def __init__(self, framework, mode):
        if framework == "pytorch":
            import with_pytorch as using
        else:
            import with_tensorflow as using
        self.using, self.mode = using, mode
        self.asked, self.runner = None, None

    def training_in(self, dtype):
        if dtype == "f32":
            return lambda network, dropout: self.using.Training(network, self.mode, dropout)
        return lambda network, dropout: self.using.Training(network, self.mode, dropout, dtype)

    def answer(self, line):
        words = line.split()
        if words[:1] == ["about"]:
            return self.using.about()
        if words[:1] == ["run"] and len(words) == 2:
            if self.runner is None:
                raise ValueError("no network is prepared")
            return repr(self.runner.window(float(words[1])))
        if words[:1] != ["network"] or words[1] not in ("f32", *self.using.TYPES):
            raise ValueError("not a network in f32")
        if self.asked != line:                                 # recompiling would give the same
            self.asked, self.runner = None, None
            self.runner = Runner(self.training_in(words[1]), os.environ["RIDGEPOINT_NETWORK"])
            self.asked = line
        return "1 losses=" + ",".join(map(repr, self.runner.losses))


def serve(make_peer):
    protocol = os.fdopen(os.dup(1), "w", encoding="utf-8")
    for stream in (1, 2):                                      # library output must not mix with the answers
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    peer = None
    for line in sys.stdin:
        try:
            peer = peer or make_peer()
            reply = "ok " + peer.answer(line)
        except Exception as problem:                           # any failure is reported to the caller, which continues
            reply = " ".join(f"no {type(problem).__name__}: {problem}".split())[:300]
        print(reply, file=protocol, flush=True)


def main(arguments):
    if not arguments or arguments[0] not in MODULES or len(arguments) > 2:
        print(__doc__, file=sys.stderr)
        return 2
    if len(arguments) == 2:
        serve(lambda: Peer(*arguments))
    else:
        print("\n".join(settings(arguments[0])))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
