# SPDX-License-Identifier: MIT
"""Trains a described network with TensorFlow: its ops and its optimisers' kernels in one tf.function for the step.

Modes: graph; xla, graph with jit_compile.
"""
import tensorflow as tf

from description import Unknown, check_recurrent, padding_name, sinusoids, weighted_sum

TYPES = ()  # in addition to f32


def about():
    return f"TensorFlow {tf.__version__}"


def tensor(stored):
    kinds = {"F32": tf.float32, "I32": tf.int32}
    dtype, extents, values = stored
    return tf.reshape(tf.io.decode_raw(bytes(values), kinds[dtype]), extents)


class Layers:
    """Ops of each kind of layer, on images (n, h, w, c)."""

    def __init__(self, network, dropout):
        self.network, self.dropout_on = network, dropout
        self.variables = {name: tf.Variable(tensor(stored), trainable=not name.rpartition(".")[2].startswith("moving_"))
                          for name, stored in network.weights.items()}

    def parameter(self, layer, name):
        return self.variables.get(f"{layer['parameters']}.{name}")

    def with_bias(self, layer, y):
        bias = self.parameter(layer, "b")
        return y if bias is None else tf.nn.bias_add(y, bias)

    def padded(self, layer, x, fill=0.0):
        """Returns x, padded if necessary, and the name of the padding to compute with."""
        name = padding_name(layer, self.network.input_of(layer)["output"])
        if name is not None:
            return x, name.upper()
        top, bottom, left, right = layer["padding"]
        return tf.pad(x, [[0, 0], [top, bottom], [left, right], [0, 0]], constant_values=fill), "VALID"

    def conv2d(self, layer, x):
        x, padding = self.padded(layer, x)
        return self.with_bias(layer, tf.nn.conv2d(x, self.parameter(layer, "w"), layer["stride"], padding,
                                                  dilations=layer["dilation"]))

    def depthwise_conv2d(self, layer, x):
        x, padding = self.padded(layer, x)
        strides = [1, *layer["stride"], 1]
        return self.with_bias(layer, tf.nn.depthwise_conv2d(x, self.parameter(layer, "w"), strides, padding,
                                                            dilations=layer["dilation"]))

    def dense(self, layer, x):
        rows = tf.reshape(x, [-1, x.shape[-1]])
        y = self.with_bias(layer, tf.linalg.matmul(rows, self.parameter(layer, "w")))
        return tf.reshape(y, [x.shape[0], *layer["output"]])

    def batch_norm(self, layer, x):
        y, mean, variance = tf.compat.v1.nn.fused_batch_norm(
            x if x.shape.rank == 4 else x[:, None, None, :], self.parameter(layer, "gamma"),
            self.parameter(layer, "beta"), epsilon=layer["epsilon"], is_training=True)
        for name, now in (("moving_mean", mean), ("moving_variance", variance)):
            moving = self.parameter(layer, name)
            moving.assign_sub((moving - now) * (1 - layer["momentum"]))
        return tf.reshape(y, x.shape)

    def relu(self, layer, x):
        return tf.nn.relu(x)

    def leaky_relu(self, layer, x):
        return tf.nn.leaky_relu(x, layer["slope"])

    def sigmoid(self, layer, x):
        return tf.sigmoid(x)

    def tanh(self, layer, x):
        return tf.tanh(x)

    def max_pool(self, layer, x):
        x, padding = self.padded(layer, x, fill=float("-inf"))
        return tf.nn.max_pool2d(x, layer["kernel"], layer["stride"], padding)

    def avg_pool(self, layer, x):
        padding = padding_name(layer, self.network.input_of(layer)["output"])
        if padding is None or layer["over"] == "window" and any(layer["padding"]):
            raise Unknown("an average of windows that reach beyond the image as these do")
        return tf.nn.avg_pool2d(x, layer["kernel"], layer["stride"], padding.upper())

    def global_avg_pool(self, layer, x):
        return tf.reduce_mean(x, [1, 2])

    def global_max_pool(self, layer, x):
        return tf.reduce_max(x, [1, 2])

    def dropout(self, layer, x):
        if not self.dropout_on or layer["rate"] == 0:
            return x
        return tf.nn.dropout(x, layer["rate"], noise_shape=[x.shape[0], 1, x.shape[2]] if layer["shared_steps"] else None)

    def embedding(self, layer, x):
        return tf.gather(self.parameter(layer, "w"), x)

    def unembedding(self, layer, x):
        rows = tf.reshape(x, [-1, x.shape[-1]])
        y = tf.linalg.matmul(rows, self.parameter(layer, "w"), transpose_b=True)
        return tf.reshape(y, [x.shape[0], *layer["output"]])

    def sinusoidal_positions(self, layer, x):
        return layer["scale"] * x + tf.constant(sinusoids(*layer["output"]))

    def layer_norm(self, layer, x):
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        beta, gamma = self.parameter(layer, "beta"), self.parameter(layer, "gamma")
        return tf.nn.batch_normalization(x, mean, variance, beta, gamma, layer["epsilon"])

    def attention(self, layer, x, memory=None):
        """Attention with concatenated queries, keys and values, or with queries and concatenated keys and values."""
        parts = tf.split(x, 3, -1) if memory is None else [x, *tf.split(memory, 2, -1)]
        heads, width = layer["heads"], layer["output"][-1] // layer["heads"]
        q, k, v = (tf.transpose(tf.reshape(each, [*each.shape[:2], heads, width]), [0, 2, 1, 3]) for each in parts)
        scores = tf.matmul(q, k, transpose_b=True) * width ** -0.5
        if layer["causal"]:
            scores += tf.constant([[-1e9 * (key > query) for key in range(k.shape[2])] for query in range(q.shape[2])])
        y = tf.matmul(tf.nn.softmax(scores), v)
        return tf.reshape(tf.transpose(y, [0, 2, 1, 3]), [x.shape[0], *layer["output"]])

    def global_avg_pool1d(self, layer, x):
        return tf.reduce_mean(x, 1)

    def states(self, layer, x, cell, prefix=""):
        """Returns the states of all steps, (t, n, units): one product of all inputs, then a loop over the steps."""
        w, recurrent, bias = (self.parameter(layer, prefix + name) for name in ("wx", "wh", "b"))
        batch, steps, units = x.shape[0], x.shape[1], recurrent.shape[0]
        if prefix == "backward.":
            x = tf.reverse(x, [1])
        rows = tf.reshape(tf.transpose(x, [1, 0, 2]), [steps * batch, x.shape[2]])
        inputs = tf.reshape(tf.nn.bias_add(tf.matmul(rows, w), bias), [steps, batch, w.shape[1]])
        inputs = tf.TensorArray(tf.float32, steps).unstack(inputs)
        zeros = tf.zeros([batch, units])

        def step(t, h, c, states):
            if cell == "gru":
                h = self.reset_before(inputs.read(t), h, recurrent)
                return t + 1, h, c, states.write(t, h)
            z = inputs.read(t) + tf.matmul(h, recurrent)
            if cell == "lstm":
                i, f, g, o = tf.split(z, 4, -1)
                c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
                h = tf.sigmoid(o) * tf.tanh(c)
            else:
                h = tf.tanh(z) if layer["act"] == "tanh" else tf.nn.relu(z)
            return t + 1, h, c, states.write(t, h)
        states = tf.TensorArray(tf.float32, steps)
        return tf.while_loop(lambda t, *_: t < steps, step, (0, zeros, zeros, states), maximum_iterations=steps)[3].stack()

    @staticmethod
    def reset_before(inputs, h, recurrent):
        """Returns the next state of a GRU with gate r applied to the state, not to its product."""
        sides = [2 * h.shape[1], h.shape[1]]
        (of_gates, of_candidate), (gates, candidate) = (tf.split(each, sides, -1) for each in (recurrent, inputs))
        r, z = tf.split(tf.sigmoid(gates + tf.matmul(h, of_gates)), 2, -1)
        n = tf.tanh(candidate + tf.matmul(r * h, of_candidate))
        return n + z * (h - n)

    def recurrent(self, layer, x, cell):
        check_recurrent(layer)
        if cell == "rnn" and layer["act"] not in ("tanh", "relu"):
            raise Unknown(f"the recurrent activation {layer['act']}")
        prefixes = ("forward.", "backward.") if layer["kind"] == "bidirectional" else ("",)
        parts = [self.states(layer, x, cell, prefix) for prefix in prefixes]
        if layer["sequences"]:
            parts = [tf.transpose(part if p != "backward." else tf.reverse(part, [0]), [1, 0, 2])
                     for p, part in zip(prefixes, parts)]
        else:
            parts = [part[-1] for part in parts]
        if len(parts) == 1:
            return parts[0]
        if layer["merge"] == "concat":
            return tf.concat(parts, -1)
        return (parts[0] + parts[1]) / (2.0 if layer["merge"] == "average" else 1.0)

    def rnn(self, layer, x):
        return self.recurrent(layer, x, "rnn")

    def lstm(self, layer, x):
        return self.recurrent(layer, x, "lstm")

    def gru(self, layer, x):
        if layer["reset"] != "before":
            raise Unknown("a GRU that resets the state's product")
        return self.recurrent(layer, x, "gru")

    def bidirectional(self, layer, x):
        if layer["cell"] not in ("rnn", "lstm"):
            raise Unknown(f"the layer {layer['cell']} in both directions")
        return self.recurrent(layer, x, layer["cell"])

    def flatten(self, layer, x):
        return tf.reshape(x, [x.shape[0], *layer["output"]])

    def reshape(self, layer, x):
        return tf.reshape(x, [x.shape[0], *layer["output"]])

    def add(self, layer, a, b):
        return a + b

    def concat_channels(self, layer, a, b):
        return tf.concat([a, b], -1)

    def pad_channels(self, layer, x):
        return tf.pad(x, [[0, 0]] * (x.shape.rank - 1) + [[layer["before"], layer["after"]]])

    def outputs(self, x):
        values = dict(zip(self.network.inputs, x))
        for layer in self.network.layers:
            compute = getattr(self, layer["kind"], None)
            if layer["kind"] == "input":
                continue
            if compute is None:
                raise Unknown(f"the layer {layer['kind']}")
            values[layer["name"]] = compute(layer, *[values[name] for name in layer["inputs"]])
        return [values[name] for name in self.network.outputs]


