"""Threads that have not pushed a context."""

# SPDX-License-Identifier: MIT

import os
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import gpuarray

VALUES = np.arange(12, dtype=np.float32).reshape(3, 4)


def in_thread(function):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result()


@pytest.fixture
def array(context):
    return gpuarray.to_gpu(VALUES)


@pytest.fixture
def thread_context(context):
    drv.set_thread_context(drv.Context.get_current())
    yield
    drv.set_thread_context(None)


@pytest.mark.parametrize(
    "read",
    [
        lambda a: a.get(),
        lambda a: a.T.get().T,
        lambda a: a.get(np.empty_like(VALUES)),
        lambda a: a.get(pagelocked=True),
        lambda a: a[::-1].get()[::-1],
    ],
)
def test_arrays_are_read_in_any_thread(array, read):
    result = in_thread(lambda: (read(array), drv.Context.get_current()))
    np.testing.assert_array_equal(result[0], VALUES)
    assert result[1] is None  # the thread still has no context


def test_arrays_are_pickled_in_any_thread(array):
    """test_programs loads one, which needs a process with one context."""
    stored = in_thread(lambda: pickle.dumps(array))
    np.testing.assert_array_equal(pickle.loads(stored).get(), VALUES)


def test_asynchronous_reads_in_any_thread(array):
    host = in_thread(array.get_async)
    drv.Context.synchronize()
    np.testing.assert_array_equal(host, VALUES)


def test_text_and_truth_in_any_thread(array):
    assert in_thread(lambda: repr(array)) == repr(array)
    assert in_thread(lambda: bool(array[0, 1])) is True
    assert in_thread(lambda: float(array[2, 3])) == 11


def test_memory_is_freed_in_any_thread(array):
    copy = [array.copy()]
    in_thread(copy.clear)
    in_thread(array.gpudata.free)


def test_other_work_needs_a_context(array):
    for work in (
        lambda: array + 1,
        lambda: gpuarray.zeros(3, "f"),
        lambda: array.set(VALUES),
        lambda: drv.memcpy_dtoh(VALUES.copy(), array.gpudata),
    ):
        with pytest.raises(drv.LogicError, match="push a context"):
            in_thread(work)


def test_the_chosen_context_of_threads(array, thread_context):
    here = drv.Context.get_current()

    def work():
        total = (array * 2).get().sum()
        remaining_items = gpuarray.to_gpu(VALUES)
        with drv.Stream():
            remaining_items += 1
        return total, remaining_items, drv.Context.get_current()

    for _ in range(2):
        total, remaining_items, current = in_thread(work)
        assert total == 2 * VALUES.sum()
        assert current == here
        np.testing.assert_array_equal(
            (remaining_items + array).get(), 2 * VALUES + 1
        )


def test_a_read_does_not_prevent_a_later_choice(array):
    here = drv.Context.get_current()

    def work():
        first = array.get()
        drv.set_thread_context(here)
        return first, (array + 1).get(), drv.Context.get_current()

    try:
        first, second, current = in_thread(work)
    finally:
        drv.set_thread_context(None)
    np.testing.assert_array_equal(first + 1, second)
    assert current == here


def test_the_choice_does_not_change_a_used_stack(thread_context):
    """A thread that popped its last context stays without one."""
    here = drv.Context.get_current()

    def work():
        here.push()
        drv.Context.pop()
        assert drv.Context.get_current() is None
        with pytest.raises(drv.LogicError):
            drv.mem_alloc(8)
        with pytest.raises(drv.LogicError):
            drv.Context.pop()
        return True

    assert in_thread(work)
    with pytest.raises(drv.LogicError, match="this thread has no current"):
        in_thread(drv.Context.pop)


def test_many_threads_at_once(array, thread_context):
    start = threading.Barrier(8)

    def work(value):
        start.wait()
        return int((array + value).get().sum())

    with ThreadPoolExecutor(8) as pool:
        sums = list(pool.map(work, range(8)))
    assert sums == [int(VALUES.sum()) + 12 * value for value in range(8)]


def test_wrong_choices():
    with pytest.raises(TypeError, match="expected a Context or None"):
        drv.set_thread_context(0)
    context = drv.Device(0).make_context()
    context.pop()
    context.detach()
    with pytest.raises(drv.LogicError, match="detached"):
        drv.set_thread_context(context)


def test_a_detached_choice_is_no_choice(context):
    chosen = drv.Device(0).make_context()
    drv.set_thread_context(chosen)
    try:
        assert in_thread(drv.Context.get_current) == chosen
        chosen.pop()
        chosen.detach()
        assert in_thread(drv.Context.get_current) is None
    finally:
        drv.set_thread_context(None)


PROGRAM = """
import threading, numpy as np, pickle
import pycuda.{module}
from pycuda import driver, gpuarray
{choice}
a = gpuarray.to_gpu(np.arange(4.0))
stored = pickle.dumps(a)
def work():
    b = pickle.loads(stored)
    print("loaded", b.get().sum(), flush=True)
    print("added", (a + b).get().sum(), flush=True)
thread = threading.Thread(target=work)
thread.start()
thread.join()
"""


@pytest.mark.parametrize(
    ("module", "value", "choice", "adds"),
    [("autoinit", "", "", False), ("autoinit", "1", "", True),
     ("autoinit", "0", "", False), ("autoinit", "yes", "", False),
     ("autoprimaryctx", "", "", False), ("autoprimaryctx", "1", "", True),
     ("autoprimaryctx", "",
      "driver.set_thread_context(pycuda.autoprimaryctx.context)", True)],
)  # fmt: skip
def test_programs(module, value, choice, adds):
    program = PROGRAM.format(module=module, choice=choice)
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        env={**os.environ, "PYCUDA_THREAD_CONTEXT": value},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "loaded 6.0" in done.stdout, done.stderr
    assert ("added 12.0" in done.stdout) == adds, done.stdout + done.stderr
    assert ("PYCUDA_THREAD_CONTEXT=1" in done.stderr) != adds
    assert done.returncode == 0
