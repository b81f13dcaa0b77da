"""Device memory of one process in another."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("context")

OPENER = """
import sys, warnings
warnings.simplefilter("ignore")
import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
drv.init()
context = drv.Device(0).make_context()
handle = bytes.fromhex(sys.argv[1])
count = int(sys.argv[2])
"""


@pytest.fixture(scope="module")
def drv() -> Any:
    import pycuda.driver

    return pycuda.driver


def opener(code: str, handle: bytes, count: int = 0) -> str:
    """Run the code in another process; what it printed."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", OPENER + code, handle.hex(), str(count)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("count", [64, 5000, 300_000, 3 << 20])
def test_memory_of_another_process(drv: Any, count: int) -> None:
    """It is read and written there, and the rest stays as it was."""
    before = drv.to_device(np.full(64, 1, np.int32))
    data = np.arange(count, dtype=np.int32)
    memory = drv.to_device(data)
    after = drv.to_device(np.full(64, 2, np.int32))
    handle = drv.mem_get_ipc_handle(memory)
    assert isinstance(handle, bytearray) and len(handle) == 64
    assert bytes(handle) == bytes(drv.mem_get_ipc_handle(int(memory)))
    out = opener(
        """
memory = drv.IPCMemoryHandle(handle)
class Holder(drv.PointerHolderBase):
    def get_pointer(self):
        return int(memory)
array = gpuarray.GPUArray((count,), np.int32, gpudata=Holder())
found = array.get()
assert (found == np.arange(count)).all()
array *= 2
drv.memset_d32(memory, 77, 1)
drv.Context.synchronize()
assert memory.__index__() == int(memory) != 0
memory.close()
try:
    memory.close()
except drv.LogicError as error:
    print(error)
""",
        handle,
        count,
    )
    assert "ipc_mem_handle::close failed: invalid resource handle" in out
    wanted = data * 2
    wanted[0] = 77
    np.testing.assert_array_equal(drv.from_device_like(memory, data), wanted)
    assert (drv.from_device(before, 64, np.int32) == 1).all()
    assert (drv.from_device(after, 64, np.int32) == 2).all()


def test_opened_twice(drv: Any) -> None:
    memory = drv.to_device(np.arange(100, dtype=np.int32))
    out = opener(
        """
first = drv.IPCMemoryHandle(bytearray(handle))
second = drv.IPCMemoryHandle(
    handle, drv.ipc_mem_flags.LAZY_ENABLE_PEER_ACCESS
)
del first
print(drv.from_device(second, 100, np.int32).sum())
""",
        drv.mem_get_ipc_handle(memory),
    )
    assert out == "4950\n"


def test_mistakes(drv: Any) -> None:
    memory = drv.mem_alloc(64)
    handle = drv.mem_get_ipc_handle(memory)
    with pytest.raises(drv.LogicError, match="a memory handle has 64 bytes"):
        drv.IPCMemoryHandle(handle[:10])
    with pytest.raises(TypeError):
        drv.IPCMemoryHandle("handle")
    with pytest.raises(drv.LogicError, match="cuIpcOpenMemHandle failed"):
        drv.IPCMemoryHandle(handle)  # in the process that made it
    with pytest.raises(drv.LogicError, match="cuIpcGetMemHandle failed"):
        drv.mem_get_ipc_handle(8)
    with pytest.raises(TypeError):
        drv.mem_get_ipc_handle("memory")


@pytest.mark.cpu
def test_handles_that_are_stale_or_wrong(drv: Any) -> None:
    """Only the CPU device promises to notice."""
    memory = drv.mem_alloc(1 << 20)
    stale = bytes(drv.mem_get_ipc_handle(memory))
    base = np.frombuffer(stale, np.uint8)
    memory.free()
    tried = [stale]
    rng = np.random.default_rng(0)
    for _ in range(50):
        wrong = base.copy()
        wrong[rng.integers(0, 40)] ^= rng.integers(1, 256)
        tried.append(wrong.tobytes())
    code = """
for i in range(0, len(handle), 64):
    try:
        drv.IPCMemoryHandle(handle[i:i + 64])
    except drv.LogicError as error:
        assert "invalid resource handle" in str(error), error
    else:
        raise SystemExit("opened")
print("end")
"""
    assert opener(code, b"".join(tried)) == "end\n"


@pytest.mark.cpu
def test_events_are_not_offered_on_the_cpu(drv: Any) -> None:
    flags = drv.event_flags
    event = drv.Event(flags.INTERPROCESS | flags.DISABLE_TIMING)
    with pytest.raises(drv.LogicError, match="cuIpcGetEventHandle failed: op"):
        event.ipc_handle()
    with pytest.raises(drv.LogicError, match="event's handle has 64 bytes"):
        drv.Event.from_ipc_handle(b"short")


def test_event_handles(drv: Any) -> None:
    with pytest.raises(drv.LogicError, match="cuIpcGetEventHandle failed"):
        drv.Event().ipc_handle()  # not made for it
    with pytest.raises(TypeError):
        drv.Event.from_ipc_handle("text")
