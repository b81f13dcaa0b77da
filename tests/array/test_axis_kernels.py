"""Kernels of reductions over axes, of either kind of device.

On the CPU device each test also runs the kernels for GPUs: 16-byte loads where
the array is aligned, and single elements elsewhere.
"""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest
from layouts import both, numbers, same

import pycuda.driver as drv
from pycuda import gpuarray
from pycuda._array import axes
from pycuda._kernels import building

pytestmark = pytest.mark.usefixtures("context")

SHAPES = [(3, 4000), (4000, 16), (6, 8, 48)]


@pytest.fixture(params=["this device's kernels", "a GPU's kernels"])
def layouts_seen(request, monkeypatch, device):
    """Record the layouts of a test's launch plans; None: any layout."""
    gpu = device == "gpu" or request.param == "a GPU's kernels"
    if gpu:
        monkeypatch.setattr(building, "runs_threads_in_turn", lambda: False)
    context = drv.Context.get_device().make_context()
    seen = []
    original = axes._launch

    def launch(
        name, source, target, types, stage, stored, reduced, plan, *rest
    ):
        seen.append(plan.layout)
        return original(
            name, source, target, types, stage, stored, reduced, plan, *rest
        )

    monkeypatch.setattr(axes, "_launch", launch)
    yield seen if gpu else None
    context.pop()
    context.detach()


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["i1", "f4", "f8"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_exact_results(layouts_seen, dtype, shape):
    host, device = both(np.asarray(numbers(shape, "i1"), dtype))
    for axis in range(len(shape)):
        for name in ("sum", "argmin"):
            for view in (np.s_[...], np.s_[..., 3:]):
                want = getattr(host[view], name)(axis)
                same(getattr(gpuarray, name)(device[view], axis=axis), want)
    if layouts_seen is not None:
        words = {name for name in layouts_seen if name.startswith("words")}
        assert "words_columns" in words
        if shape != (6, 8, 48):
            assert "words_rows" in words
        assert set(layouts_seen) - words


@pytest.mark.parametrize("dtype", ["f4", "c8"])
def test_variances(layouts_seen, dtype):
    host, device = both(numbers((200, 96), dtype))
    wide = host.astype("c16" if dtype == "c8" else "f8")
    for axis in (0, 1):
        np.testing.assert_allclose(
            gpuarray.var(device, axis).get(), wide.var(axis), rtol=1e-6
        )


def test_not_a_number(layouts_seen):
    host = numbers((64, 256), "f4")
    host[5, 7], host[9, 100], host[60, 7] = np.nan, np.nan, -np.inf
    device = gpuarray.to_gpu(host)
    for axis in (0, 1):
        for name in ("max", "argmax", "argmin"):
            same(getattr(gpuarray, name)(device, axis=axis),
                 getattr(host, name)(axis))  # fmt: skip
