from typing import Any, Callable, Sequence

from ._library import Axes

__version__: str

class Error(RuntimeError): ...
class NoStrategyError(Error): ...
class DeviceError(Error): ...
class WrongResultError(Error): ...

# (address, shape, strides, bytes of a stride's unit, bytes of an element, on CUDA, ordinal,
# writable, ...)
_Layout = tuple[Any, ...]

class Plan:
    """A variant bound to a layout of arrays. Made by `xpose.plan`."""

    def __call__(self, x: Any, out: Any = None, *, stream: Any = None) -> Any: ...
    def execute(self, source: _Layout, target: _Layout | int, stream: int) -> None: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def problem(self) -> str: ...
    @property
    def variant(self) -> str: ...
    @property
    def launch(self) -> str: ...
    @property
    def is_estimate(self) -> bool: ...

class Engine:
    def __init__(
        self,
        plugin_folders: Sequence[bytes],
        threads: int,
        worker: bytes,
        cache: bytes,
        remember: bool,
        in_process: bool,
        stage_seconds: float,
    ) -> None: ...
    def permute(
        self, x: Any, axes: Axes | None, out: Any, stream: Any, policy: str
    ) -> Any: ...
    def move(
        self,
        source: _Layout,
        axes: Axes | None,
        target: _Layout | int,
        stream: int,
        policy: str,
    ) -> None: ...
    def prepare(
        self,
        source: _Layout,
        axes: Axes | None,
        target: _Layout | None,
        policy: str,
        budget: float,
    ) -> Plan: ...
    def tune(
        self,
        source: _Layout,
        axes: Axes | None,
        target: _Layout | None,
        budget: float,
        max_rounds: int,
        every_strategy: bool,
        warm: bool,
        whole: bool,
        variants: Sequence[str],
        progress: Callable[[str, int, int], Any] | None,
    ) -> str: ...
    def explain(
        self,
        source: _Layout,
        axes: Axes | None,
        target: _Layout | None,
        variant: str,
        measure: bool,
    ) -> dict[str, Any]: ...
    def plugins(self) -> list[dict[str, Any]]: ...

def permuted_shape(shape: Sequence[int], axes: Axes | None) -> tuple[int, ...]: ...
def order_of(axes: Axes | None, rank: int) -> tuple[int, ...]: ...
def policy_number(policy: str) -> int: ...
def xla_handlers(engine: Engine) -> tuple[Any, Any]: ...
def of_capsule(capsule: Any) -> _Layout: ...
def dtype_of_capsule(capsule: Any) -> str | None: ...
def synchronize(ordinal: int) -> None: ...
def devices() -> list[dict[str, Any]]: ...
def cuda_unavailable_reason() -> str: ...
def set_python_side(
    ndarray: type,
    empty: Callable[..., Any],
    permute_other: Callable[..., Any],
    call_other: Callable[..., Any],
) -> None: ...
def set_exchange(
    type: type,
    capsule: Any,
    followers: Sequence[Callable[[], int]],
    level: dict[str, Any],
    on_host: Callable[..., Any] | None,
    on_cuda: Callable[..., Any] | None,
    current_device: Callable[[], int] | None,
    serves_cuda: bool,
) -> None: ...

class Placement:
    def local_shape(self, rank: int) -> tuple[int, int]: ...
    @property
    def is_row_major(self) -> bool: ...
    @property
    def ranks(self) -> list[int]: ...

def on_one_rank(rows: int, cols: int, itemsize: int, rank: int) -> Placement: ...
def row_slabs(rows: int, cols: int, itemsize: int, ranks: int) -> Placement: ...
def column_slabs(rows: int, cols: int, itemsize: int, ranks: int) -> Placement: ...
def block_cyclic(
    rows: int,
    cols: int,
    itemsize: int,
    block_rows: int,
    block_cols: int,
    first_row: int,
    first_col: int,
    grid_rows: int,
    grid_cols: int,
    column_major_grid: bool,
) -> Placement: ...
def relabelled(source: Placement, target: Placement, transpose: bool) -> Placement: ...

class Ranks:
    def __init__(self, carrier: Any) -> None: ...

class DeviceRanks:
    def __init__(
        self,
        ranks: Ranks | None,
        on_cuda: bool,
        ordinal: int,
        may_be_direct: bool,
        memory: int,
        deadline: float,
    ) -> None: ...

class Route:
    def __init__(
        self,
        engine: Engine,
        source: Placement,
        target: Placement,
        ranks: Ranks | None,
        devices: DeviceRanks | None,
        transpose: bool,
        in_place: bool,
        memory: int,
        deadline: float,
    ) -> None: ...
    def run(self, source: int, target: int, stream: int) -> dict[str, Any]: ...
