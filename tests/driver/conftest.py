"""Fixtures that most tests of the driver use."""

# SPDX-License-Identifier: MIT

from typing import Any

import pytest


@pytest.fixture(scope="module")
def drv() -> Any:
    """Return pycuda.driver, imported no earlier than the first test."""
    import pycuda.driver

    return pycuda.driver


@pytest.fixture(scope="module")
def module(request: Any, context: Any) -> Any:
    """Return the compiled SOURCE of the test file."""
    from pycuda.compiler import SourceModule

    return SourceModule(request.module.SOURCE)


@pytest.fixture(scope="module")
def get(module: Any) -> Any:
    """Return the function that gets a kernel of SOURCE by its name."""
    return module.get_function
