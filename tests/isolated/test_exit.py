"""Objects alive at the end of a process are released without a message."""

import os
import random

import pytest
from isolated import run

PARTS = {
    "memory": "keep.append(drv.mem_alloc(1000))",
    "stream": "keep.append(drv.Stream())",
    "event": "keep.append(drv.Event().record())",
    "module": "keep.append(SourceModule('__global__ void k() {}'))",
    "function": "keep.append(SourceModule('__global__ void k() {}')"
    ".get_function('k')); keep[-1](block=(1, 1, 1))",
    "pinned": "keep.append(drv.pagelocked_zeros(10, 'i4'))",
    "managed": "keep.append(drv.managed_zeros(10, 'i4'))",
    "pool": "keep.append(drv.DeviceMemoryPool().allocate(10))",
    "array": "keep.append(gpuarray.zeros(10, 'f4') + 1)",
    "handler": "keep.append(drv.In(np.zeros(4))); keep[-1].get_device_alloc()",
    "texture": "keep.append(SourceModule('texture<float, 2> t; "
    "__global__ void k(float *a) { *a = tex2D(t, 0, 0); }'));"
    " drv.matrix_to_texref(np.zeros((2, 2), 'f4'),"
    " keep[-1].get_texref('t'), 'C')",
    "graph": "s = drv.Stream(); a = gpuarray.zeros(9, 'f4'); c = s.capture()\n"
    "with c as g: keep.append(a + 1)\n"
    "g.launch(s); keep.extend([s, a, c, g, g.instantiate()]); del s, a, c, g",
    "capture": "keep.append(drv.Stream().capture()); keep[-1].__enter__()",
    "callback": "keep.append(drv.Stream()); keep[-1].add_callback(int, '5')",
    "linker": "keep.append(drv.Linker())",
    "stream memory": "keep.append(drv.mem_alloc_async(100));"
    " keep.append(drv.AsyncMemoryPool()); keep.append(keep[-1].allocate(9))",
    "registered": "keep.append(drv.register_host_memory(np.zeros(9000)))",
    "cycle": "keep.append(gpuarray.zeros(10, 'f4') * 2);"
    " keep[-1].me = keep; keep.append(keep)",
    "cuda array": "d = drv.ArrayDescriptor(); d.width = d.height = 4;"
    " d.format = drv.array_format.FLOAT; d.num_channels = 1;"
    " keep.append(drv.Array(d))",
}
# Each of these ends the program, with everything above alive.
ENDINGS = {
    "left": "",
    "popped": "drv.Context.pop()",
    "detached": "drv.Context.get_current().detach()",
    "emptied": "drv.Context.get_current().detach(); del keep[:]",
    "modules gone": "sys.modules.clear()",
    "collected": "keep.append(keep); del keep",
    "atexit": "import atexit; atexit.register(keep.clear)",
    "sys.exit": "sys.exit(0)",
    "os._exit": "import os; os._exit(0)",
}
CONTEXTS = {
    "own": "drv.init(); context = drv.Device(0).make_context()",
    "autoinit": "import pycuda.autoinit",
    "autoprimaryctx": "import pycuda.autoprimaryctx",
}
HEAD = """
import sys
import numpy as np
import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.compiler import SourceModule
keep = []
"""


# An open capture rejects other threads' calls while it lasts.
TOGETHER = "\n".join(code for name, code in PARTS.items() if name != "capture")


@pytest.mark.sweep(most=10)
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("ending", ["left", "detached"])
def test_one_kind_of_object(part: str, ending: str) -> None:
    code = HEAD + CONTEXTS["own"] + "\n" + PARTS[part] + "\n"
    run(code + ENDINGS[ending] + "\n")


@pytest.mark.sweep
@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("ending", ENDINGS)
def test_everything_alive(context: str, ending: str) -> None:
    code = HEAD + CONTEXTS[context] + "\n" + TOGETHER + "\n"
    run(code + ENDINGS[ending] + "\n")


@pytest.mark.parametrize("context", ["own", "autoprimaryctx"])
@pytest.mark.parametrize("joined", [True, False])
def test_threads_that_still_work(context: str, joined: bool) -> None:
    """Daemon threads are launching when the interpreter ends."""
    run(
        HEAD
        + CONTEXTS[context]
        + "\n"
        + f"""
import threading, time
context = drv.Context.get_current()
stop = threading.Event()
def work():
    with context:
        array = gpuarray.zeros(1000, "f4")
        while not stop.is_set():
            array = array + 1
            keep.append(drv.Stream())
            del keep[:-5]
threads = [threading.Thread(target=work, daemon=True) for _ in range(3)]
for thread in threads:
    thread.start()
time.sleep(0.2)
if {joined}:
    stop.set()
    for thread in threads:
        thread.join()
"""
    )


def test_left_in_a_thread() -> None:
    run(
        HEAD
        + """
import threading
drv.init()
def work():
    context = drv.Device(0).make_context()
    keep.append(drv.mem_alloc(100))
    keep.append(drv.Stream())
thread = threading.Thread(target=work)
thread.start()
thread.join()
keep.clear()
"""
    )


