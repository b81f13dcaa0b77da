"""Many short-lived contexts in many processes on one device.

``python contexts_at_exit.py PROCESSES CONTEXTS [SECONDS]`` starts the
processes at once.  Each makes one context after the other, with graphs, pools
and compiled kernels in each; it detaches some of them while these live, leaves
others on the stack, and ends with all of its objects alive.  Each must have
computed the right values and must end within SECONDS.  It prints how long the
processes took, and how much of that was after the last line of the program.
"""

# SPDX-License-Identifier: MIT

import os
import subprocess
import sys
import time

WORKER = """
import random, sys, threading, time
import numpy as np
import pycuda.driver as drv
from pycuda import curandom, gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel

number, contexts = int(sys.argv[1]), int(sys.argv[2])
choice = random.Random(number)
keep, kept_contexts = [], []
drv.init()


def work(value):
    '''Objects of every kind in the current context, all kept.'''
    module = SourceModule(
        "__global__ void set(int *a, int x) { a[threadIdx.x] = x; }"
        "__global__ void loop(int *a)"
        "{ for (int i = 0; i < 2000; i++) atomicAdd(a, 1); }"
    )
    kernel = module.get_function("set")
    pool = drv.DeviceMemoryPool()
    stream = drv.Stream()
    memory = pool.allocate(4 * 64)
    with stream.capture() as graph:
        kernel(memory, np.int32(value), block=(64, 1, 1), stream=stream)
        drv.memset_d32_async(int(memory), value + 1, 1, stream)
    execution = graph.instantiate()
    for _ in range(3):
        execution.launch(stream)
    array = gpuarray.to_gpu(np.arange(100, dtype=np.float32))
    plus = ElementwiseKernel("float *x, float y", "x[i] += y", "plus")
    plus(array, np.float32(value))
    pinned = drv.pagelocked_zeros(64, np.int32)
    event = drv.Event()
    ordered = drv.mem_alloc_async(1000, stream)
    drv.memcpy_dtoh_async(pinned, int(memory), stream)
    event.record(stream)
    event.synchronize()
    assert pinned[0] == value + 1 and pinned[63] == value, pinned
    assert array.get()[99] == 99 + value
    module.get_function("loop")(memory, block=(64, 1, 1), stream=stream)
    stream.add_callback(keep.append, value)
    execution.launch(stream)  # still at work when the context goes
    objects = [module, kernel, pool, stream, memory, graph, execution]
    objects += [array, plus, pinned, event, ordered]
    if value % 8 == 0:
        generator = curandom.XORWOWRandomNumberGenerator()
        objects += [generator, generator.gen_uniform(100, np.float32)]
    return objects


def one_context(value):
    context = drv.Device(0).make_context()
    objects = work(value)
    # A context takes half a gigabyte of a GPU: few of them stay.
    ways = ["detached", "emptied", "dropped"]
    ways += ["left", "popped"] if len(kept_contexts) < 3 else []
    way = choice.choice(ways)
    if way == "detached":
        keep.append(objects)
        context.pop()
        context.detach()
    elif way == "emptied":
        objects.clear()
        context.pop()
        context.detach()
    elif way == "dropped":
        context.pop()
    else:
        keep.append(objects)
        kept_contexts.append(context)
        if way == "popped":
            context.pop()


for value in range(contexts):
    if value % 5 == 4:
        thread = threading.Thread(target=one_context, args=(value,))
        thread.start()
        thread.join()
    else:
        one_context(value)
print(f"done {time.time()}", flush=True)
"""


def main(processes: int, contexts: int, seconds: float) -> int:
    """Run the processes; how many of them failed."""
    start = time.time()
    running = [
        subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", WORKER, str(i)]
            + [str(contexts)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONFAULTHANDLER": "1"},
        )
        for i in range(processes)
    ]
    failed, ends = 0, []
    for number, process in enumerate(running):
        left = max(start + seconds - time.time(), 0.1)
        try:
            output, errors = process.communicate(timeout=left)
        except subprocess.TimeoutExpired:
            where = stacks(process.pid)
            process.kill()
            output, errors = process.communicate()
            errors += f"\nstill runs after {seconds} s\n{where}"
        ended = time.time()
        done = [line for line in output.splitlines() if "done" in line]
        if process.returncode != 0 or errors or not done:
            failed += 1
            print(f"process {number}: {process.returncode} {output} {errors}")
        else:
            ends.append(ended - float(done[0].split()[1]))
    took = time.time() - start
    print(
        f"{processes} processes of {contexts} contexts: {failed} failed, "
        f"{took:.1f} s; the last ones' ends took at most "
        f"{max(ends, default=0):.2f} s"
    )
    return failed


def stacks(pid: int) -> str:
    """State and wait channel of each thread of a process."""
    lines = []
    for task in os.listdir(f"/proc/{pid}/task"):
        for name in ("comm", "wchan", "syscall"):
            try:
                with open(f"/proc/{pid}/task/{task}/{name}") as stream:
                    lines.append(f"{task} {name} {stream.read().strip()}")
            except OSError:
                continue
    return "\n".join(lines)


if __name__ == "__main__":
    words = sys.argv[1:]
    limit = float(words[2]) if len(words) > 2 else 100.0
    raise SystemExit(min(main(int(words[0]), int(words[1]), limit), 100))
