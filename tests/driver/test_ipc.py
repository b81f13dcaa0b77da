"""Device memory shared between processes."""

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


def opener(code: str, handle: bytes, count: int = 0) -> str:
    """Run the code in another process and return its output."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", OPENER + code, handle.hex(), str(count)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def check_refused(function: str, stale: bytes, used: int) -> None:
    """Check that another process refuses a stale handle and corrupted ones.

    A corrupted handle differs in one of the first `used` bytes.
    """
    tried = [stale]
    rng = np.random.default_rng(0)
    for _ in range(50):
        wrong = np.frombuffer(stale, np.uint8).copy()
        wrong[rng.integers(0, used)] ^= rng.integers(1, 256)
        tried.append(wrong.tobytes())
    code = f"""
for i in range(0, len(handle), 64):
    try:
        {function}(handle[i:i + 64])
    except drv.LogicError as error:
        assert "invalid resource handle" in str(error), error
    else:
        raise SystemExit("opened")
print("end")
"""
    assert opener(code, b"".join(tried)) == "end\n"


@pytest.mark.parametrize("count", [64, 5000, 300_000, 3 << 20])
def test_memory_of_another_process(drv: Any, count: int) -> None:
    """The other process reads and writes; other memory is unchanged."""
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


@pytest.mark.cpu
def test_closed_memory_is_not_mapped(drv: Any) -> None:
    """The mapping is removed with its last user, or with its context."""
    memory = drv.to_device(np.arange(100, dtype=np.int32))
    opener(
        """
def mapped():
    with open("/proc/self/maps") as maps:
        return sum("memfd:" in line for line in maps)
none = mapped()
memory = drv.IPCMemoryHandle(handle)
second = drv.IPCMemoryHandle(handle)
memory.close()
assert mapped() == none + 1
second.close()
assert mapped() == none
other = drv.Device(0).make_context()
memory = drv.IPCMemoryHandle(handle)
assert mapped() == none + 1
other.detach()
assert mapped() == none
""",
        drv.mem_get_ipc_handle(memory),
    )


def test_mistakes(drv: Any) -> None:
    memory = drv.mem_alloc(64)
    handle = drv.mem_get_ipc_handle(memory)
    with pytest.raises(drv.LogicError, match="a memory handle has 64 bytes"):
        drv.IPCMemoryHandle(handle[:10])
    with pytest.raises(TypeError):
        drv.IPCMemoryHandle("handle")
    with pytest.raises(drv.LogicError, match="cuIpcOpenMemHandle failed"):
        drv.IPCMemoryHandle(handle)  # in the process that created it
    with pytest.raises(drv.LogicError, match="cuIpcGetMemHandle failed"):
        drv.mem_get_ipc_handle(8)
    with pytest.raises(TypeError):
        drv.mem_get_ipc_handle("memory")


@pytest.mark.cpu
def test_handles_that_are_stale_or_wrong(drv: Any) -> None:
    """Only the CPU device guarantees to detect them."""
    memory = drv.mem_alloc(1 << 20)
    stale = bytes(drv.mem_get_ipc_handle(memory))
    memory.free()
    check_refused("drv.IPCMemoryHandle", stale, 40)


def shared_event(drv: Any) -> Any:
    flags = drv.event_flags
    return drv.Event(flags.INTERPROCESS | flags.DISABLE_TIMING)


class Other:
    """A process that executes lines on request and reports their output."""

    def __init__(self, code: str, *handles: bytes) -> None:
        loop = """
for line in sys.stdin:
    exec(line)
    print("done", flush=True)
"""
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-u", "-c", OPENER + code + loop]
            + [handles[0].hex(), "0"]
            + [handle.hex() for handle in handles[1:]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def tell(self, line: str) -> None:
        """Send a line to execute, without waiting for its result."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def answer(self) -> list[str]:
        """Return the output up to the end of the line."""
        printed: list[str] = []
        assert self.process.stdout is not None
        while (line := self.process.stdout.readline().strip()) != "done":
            assert line or self.process.poll() is None, "it ended"
            printed.append(line)
        return printed

    def do(self, line: str) -> list[str]:
        self.tell(line)
        return self.answer()

    def __enter__(self) -> "Other":
        return self

    def __exit__(self, *reason: Any) -> None:
        with self.process:
            assert self.process.stdin is not None
            self.process.stdin.close()
            self.process.wait(60)


OPEN_BOTH = """
event = drv.Event.from_ipc_handle(handle)
memory = drv.IPCMemoryHandle(bytes.fromhex(sys.argv[3]))
stream = drv.Stream()
host = drv.pagelocked_empty(4, np.int32)
"""


