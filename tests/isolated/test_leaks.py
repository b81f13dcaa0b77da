"""No object of the driver leaks, each tested in a separate process.

The test counts Python's blocks, the C heap (on the CPU device only, because
NVIDIA's driver caches), device memory, file descriptors and mappings. Other
processes may use the device, threads may still be at work, and a driver's own
caches grow in steps until they are full, so a leak is a count that grows in
every one of several rounds: ROUNDS, or FOR_LONG if only the device's memory
grows, which other processes change too. A leak never stops.
"""

import tomllib
from pathlib import Path

import pytest
from isolated import HEAP, run

pytestmark = pytest.mark.alone

LEAK = (
    HEAP
    + """
import atexit, ctypes, gc, itertools, os, subprocess, sys, threading
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda import _driver, gpuarray
from pycuda.compiler import SourceModule, compile
from pycuda.elementwise import ElementwiseKernel
SOURCE = (
    "texture<float, 2> t; surface<void, 2> s;"
    "__global__ void one(int *a, float b) {}"
    "__global__ void k2(cudaTextureObject_t object) {}"
    "__device__ __noinline__ int down(int *x, int n)"
    "{ return n ? down(x, n - 1) + x[n] : 0; }"
    "__global__ void k3(int *x, int n)"
    "{ __shared__ int s[64]; s[threadIdx.x] = down(x, n); __syncthreads();"
    " x[threadIdx.x] = s[63 - threadIdx.x]; }"
    "__global__ void k4() { *(int *)malloc(64) = 1; }"
    "__global__ void k5(int *x)"
    "{ __shared__ int s[8000]; s[threadIdx.x] = *x; __syncthreads();"
    " x[threadIdx.x] = s[63 - threadIdx.x]; }"
)
module = SourceModule(SOURCE)
image = compile(SOURCE)
k = module.get_function("one")
k2 = module.get_function("k2")
k3, k5 = module.get_function("k3"), module.get_function("k5")
memory = drv.mem_alloc(4096)
host = np.zeros(4, np.int32)
stream = drv.Stream()
gpu = gpuarray.zeros(16, np.float32)
rows = gpuarray.zeros((2000, 2), np.float32)
pinned = drv.pagelocked_zeros(64, np.int32)
pool = drv.DeviceMemoryPool()
page_pool = drv.PageLockedMemoryPool(drv.PageLockedAllocator(0))
async_pool = drv.AsyncMemoryPool()
flat = drv.ArrayDescriptor()
flat.width = flat.height = 4
flat.format, flat.num_channels = drv.array_format.FLOAT, 1
deep = drv.ArrayDescriptor3D()
deep.width = deep.height = deep.depth = 4
deep.format, deep.num_channels = drv.array_format.FLOAT, 1
deep.flags = 0
with stream.capture() as graph:
    k(memory, np.float32(1), block=(1, 1, 1), stream=stream)
planted = []
number = itertools.count(1)
libc.malloc.restype = ctypes.c_void_p
on_cpu = _driver._device_kind() == "cpu"
# Of stacks: a GPU makes one for each thread that it can hold, 270,000 or so.
least, more = (4096, 4096) if on_cpu else (1024, 64)
{prepare}
def step():
{body}

def counts():
    gc.collect()
    # It keeps the names of attributes that C asked for: 4096 at the most.
    ctypes.pythonapi.PyType_ClearCache()
    drv.Context.synchronize()
    with open("/proc/self/maps") as maps:
        mappings = sum(1 for line in maps)
    free = drv.mem_get_info()[0]
    return (
        sys.getallocatedblocks(), heap() if on_cpu else 0, -free,
        len(os.listdir("/proc/self/fd")), mappings,
    )

NAMES = ("blocks", "bytes of the heap", "bytes of the device", "files",
         "mappings")
LEAST = ({steps} // 2, max({steps} * 15, 2048), 1 << 20, {steps} // 20,
         max({steps} // 10, 4))
for _ in range({steps} // 8):
    step()
always = set(NAMES)
for turn in range({for_long}):
    before = counts()
    for _ in range({steps}):
        step()
    grown = [b - a for a, b in zip(before, counts())]
    always &= {n for n, g, l in zip(NAMES, grown, LEAST) if g > l}
    if not always or turn >= {rounds} - 1 and always != {NAMES[2]}:
        break
print(sorted(always))
"""
)
ROUNDS, FOR_LONG = 6, 16

