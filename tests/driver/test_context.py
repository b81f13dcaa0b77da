"""Contexts: the stack, limits and configurations, threads, peers."""

import gc
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from pycuda import compiler

pytestmark = pytest.mark.usefixtures("context")


@pytest.fixture
def other(drv: Any, context: Any) -> Iterator[Any]:
    """A second context, not current."""
    made = drv.Device(0).make_context()
    made.pop()
    yield made
    assert drv.Context.get_current() == context


def test_push_and_pop(drv: Any, context: Any, other: Any) -> None:
    assert drv.Context.get_current() == context != other
    assert other.push() is None
    other.push()  # a context may be pushed several times
    assert drv.Context.get_current() == other
    context.pop()  # pops the topmost context, whichever object it is called on
    assert drv.Context.get_current() == other
    drv.Context.pop()
    assert drv.Context.get_current() == context
    assert hash(other) != hash(context) and other.handle != context.handle
    assert (other == context) is False and other != 5


def test_what_goes_leaves_another_context_current(
    drv: Any, other: Any
) -> None:
    with other:
        theirs = [drv.Stream(), drv.Event(), drv.Linker()]
    theirs.clear()
    made = drv.Stream()
    other.detach()
    made.synchronize()


def test_with(drv: Any, context: Any, other: Any) -> None:
    with other as entered:
        assert entered is other and drv.Context.get_current() == other
        with context:
            assert drv.Context.get_current() == context
        with pytest.raises(KeyError), other:
            raise KeyError("own")
        assert drv.Context.get_current() == other
    assert drv.Context.get_current() == context


def test_detach(drv: Any, context: Any) -> None:
    made = drv.Device(0).make_context()
    made.push()
    made.detach()  # removes all its stack entries
    assert drv.Context.get_current() == context
    for call in (made.detach, made.push, made.get_api_version):
        with pytest.raises(drv.LogicError):
            call()


def test_detach_while_another_detaches(drv: Any, context: Any) -> None:
    from pycuda import _driver

    told: list[str] = []
    made = drv.Device(0).make_context()

    class Late:
        def __del__(self) -> None:
            try:
                made.detach()
            except drv.LogicError as error:
                told.append(str(error))

    _driver._context_results()["late"] = Late()  # removed first, in detach()
    made.detach()
    assert len(told) == 1 and "cannot detach from invalid" in told[0]
    assert drv.Context.get_current() == context


def test_the_last_reference_detaches(drv: Any, context: Any) -> None:
    """Deleting the last reference frees the context's allocations.

    The allocation refers to another wrapper of the context, so that it does
    not keep the owning one alive.
    """
    from pycuda import _driver

    made = drv.Device(0).make_context()
    wrapper = drv.Context.attach()
    memory = drv.mem_alloc(1 << 20)
    address = int(memory)
    wrapper.pop()
    made.pop()
    wrapper.detach()
    assert _driver._pointer_device(address) == 0
    del made
    gc.collect()
    with pytest.raises(drv.LogicError, match="cuPointerGetAttribute failed"):
        _driver._pointer_device(address)


def test_questions(drv: Any, context: Any) -> None:
    assert drv.Context.get_device() == drv.Device(0)
    assert context.get_api_version() >= 3000
    assert drv.Context.synchronize() is None
    least, greatest = drv.Context.priority_range()
    assert isinstance(least, int) and greatest <= least


PRINTS = """
#include <stdio.h>
__global__ void prints(int *p) { printf("%s", ""); p[0] = 2; }
__global__ void allocates(int *p) { p[0] = malloc(8) ? 3 : 0; }
"""


@pytest.mark.parametrize(
    ("kernel", "which"),
    [
        ("prints", "PRINTF_FIFO_SIZE"),
        pytest.param("allocates", "MALLOC_HEAP_SIZE", marks=pytest.mark.cpu),
    ],
)
def test_limits_of_memory_that_kernels_use(
    drv: Any, other: Any, kernel: str, which: str
) -> None:
    with other:
        limit = getattr(drv.limit, which)
        values = np.zeros(1, np.int32)
        drv.Context.set_limit(limit, 4 << 20)
        compiler.SourceModule(
            "__global__ void nothing(int *p) { p[0] = 1; }"
        ).get_function("nothing")(drv.Out(values), block=(1, 1, 1))
        drv.Context.set_limit(limit, 8 << 20)
        module = compiler.SourceModule(PRINTS)
        module.get_function(kernel)(drv.Out(values), block=(1, 1, 1))
        assert values[0] > 1
        with pytest.raises(drv.LogicError, match="cuCtxSetLimit failed"):
            drv.Context.set_limit(limit, 2 << 20)
        assert drv.Context.get_limit(limit) >= 8 << 20


def test_limits_and_configurations(drv: Any, other: Any, device: str) -> None:
    with other:
        which = drv.limit.STACK_SIZE
        before = drv.Context.get_limit(which)
        drv.Context.set_limit(which, np.int64(before + 1024))
        assert drv.Context.get_limit(which) >= before + 1024
        drv.Context.set_limit(drv.limit.MALLOC_HEAP_SIZE, 16 << 20)
        with pytest.raises(drv.LogicError, match="cuCtxGetLimit failed"):
            drv.Context.get_limit(drv.limit(77))
        with pytest.raises(TypeError):
            drv.Context.set_limit(which, 1.5)
        drv.Context.set_cache_config(drv.func_cache.PREFER_SHARED)
        found = drv.Context.get_cache_config()
        assert isinstance(found, drv.func_cache)
        if device == "cpu":  # a GPU may have no preference
            assert found == drv.func_cache.PREFER_SHARED
        with pytest.raises(TypeError):
            drv.Context.set_cache_config("shared")
        four = drv.shared_config.FOUR_BYTE_BANK_SIZE
        drv.Context.set_shared_config(four)
        width = drv.Context.get_shared_config()
        assert isinstance(width, drv.shared_config)
        assert width != drv.shared_config.DEFAULT_BANK_SIZE


