"""Fixtures and rules for all tests: the device, a context, the markers.

The tests run against the installed package, never against the source tree,
which contains no compiled module.
"""

import os
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

# Every run has the same cases; `--hypothesis-profile=default` draws new ones.
hypothesis.settings.register_profile("fixed", derandomize=True, deadline=None)
hypothesis.settings.load_profile("fixed")

# Kernels are tested as they are compiled in full. Otherwise large ones would
# run only their quick version (docs/decisions/0035-quick-versions.md), and
# faults of the optimisations would stay unseen. Tests of quick versions change
# this.
os.environ.setdefault("PYCUDA_CPU_QUICK", "0")

ROOT = Path(__file__).resolve().parents[1]

_device_kind: str | None = None


def device_kind() -> str:
    """Return the device that this process computes on: "gpu" or "cpu"."""
    global _device_kind
    if _device_kind is None:
        import pycuda
        import pycuda.driver as drv
        from pycuda import _driver

        where = Path(pycuda.__file__).resolve()
        if where.parent == ROOT / "pycuda":
            raise RuntimeError(
                f"{where} is the source tree; run .venv/bin/pytest (not "
                "python -m pytest) so that the installed package is found"
            )
        drv.init()
        _device_kind = _driver._device_kind()
    return _device_kind


def thin_out(cases: list[Any], most: int) -> None:
    """Mark a sweep's cases as slow, except some that have every value.

    The cases of a sweep are those of one test function.  Each value of each of
    its parameters is in a case that stays, if `most` cases suffice.
    """
    step = -(-len(cases) // most)  # spreads the cases that stay
    values = {
        case: {(name, repr(x)) for name, x in case.callspec.params.items()}
        for first in range(step)
        for case in cases[first::step]
    }
    seen: Counter[tuple[str, str]] = Counter(
        dict.fromkeys(set().union(*values.values()), 0)
    )
    while most > 0 and min(seen.values()) == 0:
        most -= 1
        stays = min(
            values, key=lambda case: sorted(map(seen.get, values[case]))
        )
        seen.update(values.pop(stays))
    for case in values:
        case.add_marker(pytest.mark.slow)


@pytest.hookimpl(tryfirst=True)  # before pytest chooses by markers
def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Thin sweeps out, and skip tests that need the other device.

    The device is opened only if a test depends on it.  Files with slow tests
    come first, then those with many tests, so that none is left to a single
    process at the end of a parallel run.
    """
    sweeps = defaultdict(list)
    for item in items:
        if item.get_closest_marker("sweep"):
            sweeps[item.path, item.function].append(item)
    for cases in sweeps.values():
        mark = cases[0].get_closest_marker("sweep")
        thin_out(cases, mark.kwargs.get("most", len(cases)))
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    tests = Counter(item.path for item in items)
    items.sort(
        key=lambda item: (item.path not in slow, -tests[item.path], item.path)
    )
    for kind, other in (("gpu", "cpu"), ("cpu", "gpu")):
        marked = [item for item in items if item.get_closest_marker(kind)]
        if marked and device_kind() == other:
            reason = f"needs the {kind}; the tests run on the {other}"
            for item in marked:
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def compiler() -> None:
    """Skip tests that compile and link C, where the wheels need no compiler.

    Its binutils (``nm``) are installed with it.
    """
    if shutil.which("cc") is None or shutil.which("gcc") is None:
        pytest.skip("no C compiler: apt install gcc")


@pytest.fixture(scope="session")
def device() -> str:
    """Return the device that the tests run on: "gpu" or "cpu"."""
    return device_kind()


@pytest.fixture(scope="session")
def context() -> Iterator[Any]:
    """Return a context on device 0, current for the whole session."""
    device_kind()
    import pycuda.driver as drv

    made = drv.Device(0).make_context()
    try:
        yield made
    finally:
        drv.Context.pop()
