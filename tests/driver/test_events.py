"""Events: order, elapsed time, errors."""

import time
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("context")


def test_record_query_and_synchronize(drv: Any) -> None:
    stream = drv.Stream()
    event = drv.Event()
    # An event that was never recorded is complete.
    assert event.query() is True
    assert event.record(stream) is event
    assert event.synchronize() is event
    assert event.query() is True and event.handle
    assert event.record(stream=None) is event
    with pytest.raises(TypeError):
        event.record(0)
    with pytest.raises(TypeError):
        drv.Event(1.5)
    with pytest.raises(drv.LogicError, match="cuEventCreate failed"):
        drv.Event(1 << 20)


def test_time(drv: Any) -> None:
    start, end = drv.Event(), drv.Event(drv.event_flags.BLOCKING_SYNC)
    began = time.perf_counter()
    start.record()
    start.synchronize()
    time.sleep(0.02)
    end.record()
    end.synchronize()
    most = (time.perf_counter() - began) * 1e3
    passed = end.time_since(start)
    assert isinstance(passed, float) and 15 < passed < most + 1
    assert start.time_till(end) == passed == end.elapsed(start)
    assert start.time_since(end) == pytest.approx(-passed, rel=1e-3)


def test_elapsed_waits(drv: Any) -> None:
    memory = drv.mem_alloc(1 << 24)
    start, end = drv.Event().record(), drv.Event()
    for value in range(20):
        drv.memset_d32_async(memory, value, 1 << 22)
    end.record()
    assert end.elapsed(start) > 0


def test_what_has_no_time(drv: Any) -> None:
    start, never = drv.Event().record(), drv.Event()
    untimed = drv.Event(flags=drv.event_flags.DISABLE_TIMING).record()
    drv.Context.synchronize()
    for event in (never, untimed):
        with pytest.raises(drv.LogicError, match="cuEventElapsedTime failed"):
            event.time_since(start)
    with pytest.raises(TypeError, match="expected an Event"):
        start.time_since(5)
    with pytest.raises(TypeError, match="expected an Event"):
        start.time_till(None)
    with pytest.raises(TypeError, match="expected an Event"):
        start.elapsed("start")


def test_with(drv: Any) -> None:
    stream = drv.Stream()
    memory = drv.mem_alloc(1 << 20)
    with drv.Event() as event:
        drv.memset_d8_async(memory, 3, 1 << 20, stream=stream)
        event.record(stream)
    assert event.query() and stream.is_done()
    assert (drv.from_device(memory, 1 << 20, np.uint8) == 3).all()
    with pytest.raises(KeyError), drv.Event():
        raise KeyError("own")


def test_of_a_context_that_is_gone(drv: Any) -> None:
    other = drv.Device(0).make_context()
    event = drv.Event()
    other.detach()
    start = drv.Event().record()
    for call in (event.record, event.query, event.synchronize):
        with pytest.raises(drv.LogicError, match="was detached"):
            call()
    with pytest.raises(drv.LogicError, match="was detached"):
        start.time_till(event)
    with pytest.raises(drv.LogicError, match="was detached"):
        drv.Stream().wait_for_event(event)
