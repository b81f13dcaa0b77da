"""The simulation of many ranks, and compilation on one of them."""

# SPDX-License-Identifier: MIT

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

PROGRAM = Path(__file__).resolve().parents[2] / "benchmarks/scale_model.py"


@pytest.fixture(scope="module")
def model():
    spec = importlib.util.spec_from_file_location("scale_model", PROGRAM)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.mark.parametrize(
    ("cache", "compilations"),
    [("none", 120), ("local", 15), ("shared", 3), ("broadcast", 3)],
)
def test_compilations(model, cache, compilations):
    settings = model.Settings(ranks=40, per_node=8, kernels=3)
    count, seconds, _ = model.simulate(settings, cache)
    assert count == compilations
    # the start and three compilations in a row
    least = settings.start * 0.95 + 3 * settings.compile
    assert least < seconds < 2 * least


def test_the_model_gives_what_was_measured(model):
    """32 processes, 4 kernels, 2 processors: 4 compilations in 5.7 s."""
    settings = model.Settings(32, 32, 4, 2, start=0.36, compile=0.2)
    count, seconds, _ = model.simulate(settings, "local")
    assert count == 4
    assert seconds == pytest.approx(5.74, rel=0.1)
    # 114 were counted before there was a lock
    count, _, _ = model.simulate(settings, "shared, no locks")
    assert count == pytest.approx(114, rel=0.1)


def test_a_slow_file_system_determines_the_start(model):
    settings = model.Settings(ranks=200, kernels=5, shared=0.005)
    _, seconds, requests = model.simulate(settings, "shared")
    assert requests >= 200 * 5
    assert seconds >= requests * 0.005


def test_compile_on_one_rank(context):
    pytest.importorskip("mpi4py", reason="mpi4py is not installed")
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        pytest.skip(f"no MPI library: {error}")
    import pycuda.driver as drv
    import pycuda.mpi

    source = "__global__ void one(int *x) { x[threadIdx.x] = 1; }"
    image = pycuda.mpi.compile(source, MPI.COMM_SELF, no_extern_c=False)
    found = np.zeros(4, np.int32)
    function = drv.module_from_buffer(image).get_function("one")
    function(drv.Out(found), block=(4, 1, 1))
    assert found.all()
    with pytest.raises(drv.CompileError, match="unknown_name"):
        pycuda.mpi.compile(source.replace("1;", "unknown_name;"))
