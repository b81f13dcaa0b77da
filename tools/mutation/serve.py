"""pytest that keeps all tests imported and runs some in one child at a time.

tools/mutate.py installs this as `pycuda_mutation_serve`.  PYCUDA_MUTATION_PIPE
holds the numbers of two open files, to read from and to write to.  A request
is a line of JSON: ids of tests, variables of the environment, a scratch
folder, and a time limit in seconds.  A child runs the tests up to the first
failure; the answer is a line of JSON: the test that failed, ended the child or
did not end, or "".

The parent never uses a device: a process with a context cannot fork.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import contextlib
import importlib
import json
import os
import select
import signal
import sys
import tempfile
import time
import types
from typing import Any

import pytest

_reads, _writes = map(int, os.environ.pop("PYCUDA_MUTATION_PIPE").split(","))
_AUTOINIT = "pycuda.autoinit"
_PASSED = "all passed"
_failed: list[str] = []
_held: list[tuple[Any, str, Any]] = []  # names that were replaced in modules


def _hold_back(module: Any, name: str, instead: Any) -> None:
    """Replace a function that tests call during import."""
    _held.append((module, name, getattr(module, name)))
    setattr(module, name, instead)


def pytest_collection() -> None:
    """Prevent tests that import a context from creating one."""
    import pycuda.driver as driver

    sys.modules[_AUTOINIT] = types.ModuleType(_AUTOINIT)
    _hold_back(driver, "init", lambda flags=0: None)
    _hold_back(driver._driver, "_device_kind", lambda: "cpu")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config) -> None:
    """Set device-dependent tests to the CPU device."""
    for plugin in config.pluginmanager.get_plugins():
        if hasattr(plugin, "_device_kind"):
            _hold_back(plugin, "_device_kind", "cpu")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Record a failure."""
    if report.failed:
        _failed.append(report.nodeid)
        print(f"{report.nodeid}\n{report.longreprtext[-3000:]}", flush=True)


def pytest_runtestloop(session: pytest.Session) -> bool:
    """Answer requests until the pipe is closed."""
    ready = {item.nodeid: item for item in session.items}
    _answer(f"{len(ready)} tests")
    with os.fdopen(_reads) as asked:
        for line in asked:
            _answer(_in_a_child(ready, json.loads(line)))
    return True


def _answer(text: str) -> None:
    os.write(_writes, (json.dumps(text) + "\n").encode())


def _in_a_child(ready: dict[str, pytest.Item], asked: dict[str, Any]) -> str:
    """Run the requested tests in a child; return the first failure."""
    tells, told = os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()
        try:
            _run(ready, asked, told)
        finally:
            os._exit(0)
    os.close(told)
    last = _last_line(tells, time.monotonic() + asked["seconds"])
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "" if last == _PASSED else last


def _last_line(file: int, until: float) -> str:
    """Return the last line that arrives before the end or the time limit."""
    text = b"it did not begin"
    while select.select([file], [], [], max(until - time.monotonic(), 0))[0]:
        part = os.read(file, 65536)
        text += part
        if not part or text.endswith(_PASSED.encode()):
            break
    os.close(file)
    return text.decode().splitlines()[-1]


def _begin(asked: dict[str, Any]) -> None:
    """Do the work that importing the tests would have done."""
    os.environ.update(asked["environment"])
    tempfile.tempdir = asked["scratch"]
    for module, name, held in _held:
        setattr(module, name, held)
    del sys.modules[_AUTOINIT]
    importlib.import_module(_AUTOINIT)


def _run(
    ready: dict[str, pytest.Item], asked: dict[str, Any], told: int
) -> None:
    """Run tests up to the first failure; report each, and its outcome."""
    items = [ready[name] for name in asked["tests"] if name in ready]
    _begin(asked)
    for item, then in zip(items, [*items[1:], None], strict=False):
        os.write(told, f"\n{item.nodeid}".encode())
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=then)
        if _failed:
            return
    os.write(told, f"\n{_PASSED}".encode())