def loss_named(name, output, y):
    if name == "softmax_cross_entropy":
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, output))
    if name == "mse":
        return tf.reduce_mean(tf.math.squared_difference(output, y))
    if name == "binary_cross_entropy":
        return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(y, output))
    raise Unknown(f"the loss {name}")


def loss_of(network, outputs, y):
    return weighted_sum(network.objectives,
                        [loss_named(o["loss"], *each) for o, *each in zip(network.objectives, outputs, y)])


class Optimiser:
    """Kernels of TensorFlow's optimisers."""

    def __init__(self, network, variables):
        self.network, self.o = network, network.optimiser
        if self.o["name"] not in ("sgd", "momentum", "adam", "rmsprop_keras", "rmsprop_tf1", "adadelta"):
            raise Unknown(f"the optimiser {self.o['name']}")
        first = tf.ones_like if self.o["name"] == "rmsprop_tf1" else tf.zeros_like
        begin = (first, tf.zeros_like)
        self.moments = {name: [tf.Variable(like(v)) for like in begin] for name, v in variables.items()}
        self.powers = [tf.Variable(self.o.get(beta, 0.0)) for beta in ("beta1", "beta2")]

    def apply(self, name, variable, gradient):
        gradient = tf.convert_to_tensor(gradient)              # dense also for an embedding, like its update
        o, (first, second) = self.o, [moment.handle for moment in self.moments[name]]
        if (decay := self.network.decay.get(name, 0.0)) > 0:
            gradient = gradient + decay * variable
        w, rate = variable.handle, o["learning_rate"]
        if o["name"] == "sgd":
            tf.raw_ops.ResourceApplyGradientDescent(var=w, alpha=rate, delta=gradient)
        elif o["name"] == "momentum":
            tf.raw_ops.ResourceApplyMomentum(var=w, accum=first, lr=rate, grad=gradient, momentum=o["momentum"])
        elif o["name"] == "adam":
            tf.raw_ops.ResourceApplyAdam(var=w, m=first, v=second, beta1_power=self.powers[0].read_value(),
                                         beta2_power=self.powers[1].read_value(), lr=rate, beta1=o["beta1"],
                                         beta2=o["beta2"], epsilon=o["epsilon"], grad=gradient)
        elif o["name"] == "rmsprop_keras":                     # epsilon is inside the root
            tf.raw_ops.ResourceApplyRMSProp(var=w, ms=first, mom=second, lr=rate, rho=o["rho"], momentum=0.0,
                                            epsilon=o["epsilon"] ** 2, grad=gradient)
        elif o["name"] == "rmsprop_tf1":
            tf.raw_ops.ResourceApplyRMSProp(var=w, ms=first, mom=second, lr=rate, rho=o["rho"], momentum=o["momentum"],
                                            epsilon=o["epsilon"], grad=gradient)
        else:
            tf.raw_ops.ResourceApplyAdadelta(var=w, accum=first, accum_update=second, lr=rate, rho=o["rho"],
                                             epsilon=o["epsilon"], grad=gradient)

    def finish(self):
        for power, beta in zip(self.powers, ("beta1", "beta2")):
            if beta in self.o:
                power.assign(power * self.o[beta])


def set_threads(count):
    try:
        tf.config.threading.set_intra_op_parallelism_threads(count)
        tf.config.threading.set_inter_op_parallelism_threads(1)
    except RuntimeError:                                       # fixed once TensorFlow has started to compute
        pass


class Training:
    def __init__(self, network, mode, dropout):
        set_threads(network.threads)
        layers = Layers(network, dropout)
        learnt = {name: v for name, v in layers.variables.items() if v.trainable}
        optimiser = Optimiser(network, learnt)
        self.x, self.y = [tensor(each) for each in network.x], [tensor(each) for each in network.y]

        @tf.function(jit_compile=mode == "xla", autograph=False)
        def step(x, y):
            with tf.GradientTape() as tape:
                loss = loss_of(network, layers.outputs(x), y)
            for (name, variable), gradient in zip(learnt.items(), tape.gradient(loss, list(learnt.values()))):
                optimiser.apply(name, variable, gradient)
            optimiser.finish()
            return loss
        self.function = step

    def step(self):
        return float(self.function(self.x, self.y))
