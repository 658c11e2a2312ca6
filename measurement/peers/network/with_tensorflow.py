# SPDX-License-Identifier: MIT
"""A described network as TensorFlow trains it: its ops and its optimisers' kernels in one tf.function for the step.

Modes: graph; xla, the same with jit_compile.
"""
import tensorflow as tf

from description import Unknown, padding_name


def about():
    return f"TensorFlow {tf.__version__}"


def tensor(stored):
    kinds = {"F32": tf.float32, "I32": tf.int32}
    dtype, extents, values = stored
    return tf.reshape(tf.io.decode_raw(bytes(values), kinds[dtype]), extents)


class Layers:
    """The ops of each kind of layer, on images (n, h, w, c)."""

    def __init__(self, network, dropout):
        self.network, self.dropout_on = network, dropout
        self.variables = {name: tf.Variable(tensor(stored), trainable=not name.rpartition(".")[2].startswith("moving_"))
                          for name, stored in network.weights.items()}

    def parameter(self, layer, name):
        return self.variables.get(f"{layer['parameters']}.{name}")

    def with_bias(self, layer, y):
        bias = self.parameter(layer, "b")
        return y if bias is None else tf.nn.bias_add(y, bias)

    def padded(self, layer, x, beside=0.0):
        """x and the name of the padding to compute with."""
        name = padding_name(layer, self.network.input_of(layer)["output"])
        if name is not None:
            return x, name.upper()
        top, bottom, left, right = layer["padding"]
        return tf.pad(x, [[0, 0], [top, bottom], [left, right], [0, 0]], constant_values=beside), "VALID"

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
        x, padding = self.padded(layer, x, beside=float("-inf"))
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
        return tf.nn.dropout(x, layer["rate"]) if self.dropout_on and layer["rate"] > 0 else x

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

    def output(self, x):
        values = {}
        for layer in self.network.layers:
            compute = getattr(self, layer["kind"], None)
            if layer["kind"] == "input":
                values[layer["name"]] = x
            elif compute is None:
                raise Unknown(f"the layer {layer['kind']}")
            else:
                values[layer["name"]] = compute(layer, *[values[name] for name in layer["inputs"]])
        return values[self.network.output]


def loss_of(network, output, y):
    if network.loss == "softmax_cross_entropy":
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, output))
    if network.loss == "mse":
        return tf.reduce_mean(tf.math.squared_difference(output, y))
    raise Unknown(f"the loss {network.loss}")


class Optimiser:
    """The kernels that TensorFlow's optimisers run on."""

    def __init__(self, network, variables):
        self.network, self.o = network, network.optimiser
        if self.o["name"] not in ("sgd", "momentum", "adam", "rmsprop_keras", "adadelta"):
            raise Unknown(f"the optimiser {self.o['name']}")
        self.moments = {name: [tf.Variable(tf.zeros_like(v)) for _ in range(2)] for name, v in variables.items()}
        self.powers = [tf.Variable(self.o.get(beta, 0.0)) for beta in ("beta1", "beta2")]

    def apply(self, name, variable, gradient):
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
        elif o["name"] == "rmsprop_keras":                     # its epsilon is inside the root
            tf.raw_ops.ResourceApplyRMSProp(var=w, ms=first, mom=second, lr=rate, rho=o["rho"], momentum=0.0,
                                            epsilon=o["epsilon"] ** 2, grad=gradient)
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
    except RuntimeError:                                       # once it computes they stay as they are
        pass


class Training:
    def __init__(self, network, mode, dropout):
        set_threads(network.threads)
        layers = Layers(network, dropout)
        learnt = {name: v for name, v in layers.variables.items() if v.trainable}
        optimiser = Optimiser(network, learnt)
        self.x, self.y = tensor(network.x), tensor(network.y)

        @tf.function(jit_compile=mode == "xla", autograph=False)
        def step(x, y):
            with tf.GradientTape() as tape:
                loss = loss_of(network, layers.output(x), y)
            for (name, variable), gradient in zip(learnt.items(), tape.gradient(loss, list(learnt.values()))):
                optimiser.apply(name, variable, gradient)
            optimiser.finish()
            return loss
        self.function = step

    def step(self):
        return float(self.function(self.x, self.y))
