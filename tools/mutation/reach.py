"""Records which test calls which function, measured once per test file.

Used by tools/mutate.py.  calls.jsonl in the copy's folder has a line per test:
its file, the file's digest, its id, outcome, seconds, and the functions it
called.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from mutation.copy import Copy

# Tests that are not about the product's functions, or do not call them.
_SKIPPED = ("style", "wheel")


class Test(NamedTuple):
    """One test, and its outcome without a mutation."""

    name: str
    outcome: str  # "passed", "failed" or "skipped"
    seconds: float
    called: frozenset[int]

    @property
    def passed(self) -> bool:
        return self.outcome == "passed"

    @property
    def file(self) -> str:
        return self.name.partition("::")[0]


def _digest(path: Path) -> str:
    return hashlib.blake2b(path.read_bytes(), digest_size=8).hexdigest()


class Reach:
    """The functions that the tests call."""

    def __init__(self, copy: Copy) -> None:
        self.copy = copy
        self.store = copy.folder / "calls.jsonl"
        self.files: dict[str, tuple[str, list[Test]]] = {}
        if self.store.exists():
            for line in self.store.read_text().splitlines():
                self._add(json.loads(line))
        # pytest runs nothing at all if one of its files does not exist.
        self.files = {
            file: entry
            for file, entry in self.files.items()
            if (copy.tree / file).exists()
        }

    def _add(self, entry: dict) -> None:
        tests = [
            Test(name, outcome, seconds, frozenset(called))
            for name, outcome, seconds, called in entry["tests"]
        ]
        self.files[entry["file"]] = (entry["digest"], tests)

    def measure(self) -> None:
        """Run every file of tests that is new or changed."""
        tree = self.copy.tree
        paths = [
            path
            for path in (tree / "tests").rglob("test_*.py")
            if path.parent.name not in _SKIPPED
        ]
        # Short files first: a run that is cut off then covers most of them.
        paths.sort(key=lambda path: (path.stat().st_size, path))
        there = [str(path.relative_to(tree)) for path in paths]
        self.files = {f: e for f, e in self.files.items() if f in there}
        for number, file in enumerate(there, 1):
            digest = _digest(tree / file)
            if self.files.get(file, ("",))[0] == digest:
                continue
            print(f"calls of {file} ({number} of {len(there)})", flush=True)
            self._measure_file(file, digest)

    def _measure_file(self, file: str, digest: str) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            calls = Path(scratch) / "calls"
            calls.touch()
            failure = self.copy.run_tests([file], calls=calls)
            lines = [json.loads(line) for line in calls.open()]
        if failure and not lines:
            sys.exit(f"{file} does not run: {failure}")
        fields = ("test", "outcome", "seconds", "called")
        tests = [[line[field] for field in fields] for line in lines]
        entry = {"file": file, "digest": digest, "tests": tests}
        with self.store.open("a") as out:
            out.write(json.dumps(entry) + "\n")
        self._add(entry)

    def fingerprint(self) -> str:
        """Return a digest that changes with any test."""
        parts = sorted((f, entry[0]) for f, entry in self.files.items())
        return hashlib.blake2b(repr(parts).encode(), digest_size=8).hexdigest()

    def failing(self) -> list[str]:
        """Return the tests that fail without a mutation."""
        return [
            test.name
            for _, tests in self.files.values()
            for test in tests
            if test.outcome == "failed"
        ]

    def tests_of(self, key: str) -> list[Test]:
        """Return passing tests that call a function, most specific first."""
        number = self.copy.numbers[key]
        found = [
            test
            for _, tests in self.files.values()
            for test in tests
            if test.passed and number in test.called
        ]
        return by_file(found)

    def named(self, name: str) -> list[Test]:
        """Return the passing test of that name, if there is one."""
        _, tests = self.files.get(name.partition("::")[0], ("", []))
        return [t for t in tests if t.passed and t.name == name]

    def tests_beside(self, key: str) -> list[Test]:
        """Return passing tests that call other functions of its file."""
        path = key.partition(":")[0]
        numbers = {
            number
            for other, number in self.copy.numbers.items()
            if other.partition(":")[0] == path
        }
        return by_file(
            [
                test
                for _, tests in self.files.values()
                for test in tests
                if test.passed and numbers & test.called
            ]
        )

    def whole_files(self, tests: list[Test]) -> list[Test]:
        """Return all passing tests of these tests' files, in their order."""
        files = dict.fromkeys(test.file for test in tests)
        return [t for f in files for t in self.files[f][1] if t.passed]

    def uncalled(self) -> list[str]:
        """Return functions that no test calls."""
        called: set[int] = set()
        for _, tests in self.files.values():
            for test in tests:
                called |= test.called
        numbers = self.copy.numbers
        return [k for k in self.copy.functions if numbers[k] not in called]


def by_file(tests: list[Test]) -> list[Test]:
    """Return tests grouped by file, those with few calls first."""
    groups: dict[str, list[Test]] = defaultdict(list)
    for test in sorted(tests, key=lambda t: (len(t.called), t.seconds)):
        groups[test.file].append(test)
    return [test for group in groups.values() for test in group]
