# SPDX-License-Identifier: MIT
"""Trains a described network with PyTorch: idiomatic modules, images (n, c, h, w).

Modes: eager; channels_last, eager with that memory format; compile, channels_last through torch.compile. On a GPU
also graphed, the full step as a CUDA graph, and graphed_channels_last; compile uses the mode reduce-overhead there.
Activations are in place if possible, and optimisers are fused if available. In bf16 the
forward pass and its loss are under autocast.
"""
import os

import torch
from torch import nn

from description import Unknown, check_recurrent, sinusoids, weighted_sum
from device import Graphed, about, device, on_gpu  # noqa: F401

TYPES = ("bf16",)  # in addition to f32


def tensor(stored):
    kinds = {"F32": torch.float32, "I32": torch.int32}
    dtype, extents, values = stored
    return torch.frombuffer(values, dtype=kinds[dtype]).reshape(extents).clone()


def to_images(x):
    """Converts (n, h, w, c) to (n, c, h, w); returns anything else unchanged."""
    return x.permute(0, 3, 1, 2).contiguous() if x.dim() == 4 else x


class Reshape(nn.Module):
    """Reshapes values in the order of (h, w, c)."""

    def __init__(self, extents):
        super().__init__()
        self.extents = extents

    def forward(self, x):
        if x.dim() == 4:
            x = x.permute(0, 2, 3, 1)
        x = x.reshape(x.shape[0], *self.extents)
        return x.permute(0, 3, 1, 2) if x.dim() == 4 else x


class PadChannels(nn.Module):
    def __init__(self, before, after):
        super().__init__()
        self.sides = (0, 0, 0, 0, before, after)

    def forward(self, x):
        return nn.functional.pad(x, self.sides)


class Concat(nn.Module):
    def forward(self, a, b):
        return torch.cat((a, b), dim=1)


class Add(nn.Module):
    def forward(self, a, b):
        return a + b


class GlobalMean(nn.Module):
    def forward(self, x):
        return x.mean((2, 3))


class GlobalMaximum(nn.Module):
    def forward(self, x):
        return x.flatten(2).max(2).values


class MeanOverSteps(nn.Module):
    def forward(self, x):
        return x.mean(1)


class SharedDropout(nn.Module):
    """Drops the same features at all steps of a sequence (n, t, features)."""

    def __init__(self, rate):
        super().__init__()
        self.rate = rate

    def forward(self, x):
        return x * nn.functional.dropout(x.new_ones(x.shape[0], 1, x.shape[2]), self.rate)


class GruResetBefore(nn.Module):
    """nn.GRU with r applied to the state, not to its product: one product of all inputs, then a loop over the steps."""

    def __init__(self, inputs, units, **_):
        super().__init__()
        self.units = units
        self.weight_ih_l0 = nn.Parameter(torch.empty(3 * units, inputs))
        self.weight_hh_l0 = nn.Parameter(torch.empty(3 * units, units))
        self.bias_ih_l0 = nn.Parameter(torch.zeros(3 * units))

    def forward(self, x):
        linear, sides = nn.functional.linear, (2 * self.units, self.units)
        of_gates, of_candidate = self.weight_hh_l0.split(sides)
        h, states = x.new_zeros(x.shape[0], self.units), []
        for gates, candidate in zip(*(part.unbind(1) for part in
                                      linear(x, self.weight_ih_l0, self.bias_ih_l0).split(sides, -1))):
            r, z = torch.sigmoid(gates + linear(h, of_gates)).chunk(2, -1)
            n = torch.tanh(candidate + linear(r * h, of_candidate))
            h = n + z * (h - n)
            states.append(h)
        return torch.stack(states, 1), h.unsqueeze(0)


class Positions(nn.Module):
    def __init__(self, steps, width, scale):
        super().__init__()
        self.scale = scale
        self.register_buffer("sinusoids", torch.tensor(sinusoids(steps, width)))

    def forward(self, x):
        return self.scale * x + self.sinusoids


