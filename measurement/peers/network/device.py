# SPDX-License-Identifier: MIT
"""PyTorch's device: the CPU, or a GPU (RIDGEPOINT_DEVICE=cuda), optionally with TF32 (RIDGEPOINT_TF32=1)."""
import os

import torch

from serve import on_gpu


def device():
    """Returns the device, configured for the comparison."""
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
    """Waits until all calls are complete."""
    if on_gpu():
        torch.cuda.synchronize()


class Graphed:
    """Calls recorded as a CUDA graph: replay() runs them, `result` is the function's return value."""

    def __init__(self, function, restore=lambda: None):
        """Runs the function a few times first, as recording requires; restore() undoes the changes."""
        warm_up = torch.cuda.Stream()
        warm_up.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(warm_up):
            for _ in range(3):
                function()
        torch.cuda.current_stream().wait_stream(warm_up)
        restore()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.result = function()

    def replay(self):
        self.graph.replay()
