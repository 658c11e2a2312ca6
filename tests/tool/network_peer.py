# SPDX-License-Identifier: MIT
"""A Python for `ridgepoint bench network` without a framework: computes the loss of mnist-mlp from its input files by
the definition, with the standard library only. The second step's loss comes from SECOND_LOSS.

  network_peer.py .../serve.py FRAMEWORK [MODE]
"""
import array
import math
import os
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(sys.argv[1]).parent))
from description import Description, padding_name, sinusoids, weighted_sum  # noqa: E402


def numbers(stored, kind="f"):
    return array.array(kind, stored[2].tobytes())


def check(network):
    """Checks the descriptions of the other networks."""
    for layer in network.layers:
        if "padding" in layer:
            name = padding_name(layer, network.input_of(layer)["output"])
            assert name in ("valid", "same") or network.name == "resnet-18" and layer["padding"] == [1, 1, 1, 1]
        if layer["kind"] in ("conv2d", "dense"):
            assert network.weight(layer, "w")[1][-1] == layer["output"][-1]
    assert network.decay or network.optimiser["name"] != "momentum"
    check_sequences(network)
    flattened = {"keras-mnist-cnn": [12, 12, 64], "mnist-cnn": [1, 1, 64], "embryo-cnn": [16, 16, 64]}
    first = next(layer for layer in network.layers if layer["kind"] == "dense")
    if network.name in flattened:                              # after a dropout, or not
        assert network.image_before(first) == flattened[network.name]
    if network.name in ("mnist-autoencoder", "resnet-18", "resnet-32"):
        assert network.image_before(first) is None


def check_sequences(network):
    """Checks recurrent layers, in one direction or both, and their inputs."""
    kinds = {layer["kind"]: layer for layer in network.layers}
    if network.name in ("mnist-rnn", "mnist-lstm"):
        cell = "rnn" if network.name == "mnist-rnn" else "lstm"
        cells = [layer for layer in network.layers if layer["kind"] == cell]
        assert [layer["sequences"] for layer in cells] == [True, True, False]
        assert all(network.weight(layer, "wh")[1][0] == 256 for layer in cells)
        assert all(layer["shared_steps"] for layer in network.layers if layer["kind"] == "dropout")
        assert cells[0]["act"] == "tanh" if cell == "rnn" else cells[0]["gate"] == "sigmoid"
        assert not any(layer["stateful"] for layer in cells)
    if network.name == "imdb-bidirectional-lstm":
        both = kinds["bidirectional"]
        assert (both["cell"], both["merge"], both["sequences"]) == ("lstm", "concat", False)
        assert network.weight(both, "backward.wx")[1] == [128, 256]
        assert not kinds["dropout"]["shared_steps"]
    for values in network.x if "embedding" in kinds else ():
        vocabulary = network.weight(kinds["embedding"], "w")[1][0]
        ids = numbers(values, "i")
        assert values[0] == "I32" and 0 <= min(ids) and max(ids) < vocabulary and len(set(ids)) > 30
    if network.name.startswith("imdb"):
        assert network.objectives[0]["loss"] == "binary_cross_entropy" and network.y[0][1] == [2, 1]
        assert set(numbers(network.y[0])) <= {0.0, 1.0}
    if network.name == "text-generator-keras":
        assert [each["weight"] for each in network.objectives] == [1, 0.2]
        assert weighted_sum(network.objectives, [3, 5]) == 4
        assert all(labels[:2] == ("I32", [2]) for labels in network.y)
    if network.name == "paradnn-gru":
        assert kinds["gru"]["reset"] == "before" and network.y[0][1] == [2, 50]
        assert network.optimiser["epsilon"] == 1 and network.optimiser["momentum"] == 0.9
    if network.name == "transformer-base":
        check_transformer(network)


def check_transformer(network):
    """Checks an encoder, a causal decoder, and one shared table."""
    steps = [each["causal"] for each in network.layers if each["kind"] == "attention"]
    assert steps == [False] * 6 + [True, False] * 6
    assert len(network.inputs) == 2 and network.y[0][1] == [2, 64]
    tables = [each["parameters"] for each in network.layers if each["kind"] in ("embedding", "unembedding")]
    assert len(tables) == 3 and len(set(tables)) == 1
    positions = next(each for each in network.layers if each["kind"] == "sinusoidal_positions")
    assert abs(positions["scale"] ** 2 - 512) < 1e-6 and positions["output"] == [64, 512]
    assert sinusoids(2, 4)[0] == [0, 1, 0, 1] and abs(sinusoids(2, 4)[1][2] - math.sin(0.01)) < 1e-12


def loss(network):
    pixels, labels = numbers(network.x[0]), numbers(network.y[0], "i")
    each, total = len(pixels) // network.batch, 0.0
    for sample in range(network.batch):
        x = pixels[sample * each:(sample + 1) * each]
        for layer in network.layers:
            if layer["kind"] == "dense":
                w, y = numbers(network.weight(layer, "w")), list(numbers(network.weight(layer, "b")))
                for i, value in enumerate(x):
                    for j in range(len(y)):
                        y[j] += value * w[i * len(y) + j]
                x = y
            elif layer["kind"] == "relu":
                x = [max(value, 0.0) for value in x]
            else:
                assert layer["kind"] in ("input", "flatten", "dropout"), layer
        total += math.log(sum(map(math.exp, x))) - x[labels[sample]]
    return total / network.batch


def main():
    framework, *mode = sys.argv[2:]
    if not mode:
        print("plain eager" if framework == "pytorch" else "no there is no such module")
        return
    for line in sys.stdin:
        if line.startswith("network"):
            network = Description(os.environ["RIDGEPOINT_NETWORK"])
            check(network)
            mlp = line.split()[2] == "mnist-mlp"
            reply = f"ok 1 losses={loss(network)},{os.environ['SECOND_LOSS']}" if mlp else "no such network"
        else:
            reply = "ok 1000"
        print(reply, flush=True)


main()