class Attention(nn.Module):
    """Attention with concatenated queries, keys and values, or with queries and concatenated keys and values."""

    def __init__(self, heads, causal):
        super().__init__()
        self.heads, self.causal = heads, causal

    def forward(self, x, memory=None):
        parts = x.chunk(3, -1) if memory is None else (x, *memory.chunk(2, -1))
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in parts)
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        return y.transpose(1, 2).flatten(2)


class Unembedding(nn.Module):
    """Logits of tokens, from the table of an embedding."""

    def __init__(self, table):
        super().__init__()
        self.table = table

    def forward(self, x):
        return nn.functional.linear(x, self.table.weight)


class Recurrent(nn.Module):
    """A recurrent layer's last state, or all its states; two directions are merged (merge is "" for one)."""

    def __init__(self, layer, sequences, merge):
        super().__init__()
        self.layer, self.sequences, self.merge = layer, sequences, merge

    def forward(self, x):
        y, last = self.layer(x)
        if self.sequences and self.merge in ("", "concat"):
            return y
        last = last[0] if isinstance(last, tuple) else last
        parts = y.chunk(2, -1) if self.sequences else last.unbind(0)
        if self.merge == "concat":
            return torch.cat(parts, -1)
        y = sum(parts[1:], parts[0])
        return y / 2 if self.merge == "average" else y


def padded(layer, module_of, fill=0.0):
    """Returns module_of(padding) for a layer's padding, after a separate padding module if sides differ."""
    top, bottom, left, right = layer["padding"]
    if top == bottom and left == right:
        return module_of((top, left))
    return nn.Sequential(nn.ConstantPad2d((left, right, top, bottom), fill), module_of(0))


