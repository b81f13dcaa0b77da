"""pytest that holds all tests ready and runs some in a child at a time.

tools/mutate.py installs this as `pycuda_mutation_serve`.  PYCUDA_MUTATION_PIPE
holds the numbers of two open files, to read from and to write to.  A line of
JSON there asks: ids of tests, variables of the environment, a folder for
scratch, seconds at most.  A child runs them up to the first failure; the
answer is a line of JSON: the test that failed, ended the child or did not
end, "" if there is none.

No device is touched before there is a child: who has asked it cannot fork.
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
_held: list[tuple[Any, str, Any]] = []  # from modules


def _hold_back(module: Any, name: str, instead: Any) -> None:
    """What tests ask of a device while they are read is answered so."""
    _held.append((module, name, getattr(module, name)))
    setattr(module, name, instead)


def pytest_collection() -> None:
    """Tests that import a context get none yet."""
    import pycuda.driver as driver

    sys.modules[_AUTOINIT] = types.ModuleType(_AUTOINIT)
    _hold_back(driver, "init", lambda flags=0: None)
    _hold_back(driver._driver, "_device_kind", lambda: "cpu")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config) -> None:
    """Tests that depend on the device are for the CPU's."""
    for plugin in config.pluginmanager.get_plugins():
        if hasattr(plugin, "_device_kind"):
            _hold_back(plugin, "_device_kind", "cpu")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note what failed."""
    if report.failed:
        _failed.append(report.nodeid)
        print(f"{report.nodeid}\n{report.longreprtext[-3000:]}", flush=True)


def pytest_runtestloop(session: pytest.Session) -> bool:
    """Answer until nothing is asked any more."""
    ready = {item.nodeid: item for item in session.items}
    _answer(f"{len(ready)} tests")
    with os.fdopen(_reads) as asked:
        for line in asked:
            _answer(_in_a_child(ready, json.loads(line)))
    return True


def _answer(text: str) -> None:
    os.write(_writes, (json.dumps(text) + "\n").encode())


def _in_a_child(ready: dict[str, pytest.Item], asked: dict[str, Any]) -> str:
    """What the first failure of the tests asked for was."""
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
    """The last line that comes before the end or before a time."""
    text = b"it did not begin"
    while select.select([file], [], [], max(until - time.monotonic(), 0))[0]:
        part = os.read(file, 65536)
        text += part
        if not part or text.endswith(_PASSED.encode()):
            break
    os.close(file)
    return text.decode().splitlines()[-1]


def _begin(asked: dict[str, Any]) -> None:
    """What importing the tests would have done."""
    os.environ.update(asked["environment"])
    tempfile.tempdir = asked["scratch"]
    for module, name, held in _held:
        setattr(module, name, held)
    del sys.modules[_AUTOINIT]
    importlib.import_module(_AUTOINIT)


def _run(
    ready: dict[str, pytest.Item], asked: dict[str, Any], told: int
) -> None:
    """Run tests up to the first failure; tell each, and how it ended."""
    items = [ready[name] for name in asked["tests"] if name in ready]
    _begin(asked)
    for item, then in zip(items, [*items[1:], None], strict=False):
        os.write(told, f"\n{item.nodeid}".encode())
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=then)
        if _failed:
            return
    os.write(told, f"\n{_PASSED}".encode())
