"""Reductions of whole arrays in one launch, by each device's kernels.

On the CPU device each test also runs the kernels for GPUs.
"""

# SPDX-License-Identifier: MIT

import sys

import numpy as np
import pytest
from layouts import numbers

import pycuda.driver as drv
from pycuda import gpuarray
from pycuda._kernels import building, factory

pytestmark = pytest.mark.usefixtures("context")

DTYPES = ["?", "i1", "u2", "i4", "u8", "f4", "f8", "c8", "c16"]
SIZES = [1, 255, 4096, 50_000, 300_001, 1 << 20]


@pytest.fixture(params=["this device's kernels", "a GPU's kernels"])
def made(request, monkeypatch):
    """Record the names of a test's kernels, in a new context."""
    if request.param == "a GPU's kernels":
        monkeypatch.setattr(building, "runs_threads_in_turn", lambda: False)
    context = drv.Context.get_device().make_context()
    found = []
    original = factory._MAKERS["reduce"]

    def make(name, stage, types, out):
        found.append((name, stage))
        return original(name, stage, types, out)

    monkeypatch.setitem(factory._MAKERS, "reduce", make)
    yield found
    context.pop()
    context.detach()


@pytest.mark.sweep(most=3)
@pytest.mark.parametrize("dtype", DTYPES)
def test_against_numpy(made, dtype):
    stream = drv.Stream()
    for n in SIZES:
        whole = numbers((n + 1,), dtype, n)
        memory = gpuarray.to_gpu(whole)
        # The second array is not aligned to 16 bytes.
        for host, a in ((whole[:n], memory[:n]), (whole[1:], memory[1:])):
            for where in (None, stream):
                drv.Context.synchronize()
                total = gpuarray.sum(a, dtype=np.complex128, stream=where)
                product = gpuarray.dot(a, a, stream=where)
                truths = [gpuarray.any(a, where), gpuarray.all(a, where)]
                drv.Context.synchronize()
                np.testing.assert_allclose(
                    total.get(), host.sum(dtype=np.complex128), rtol=1e-12
                )
                if np.dtype(dtype).kind in "iu":
                    expected = (host * host).sum(dtype=product.dtype)
                    assert product.get() == expected
                assert [t.get() for t in truths] == [host.any(), host.all()]
                if np.dtype(dtype).kind == "c":
                    continue
                limits = [gpuarray.max(a, where), gpuarray.min(a, where)]
                drv.Context.synchronize()
                expected = [host.max(), host.min()]
                assert [limit.get() for limit in limits] == expected
    assert 2 not in {stage for _, stage in made}


def test_sums_on_many_streams(made):
    """Each stream has its own counter of blocks."""
    host = numbers((200_000,), "i8")
    a = gpuarray.to_gpu(host)
    streams = [drv.Stream() for _ in range(70)]
    for _ in range(3):
        drv.Context.synchronize()
        sums = [gpuarray.sum(a, stream=stream) for stream in streams]
        drv.Context.synchronize()
        assert {int(total.get()) for total in sums} == {int(host.sum())}
    assert ("sum", 2) not in made  # each stream has its counter


def test_sums_on_streams_that_go(made):
    """Counters are freed with their streams."""
    context = drv.Context.get_current()
    host = numbers((200_000,), "i8")
    a = gpuarray.to_gpu(host)
    gpuarray.sum(a).get()
    before = sys.getrefcount(context)
    # Every size leaves more partial results than the previous one.
    for n in (1000, 200_000, 70_000):
        streams = [drv.Stream() for _ in range(30)]
        sums = [gpuarray.sum(a[:n], stream=stream) for stream in streams]
        drv.Context.synchronize()
        assert {int(total.get()) for total in sums} == {int(host[:n].sum())}
    assert sys.getrefcount(context) >= before + 3 * 30
    del sums, streams
    assert sys.getrefcount(context) < before + 10
    assert ("sum", 2) not in made


def test_counters_go_with_their_context(made):
    context = drv.Context.get_device().make_context()
    a = gpuarray.to_gpu(numbers((200_000,), "i8"))
    streams = [drv.Stream() for _ in range(30)]
    gpuarray.sum(a).get()
    before = sys.getrefcount(context)
    for stream in streams:
        gpuarray.sum(a, stream=stream)
    drv.Context.synchronize()
    assert sys.getrefcount(context) >= before + 30
    context.pop()
    context.detach()
    assert sys.getrefcount(context) < before + 10


def test_rounded_sums_repeat(made):
    a = gpuarray.to_gpu(np.random.rand(1 << 20).astype(np.float32))
    assert len({float(gpuarray.sum(a).get()) for _ in range(20)}) == 1


def captured_sum():
    """Return an array, a stream that has summed it, and a captured sum."""
    a = gpuarray.to_gpu(numbers((200_000,), "i8"))
    stream = drv.Stream()
    gpuarray.sum(a, stream=stream)
    with stream.capture() as graph:
        total = gpuarray.sum(a)
    return a, stream, total, graph


def test_a_captured_sum(made):
    a, stream, total, graph = captured_sum()
    for step in range(3):
        a += step
        drv.Context.synchronize()
        graph.launch(stream)
        stream.synchronize()
        assert total.get() == a.get().sum()


def test_a_captured_sum_outlives_its_stream(made):
    """The graph uses nothing that is freed with the stream."""
    a, stream, total, graph = captured_sum()
    del stream
    others = [gpuarray.empty(n, np.uint8) for n in range(512, 65536, 512)]
    for other in others:
        other.fill(255)
    graph.launch()
    assert total.get() == a.get().sum()


@pytest.mark.sweep(most=3)
@pytest.mark.parametrize("dtype", ["i1", "i8", "f4", "c16"])
@pytest.mark.parametrize("shape", [(7, 9000), (900, 7), (50, 64), (300, 16),
                                   (5, 300, 9)], ids=str)  # fmt: skip
def test_scans_and_reductions_of_axes(made, shape, dtype):
    host = np.random.randint(0, 50, shape).astype(dtype)
    for order in "CF":
        a = gpuarray.to_gpu(np.asarray(host, order=order))
        for axis in range(len(shape)):
            for name in ("cumsum", "sum", "var"):
                expected = getattr(np, name)(host, axis=axis)
                got = getattr(gpuarray, name)(a, axis=axis)
                assert got.dtype == expected.dtype
                np.testing.assert_allclose(got.get(), expected, rtol=1e-5)
            if np.dtype(dtype).kind != "c":
                for name in ("max", "argmin"):
                    expected = getattr(np, name)(host, axis=axis)
                    got = getattr(gpuarray, name)(a, axis=axis).get()
                    assert (got == expected).all()