class Builder:
    """Builds the modules of layers, and records the names of their parameters in the description."""

    def __init__(self, network, dropout):
        self.network, self.dropout = network, dropout
        self.named = {}  # parameter: its name
        self.tables = {}  # by the layer that owns the parameter

    def load(self, layer, module, name, to, into):
        stored = self.network.weight(layer, into)
        if stored is None:
            return
        parameter = getattr(module, name)
        with torch.no_grad():
            parameter.copy_(to(tensor(stored)))
        if isinstance(parameter, nn.Parameter):
            self.named[parameter] = f"{layer['parameters']}.{into}"

    def convolution(self, layer, groups, to):
        channels, filters = self.network.input_of(layer)["output"][2], layer["output"][2]
        bias = self.network.weight(layer, "b") is not None

        def module_of(padding):
            module = nn.Conv2d(channels, filters, layer["kernel"], layer["stride"], padding, layer["dilation"],
                               groups=groups, bias=bias)
            self.load(layer, module, "weight", to, "w")
            self.load(layer, module, "bias", lambda b: b, "b")
            return module
        return padded(layer, module_of)

    def conv2d(self, layer):
        return self.convolution(layer, 1, lambda w: w.permute(3, 2, 0, 1))

    def depthwise_conv2d(self, layer):
        channels = self.network.input_of(layer)["output"][2]
        return self.convolution(layer, channels, lambda w: w.permute(2, 3, 0, 1).flatten(0, 1).unsqueeze(1))

    def dense(self, layer):
        wide, units = self.network.input_of(layer)["output"][-1], layer["output"][-1]
        module = nn.Linear(wide, units, bias=self.network.weight(layer, "b") is not None)
        image = self.network.image_before(layer)

        def transposed(w):  # a flattened image has its values in the order (c, h, w) here
            rows = w if image is None else w.reshape(*image, units).permute(2, 0, 1, 3).reshape(wide, units)
            return rows.t()
        self.load(layer, module, "weight", transposed, "w")
        self.load(layer, module, "bias", lambda b: b, "b")
        return module

    def batch_norm(self, layer):
        kind = nn.BatchNorm2d if len(layer["output"]) == 3 else nn.BatchNorm1d
        module = kind(layer["output"][-1], eps=layer["epsilon"], momentum=1 - layer["momentum"])
        for name, into in (("weight", "gamma"), ("bias", "beta"), ("running_mean", "moving_mean"),
                           ("running_var", "moving_variance")):
            self.load(layer, module, name, lambda values: values, into)
        return module

    def in_place(self, layer):
        """Returns true if nothing else reads the activation's input, gradients included."""
        before = self.network.input_of(layer)
        writers = ("conv2d", "depthwise_conv2d", "dense", "batch_norm", "add")
        return self.network.readers[before["name"]] == 1 and before["kind"] in writers

    def relu(self, layer):
        return nn.ReLU(inplace=self.in_place(layer))

    def leaky_relu(self, layer):
        return nn.LeakyReLU(layer["slope"], inplace=self.in_place(layer))

    def sigmoid(self, layer):
        return nn.Sigmoid()

    def tanh(self, layer):
        return nn.Tanh()

    def max_pool(self, layer):
        return padded(layer, lambda p: nn.MaxPool2d(layer["kernel"], layer["stride"], p), fill=float("-inf"))

    def avg_pool(self, layer):
        top, bottom, left, right = layer["padding"]
        if (top, left) != (bottom, right):
            raise Unknown("an average of windows that reach beyond one side only")
        counted = layer["over"] == "window"
        if counted and layer["rounding"] == "up":
            raise Unknown("an average with padding of windows that reach beyond it")
        return nn.AvgPool2d(layer["kernel"], layer["stride"], (top, left), count_include_pad=counted)

    def global_avg_pool(self, layer):
        return GlobalMean()

    def global_max_pool(self, layer):
        return GlobalMaximum()

    def dropout_layer(self, layer):
        if not self.dropout or layer["rate"] == 0:
            return nn.Identity()
        return SharedDropout(layer["rate"]) if layer["shared_steps"] else nn.Dropout(layer["rate"])

    def embedding(self, layer):
        """Returns one module for all layers that share a table."""
        name = layer["parameters"]
        if name not in self.tables:
            self.tables[name] = nn.Embedding(*self.network.weight(layer, "w")[1])
            self.load(layer, self.tables[name], "weight", lambda w: w, "w")
        return self.tables[name]

    def unembedding(self, layer):
        return Unembedding(self.embedding(layer))

    def sinusoidal_positions(self, layer):
        return Positions(*layer["output"], layer["scale"])

    def attention(self, layer):
        return Attention(layer["heads"], layer["causal"])

    def layer_norm(self, layer):
        module = nn.LayerNorm(layer["output"][-1], eps=layer["epsilon"])
        self.load(layer, module, "weight", lambda gamma: gamma, "gamma")
        self.load(layer, module, "bias", lambda beta: beta, "beta")
        return module

    def global_avg_pool1d(self, layer):
        return MeanOverSteps()

    def recurrent(self, layer, kind, **options):
        """Returns a recurrent module. Gates are in PyTorch's order; the second of its two biases stays zero."""
        check_recurrent(layer)
        both = layer["kind"] == "bidirectional"
        directions = (("forward.", ""), ("backward.", "_reverse")) if both else (("", ""),)
        units = self.network.weight(layer, directions[0][0] + "wh")[1][0]
        module = kind(self.network.input_of(layer)["output"][-1], units, batch_first=True, bidirectional=both, **options)
        for ours, theirs in directions:
            self.load(layer, module, "weight_ih_l0" + theirs, lambda w: w.t(), ours + "wx")
            self.load(layer, module, "weight_hh_l0" + theirs, lambda w: w.t(), ours + "wh")
            self.load(layer, module, "bias_ih_l0" + theirs, lambda b: b, ours + "b")
            if hasattr(module, "bias_hh_l0" + theirs):
                with torch.no_grad():
                    getattr(module, "bias_hh_l0" + theirs).zero_().requires_grad_(False)
        return Recurrent(module, layer["sequences"], layer.get("merge", ""))

    def rnn(self, layer):
        if layer["act"] not in ("tanh", "relu"):
            raise Unknown(f"the recurrent activation {layer['act']}")
        return self.recurrent(layer, nn.RNN, nonlinearity=layer["act"])

    def lstm(self, layer):
        return self.recurrent(layer, nn.LSTM)

    def gru(self, layer):
        if layer["reset"] != "before":
            raise Unknown("a GRU that resets the state's product")
        return self.recurrent(layer, GruResetBefore)

    def bidirectional(self, layer):
        if layer["cell"] not in ("rnn", "lstm"):
            raise Unknown(f"the layer {layer['cell']} in both directions")
        return getattr(self, layer["cell"])(layer)

    def flatten(self, layer):
        return nn.Flatten()

    def reshape(self, layer):
        return Reshape(layer["output"])

    def add(self, layer):
        return Add()

    def concat_channels(self, layer):
        return Concat()

    def pad_channels(self, layer):
        return PadChannels(layer["before"], layer["after"])

    def module(self, layer):
        kind = "dropout_layer" if layer["kind"] == "dropout" else layer["kind"]
        make = getattr(self, kind, None)
        if make is None:
            raise Unknown(f"the layer {layer['kind']}")
        return make(layer)