def test_events_of_another_process(drv: Any) -> None:
    """Either process records, queries and waits; the other sees it."""
    event = shared_event(drv)
    memory = drv.to_device(np.zeros(4, np.int32))
    handle = event.ipc_handle()
    assert isinstance(handle, bytearray) and len(handle) == 64
    with Other(OPEN_BOTH, handle, drv.mem_get_ipc_handle(memory)) as other:
        assert other.do("print(event.query())") == ["True"]
        stream = drv.Stream()
        for turn in range(1, 6):
            drv.memset_d32_async(memory, turn, 4, stream)
            event.record(stream)
            found = other.do(
                "stream.wait_for_event(event);"
                "drv.memcpy_dtoh_async(host, int(memory), stream);"
                "stream.synchronize(); print(*host)"
            )
            assert found == [f"{turn} " * 3 + f"{turn}"]
            other.do(
                f"drv.memset_d32_async(memory, {turn + 100}, 4, stream);"
                "event.record(stream)"
            )
            event.synchronize()
            assert event.query()
            host = drv.from_device(memory, 4, np.int32)
            assert (host == turn + 100).all()
        with pytest.raises(drv.LogicError):
            event.time_since(event)
        other.do("del event, memory")


def test_waits_for_another_process(drv: Any) -> None:
    """A stream waits for an event that the other process reaches later."""
    event = shared_event(drv)
    memory = drv.to_device(np.zeros(4, np.int32))
    with Other(
        OPEN_BOTH
        + """
from pycuda.compiler import SourceModule
flag = drv.pagelocked_zeros(1, np.int32, mem_flags=2)
hold = SourceModule('''
__global__ void hold(volatile int *flag, int *to)
{
    const long long start = clock64();
    while (!*flag && clock64() - start < 20000000000LL) { }
    *to = 8;
}
''').get_function("hold")
at = np.uintp(flag.base.get_device_pointer())
def start():
    flag[0] = 0
    to = np.uintp(int(memory))
    hold(at, to, block=(1, 1, 1), stream=stream)
    event.record(stream)
""",
        event.ipc_handle(),
        drv.mem_get_ipc_handle(memory),
    ) as other:
        mine = drv.Stream()
        host = drv.pagelocked_zeros(4, np.int32)
        for _ in range(3):
            other.do("start()")
            assert not event.query()
            mine.wait_for_event(event)
            drv.memcpy_dtoh_async(host, memory, mine)
            assert not mine.is_done()
            other.do("flag[0] = 1")
            mine.synchronize()
            assert event.query() and host[0] == 8
            drv.memset_d32(memory, 0, 4)
            drv.Context.synchronize()  # the other process would not wait
        other.do("import time; start()")
        assert not event.query()
        other.tell("time.sleep(0.3); flag[0] = 1")
        event.synchronize()
        assert event.query()
        other.answer()


@pytest.mark.cpu
@pytest.mark.parametrize("zombie", [False, True])
def test_a_process_that_dies_holds_nobody_up(drv: Any, zombie: bool) -> None:
    """Its recorded events count as reached, since nothing will reach them."""
    event = shared_event(drv)
    memory = drv.to_device(np.zeros(4, np.int32))
    with Other(
        OPEN_BOTH, event.ipc_handle(), drv.mem_get_ipc_handle(memory)
    ) as other:
        other.do(
            "from pycuda.compiler import SourceModule;"
            "k = SourceModule('__global__ void k(volatile int *x)"
            "{ while (!*x) { } }').get_function('k');"
            "k(np.uintp(int(memory)), block=(1, 1, 1), stream=stream);"
            "event.record(stream)"
        )
        assert not event.query()
        stream = drv.Stream()
        stream.wait_for_event(event)
        assert not stream.is_done()
        other.process.kill()
        if not zombie:
            other.process.wait()
        event.synchronize()
        stream.synchronize()
        assert event.query()
    event.record(stream).synchronize()


@pytest.mark.cpu
def test_event_handles_that_are_stale_or_wrong(drv: Any) -> None:
    """Only the CPU device guarantees to detect them."""
    event = shared_event(drv)
    stale = bytes(event.ipc_handle())
    with pytest.raises(drv.LogicError, match="cuIpcOpenEventHandle failed"):
        drv.Event.from_ipc_handle(stale)  # in the process that created it
    del event
    check_refused("drv.Event.from_ipc_handle", stale, 24)


def test_event_handles(drv: Any) -> None:
    with pytest.raises(drv.LogicError, match="cuIpcGetEventHandle failed"):
        drv.Event().ipc_handle()  # the event was created without the flag
    with pytest.raises(TypeError):
        drv.Event.from_ipc_handle("text")
    with pytest.raises(drv.LogicError, match="event handle has 64 bytes"):
        drv.Event.from_ipc_handle(b"short")
    with pytest.raises(drv.LogicError, match="cuEventCreate failed"):
        # This flag requires DISABLE_TIMING.
        drv.Event(drv.event_flags.INTERPROCESS)
