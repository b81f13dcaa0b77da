"""A process that has imported all tests and runs some in children: fast path.

Used by tools/mutate.py for the first tests of a function: importing and
collecting them takes longer than running them.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile

from mutation import page
from mutation.copy import SECONDS_A_TEST, Copy
from mutation.reach import Test

LEAST_SECONDS = 30  # shortest time limit of the tests
# Limits of the tests that run in this way, by their duration without a
# mutation: of the first ones, which show whether a child calls the function at
# all, and of all.
SECONDS = (3, 15)


class Ready:
    """pytest with all tests of the copy imported."""

    def __init__(self, copy: Copy) -> None:
        self.copy = copy
        self.page = copy.own_page()
        reads, self._asks = os.pipe()
        self._answers, writes = os.pipe()
        environment = {
            **copy.environment,
            "PYCUDA_MUTATION_PAGE": str(self.page),
            "PYCUDA_MUTATION_PIPE": f"{reads},{writes}",
        }
        self.process = subprocess.Popen(
            [
                "nice", "-n", "5", sys.executable, "-P", "-m", "pytest", "-q",
                "-p", "pycuda_mutation_serve", "-p", "no:cacheprovider",
                "-o", f"timeout={SECONDS_A_TEST}",
                "-o", "timeout_method=thread", "tests",
            ],
            cwd=copy.tree,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=(copy.folder / "ready.log").open("w"),
            stderr=subprocess.STDOUT,
            pass_fds=(reads, writes),
        )  # fmt: skip
        os.close(reads)
        os.close(writes)
        self._lines = os.fdopen(self._answers)
        self.tests = self._answer()

    def _answer(self) -> str:
        line = self._lines.readline()
        if not line:
            log = (self.copy.folder / "ready.log").read_text()
            sys.exit(f"the tests cannot be read:\n{log[-2000:]}")
        return json.loads(line)

    def failure(self, tests: list[Test], off: str = "") -> str:
        """Return the first failure of tests while a function is off, or ""."""
        view = page.open_page(self.page)
        with tempfile.TemporaryDirectory(
            dir=self.copy.folder, ignore_cleanup_errors=True
        ) as scratch:
            cache = self.copy.cache_for(off, scratch)
            seconds = sum(test.seconds for test in tests)
            asked = {
                "tests": [test.name for test in tests],
                "environment": {
                    "XDG_CACHE_HOME": str(cache),
                    "TMPDIR": scratch,
                    "HYPOTHESIS_STORAGE_DIRECTORY": scratch,
                },
                "scratch": scratch,
                "seconds": LEAST_SECONDS + 8 * seconds,
            }
            page.switch_off(view, self.copy.numbers[off] if off else 0)
            try:
                os.write(self._asks, (json.dumps(asked) + "\n").encode())
                return self._answer()
            finally:
                page.switch_off(view, 0)

    def has_called(self, key: str) -> bool:
        """Return whether a function was called since the last call of this."""
        called = page.take_called(page.open_page(self.page))
        return self.copy.numbers[key] in called

    def close(self) -> None:
        """End the process."""
        os.close(self._asks)
        self.process.wait()
        self._lines.close()


def affordable(tests: list[Test], most: float) -> list[Test]:
    """Return the first tests, at least one, within `most` seconds."""
    chosen, seconds = [], 0.0
    for test in tests:
        seconds += test.seconds
        if chosen and seconds > most:
            break
        chosen.append(test)
    return chosen