class Network(nn.Module):
    def __init__(self, network, builder):
        super().__init__()
        last = {name: i for i, layer in enumerate(network.layers) for name in layer["inputs"]}
        self.calls, modules = [], []
        for i, layer in enumerate(network.layers):
            if layer["kind"] == "input":
                continue
            modules.append(builder.module(layer))
            done = [name for name in dict.fromkeys(layer["inputs"]) if last[name] == i and name not in network.outputs]
            self.calls.append((layer["name"], layer["inputs"], done))
        self.steps, self.inputs, self.outputs = nn.ModuleList(modules), network.inputs, network.outputs

    def forward(self, *x):
        values = dict(zip(self.inputs, x))
        for (name, inputs, done), module in zip(self.calls, self.steps):
            values[name] = module(*[values[each] for each in inputs])
            for each in done:
                del values[each]
        return [values[name] for name in self.outputs]


class RmspropTf1(torch.optim.Optimizer):
    """TensorFlow 1's RMSprop, which PyTorch lacks: epsilon is inside the root, and mean squares start at one."""

    def __init__(self, groups, **options):
        super().__init__(groups, options)
        for group in self.param_groups:
            for parameter in group["params"]:
                self.state[parameter] = {"ms": torch.ones_like(parameter), "mom": torch.zeros_like(parameter)}

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            weights = group["params"]
            gradients = [w.grad for w in weights]
            if group["weight_decay"]:
                gradients = torch._foreach_add(gradients, weights, alpha=group["weight_decay"])
            ms, mom = ([self.state[w][name] for w in weights] for name in ("ms", "mom"))
            torch._foreach_mul_(ms, group["rho"])
            torch._foreach_addcmul_(ms, gradients, gradients, value=1 - group["rho"])
            roots = torch._foreach_add(ms, group["eps"])
            torch._foreach_sqrt_(roots)
            torch._foreach_mul_(mom, group["momentum"])
            torch._foreach_addcdiv_(mom, gradients, roots, value=group["lr"])
            torch._foreach_sub_(weights, mom)


def keep_epsilon(adam, epsilon, beta2):
    """Adds epsilon to the root before bias correction, as Keras does; PyTorch adds it afterwards."""
    steps = 0

    def before_step(optimiser, arguments, options):
        nonlocal steps
        steps += 1
        for group in optimiser.param_groups:
            group["eps"] = epsilon / (1 - beta2 ** steps) ** 0.5
    adam.register_step_pre_hook(before_step)
    return adam


def optimiser_of(network, named, graphed=False):
    """Returns PyTorch's optimiser with the same rule. Weight decay is part of the gradient in both. In a graph Adam's
    epsilon keeps its limit value."""
    capturable = {"capturable": True} if graphed else {}
    groups = {}
    for parameter, name in named.items():
        groups.setdefault(network.decay.get(name, 0.0), []).append(parameter)
    groups = [{"params": parameters, "weight_decay": decay} for decay, parameters in groups.items()]
    o = network.optimiser
    rate = o["learning_rate"]
    if o["name"] == "sgd":
        return torch.optim.SGD(groups, lr=rate, fused=True)
    if o["name"] == "momentum":
        return torch.optim.SGD(groups, lr=rate, momentum=o["momentum"], fused=True)
    if o["name"] == "adam":
        adam = torch.optim.Adam(groups, lr=rate, betas=(o["beta1"], o["beta2"]), eps=o["epsilon"], fused=True,
                                **capturable)
        return adam if graphed else keep_epsilon(adam, o["epsilon"], o["beta2"])
    if o["name"] == "rmsprop_keras":
        return torch.optim.RMSprop(groups, lr=rate, alpha=o["rho"], eps=o["epsilon"], foreach=True,
                                   **capturable)
    if o["name"] == "rmsprop_tf1":
        return RmspropTf1(groups, lr=rate, rho=o["rho"], momentum=o["momentum"], eps=o["epsilon"])
    if o["name"] == "adadelta":
        return torch.optim.Adadelta(groups, lr=rate, rho=o["rho"], eps=o["epsilon"], foreach=True,
                                    **capturable)
    raise Unknown(f"the optimiser {o['name']}")


