# SPDX-License-Identifier: MIT
"""A peer of `ridgepoint bench gemm|conv|map|pool|norm --backend cuda`: PyTorch's ops, in the protocol of ../peer.hpp.

  ops.py pytorch                       prints its settings: "plain eager", or "no REASON"
  ops.py pytorch eager|graphed         answers each line on standard input with one line:
    about                              ->  "ok <version>"
    gemm f32 nn 64 64 64               ->  prepares the problem of these words, as in ../*_problem.hpp:
                                           "ok <work of a call>", or "no <reason>"
    run 2e-4                           ->  calls it for about that many seconds, at least once: "ok <seconds per call>"

RIDGEPOINT_DEVICE and RIDGEPOINT_TF32 select the device and TF32, as in serve.py.
"""
import sys

sys.dont_write_bytecode = True
from serve import ProblemPeer, on_gpu, serve, settings  # noqa: E402


def type_named(torch, word):
    return {"f32": torch.float32, "f64": torch.float64, "bf16": torch.bfloat16}[word]


def gemm(torch, to, dtype, which, m, n, k):
    kind = type_named(torch, dtype)

    def matrix(rows, cols, transposed):
        values = torch.randint(-3, 4, (cols, rows) if transposed else (rows, cols)).to(to, kind)
        return values.t() if transposed else values
    a, b = matrix(m, k, which[0] == "t"), matrix(k, n, which[1] == "t")
    c = torch.empty(m, n, dtype=kind, device=to)
    return 2 * m * n * k, lambda: torch.mm(a, b, out=c)


def conv2d(torch, to, dtype, which, n, size, c, f, kernel, stride):
    def whole(*extents):
        values = torch.randint(-3, 4, extents).to(to, type_named(torch, dtype))
        return values.contiguous(memory_format=torch.channels_last) if len(extents) == 4 else values
    x, w, bias = whole(n, c, size, size), whole(f, c, kernel, kernel), whole(f)
    around = (kernel - 1) // 2

    def forward():
        return torch.nn.functional.conv2d(x, w, bias, stride, around)
    y = forward()
    flop = 2 * y.numel() * c * kernel * kernel
    if which == "forward":
        return flop, forward
    dy, data = whole(*y.shape), which == "backward-data"

    def backward():
        return torch.ops.aten.convolution_backward(dy, x, w, None if data else [f], [stride] * 2, [around] * 2, [1, 1],
                                                   False, [0, 0], 1, [data, not data, not data])
    return flop, backward


def updates(torch, to, op, rows, cols):
    w = torch.ones(rows * cols, device=to, requires_grad=True)
    w.grad = torch.rand(rows * cols, device=to)
    kinds = {"sgd": lambda: torch.optim.SGD([w], lr=1e-3, fused=True),
             "momentum": lambda: torch.optim.SGD([w], lr=1e-3, momentum=0.9, fused=True),
             "adam": lambda: torch.optim.Adam([w], lr=1e-3, fused=True, capturable=on_gpu())}
    if op not in kinds:
        raise ValueError(f"no fused {op}")
    return rows * cols, kinds[op]().step


def mapped(torch, to, dtype, op, rows, cols):
    if op in ("sgd", "momentum", "adam", "rmsprop_keras", "rmsprop_tf1", "adadelta"):
        return updates(torch, to, op, rows, cols)
    x = torch.rand(rows, cols, device=to) * 16 - 8
    if op == "softmax_cross_entropy":
        return loss_with_gradient(torch, to, x)
    y, bias = torch.empty_like(x), torch.rand(cols, device=to) * 16 - 8
    ops = {"exp": lambda: torch.exp(x, out=y), "tanh": lambda: torch.tanh(x, out=y),
           "sigmoid": lambda: torch.sigmoid(x, out=y), "softmax": lambda: torch.softmax(x, 1, out=y),
           "relu": lambda: torch.clamp_min(x, 0, out=y), "bias_relu": lambda: torch.add(x, bias, out=y).relu_()}
    if op not in ops:
        raise ValueError(f"no {op}")
    return rows * cols, ops[op]


def loss_with_gradient(torch, to, logits):
    labels = torch.randint(logits.shape[1], (logits.shape[0],), device=to)
    logits.requires_grad_()

    def both():
        return torch.autograd.grad(torch.nn.functional.cross_entropy(logits, labels), logits)
    return logits.numel(), both


def norm(torch, to, kind, which, rows, channels):
    x = (torch.rand(rows, channels) * 2 - 1).to(to)
    gamma, beta = torch.rand(channels).to(to), torch.rand(channels).to(to)
    functional = torch.nn.functional
    mean, variance = torch.zeros(channels, device=to), torch.ones(channels, device=to)

    def forward():
        if kind == "layer_norm":
            return functional.layer_norm(x, (channels,), gamma, beta)
        return functional.batch_norm(x, mean, variance, gamma, beta, which != "inference")
    return with_gradient(torch, which, forward, [x, gamma, beta], 1)


def pool(torch, to, kind, which, n, size, c, window, stride):
    x = torch.rand(n, c, size, size).to(to).contiguous(memory_format=torch.channels_last)
    around = (window - 1) // 2 if stride < window < size else 0
    functional = torch.nn.functional

    def forward():
        if kind == "max_pool2d":
            return functional.max_pool2d(x, window, stride, around)
        return functional.avg_pool2d(x, window, stride, around, count_include_pad=False)
    return with_gradient(torch, which, forward, [x], 1)


def with_gradient(torch, which, forward, wanted, work):
    """Returns a forward pass, or the backward pass alone on one retained graph."""
    if which != "backward":
        def without():
            with torch.no_grad():
                return forward()
        return work, without
    for each in wanted:
        each.requires_grad_()
    y = forward()
    dy = torch.rand_like(y)
    return work, lambda: torch.autograd.grad(y, wanted, dy, retain_graph=True)


def prepared(words):
    """Returns (work, function) of the problem of these words."""
    import torch
    from device import device
    to = device()
    torch.manual_seed(1)
    name, extents = words[0], [int(word) for word in words[3:]]
    if words[1] not in {"gemm": ("f32", "f64", "bf16"), "conv2d": ("f32", "bf16")}.get(name, ("f32",)):
        raise ValueError("not in this type")
    factories = {"gemm": gemm, "conv2d": conv2d, "map": mapped}
    if name in factories:
        return factories[name](torch, to, words[1], words[2], *extents)
    if name in ("batch_norm", "layer_norm"):
        return norm(torch, to, name, words[2], *extents)
    if name in ("max_pool2d", "avg_pool2d"):
        return pool(torch, to, name, words[2], *extents)
    raise ValueError(f"no {name}")


def problem_in(mode):
    """Returns a function that parses words into a problem, to be run eagerly or as a graph."""
    def problem(words):
        if len(words) < 4:
            raise ValueError("not a problem")

        def prepare():
            from device import Graphed
            work, function = prepared(words)
            return work, Graphed(function).replay if mode == "graphed" else function
        return prepare
    return problem


def main(arguments):
    modes = ["eager", "graphed"] if on_gpu() else ["eager"]
    if arguments == ["pytorch"]:
        print("\n".join(settings("pytorch", modes)))
    elif arguments[:1] == ["pytorch"] and arguments[1:] in [[mode] for mode in modes]:
        serve(lambda: ProblemPeer(problem_in(arguments[1])))
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
