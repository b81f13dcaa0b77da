"""Ranks that wait for a call that another rank does not make.

Run as ``stuck.py [N]`` with two devices; N is the number of devices. Each case
waits in another function. Prints what is wrong, and exits with the number of
wrong cases. If a case hangs, prints where each thread is.

SPDX-License-Identifier: MIT
"""

import faulthandler
import os
import sys
import time

import numpy as np
from ranks import Ranks  # the folder of this file

import pycuda.driver as drv
from pycuda import _driver, gpuarray, nccl

LIMIT = 1.0
nccl._OBSERVE = True  # even where the library has a time limit


def array(count=8):
    return gpuarray.zeros(count, np.float32)


def in_get(comm):
    return comm.all_reduce(array()).get()


def in_large_get(comm):
    return comm.all_reduce(array(1 << 20)).get()


def in_stream_wait(comm):
    stream = drv.Stream()
    comm.all_reduce(array(), stream=stream)
    stream.synchronize()


def in_event_wait(comm):
    comm.all_reduce(array())
    drv.Event().record().synchronize()


def in_context_wait(comm):
    comm.all_reduce(array())
    drv.Context.synchronize()


def in_free(comm):
    memory = drv.mem_alloc(1 << 20)
    comm.all_reduce(array())
    memory.free()  # may wait for the device
    drv.Context.synchronize()


def in_message(comm):
    comm.recv(array(), 1)
    drv.Context.synchronize()


def in_group(comm):
    with nccl.group():
        comm.send(array(), 1)
        comm.recv(array(), 1)
    drv.Context.synchronize()


def in_destroy(comm):
    comm.all_reduce(array())
    comm.destroy()


def after_work(comm):
    """The call that is stuck comes after many that are complete."""
    for _ in range(200):
        comm.all_reduce(array())
    drv.Context.synchronize()
    if comm.rank == 0:
        comm.all_reduce(array()).get()


def many_calls(comm):
    """More calls than the driver's queue holds."""
    mine = array()
    for _ in range(5000):
        comm.all_reduce(mine, mine)
    drv.Context.synchronize()


def in_first_call(comm):
    return comm.all_to_all(array(2 * comm.size)).get()


CASES = (in_get, in_large_get, in_stream_wait, in_event_wait, in_context_wait,
         in_free, in_message, in_group, in_destroy, after_work, many_calls,
         in_first_call)  # fmt: skip


def stuck(case, size):
    """Run a case in rank 0 alone; return what is wrong, or None."""
    group = Ranks(size, LIMIT)

    def work(comm):
        if case is not in_first_call:
            comm.all_reduce(array())  # connects the ranks
            drv.Context.synchronize()
        start = time.monotonic()
        text = None
        if comm.rank == 0 or case is after_work:
            try:
                text = f"no error: {case(comm)}"
            except nccl.CommunicationError as error:
                text = str(error)
            try:
                if comm.rank == 0:
                    comm.all_reduce(array())
                    return "a failed communicator works"
            except nccl.CommunicationError as error:
                if text != str(error):
                    return f"{text!r}, then {error!r}"
            except drv.LogicError:
                if case is not in_destroy:
                    raise
        return text, time.monotonic() - start

    result = group.run(work)[0]
    group.comms[1].abort()
    if _driver._device_kind() == "cpu":  # the abort has failed the context
        for context in group.contexts:
            context.detach()
    if not isinstance(result, tuple):
        return repr(result)
    text, seconds = result
    wanted = f"rank 0 of {size} on device 0: call "
    if text.startswith(wanted) and "not complete after 1 s" in text:
        right = LIMIT - 0.2 < seconds < LIMIT + 4
        return None if right else f"after {seconds:.3g} s"
    return text


def main(size=2, names=""):
    drv.init()
    faulthandler.enable()
    failed = 0
    for case in CASES:
        if names and case.__name__ not in names.split(","):
            continue
        faulthandler.dump_traceback_later(15, exit=True)
        begin = time.monotonic()
        wrong = stuck(case, int(size))
        failed += wrong is not None
        took = time.monotonic() - begin
        print(f"{case.__name__}: {wrong or 'right'} ({took:.1f} s)",
              flush=True)  # fmt: skip
    print(f"{failed} wrong", flush=True)
    os._exit(failed)


if __name__ == "__main__":
    main(*sys.argv[1:])