def of_every_label(logits, labels):
    """Cross-entropy of samples, or of every step of sequences."""
    return nn.functional.cross_entropy(logits.flatten(0, -2), labels.flatten())


def loss_named(name):
    losses = {"softmax_cross_entropy": of_every_label, "mse": nn.MSELoss(),
              "binary_cross_entropy": nn.BCEWithLogitsLoss()}
    if name not in losses:
        raise Unknown(f"the loss {name}")
    return losses[name]


def targets_of(stored):
    y = tensor(stored)
    return y.long() if y.dtype == torch.int32 else to_images(y)


class Kept:
    """Saved parameters, buffers and moments; give_back() restores them in place."""

    def __init__(self, model, optimiser):
        self.model, self.optimiser = model, optimiser
        self.values = {name: value.clone() for name, value in model.state_dict().items()}
        self.moments = {p: {name: m.clone() for name, m in state.items() if torch.is_tensor(m)}
                        for p, state in optimiser.state.items()}

    @torch.no_grad()
    def give_back(self):
        for name, value in self.model.state_dict().items():
            value.copy_(self.values[name])
        for parameter, state in self.optimiser.state.items():
            before = self.moments.get(parameter, {})
            for name, moment in state.items():
                if torch.is_tensor(moment):
                    moment.copy_(before[name]) if name in before else moment.zero_()
        self.optimiser.zero_grad(set_to_none=True)


class Training:
    def __init__(self, network, mode, dropout, dtype="f32"):
        to = device()
        torch.set_num_threads(network.threads)
        builder = Builder(network, dropout)
        model = Network(network, builder).train().to(to)
        graphed, images_last = mode.startswith("graphed"), mode.endswith("channels_last")
        self.optimiser = optimiser_of(network, builder.named, graphed)
        self.x = [to_images(tensor(each)).to(to) for each in network.x]
        self.y = [targets_of(each).to(to) for each in network.y]
        losses = [loss_named(each["loss"]) for each in network.objectives]
        images = self.x[0].dim() == 4
        if images_last and not images:
            raise Unknown("a memory format of sequences")
        if images_last or mode == "compile":
            model = model.to(memory_format=torch.channels_last)
            if images:
                self.x = [each.contiguous(memory_format=torch.channels_last) for each in self.x]

        def judged(x, y):
            with torch.autocast(to.type, torch.bfloat16, enabled=dtype == "bf16"):
                return weighted_sum(network.objectives, [loss(*each) for loss, *each in zip(losses, model(*x), y)])
        self.judged = judged
        if mode == "compile":
            from torch._inductor import config
            if os.environ.get("RIDGEPOINT_CAP") == "avx2":
                config.cpp.simdlen = 256
            torch.compiler.reset()
            self.judged = torch.compile(judged, **({"mode": "reduce-overhead"} if on_gpu() else {}))
        if graphed:
            recorded = Graphed(self.learnt, Kept(model, self.optimiser).give_back)
            self.learnt = lambda: recorded.replay() or recorded.result

    def learnt(self):
        """Runs a step; returns its loss, on the device."""
        self.optimiser.zero_grad(set_to_none=True)
        loss = self.judged(self.x, self.y)
        loss.backward()
        self.optimiser.step()
        return loss.detach()

    def step(self):
        return self.learnt().item()