def test_two_contexts_stacked() -> None:
    run(
        "import pycuda.autoinit, pycuda.autoprimaryctx\n"
        + HEAD
        + "keep.append(drv.mem_alloc(10))\n"
    )


def test_sys_exit_and_uncaught_error() -> None:
    run("import pycuda.autoinit, sys\nsys.exit(3)", status=3)
    run(
        "import pycuda.autoinit, os\n"
        "import pycuda.driver as drv\n"
        "a = drv.mem_alloc(10)\nos._exit(4)",
        status=4,
    )


# ---- remaining objects, by the origin of the context -----------------------

STATES = {
    "contexts left pushed": """
keep.append([drv.Device(0).make_context() for _ in range(2)])
here.push()
here.push()
keep.append(drv.Device(0).retain_primary_context())
keep[-1].push()
keep.append(drv.mem_alloc(100))
""",
    "pools alive": """
for pool in (drv.DeviceMemoryPool(), tools.DeviceMemoryPool()):
    keep.extend([pool, pool.allocate(5000), pool.allocate(300)])
    keep.pop()
host = drv.PageLockedMemoryPool()
keep.extend([host, host.allocate((10, 10), np.float32)])
stream_pool = drv.AsyncMemoryPool()
keep.extend([stream_pool, stream_pool.allocate(100), drv.mem_alloc_async(9)])
keep.append(gpuarray.zeros(1000, np.float32) + 1)
keep[-1] = None
""",
    "streams alive": """
for flags in (0, 1, 0):
    stream = drv.Stream(flags)
    late(room, np.int32(3), block=(64, 1, 1), stream=stream)
    stream.add_callback(int, "5")
    pinned = drv.pagelocked_zeros(64, np.int32)
    drv.memcpy_dtoh_async(pinned, room.gpudata, stream)
    keep.extend([stream, drv.Event().record(stream)])
del stream, pinned
""",
    "threads running": """
import threading
def work():
    with here:
        array = gpuarray.zeros(1000, np.float32)
        while True:
            array = array + 1
            keep.append(drv.Stream())
            del keep[10:]
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(random.random() / 10)
""",
    "objects in cycles": """
class Node:
    pass
for made in (drv.Stream(), drv.Event(), drv.mem_alloc(64), late, room, here):
    node = Node()
    node.made, node.me = made, node
    made.node = node
    keep.append(made)
node = made = None
keep.append(keep)
del keep
""",
    "exceptions at exit": """
import atexit
sys.excepthook = sys.unraisablehook = lambda *of: None
def fail():
    raise KeyError("at exit")
atexit.register(fail)
class Fails:
    def __del__(self):
        keep.append(gpuarray.zeros(4, np.int32) + 1)
        raise ValueError("in a destructor")
fails = Fails()
with drv.Stream() as stream:
    late(room, np.int32(3), block=(64, 1, 1), stream=stream)
    raise RuntimeError("in a with statement")
""",
    "os._exit": """
import os
late(room, np.int32(3), block=(64, 1, 1))
keep.append(drv.Stream())
os._exit(0)
""",
    "fork": """
import os
late(room, np.int32(3), block=(64, 1, 1))
child = os.fork()
if child == 0:
    sys.exit(0)  # destructors run, of objects that are the parent's
assert os.waitpid(child, 0)[1] == 0
""",
}
SETTING = """
import random, time
import pycuda.tools as tools
here = drv.Context.get_current()
late = SourceModule('''
__global__ void late(int *a, int n)
{
    const long long start = clock64();
    while (clock64() - start < n * 1000000LL) { }
    a[threadIdx.x] = n;
}
''').get_function("late")
room = gpuarray.zeros(64, np.int32)
"""
RUNS = int(os.environ.get("PYCUDA_EXIT_RUNS", "4"))  # runs of each cell

# AddressSanitizer of GCC 12 does not prepare its allocator for fork(): a child
# copied while a worker is in the allocator waits in malloc forever (seen in
# SizeClassAllocator64::GetFromAllocator, called by Python's own code).
ENDS = [
    pytest.param(name, marks=pytest.mark.no_sanitizer)
    if name == "fork"
    else name
    for name in STATES
]


def end_once(state: str, context: str, seed: int) -> None:
    """Run a cell once, with additional objects selected by the seed."""
    chance = random.Random(f"{state} {context} {seed}")
    others = sorted(set(PARTS) - {"capture"})
    more = chance.sample(others, chance.randrange(4))
    code = [HEAD + CONTEXTS[context], SETTING, f"random.seed({seed})"]
    code += [PARTS[name] for name in more] + [STATES[state]]
    failing = state == "exceptions at exit"
    run("\n".join(code), status=1 if failing else 0)


@pytest.mark.sweep
@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("state", ENDS)
def test_cell(state: str, context: str) -> None:
    end_once(state, context, 0)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("state", ENDS)
def test_cell_often(state: str, context: str) -> None:
    """24 cells; 42 runs make more than a thousand."""
    for seed in range(1, RUNS + 1):
        end_once(state, context, seed)
