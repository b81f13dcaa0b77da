"""Every failure of the system is survived: a sample of the injected faults.

``./run fuzz faults`` plants all of them (docs/design/fault-injection.md).
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import copy
import errno
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import fault_runner
import pytest

RUNNER = Path(fault_runner.__file__)


def inject(*words: str) -> int:
    """Run the injection; how many faults were survived."""
    if shutil.which("gcc") is None:
        pytest.skip("the interposing library needs gcc")
    done = subprocess.run(
        [sys.executable, str(RUNNER), *words],
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    last = done.stdout.splitlines()[-1]
    print(last)
    survived = re.findall(r"(\d+) (?:raised|left)", last)
    return sum(int(number) for number in survived)


@pytest.mark.cpu
@pytest.mark.no_sanitizer
def test_some_faults() -> None:
    words = ["small", "memory", "streams", "textures", "--quick"]
    assert inject(*words, "--step", "12") >= 10


@pytest.mark.cpu
@pytest.mark.no_sanitizer
def test_faults_of_the_compiler() -> None:
    """A part of a source must not be compiled, nor a part of a log shown."""
    words = ["refused", "rewritten", "--only", ": send"]
    words += ["--only", ": realloc", "--only", ": poll"]
    assert inject(*words) >= 16


@pytest.mark.cpu
@pytest.mark.no_sanitizer
def test_memory_of_checks() -> None:
    """A right program gets no report, and lost counts are named."""
    words = ["ordered", "--only", "cpu_check_"]
    assert inject(*words, "--only", "order_", "--only", "row_") >= 10


@pytest.mark.cpu
@pytest.mark.no_sanitizer
def test_memory_of_images_and_options() -> None:
    """Out of memory is no damaged image, and no option is lost."""
    words = ["kernels", "--only", "cpu_image_load_over+"]
    assert inject(*words, "--only", "nvrtc_strings_add+") >= 8


@pytest.mark.cpu
@pytest.mark.no_sanitizer
@pytest.mark.slow
def test_more_faults() -> None:
    assert inject("--quick", "--step", "4") >= 100


# ---- the judgement can fail ----

SITE = fault_runner.Site(1, 4096, 0, "malloc")
FAULT = fault_runner.Fault(1, SITE, 1, 12)
COUNTS = {"descriptors": 5, "threads": 2, "mappings": 100}
CLEAN: dict[str, Any] = {"counts": COUNTS, "blocks": {(1, 64, 0): (0, 0)}}
GOOD: dict[str, Any] = {
    "status": 0,
    "first": None,
    "then": None,
    "counts": COUNTS,
    "blocks": {(1, 64, 0): (0, 0)},
    "output": "",
}


def error(*kinds: str, text: str = "") -> dict[str, Any]:
    return {"kinds": list(kinds), "text": text, "trace": "Traceback"}


BAD = {
    "hang": {"status": None},
    "ended with -11": {"status": -11},
    "wrong exception": {"first": error("builtins.TypeError")},
    "the next call": {"then": error("builtins.MemoryError")},
    "descriptors": {"counts": {**COUNTS, "descriptors": 6}},
    "threads": {"counts": {**COUNTS, "threads": 3}},
    "mappings": {"counts": {**COUNTS, "mappings": 150}},
    "lost memory": {"blocks": {(1, 64, 0): (0, 1)}},
    "on stderr": {"output": "Exception ignored in: x\nTypeError: y"},
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_not_survived(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fault_runner, "symbol", lambda *_: "symbol")
    assert fault_runner.judge(FAULT, GOOD, CLEAN) is None
    wrong = fault_runner.judge(FAULT, {**GOOD, **BAD[name]}, CLEAN)
    assert wrong is not None and wrong.startswith(name)


class Replies:
    """A server whose processes leave what a test lists."""

    def __init__(self, *results: dict[str, Any]) -> None:
        self.results = list(results)

    def start(
        self, plan: int, fault: fault_runner.Fault | None
    ) -> tuple[int, Path]:
        return plan, Path()

    def outcome(self, pid: int, work: Path) -> dict[str, Any]:
        return self.results.pop(0)


@pytest.mark.parametrize("kind", ["descriptors", "mappings", "lost memory"])
def test_a_leak_is_there_each_time(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a slow thread holds once is none, nor what a clean run holds."""
    monkeypatch.setattr(fault_runner, "symbol", lambda *_: "symbol")
    more = {**GOOD, **BAD[kind]}
    for again, ordinary, lost in (
        (GOOD, GOOD, False),
        (more, more, False),
        (more, GOOD, True),
    ):
        clean = copy.deepcopy(CLEAN)
        server: Any = Replies(ordinary, again)
        result = fault_runner.repeat(server, FAULT, clean)
        assert (fault_runner.left_over(result, clean) is not None) == lost


def test_messages_that_lack_the_cause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fault_runner, "symbol", lambda *_: "symbol")
    site = fault_runner.Site(1, 4096, 0, "pthread_create")
    fault = fault_runner.Fault(1, site, 1, errno.EAGAIN)
    for text, right in (("no thread", False), (os.strerror(11), True)):
        first = error("pycuda.driver.Error", text=text)
        wrong = fault_runner.judge(fault, {**GOOD, "first": first}, CLEAN)
        assert (wrong is None) == right


def test_right_exceptions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fault_runner, "symbol", lambda *_: "symbol")
    for first in (
        error("builtins.MemoryError"),
        error("pycuda.driver.MemoryError", "pycuda.driver.Error"),
        error("pycuda.driver.LogicError", "pycuda.driver.Error"),
    ):
        wrong = fault_runner.judge(FAULT, {**GOOD, "first": first}, CLEAN)
        assert (wrong is None) == ("LogicError" not in first["kinds"][0])
