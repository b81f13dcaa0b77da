"""Whoever makes an id and has which rank: no descriptor stays open.

Run as ``descriptors.py``; starts a process for the other rank. Prints the
numbers of open descriptors before and after, if they differ.

SPDX-License-Identifier: MIT
"""

import os
import subprocess
import sys

import pycuda.driver as drv
from pycuda import nccl


def count():
    return len(os.listdir("/proc/self/fd"))


drv.init()
context = drv.Device(0).retain_primary_context()
context.push()
if len(sys.argv) > 1:  # the other process
    name, rank = bytes.fromhex(sys.argv[1]), int(sys.argv[2])
    nccl.Communicator(2, rank, name).destroy()
else:
    nccl.Communicator(1, 0, nccl.unique_id()).destroy()
    before = count()
    for rank in (0, 1, 1):
        name = nccl.unique_id()
        other = subprocess.Popen(
            [sys.executable, "-P", "-W", "ignore", __file__, name.hex(),
             str(1 - rank)]
        )  # fmt: skip
        nccl.Communicator(2, rank, name).destroy()
        assert other.wait() == 0
    if count() != before:
        print(f"{before} descriptors before, {count()} after")
print("end", flush=True)
