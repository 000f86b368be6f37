"""Transposes and permutations of arrays as fast as the memory of the machine allows.

>>> import numpy, xpose
>>> x = numpy.arange(6).reshape(2, 3)
>>> xpose.permute_dims(x, (1, 0))
array([[0, 3],
       [1, 4],
       [2, 5]])

Arrays are NumPy's, PyTorch's, CuPy's, JAX's, or any that speak DLPack or the CUDA array interface.
The result is of the same library and on the same device.
"""

from ._bench import bench
from ._engine import Engine
from ._functions import (
    explain,
    matrix_transpose,
    permute_dims,
    plan,
    plugins,
    transpose,
    tune,
)
from ._rearrange import rearrange
from ._report import TuneReport
from ._xpose import (
    DeviceError,
    Error,
    NoStrategyError,
    Plan,
    WrongResultError,
    __version__,
    cuda_unavailable_reason,
    devices,
)

__all__ = [
    "DeviceError",
    "Engine",
    "Error",
    "NoStrategyError",
    "Plan",
    "TuneReport",
    "WrongResultError",
    "__version__",
    "bench",
    "cuda_unavailable_reason",
    "devices",
    "explain",
    "matrix_transpose",
    "permute_dims",
    "plan",
    "plugins",
    "rearrange",
    "transpose",
    "tune",
]
