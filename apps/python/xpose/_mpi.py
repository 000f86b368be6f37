"""Communicators of mpi4py as the carriers of routes."""

from __future__ import annotations

import atexit
import ctypes
from typing import Any

from . import _xpose

PIECE = 1 << 30  # bytes that MPI is given at once: it counts them in 31 bits


class Carrier:
    """Sends and receives on a duplicate of a communicator, so that no message meets another one."""

    def __init__(self, comm: Any) -> None:
        from mpi4py import MPI

        self._mpi = MPI
        self._comm = comm.Dup()
        self._comm.Set_errhandler(MPI.ERRORS_RETURN)
        self.rank = self._comm.Get_rank()
        self.size = self._comm.Get_size()
        self._requests: list[Any] = []
        self._ids: list[int] = []  # of the transfers of the requests
        self._pieces: dict[int, int] = {}  # that have not ended, by transfer

    def send(self, rank: int, channel: int, data: memoryview, transfer: int) -> None:
        self._begin(self._comm.Isend, rank, channel, data, transfer)

    def receive(self, rank: int, channel: int, data: memoryview, transfer: int) -> None:
        self._begin(self._comm.Irecv, rank, channel, data, transfer)

    def _begin(self, post: Any, rank: int, channel: int, data: memoryview, transfer: int) -> None:
        if self._mpi.Is_finalized():  # which MPI itself answers by the end of the process
            raise ValueError("MPI.Finalize() was called: run routes between processes before it")
        pieces = range(0, max(len(data), 1), PIECE)
        self._pieces[transfer] = len(pieces)
        for at in pieces:
            part = data[at : at + PIECE]
            self._requests.append(post([part, self._mpi.BYTE], rank, channel))
            self._ids.append(transfer)

    def test(self) -> list[int]:
        """The transfers that have ended since the last call."""
        places = self._mpi.Request.Testsome(self._requests)
        if not places:
            return []
        ended = []
        for place in places:
            transfer = self._ids[place]
            self._pieces[transfer] -= 1
            if self._pieces[transfer] == 0:
                del self._pieces[transfer]
                ended.append(transfer)
        gone = set(places)
        self._requests = [r for i, r in enumerate(self._requests) if i not in gone]
        self._ids = [t for i, t in enumerate(self._ids) if i not in gone]
        return ended

    def abandon(self) -> None:
        """Forgets what is under way; MPI may go on with it."""
        self._requests, self._ids, self._pieces = [], [], {}

    def withdraw(self) -> None:
        """Takes back the receives that are under way."""
        if not self._mpi.Is_finalized():
            for request in self._requests:
                request.Cancel()
                request.Wait()

    def free(self) -> None:
        self._comm.Free()


def takes_device_memory() -> bool:
    """Whether the MPI of mpi4py says that it takes addresses of CUDA memory."""
    from mpi4py import MPI

    try:
        ask = ctypes.CDLL(MPI.__file__).MPIX_Query_cuda_support
    except (OSError, AttributeError):  # one that cannot be asked
        return False
    return bool(ask() == 1)


_key: int | None = None  # of the attribute of a communicator that holds its ranks


def _freed(comm: Any, key: int, held: Any) -> None:
    atexit.unregister(held.clear)
    held[0].free()


def ranks_of(comm: Any) -> Any:
    """The ranks of a communicator, made at the first call, which is collective; freed with it."""
    global _key
    if not all(hasattr(comm, name) for name in ("Dup", "Isend", "Irecv", "Get_attr")):
        raise TypeError(f"comm is a communicator of mpi4py or None, not {type(comm).__name__}")
    if _key is None:
        _key = type(comm).Create_keyval(delete_fn=_freed)
    held = comm.Get_attr(_key)
    if held is None:
        carrier = Carrier(comm)
        held = [carrier, _xpose.Ranks(carrier)]
        comm.Set_attr(_key, held)
        atexit.register(held.clear)  # MPI itself drops no attribute at its end
    return held[1]
