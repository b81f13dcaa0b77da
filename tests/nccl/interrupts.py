"""Ctrl-C in each wait for another rank, and the end of a used communicator.

Run as ``interrupts.py``, with PYCUDA_CPU_DEVICES=9: an interrupted wait makes
the context of its device unusable. Prints what is wrong.

SPDX-License-Identifier: MIT
"""

import contextlib
import os
import random
import signal
import threading
import time

import numpy as np

import pycuda.driver as drv
from pycuda import gpuarray, nccl

LATEST = 0.8  # seconds from the signal to the exception


def pair(context, timeout=60):
    """Return both ranks of a communicator in one context."""
    name, made = nccl.unique_id(), [None, None]

    def join():
        with context:
            made[1] = nccl.Communicator(2, 1, name, timeout=timeout)

    thread = threading.Thread(target=join)
    thread.start()
    made[0] = nccl.Communicator(2, 0, name, timeout=timeout)
    thread.join()
    return made


def joining(context):
    name = nccl.unique_id()
    return lambda: nccl.Communicator(2, 0, name)


def splitting(context):
    comm, other = pair(context)
    return lambda: (comm.split(0), other)


def pending(wait):
    """Return a wait for an operation that rank 1 does not call."""

    def make(context):
        comm, other = pair(context)
        memory = drv.mem_alloc(1 << 20)
        result = comm.all_reduce(gpuarray.zeros(9, np.float32))
        event = drv.Event().record()
        return lambda: (wait(comm, result, event, memory), other)

    return make


def behind_kernel(context):
    """Return a wait for an operation after a kernel that does not end."""
    from pycuda.compiler import SourceModule

    kernel = SourceModule(
        "__global__ void spin(volatile int *p) { while (*p == 0) { } }"
    ).get_function("spin")
    comm, other = pair(context)
    array = gpuarray.zeros(1, np.int32)
    kernel(array, block=(1, 1, 1))
    comm.all_reduce(array)
    return lambda: (comm.destroy(), other, kernel)


WAITS = {
    "join": joining,
    "split": splitting,
    "synchronize": pending(lambda *_: drv.Context.synchronize()),
    "get": pending(lambda comm, result, *_: result.get()),
    "event": pending(lambda comm, result, event, memory: event.synchronize()),
    "free": pending(lambda comm, result, event, memory: memory.free()),
    "destroy": pending(lambda comm, *_: comm.destroy()),
    "destroy behind a kernel": behind_kernel,
}


def interrupt(name, make, context):
    with context:
        wait = make(context)
        sent, waits = [], threading.Event()

        def send():
            waits.wait()
            time.sleep(0.1)
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=send).start()
        try:
            waits.set()
            wait()
        except KeyboardInterrupt:
            late = time.monotonic() - sent[0]
            if late > LATEST:
                print(f"{name}: interrupted after {late:.1f} s")
        else:
            print(f"{name}: not interrupted")


def end_while_used(device):
    """End communicators while other threads call them."""
    for turn in range(8):
        context = device.retain_primary_context()  # new in each turn
        with context:
            comms = pair(context, timeout=1)
        begun = threading.Event()

        def use(comm, split, begun=begun, context=context):
            # the end of a rank is an error of the context, and of later calls
            with contextlib.suppress(drv.Error), context:
                array = gpuarray.zeros(50, np.float32)
                stream = drv.Stream(1)  # does not wait for the default stream
                # a queue without a limit could become too long to end soon
                while not (begun.set() or split):
                    for _ in range(50):
                        comm.all_reduce(array, stream=stream)
                    stream.synchronize()
                comm.split(0)

        users = [
            threading.Thread(target=use, args=(comm, turn % 2), daemon=True)
            for comm in (*comms, comms[0])
        ]
        for user in users:
            user.start()
        begun.wait(10)
        time.sleep(0.01 * random.random())
        with context:
            for comm in comms:
                (comm.abort if turn % 4 < 2 else comm.destroy)()
        for user in users:
            user.join(20)
            if user.is_alive():
                print(f"turn {turn}: a call did not end")
                return
        context.detach()


def groups(context):
    """Calls that create communicators cannot be part of a group."""
    with context:
        comm, other = pair(context)
        for call in (
            lambda: comm.split(0),
            lambda: nccl.Communicator(1, 0, nccl.unique_id()),
        ):
            try:
                with nccl.group():
                    call()
            except drv.LogicError as error:
                if "group" not in str(error):
                    print(f"wrong text: {error}")
            else:
                print("a communicator was created in a group")
        other.abort()
        comm.abort()


# the parent may ignore the signal
signal.signal(signal.SIGINT, signal.default_int_handler)
drv.init()
contexts = [
    drv.Device(number).retain_primary_context() for number in range(len(WAITS))
]
groups(contexts[0])
for number, (name, make) in enumerate(WAITS.items()):
    interrupt(name, make, contexts[number])
end_while_used(drv.Device(len(WAITS)))
print("end", flush=True)
os._exit(0)  # interrupted ranks still wait for the others
