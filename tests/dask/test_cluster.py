"""GPUArrays between the processes of a Dask cluster."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
import subprocess
import sys
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import worker_tasks
from worker_tasks import (
    allow_ipc,
    device_number,
    fetched,
    made_by,
    make,
    offered,
    ordinal,
    refuse_ipc,
    worker_name,
)

# Dask's processes are not made for the sanitizers' time and memory.
pytestmark = [pytest.mark.usefixtures("da"), pytest.mark.no_sanitizer]

_LARGE = 1 << 18  # elements of float32: more than what messages contain


@pytest.fixture(scope="module")
def client(da: Any) -> Iterator[Any]:
    """Return a client of two workers, each on a device of its own."""
    import cloudpickle
    from distributed import Client, LocalCluster

    cloudpickle.register_pickle_by_value(worker_tasks)
    changed = {"PYCUDA_CPU_DEVICES": "2"}
    before = {name: os.environ.get(name) for name in changed}
    os.environ.update(changed)
    try:
        cluster = LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        )
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
    with cluster, Client(cluster) as made:
        yield made


@pytest.fixture(scope="module")
def names(client: Any) -> list[str]:
    return sorted(
        client.scheduler_info()["workers"],
        key=lambda name: client.run(worker_name)[name],
    )


LAYOUTS = [
    "C", "F", "strided", "part of a block", "complex", "record", "small",
    "empty", "0-d",
]  # fmt: skip


def test_each_worker_has_a_device(client: Any, names: list[str]) -> None:
    found = client.run(device_number)
    for number, name in enumerate(names):
        device, count = found[name]
        assert device == number % count


@pytest.mark.parametrize("how", LAYOUTS)
def test_transfer(client: Any, names: list[str], how: str) -> None:
    """An array of one worker is the same in the other, and in the client."""
    future = client.submit(made_by, how, workers=[names[0]])
    there = client.submit(fetched, future, workers=[names[1]])
    here = future.result(timeout=60)
    kind, found = there.result(timeout=60)
    wanted = made_by(how).get()
    assert kind == type(here).__name__ == "GPUArray"
    for value in (found, here.get()):
        assert value.dtype == wanted.dtype and value.shape == wanted.shape
        np.testing.assert_array_equal(value, wanted)


def test_large_arrays_go_by_ipc(client: Any, names: list[str]) -> None:
    """The owner offers the memory, and drops it when it was taken."""
    before, _ = client.run(offered, workers=names[:1])[names[0]]
    array = client.submit(make, 3, _LARGE, workers=[names[0]], pure=False)
    where = client.submit(ordinal, array, workers=[names[1]], pure=False)
    assert where.result(timeout=60) == client.run(device_number)[names[1]][0]
    number, kept = client.run(offered, workers=names[:1])[names[0]]
    # offered() itself takes numbers, too
    assert (number - before, kept) == (2, 0)


@pytest.mark.parametrize("how", ["C", "F", "record"])
def test_bytes_where_memory_cannot_be_opened(
    client: Any, names: list[str], how: str
) -> None:
    client.run(refuse_ipc, workers=[names[1]])
    try:
        array = client.submit(made_by, how, workers=[names[0]], pure=False)
        there = client.submit(fetched, array, workers=[names[1]], pure=False)
        np.testing.assert_array_equal(
            there.result(timeout=60)[1], made_by(how).get()
        )
    finally:
        client.run(allow_ipc, workers=[names[1]])


def test_scatter_and_replicate(client: Any, names: list[str]) -> None:
    array = make(5, _LARGE)
    future = client.scatter(array, broadcast=True)
    for name in names:
        kind, found = client.submit(
            fetched, future, workers=[name], pure=False
        ).result(timeout=60)
        assert kind == "GPUArray" and (found == 5).all()


def test_dask_arrays(client: Any, da: Any) -> None:
    """Chunks are made and used on both workers."""
    from pycuda import gpuarray

    host = np.random.default_rng(2).normal(size=(512, 512))
    a = da.from_array(host, chunks=(256, 256)).to_backend("pycuda")
    result = ((a @ a.T).sum(axis=0) + a.mean()).compute(scheduler=client)
    assert type(result) is gpuarray.GPUArray
    wanted = (host @ host.T).sum(axis=0) + host.mean()
    np.testing.assert_allclose(result.get(), wanted, rtol=1e-9)


def test_an_array_that_is_gone() -> None:
    """A receiver that comes too late gets an exception, no other array."""
    from pycuda._dask import offers

    array = make(1, _LARGE)
    offer = offers.offer(array)
    taken = offers.take(offer)  # of the same process: by bytes
    assert (taken.get() == 1).all() and taken is not array
    assert (offers.take(offer).get() == 1).all()  # the program has it still
    is_alive = weakref.ref(array)
    del array
    deadline = time.monotonic() + 10  # the thread that answered has it still
    while is_alive() is not None and time.monotonic() < deadline:
        time.sleep(0.01)
    with pytest.raises(RuntimeError, match="was freed before"):
        offers.take(offer)
    with pytest.raises(RuntimeError, match="set PYCUDA_DASK_IPC=0"):
        offers.take({**offer, "address": "/nonexistent/socket"})


@pytest.mark.parametrize("how", LAYOUTS)
@pytest.mark.parametrize("family", ["cuda", "dask"])
def test_families(how: str, family: str) -> None:
    """Frames of UCX are device memory, those of TCP host memory."""
    from distributed.protocol import deserialize, serialize

    array = made_by(how)
    header, frames = serialize(array, serializers=[family])
    assert header["serializer"] == family
    for frame in frames:
        assert hasattr(frame, "__cuda_array_interface__") == (family == "cuda")
    back = deserialize(header, frames)
    assert type(back) is type(array) and back.dtype == array.dtype
    np.testing.assert_array_equal(back.get(), array.get())


MAIN = """
import dask.array as da
import dask
import pycuda.gpuarray
dask.config.set({"array.backend": "pycuda"})
if __name__ == "__main__":
    from distributed import Client
    with Client(
        n_workers=2, threads_per_worker=1, dashboard_address=None
    ):
        x = da.ones((10, 10), chunks=5)
        result = (x @ x).sum().compute()
        print(type(result).__name__, result.get())
"""


def test_main_module_imports_both(tmp_path: Path) -> None:
    """Workers import the main module before they are workers."""
    program = tmp_path / "main.py"
    program.write_text(MAIN)
    done = subprocess.run(
        [sys.executable, "-P", str(program)],
        capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert done.stdout == "GPUArray 1000.0\n", done.stderr


def test_monte_carlo_example() -> None:
    program = Path(__file__).resolve().parents[2].joinpath(
        "examples", "several_devices", "dask_monte_carlo.py"
    )  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-P", str(program), "--tasks", "5"],
        env=os.environ | {"PYCUDA_CPU_DEVICES": "2"},
        capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("100000 paths in ")
    rng = np.random.default_rng(3)
    steps = rng.normal(size=(50, 50_000)) * 0.2 / 50**0.5 + 0.03 / 50
    means = (100 * np.exp(steps.cumsum(axis=0))).mean(axis=0)
    payoffs = np.exp(-0.05) * np.maximum(means - 100, 0)
    mean = float(done.stdout.split()[-3])
    assert abs(mean - payoffs.mean()) < 5 * payoffs.std() / 30_000**0.5