# Statements that create and delete objects.
BODIES = {
    "launch": "k(memory, np.float32(1), block=(1, 1, 1))",
    "launch on a stream": "k(memory, np.float32(1), block=(1, 1, 1),"
    " stream=stream)",
    "handlers": "k(drv.InOut(host), np.float32(1), block=(1, 1, 1))",
    "prepared": "k.prepare('Pf').prepared_call((1, 1), (1, 1, 1), memory, 1)",
    "timed": "k.prepare('Pf').prepared_timed_call("
    "(1, 1), (1, 1, 1), memory, 1)()",
    "capture": "with stream.capture():\n"
    "        k(memory, np.float32(1), block=(1, 1, 1), stream=stream)",
    "broken capture": "try:\n"
    "        with stream.capture(): stream.synchronize()\n"
    "    except drv.LogicError: pass",
    "graph in a capture": "with stream.capture() as more:\n"
    "        graph.launch(stream)\n"
    "    more.launch(stream); stream.synchronize()",
    "current stream": "with stream, stream.use():\n"
    "        k(memory, np.float32(1), block=(1, 1, 1)); gpu + 1",
    "current stream of an error": "try:\n"
    "        with drv.Stream(), stream.use(): raise KeyError\n"
    "    except KeyError: pass",
    "current stream of a thread": "def work(made):\n"
    "        context.push(); made.__enter__(); drv.Context.pop()\n"
    "    context = drv.Context.get_current()\n"
    "    one = threading.Thread(target=work, args=(drv.Stream(),))\n"
    "    one.start(); one.join()",
    "grids of tuples": "for n in range(3):\n"
    "        k(memory, np.float32(1), block=(1 + n, 1, 1), grid=(n + 1, 1))",
    "graphed": "f = drv.graphed(lambda a, n: a + n, maxsize=2)\n"
    "    for n in range(3): f(gpu, n)",
    "callback": "stream.add_callback(int, '5'); stream.synchronize()",
    "asynchronous copy": "drv.memcpy_htod_async(memory,"
    " drv.pagelocked_zeros(64, 'i4'), stream); stream.synchronize()",
    "texref": "drv.matrix_to_texref(np.zeros((4, 4), 'f4'),"
    " module.get_texref('t'), 'C')",
    "bound texture": "drv.matrix_to_texref(np.zeros((4, 4), 'f4'),"
    " module.get_texref('t'), 'C'); k(memory, np.float32(1), block=(1, 1, 1))",
    "texture of a module": "own = drv.module_from_buffer(image)\n"
    "    drv.matrix_to_texref(np.zeros((4, 4), 'f4'),"
    " own.get_texref('t'), 'C')",
    "bound surface": "module.get_surfref('s').set_array(drv.np_to_array("
    "np.zeros((4, 4), 'f4'), 'C', True));"
    " k(memory, np.float32(1), block=(1, 1, 1))",
    "texture object": "k2(drv.TextureObject(drv.matrix_to_array("
    "np.zeros((4, 4), 'f4'), 'C')), block=(1, 1, 1))",
    "surface object": "k2(drv.SurfaceObject(drv.np_to_array("
    "np.zeros((4, 4), 'f4'), 'C', True)), block=(1, 1, 1))",
    "texture object freed in a capture": "t = drv.TextureObject(gpu)\n"
    "    with stream.capture():\n"
    "        k2(t, block=(1, 1, 1), stream=stream); t.free()",
    "texture errors": "try: drv.TextureObject(memory)\n"
    "    except TypeError: pass\n"
    "    try: drv.TextureObject(memory, bytes=64, format=32, filter_mode=9)\n"
    "    except ValueError: pass",
    "elementwise kernel": "ElementwiseKernel('float *a', 'a[i] = 1')(gpu)",
    "attributes": "drv.Device(0).get_attributes()",
    "copies": "drv.from_device(drv.to_device(host), 4, 'i4')",
    "staged copies": "_driver._set_staging(1000, 512)\n"
    "    drv.memcpy_htod(memory, bytes(4096))\n"
    "    drv.memcpy_dtoh(np.zeros(4096, 'u1'), memory)\n"
    "    _driver._set_staging()",
    "aligned": "drv.aligned_zeros((4, 4), 'f4')",
    "array arithmetic": "gpu + 1; gpu[::2] + 1; gpuarray.sum(gpu).get()",
    "reductions of many shapes": "for _ in range(4):\n"
    "        rows[: next(number) % 2000 + 1].sum(0)",
    "arrays in a context": "made = drv.Device(0).make_context()\n"
    "    gpuarray.sum(gpuarray.zeros(64, 'f4') + 1); made.detach()",
    "arrays in a context that is dropped": "drv.Device(0).make_context()\n"
    "    gpuarray.zeros(64, 'f4')[gpuarray.arange(3, dtype='i4')]\n"
    "    drv.Context.pop()",
    "DLPack": "gpu.__dlpack__(); gpu.__dlpack__(max_version=(1, 0))",
    "array of many axes": "gpu.reshape(1, 2, 1, 2, 1, 4).T + 1",
    "launches in a wrapper": "wrapper = drv.Context.attach()\n"
    "    launch = drv.module_from_buffer(image).get_function('one')\n"
    "    for _ in range(200): launch(memory, np.float32(1), block=(1, 1, 1))\n"
    "    wrapper.pop()",
    "pool that is trimmed": "[gpu + 1 for _ in range(9)]; drv.mem_get_info()",
    "compilation": "compile(f'__global__ void k{next(number)}() {{ }}',"
    " cache_dir=False, options=['-DX=' + 80 * 'y', '-I' + 80 * 'z'])",
    "launches of a thread": "def work():\n"
    "        context.push()\n"
    "        for _ in range(9):\n"
    "            k5(memory, block=(64, 1, 1))\n"
    "            drv.Context.synchronize()\n"
    "        drv.Context.pop()\n"
    "    context = drv.Context.get_current()\n"
    "    one = threading.Thread(target=work); one.start(); one.join()",
    "stacks of many sizes": "drv.Context.set_limit(drv.limit.STACK_SIZE,"
    " least + next(number) % 60 * more)\n"
    "    k3(memory, np.int32(9), block=(64, 1, 1)); stream.synchronize()",
    "heap of a context": "made = drv.Device(0).make_context()\n"
    "    launch = drv.module_from_buffer(image).get_function('k4')\n"
    "    launch(block=(64, 1, 1)); made.synchronize(); made.detach()",
    "compilation that fails": "try: compile('nonsense', cache_dir=False)\n"
    "    except drv.CompileError: pass",
    "refused compilation": "try: compile('', options=['--no-such-option'])\n"
    "    except drv.CompileError: pass",
    "shared event": "drv.Event(drv.event_flags.INTERPROCESS |"
    " drv.event_flags.DISABLE_TIMING).record(stream).ipc_handle()",
    "errors": "try: k(memory, 1, block=(1, 1, 1))\n"
    "    except TypeError: pass\n"
    "    try: drv.mem_alloc(0)\n"
    "    except drv.LogicError: pass\n"
    "    try: k.prepare('Pi').prepared_call((1, 1), (1, 1, 1), memory, 'x')\n"
    "    except Exception: pass\n"
    "    try: drv.module_from_buffer(b'no image')\n"
    "    except drv.Error: pass",
}
# These are slow: 40 steps take the time of 400 steps of other kinds.
SLOW = ("make_context", "cache_dir=False", "Thread")
CONTEXTS_ON_GPUS = 20  # each takes half a second there
# Expressions that create an object of each public class.
OBJECTS = {
    "AlignedHostAllocation": "drv.aligned_empty(16, 'i4').base",
    "ArgumentHandler": "drv.ArgumentHandler(host)",
    "Array": "drv.Array(flat)",
    "ArrayDescriptor": "drv.Array(flat).get_descriptor()",
    "ArrayDescriptor3D": "drv.Array(deep).get_descriptor_3d()",
    "AsyncAllocation": "drv.mem_alloc_async(4096, stream)",
    "AsyncMemoryPool": "drv.AsyncMemoryPool()",
    "Context": "context()",
    "Device": "drv.Device(0)",
    "DeviceAllocation": "drv.mem_alloc(4096)",
    "DeviceMemoryPool": "used(drv.DeviceMemoryPool())",
    "Event": "drv.Event().record(stream)",
    "Function": "module.get_function('one')",
    "Graph": "captured()",
    "GraphExec": "launched(captured().instantiate())",
    "IPCMemoryHandle": "drv.IPCMemoryHandle(foreign)",
    "In": "allocated(drv.In(host))",
    "InOut": "allocated(drv.InOut(host))",
    "Linker": "drv.Linker(print, None, True)",
    "ManagedAllocation": "drv.managed_empty(16, 'i4').base",
    "Memcpy2D": "ends(drv.Memcpy2D())",
    "Memcpy3D": "ends(drv.Memcpy3D())",
    "Memcpy3DPeer": "ends(drv.Memcpy3DPeer())",
    "MipmappedArray": "mipmapped(drv.MipmappedArray(flat))",
    "Module": "drv.module_from_buffer(image)",
    "Out": "allocated(drv.Out(host))",
    "PageLockedAllocator": "drv.PageLockedAllocator(0)",
    "PageLockedMemoryPool": "used(drv.PageLockedMemoryPool("
    "drv.PageLockedAllocator(0)), (2, 2), np.int32)",
    "PagelockedHostAllocation": "drv.pagelocked_empty(16, 'i4').base",
    "PointerHolderBase": "Holder()",
    "PooledDeviceAllocation": "pool.allocate(5000)",
    "PooledHostAllocation": "page_pool.allocate(5000, np.int32).base",
    "RegisteredHostMemory": "drv.register_host_memory("
    "drv.aligned_empty(2048, 'i4')).base",
    "Stream": "drv.Stream()",
    "SurfaceObject": "drv.SurfaceObject(drv.np_to_array("
    "np.zeros((4, 4), 'f4'), 'C', True))",
    "SurfaceReference": "module.get_surfref('s')",
    "TextureObject": "drv.TextureObject(drv.matrix_to_array("
    "np.zeros((4, 4), 'f4'), 'C'))",
    "TextureReference": "drv.TextureReference()",
}
# Objects that the expressions above use.
PREPARE = """
class Holder(drv.PointerHolderBase):
    def get_pointer(self):
        return int(memory)
def context():
    made = drv.Device(0).make_context()
    _driver._set_staging(1000, 512)
    own = drv.mem_alloc(4096)
    drv.memcpy_htod(own, bytes(4096))
    launch = drv.module_from_buffer(image).get_function("one")
    launch(own, np.float32(1), block=(1, 1, 1))
    gpuarray.empty(16, np.float32)
    made.pop()
    _driver._set_staging()
    return made
def used(pool, *how):
    pool.allocate(*how or (5000,))
    return pool
def allocated(handler):
    handler.get_device_alloc()
    return handler
def captured():
    with stream.capture() as made:
        k(memory, np.float32(1), block=(1, 1, 1), stream=stream)
    return made
def launched(run):
    run.launch(stream)
    return run
def mipmapped(chain):
    levels = [chain.get_level(i) for i in range(chain.levels)]
    k2(drv.TextureObject(chain, normalized_coordinates=True), block=(1, 1, 1))
    try: chain.get_level(99)
    except IndexError: pass
    return chain
def ends(copy):
    copy.set_src_host(host)
    copy.set_dst_device(memory)
    copy.width_in_bytes = copy.src_pitch = copy.dst_pitch = 16
    copy.height = copy.depth = 1
    copy()
    return copy
"""
OTHER = """
other = subprocess.Popen(
    [sys.executable, "-P", "-W", "ignore", "-c", '''
import pycuda.autoinit
import pycuda.driver as drv
memory = drv.mem_alloc(4096)
print(drv.mem_get_ipc_handle(memory).hex(), flush=True)
input()
'''],
    stdin=subprocess.PIPE, stdout=subprocess.PIPE,
)
foreign = bytes.fromhex(other.stdout.readline().decode())
atexit.register(other.communicate, b"\\n")
"""
# The base class of memory objects cannot be instantiated.
NOT_MADE = {"HostPointer"}


