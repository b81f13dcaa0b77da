"""Fixtures that several files of array tests share."""

import gc

import pytest


@pytest.fixture
def shared(context, device):
    """Make the primary context current, as other libraries do."""
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
