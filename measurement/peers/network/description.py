# SPDX-License-Identifier: MIT
"""A network as the command describes it, for any framework: a folder with three files.

  network.json            layers in order, each with kind, names of its inputs, extents of its output, and options;
                          objectives: outputs, the loss of each and its weight; optimiser, weight decay by parameter,
                          batch, threads
  weights.safetensors     parameters by name, "dense_1.w", in the layouts of ridgepoint: filters (kh, kw, c, f), dense
                          weights (in, out), recurrent ones (in, gates) with the gates of an LSTM in the order i, f, g, o
                          and of a GRU r, z, n
  batch.safetensors       inputs by name, images (n, h, w, c), sequences (n, t, features) or ids (n, t), and the target
                          of each loss, labels or values, "y_1"
"""
import json
import math
import os


class Unknown(Exception):
    """Part of a network that the framework's peer does not support."""


def read_safetensors(path):
    """Returns {name: (dtype, extents, bytes)}."""
    with open(path, "rb") as file:
        data = bytearray(file.read())
    begin = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:begin])
    header.pop("__metadata__", None)
    at = memoryview(data)
    return {name: (each["dtype"], each["shape"], at[begin + each["data_offsets"][0]:begin + each["data_offsets"][1]])
            for name, each in header.items()}


class Description:
    def __init__(self, folder):
        with open(os.path.join(folder, "network.json"), encoding="utf-8") as file:
            network = json.load(file)
        self.name = network["name"]
        self.batch, self.threads = network["batch"], network["threads"]
        self.layers, self.objectives = network["layers"], network["objectives"]
        self.outputs = [each["output"] for each in self.objectives]
        self.optimiser, self.decay = network["optimiser"], network["decay"]
        self.weights = read_safetensors(os.path.join(folder, "weights.safetensors"))
        batch = read_safetensors(os.path.join(folder, "batch.safetensors"))
        self.inputs = [layer["name"] for layer in self.layers if layer["kind"] == "input"]
        self.x = [batch[name] for name in self.inputs]
        self.y = [batch[f"y_{i + 1}"] for i in range(len(self.objectives))]
        self.by_name = {layer["name"]: layer for layer in self.layers}
        self.has_dropout = any(layer["kind"] == "dropout" and layer["rate"] > 0 for layer in self.layers)
        self.readers = {name: 0 for name in self.by_name}
        for layer in self.layers:
            for name in layer["inputs"]:
                self.readers[name] += 1
        for name in self.outputs:
            self.readers[name] += 1

    def input_of(self, layer, i=0):
        return self.by_name[layer["inputs"][i]]

    def weight(self, layer, name):
        """Returns a parameter of a layer, or None."""
        return self.weights.get(f"{layer['parameters']}.{name}")

    def image_before(self, layer):
        """Returns the extents (h, w, c) of the image that was flattened to a row of features, or None."""
        before = self.input_of(layer)
        while before["kind"] in ("dropout", "relu", "leaky_relu", "sigmoid", "tanh"):
            before = self.input_of(before)
        if before["kind"] != "flatten":
            return None
        extents = self.input_of(before)["output"]
        return extents if len(extents) == 3 else None


def check_recurrent(layer):
    """Raises Unknown unless a recurrent layer has sigmoids as gates, no projection, and starts each
    batch at zero."""
    if layer.get("gate", "sigmoid") != "sigmoid":
        raise Unknown(f"gates of {layer['gate']}")
    if layer.get("stateful"):
        raise Unknown("a recurrent layer that continues from the previous batch")
    if layer.get("projection"):
        raise Unknown("a projected state")


def weighted_sum(objectives, losses):
    """Returns the weighted sum of several losses."""
    terms = [loss if each["weight"] == 1 else each["weight"] * loss for each, loss in zip(objectives, losses)]
    return sum(terms[1:], terms[0])


def sinusoids(steps, width):
    """Returns the positional encoding: in each row, sines in even columns and cosines in odd ones."""
    return [[(math.cos if c % 2 else math.sin)(t * 1e4 ** ((c % 2 - c) / width)) for c in range(width)]
            for t in range(steps)]


def padding_name(layer, extents):
    """Returns "valid" or "same" if the padding is one of them, else None. extents: of the image (h, w, c)."""
    top, bottom, left, right = layer["padding"]
    if (top, bottom, left, right) == (0, 0, 0, 0):
        return "valid"
    sides = []
    for size, taps, stride, dilation in zip(extents[:2], layer["kernel"], layer["stride"], layer["dilation"]):
        total = max(0, (-(-size // stride) - 1) * stride + (taps - 1) * dilation + 1 - size)
        sides += [total // 2, total - total // 2]
    return "same" if sides == [top, bottom, left, right] else None
