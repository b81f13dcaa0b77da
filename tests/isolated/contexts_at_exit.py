"""Many short-lived contexts in many processes on one device.

``python contexts_at_exit.py PROCESSES SECONDS [CONTEXTS]`` starts the
processes together. For SECONDS, but at most CONTEXTS times, each creates a
context with graphs, pools and compiled kernels; it detaches some contexts
while these are alive, leaves others on the stack, and ends with all of its
objects alive. The number of contexts depends on the device: on a GPU the
driver serializes their creation over all processes.

Each process must have computed the right values, must end its last context
within STEP_SECONDS, and must end within END_SECONDS after the last line of its
program. If one does not, the last step and the stacks are printed.
"""

# SPDX-License-Identifier: MIT

import os
import signal
import subprocess
import sys
import time

STEP_SECONDS = 15.0  # for imports and a context, in the slowest process
END_SECONDS = 15.0  # from the last line of a process to its end

WORKER = """
import faulthandler, random, signal, sys, threading, time
import numpy as np
import pycuda.driver as drv
from pycuda import curandom, gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel

number, contexts = int(sys.argv[1]), int(sys.argv[3])
choice = random.Random(number)
keep, kept_contexts = [], []
faulthandler.register(signal.SIGUSR1)  # the parent asks where it hangs


def step(what):
    print(f"{time.time()} {what}", flush=True)


step("init")
drv.init()
until = time.monotonic() + float(sys.argv[2])


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


def one_context(value, way):
    step(f"context {value}: make_context")
    context = drv.Device(0).make_context()
    step(f"context {value}: work")
    objects = work(value)
    step(f"context {value}: {way}")
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


value, last = 0, False
while not last:
    last = time.monotonic() >= until or value + 1 == contexts
    # A context takes half a gigabyte of a GPU: few of them stay.
    ways = ["detached", "emptied", "dropped"]
    ways += ["left", "popped"] if len(kept_contexts) < 2 else []
    way = ["left", "popped"][number % 2] if last else choice.choice(ways)
    if value % 5 == 4:
        thread = threading.Thread(target=one_context, args=(value, way))
        thread.start()
        thread.join()
    else:
        one_context(value, way)
    value += 1
step(f"done {value}")
"""


def main(processes: int, seconds: float, contexts: int) -> int:
    """Run the processes and return the number that failed."""
    start = time.time()
    running = [
        subprocess.Popen(
            [sys.executable, "-P", "-W", "ignore", "-c", WORKER, str(i)]
            + [str(seconds), str(contexts)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONFAULTHANDLER": "1"},
        )
        for i in range(processes)
    ]
    failed, ends, made = 0, [], 0
    limit = start + STEP_SECONDS + seconds + STEP_SECONDS + END_SECONDS
    for number, process in enumerate(running):
        output, errors = finish(process, limit)
        ended = time.time()
        steps = [line.split(" ", 1) for line in output.splitlines()]
        at, what = steps[-1] if steps else (start, "import")
        if process.returncode == 0 and not errors and "done" in what:
            ends.append(ended - float(at))
            made += int(what.split()[1])
            continue
        failed += 1
        print(
            f"process {number}: exit status {process.returncode}; its last "
            f"step, {ended - float(at):.1f} s before: {what}\n{errors}"
        )
    print(
        f"{processes} processes, {made} contexts: {failed} failed, "
        f"{time.time() - start:.1f} s; after its last line, a process ran "
        f"for at most {max(ends, default=0):.2f} s"
    )
    return failed


def finish(process: subprocess.Popen[str], limit: float) -> tuple[str, str]:
    """Return output and errors of a process; kill it after the limit."""
    try:
        return process.communicate(timeout=max(limit - time.time(), 0.1))
    except subprocess.TimeoutExpired:
        where = stacks(process.pid)
        process.send_signal(signal.SIGUSR1)
        time.sleep(0.5)
        process.kill()
        output, errors = process.communicate()
        return output, f"{errors}still running when its time was over\n{where}"


def stacks(pid: int) -> str:
    """Return the state and wait channel of each thread of a process."""
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
    most = int(words[2]) if len(words) > 2 else 1000
    raise SystemExit(min(main(int(words[0]), float(words[1]), most), 100))
