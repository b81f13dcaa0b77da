"""dask.array with GPUArrays as chunks, against NumPy."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from dask_calls import CALLS, CHUNKS, REFUSED, inputs

from pycuda import gpuarray

HOST = inputs()


@pytest.fixture(scope="module")
def lazy(da: Any) -> SimpleNamespace:
    """Return the inputs as Dask arrays with GPUArrays as chunks."""
    return SimpleNamespace(**{
        name: da.from_array(
            gpuarray.to_gpu(host), chunks=CHUNKS[name], asarray=False
        )
        for name, host in vars(HOST).items()
    })  # fmt: skip


@pytest.mark.parametrize(
    ("call", "reference"),
    [row[1:] for row in CALLS if row[0] not in REFUSED],
    ids=[row[0] for row in CALLS if row[0] not in REFUSED],
)
def test_call(da: Any, lazy: Any, call: Any, reference: Any) -> None:
    """The result equals NumPy's, and its chunks are on the device."""
    wanted = np.asarray((reference or call)(np, HOST))
    found = call(da, lazy).compute()
    assert type(found) is gpuarray.GPUArray
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found.get(), wanted, rtol=2e-6, atol=1e-9)


@pytest.mark.parametrize(
    "call",
    [row[1] for row in CALLS if row[0] in REFUSED],
    ids=[row[0] for row in CALLS if row[0] in REFUSED],
)
def test_refused_call(da: Any, lazy: Any, call: Any) -> None:
    """What does not work says so; the route through the host does work."""
    with pytest.raises(TypeError, match=r"GPUArray"):
        call(da, lazy).compute()
    host = SimpleNamespace(**{
        name: array.to_backend("numpy") for name, array in vars(lazy).items()
    })  # fmt: skip
    back = call(da, host).to_backend("pycuda").compute()
    assert type(back) is gpuarray.GPUArray


def test_37_of_39() -> None:
    """At least that share of the table works."""
    assert set(REFUSED) <= {row[0] for row in CALLS}
    assert len(REFUSED) / len(CALLS) < 2 / 39


def test_backend(da: Any) -> None:
    for made, wanted in (
        (da.ones((4, 5), chunks=2, dtype="f4"), np.ones((4, 5), "f4")),
        (da.zeros(7, chunks=3), np.zeros(7)),
        (da.full((3, 2), 5, chunks=1), np.full((3, 2), 5)),
        (da.arange(10, chunks=4), np.arange(10)),
        (da.from_array(np.eye(3)).to_backend("pycuda"), np.eye(3)),
    ):
        found = made.compute()
        assert type(found) is gpuarray.GPUArray, made
        np.testing.assert_array_equal(found.get(), wanted)
    back = da.ones(3).to_backend("numpy").compute()
    assert type(back) is np.ndarray


def test_tokens_and_sizes() -> None:
    from dask.base import tokenize
    from dask.sizeof import sizeof

    host = np.arange(24.0).reshape(4, 6)
    a, b = gpuarray.to_gpu(host), gpuarray.to_gpu(host)
    assert tokenize(a) == tokenize(b) == tokenize(a.copy())
    b[0, 0] = 1
    others = [b, a.T, a.reshape(24), a.astype("f4"), host]
    assert len({tokenize(x) for x in [a, *others]}) == 6
    assert sizeof(a) == a.nbytes == 192
    assert sizeof(a[::2]) == 96


@pytest.mark.parametrize("order", ["dask", "pycuda", "arrays"])
def test_order_of_imports(order: str) -> None:
    """Registration does not depend on which package is imported first."""
    import subprocess
    import sys

    imports = {
        "dask": "import dask.array, distributed; import pycuda.gpuarray",
        "pycuda": "import pycuda.gpuarray; assert 'dask' not in sys.modules;"
        "import dask.array, distributed",
        "arrays": "import pycuda._dask.arrays; import dask.array, distributed",
    }
    program = f"""
import sys
{imports[order]}
from pycuda.gpuarray import GPUArray
from dask.array.dispatch import concatenate_lookup, tensordot_lookup
from dask.sizeof import sizeof
from dask.tokenize import normalize_token
from distributed.protocol.serialize import dask_serialize, dask_deserialize
from distributed.protocol.cuda import cuda_serialize
for table in (
    concatenate_lookup, tensordot_lookup, sizeof, normalize_token,
    dask_serialize, dask_deserialize, cuda_serialize,
):
    assert GPUArray in table._lookup, table
assert dask.array.backends.array_creation_dispatch.dispatch("pycuda")
print("registered")
"""
    done = subprocess.run(
        [sys.executable, "-P", "-W", "error::RuntimeWarning", "-c", program],
        capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert done.stdout == "registered\n", done.stderr
