"""Skips the tests where Dask is not installed, and restores what it sets."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("dask.array")
pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def da(context: Any) -> Iterator[Any]:
    """Return dask.array with the backend "pycuda", in two threads."""
    name = "PYCUDA_THREAD_CONTEXT"
    before = os.environ.get(name)
    import dask
    import dask.array

    import pycuda.driver as drv
    import pycuda.gpuarray  # noqa: F401  # registers the backend

    options = {"scheduler": "threads", "num_workers": 2}
    # The threads of Dask take the context of this session, not the oldest.
    drv.set_thread_context(context)
    try:
        with dask.config.set({**options, "array.backend": "pycuda"}):
            yield dask.array
    finally:
        drv.set_thread_context(None)
        if before is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = before