def test_a_thread_begins_without(drv: Any, context: Any) -> None:
    """A new thread has no context: it pushes one or creates one."""
    found: list[Any] = []

    def work() -> None:
        found.append(drv.Context.get_current())
        try:
            drv.mem_alloc(16)
        except drv.LogicError as error:
            found.append("no currently active context" in str(error))
        with context:
            found.append(drv.from_device(drv.to_device(b"ab"), 2, "u1").sum())
        own = drv.Device(0).make_context()
        found.append(drv.Context.get_current() == own)
        own.detach()
        try:
            drv.Context.pop()
        except drv.LogicError as error:
            found.append("cannot pop non-current context" in str(error))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [None, True, 97 + 98, True, True]


def test_objects_freed_by_other_threads(drv: Any, context: Any) -> None:
    import pycuda.gpuarray as gpuarray

    objects = [
        drv.mem_alloc(64),
        drv.Stream(),
        drv.Event(),
        drv.pagelocked_zeros(4, np.int32),
        gpuarray.zeros(4, np.int32),
    ]
    thread = threading.Thread(target=objects.clear)
    thread.start()
    thread.join()
    assert not objects
    drv.Context.synchronize()


def test_primary(drv: Any, context: Any) -> None:
    first = drv.Device(0).retain_primary_context()
    second = drv.Device(0).retain_primary_context()
    assert first == second and drv.Context.get_current() == context
    with second:
        memory = drv.to_device(np.arange(4, dtype=np.int32))
    first.detach()
    with second:
        found = drv.from_device(memory, 4, np.int32)
        assert found.tolist() == [0, 1, 2, 3]
    del first, second, memory
    gc.collect()
    assert drv.Context.get_current() == context


def test_a_detached_context_equals_no_other(drv: Any) -> None:
    """The driver may reuse its handle for the next context."""
    from pycuda.tools import context_dependent_memoize

    calls = []

    @context_dependent_memoize
    def made() -> int:
        calls.append(1)
        return len(calls)

    first = drv.Device(0).retain_primary_context()
    with first:
        assert made() == made() == 1
    first.detach()
    second = drv.Device(0).retain_primary_context()
    assert first == first and first != second
    with second:
        assert made() == made() == 2
    handles = set()
    for turn in range(8):
        other = drv.Device(0).make_context()
        handles.add(other.handle)
        assert made() == 3 + turn
        other.pop()
        other.detach()
    assert handles


def test_flags(drv: Any, context: Any) -> None:
    flags = drv.ctx_flags.SCHED_BLOCKING_SYNC | drv.ctx_flags.MAP_HOST
    drv.Device(0).make_context(flags).detach()
    drv.Device(0).make_context(flags=drv.ctx_flags.SCHED_YIELD).detach()
    with pytest.raises(drv.LogicError, match="cuCtxCreate failed"):
        drv.Device(0).make_context(flags=1 << 20)
    with pytest.raises(TypeError):
        drv.Device(0).make_context("fast")
    assert drv.Context.get_current() == context


def test_attach(drv: Any, context: Any) -> None:
    assert drv.Context.attach().handle == context.handle
    drv.Context.pop()
    assert drv.Context.get_current() == context


def test_peers(drv: Any, context: Any, other: Any) -> None:
    with pytest.raises(TypeError):
        drv.Context.enable_peer_access(5)
    with pytest.raises(drv.LogicError, match="cuCtxDisablePeerAccess failed"):
        drv.Context.disable_peer_access(other)
    assert drv.Device(0).can_access_peer(drv.Device(0)) in (True, False)
    with pytest.raises(TypeError):
        drv.Device(0).can_access_peer(0)


def test_handles_of_a_detached_context_go_nowhere(
    drv: Any, context: Any
) -> None:
    """NVIDIA's driver does not promise to detect such handles."""
    from pycuda.compiler import SourceModule

    gone = drv.Device(0).make_context()
    kernel = SourceModule("__global__ void k(int *x) {}").get_function("k")
    timer = kernel.prepare("P").prepared_timed_call((1, 1), (1, 1, 1), 0)
    managed = drv.managed_empty(4, np.int32).base
    gone.detach()
    for call in (
        timer,
        lambda: kernel.set_cache_config(drv.func_cache.PREFER_L1),
        lambda: kernel.set_shared_config(drv.shared_config.DEFAULT_BANK_SIZE),
        lambda: managed.attach(drv.mem_attach_flags.GLOBAL),
    ):
        with pytest.raises(drv.LogicError, match="was detached"):
            call()
    memory = drv.managed_empty(4, np.int32).base
    memory.free()
    with pytest.raises(drv.LogicError, match="memory was freed"):
        memory.attach(drv.mem_attach_flags.GLOBAL)
