"""Communicators made with several ids, as nccl4py makes all of its own.

SPDX-License-Identifier: MIT
"""

import ctypes

import pycuda.driver as drv
from pycuda import cpu, nccl

RANKS = 3
INVALID_ARGUMENT = 4


def join(library, made, rank, ids, count):
    return library.ncclCommInitRankScalable(
        ctypes.byref(made), RANKS, rank, count, ids, None
    )


drv.init()
library = ctypes.CDLL(str(cpu.library()))
library.ncclGetLastError.restype = ctypes.c_char_p
names = [nccl.unique_id() for _ in range(2)]
ids = ctypes.create_string_buffer(b"".join(names), 256)
made = [ctypes.c_void_p() for _ in range(RANKS)]

context = drv.Device(0).retain_primary_context()
context.push()
for count in (0, -1, RANKS + 1):
    assert join(library, made[0], 0, ids, count) == INVALID_ARGUMENT
    assert b"1 to 3" in library.ncclGetLastError(None)
assert join(library, made[0], 0, None, 1) == INVALID_ARGUMENT

library.ncclGroupStart()
for rank in range(RANKS):
    assert join(library, made[rank], rank, ids, len(names)) == 0
assert library.ncclGroupEnd() == 0
for rank, comm in enumerate(made):
    number = ctypes.c_int()
    assert library.ncclCommUserRank(comm, ctypes.byref(number)) == 0
    assert number.value == rank
    assert library.ncclCommCount(comm, ctypes.byref(number)) == 0
    assert number.value == RANKS
for comm in made:
    library.ncclCommDestroy(comm)
print("end", flush=True)