def leaks(body: str, prepare: str = PREPARE, steps: int = 400) -> str:
    """Return the counts that grow in every round of `steps` steps."""
    code = LEAK.replace("{body}", "    " + body)
    code = code.replace("{steps}", str(steps))
    code = code.replace("{rounds}", str(ROUNDS))
    code = code.replace("{for_long}", str(FOR_LONG))
    return run(code.replace("{prepare}", prepare), seconds=280)


def steps_of(code: str, device: str) -> int:
    if "context()" in code and device == "gpu":
        return CONTEXTS_ON_GPUS
    if code == OBJECTS["Context"]:
        return 100
    return 40 if any(word in code for word in SLOW) else 400


@pytest.mark.slow
@pytest.mark.no_sanitizer
@pytest.mark.parametrize("name", BODIES)
def test_no_leak(name: str, device: str) -> None:
    steps = steps_of(BODIES[name], device)
    assert leaks(BODIES[name], steps=steps) == "[]\n"


@pytest.mark.slow
@pytest.mark.no_sanitizer
@pytest.mark.parametrize("name", OBJECTS)
def test_no_object_leaks(name: str, device: str) -> None:
    kind = "Holder" if name == "PointerHolderBase" else name
    body = f"assert type({OBJECTS[name]}).__name__ == {kind!r}"
    prepare = PREPARE + (OTHER if name == "IPCMemoryHandle" else "")
    steps = steps_of(OBJECTS[name], device)
    assert leaks(body, prepare, steps) == "[]\n"


def test_every_public_class_has_its_turn() -> None:
    """PyCUDA's classes, which tests/driver lists, and new ones."""
    import pycuda.driver as drv

    listed = Path(__file__).parents[1] / "driver" / "interface.toml"
    classes = set(tomllib.loads(listed.read_text())["classes"])
    new = {"Graph", "GraphExec", "TextureObject", "SurfaceObject"}
    new |= {"AsyncAllocation", "AsyncMemoryPool", "MipmappedArray"}
    assert classes | new <= set(OBJECTS) | NOT_MADE
    assert all(hasattr(drv, name) for name in OBJECTS)


@pytest.mark.no_sanitizer
@pytest.mark.parametrize(
    ("body", "seen"),
    [
        ("planted.append(np.zeros(1))", "blocks"),
        ("planted.append(drv.Event())", "blocks"),
        ("planted.append(drv.mem_alloc(1 << 16))", "bytes of the device"),
        ("planted.append(os.open('/dev/null', 0))", "files"),
        pytest.param(
            "libc.malloc(16)", "bytes of the heap", marks=pytest.mark.cpu
        ),
    ],
)
def test_a_planted_leak_is_seen(body: str, seen: str) -> None:
    assert seen in leaks(body)
