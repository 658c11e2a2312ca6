# SPDX-License-Identifier: MIT
"""Where PyTorch computes: on the CPU, or on a GPU (RIDGEPOINT_DEVICE=cuda), with TF32 or without (RIDGEPOINT_TF32=1)."""
import os

import torch

from serve import on_gpu


def device():
    """The device, set up as the comparison wants it."""
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    if on_gpu():
        tensor_floats = os.environ.get("RIDGEPOINT_TF32", "0") == "1"
        torch.backends.cudnn.benchmark = True
        torch.backends.cudnn.allow_tf32 = tensor_floats
        torch.backends.cuda.matmul.allow_tf32 = tensor_floats
        torch.set_float32_matmul_precision("high" if tensor_floats else "highest")
    return torch.device("cuda" if on_gpu() else "cpu")


def about():
    if not on_gpu():
        return f"PyTorch {torch.__version__} / {torch.backends.cpu.get_cpu_capability()}"
    device()
    return (f"PyTorch {torch.__version__} / {torch.cuda.get_device_name()}, cuDNN {torch.backends.cudnn.version()}, "
            f"{'TF32' if torch.backends.cuda.matmul.allow_tf32 else 'f32'}")


def finish():
    """Returns when what was called is done."""
    if on_gpu():
        torch.cuda.synchronize()


class Graphed:
    """Calls that were recorded as a CUDA graph: replay() runs them, `result` is what the function returned."""

    def __init__(self, function, restore=lambda: None):
        """Runs the function a few times first, as a recording wants; restore() undoes what that has changed."""
        beside = torch.cuda.Stream()
        beside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(beside):
            for _ in range(3):
                function()
        torch.cuda.current_stream().wait_stream(beside)
        restore()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.result = function()

    def replay(self):
        self.graph.replay()
