"""Fixtures that several files of array tests share."""

import gc

import pytest


@pytest.fixture
def shared(context, device):
    """The primary context, which other libraries make current themselves."""
    import pycuda.driver as drv

    if device == "cpu":
        yield
        return
    primary = drv.Device(0).retain_primary_context()
    primary.push()
    yield
    gc.collect()
    drv.Context.synchronize()
    drv.Context.pop()
