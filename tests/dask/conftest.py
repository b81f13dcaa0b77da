"""Skips the tests where Dask is not installed, and restores what it sets."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

NAME = "PYCUDA_THREAD_CONTEXT"


def _import_both() -> None:
    """Import Dask and this package, and undo what that sets for threads.

    The other tests of this process have threads without a context.
    """
    before = os.environ.get(NAME)
    pytest.importorskip("dask.array")
    pytest.importorskip("distributed")
    import pycuda.gpuarray  # noqa: F401  # registers the backend

    if before is None:
        os.environ.pop(NAME, None)


_import_both()


@pytest.fixture(scope="module")
def da(context: Any) -> Iterator[Any]:
    """Return dask.array with the backend "pycuda", in two threads."""
    import dask
    import dask.array

    import pycuda.driver as drv

    options = {"scheduler": "threads", "num_workers": 2}
    # The threads of Dask take the context of this session, not the oldest.
    drv.set_thread_context(context)
    try:
        with dask.config.set({**options, "array.backend": "pycuda"}):
            yield dask.array
    finally:
        drv.set_thread_context(None)
