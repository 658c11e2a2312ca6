# SPDX-License-Identifier: MIT
"""A peer of `ridgepoint bench rnn`: PyTorch's recurrent layers, in the protocol of ../peer.hpp.

  recurrent.py pytorch                 prints its setting: "plain eager NAME=value ...", or "no REASON";
                                       RIDGEPOINT_DEVICE and RIDGEPOINT_TF32 as in serve.py
  recurrent.py pytorch eager           answers each line on standard input with one line:
    about                              ->  "ok <version>"
    lstm f32 backward 20 64 256 512    ->  prepares that pass; numbers are steps, batch, inputs and units:
                                           "ok <FLOP of its products>", or "no <reason>"
    run 2e-4                           ->  runs it for about that many seconds, at least once: "ok <seconds per call>"

The backward pass is timed alone, on one retained graph. Results are checked against the same layer in double.
"""
import copy
import sys

sys.dont_write_bytecode = True
from serve import ProblemPeer, serve, settings  # noqa: E402

GATES = {"lstm": 4, "gru_reset_after": 3, "rnn": 1}


class Layer:
    """Pass of a layer over random sequences, from a zero state."""

    def __init__(self, cell, which, steps, batch, inputs, units):
        import torch
        from device import device
        to = device()
        torch.manual_seed(1)
        kinds = {"lstm": torch.nn.LSTM, "gru_reset_after": torch.nn.GRU, "rnn": torch.nn.RNN}
        self.torch, self.layer = torch, kinds[cell](inputs, units).to(to)
        self.x = (torch.rand(steps, batch, inputs) * 2 - 1).to(to)
        self.dy = (torch.rand(steps, batch, units) * 2 - 1).to(to)
        macs = steps * batch * GATES[cell] * units * (inputs + units)
        self.flop = (4 if which == "backward" else 2) * macs
        self.check()
        if which == "inference":
            self.layer.requires_grad_(False)
            self.layer.eval()
            self.step = self.infer
        elif which == "forward":
            self.x.requires_grad_()
            self.step = self.forward
        else:
            self.x.requires_grad_()
            self.y = self.forward()
            self.wanted = [self.x, *self.layer.parameters()]
            self.step = self.backward

    def infer(self):
        with self.torch.inference_mode():
            return self.layer(self.x)[0]

    def forward(self):
        return self.layer(self.x)[0]

    def backward(self):
        return self.torch.autograd.grad(self.y, self.wanted, self.dy, retain_graph=True)

    def check(self):
        """Raises ValueError unless the last sample's y agrees with the same layer in double."""
        with self.torch.no_grad():
            got = self.layer(self.x)[0][:, -1]
            expected = copy.deepcopy(self.layer).double()(self.x[:, -1:].double())[0][:, 0]
            error = (got - expected).abs().max().item()
        if not error <= 2 ** -10:
            raise ValueError(f"y is off by {error}")


def problem(words):
    if len(words) != 7 or words[0] not in GATES or words[1] != "f32":
        raise ValueError("not a recurrent layer that PyTorch has in f32")

    def prepare():
        layer = Layer(words[0], words[2], *map(int, words[3:]))
        return layer.flop, layer.step
    return prepare


def main(arguments):
    if arguments == ["pytorch"]:
        print("\n".join(settings("pytorch", ["eager"])))
    elif arguments == ["pytorch", "eager"]:
        serve(lambda: ProblemPeer(problem))
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
