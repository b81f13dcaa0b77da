"""Empty functions one at a time and see whether a test notices.

    .venv/bin/python tools/mutate.py [--count N] [--seed N] [--only PATH]...
                                     [--function KEY]... [--list] [--uncalled]
                                     [--repeat] [--first] [--jobs N]
                                     [--work FOLDER] [--record FILE]

Each of N functions of the package, Python or C, taken at random, is switched
off in turn: it returns a default of its type at once.  A copy of the tree in
the work folder is built one time with a switch in every function; one run of
all tests there notes which test calls which function; after that a function
costs only the tests that call it, the most particular first, up to the first
failure; the first of them run in children of a process that has read them all.
A function that no test misses is a survivor: a test is missing, or
the function is not needed.  What tools/mutation/equivalent.toml explains
meets the first of these tests only, and is listed as such.

All of it is kept in the work folder: begun again it goes on where it was, and
runs again only what changed.  With --repeat it judges all of them once more;
the test that failed for a function the last time goes first.  Exit status 1 if
there are survivors.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import json
import random
import subprocess
import sys
import threading
import time
import tomllib
from pathlib import Path
from typing import NamedTuple

from mutation.copy import ROOT, Copy
from mutation.reach import Reach, Test
from mutation.ready import SECONDS, Ready, affordable

EQUIVALENT = Path(__file__).parent / "mutation" / "equivalent.toml"
FIRST = 20  # number of tests in the first run
BESIDE = 100  # number of tests of neighbouring functions
KILLED = "killed by "
SURVIVED = "SURVIVED"


class Verdict(NamedTuple):
    """The outcome for one function."""

    key: str
    text: str  # "killed by TEST", or "SURVIVED" and the reason

    @property
    def killed(self) -> bool:
        return self.text.startswith(KILLED)


class Memory:
    """Verdicts of earlier runs, valid until function or tests change."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known: dict[str, dict] = {}
        if path.exists():
            for line in path.read_text().splitlines():
                entry = json.loads(line)
                self.known[entry["key"]] = entry

    def find(self, key: str, digest: str, tests: str) -> Verdict | None:
        entry = self.known.get(key)
        if entry is None or entry["digest"] != digest:
            return None
        verdict = Verdict(key, entry["text"])
        # Additional tests never make a killed function a survivor.
        same = verdict.killed or entry["tests"] == tests
        return verdict if same else None

    def killer(self, key: str) -> str:
        """Return the test that failed for a function last time, or ""."""
        text = self.known.get(key, {"text": ""})["text"]
        return text.removeprefix(KILLED) if text.startswith(KILLED) else ""

    def keep(self, verdict: Verdict, digest: str, tests: str) -> None:
        entry = {
            "key": verdict.key,
            "text": verdict.text,
            "digest": digest,
            "tests": tests,
        }
        self.known[verdict.key] = entry
        with self.path.open("a") as file:
            file.write(json.dumps(entry) + "\n")


class Judge:
    """Switches functions off and runs tests."""

    begin = Ready  # a process that has imported the tests

    def __init__(self, copy: Copy, reach: Reach, calling: bool) -> None:
        self.copy = copy
        self.reach = reach
        self.calling = calling  # run only these tests of the files
        # tests that pass without a mutation, as verified
        self.sound: set[tuple[str, ...]] = set()
        self.unsound: set[str] = set()
        self._own = threading.local()
        self._open: list[Ready] = []

    def first(self, key: str, killer: str = "") -> Verdict:
        """Run the tests that are most likely to notice the mutation."""
        chosen = [*self.reach.named(killer), *self.reach.tests_of(key)]
        tests = list(dict.fromkeys(chosen))
        ready, met = self._ready(), 0
        for seconds in SECONDS:
            some = affordable(tests[met:], seconds)
            ready.has_called(key)
            failure = self._first_failure(ready, some, key)
            if failure:
                return Verdict(key, KILLED + failure)
            met += len(some)
            if not ready.has_called(key):
                break  # imports call the function, and happened before
        return Verdict(key, f"{SURVIVED}: {met} first tests")

    def _first_failure(self, ready: Ready, tests: list[Test], key: str) -> str:
        """Return the test that fails because of the function, or ""."""
        while tests:
            failure = ready.failure(tests, key)
            if not failure:
                break
            if not ready.failure(up_to(failure, tests)):
                return failure
            # It fails without a mutation, or because of state left by another
            # test.
            if failure not in [test.name for test in tests]:
                break
            tests = [test for test in tests if test.name != failure]
        return ""

    def _ready(self) -> Ready:
        """Return this thread's process that has imported the tests."""
        if not hasattr(self._own, "ready"):
            self._own.ready = self.begin(self.copy)
            self._open.append(self._own.ready)
        return self._own.ready

    def close(self) -> None:
        """End the processes that have imported the tests."""
        while self._open:
            self._open.pop().close()

    def judge(
        self, key: str, killer: str = "", all_tests: bool = True
    ) -> Verdict:
        """Return the verdict on a function; `killer` is likely to fail."""
        likely = self.reach.named(killer)  # it has to fail again
        calling = self.reach.tests_of(key)
        rest = [] if self.calling else self.reach.whole_files(calling)
        # Calls are recorded once, and the function may be newer than that.
        beside = self.reach.tests_beside(key)[:BESIDE]
        done: set[str] = set()
        first, then = calling[:FIRST], calling[FIRST:]
        groups = [likely, first, then, beside, rest]
        for tests in groups if all_tests else groups[:2]:
            fresh = [test for test in tests if test.name not in done]
            failure = self._failure(key, fresh)
            if failure:
                return Verdict(key, KILLED + failure)
            done |= {test.name for test in fresh}
        if not calling:
            return Verdict(key, f"{SURVIVED}: no test calls it")
        return Verdict(
            key, f"{SURVIVED}: {len(done)} tests, {len(calling)} call it"
        )

    def _failure(self, key: str, tests: list[Test]) -> str:
        """Return the test that fails because of the function, or ""."""
        while True:
            chosen = [test for test in tests if test.name not in self.unsound]
            if not chosen:
                return ""
            failure = self._run(chosen, key)
            if not failure or self._is_sound(failure, chosen):
                return failure
            self.unsound.add(failure)

    def _run(self, tests: list[Test], key: str) -> str:
        seconds = sum(test.seconds for test in tests)
        return self.copy.run_tests(
            list(dict.fromkeys(test.file for test in tests)),
            off=key,
            tests=[test.name for test in tests],
            limit=min(240 + 8 * seconds, 1800),
        )

    def _is_sound(self, failure: str, tests: list[Test]) -> bool:
        """Return whether the failed test passes without a mutation.

        The same tests run before it.
        """
        if "::" not in failure:
            self._see_that_tests_run(tests[0])
            return True  # a crash, a failing import, a timeout
        names = [test.name for test in tests]
        at = names.index(failure) if failure in names else 0
        before = (*names[:at], failure)
        files = dict.fromkeys(name.partition("::")[0] for name in before)
        if before not in self.sound:
            if self.copy.run_tests(list(files), tests=list(before)):
                return False
            self.sound.add(before)
        return True

    def _see_that_tests_run(self, test: Test) -> None:
        """Exit if a test cannot even start without a mutation."""
        if (test.name,) in self.sound:
            return
        failure = self.copy.run_tests([test.file], tests=[test.name])
        if failure and "::" not in failure:
            sys.exit(f"{test.file} does not run: {failure}")
        self.sound.add((test.name,))


def up_to(failure: str, tests: list[Test]) -> list[Test]:
    """Return the tests up to the first failure, as `failure` names it."""
    names = [test.name for test in tests]
    return tests[: names.index(failure) + 1] if failure in names else tests


def read_arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    add = parser.add_argument
    add("--count", type=int, default=100, metavar="N", help="functions to try")
    add("--seed", type=int, default=None, metavar="N", help="of the choice")
    add(
        "--only",
        action="append",
        default=[],
        metavar="PATH",
        help="functions of paths that begin so; may be repeated",
    )
    add(
        "--function",
        action="append",
        default=[],
        metavar="KEY",
        help="this function, path:name; may be repeated",
    )
    add("--list", action="store_true", help="name them, run nothing")
    add(
        "--uncalled",
        action="store_true",
        help="name the functions that no test calls, try none",
    )
    add(
        "--known",
        action="store_true",
        help="measure no calls: judge by the tests whose calls are known, "
        "and leave open what these do not kill",
    )
    add(
        "--calling",
        action="store_true",
        help="run no tests but those that call the function, and leave open "
        "what these do not kill",
    )
    add(
        "--first",
        action="store_true",
        help="run no tests but the first few, and leave open what these do "
        "not kill",
    )
    add(
        "--repeat",
        action="store_true",
        help="judge what has been judged before, too",
    )
    add(
        "--jobs",
        type=int,
        default=1,
        metavar="N",
        help="judge so many functions side by side (1)",
    )
    add(
        "--work",
        type=Path,
        default=ROOT / "build" / "mutate",
        metavar="FOLDER",
        help="the copy and what is known (build/mutate)",
    )
    add(
        "--record",
        type=Path,
        metavar="FILE",
        help="write the verdicts as a page of Markdown",
    )
    return parser.parse_args()


def choose(copy: Copy, options: argparse.Namespace) -> list[str]:
    """Return the keys of the functions to try."""
    if options.function:
        unknown = [k for k in options.function if k not in copy.functions]
        if unknown:
            sys.exit(f"no such function: {', '.join(unknown)}")
        return options.function
    found = sorted(
        key
        for key in copy.functions
        if not options.only or key.startswith(tuple(options.only))
    )
    drawn = random.Random(options.seed)
    chosen = drawn.sample(found, min(options.count, len(found)))
    print(f"{len(chosen)} of {len(found)} functions, --seed {options.seed}")
    return chosen


def judge_all(
    keys: list[str],
    copy: Copy,
    reach: Reach,
    memory: Memory,
    options: argparse.Namespace,
) -> list[Verdict]:
    """Judge the functions without a verdict."""
    judge = Judge(copy, reach, options.calling)
    quick = options.known or options.calling or options.first
    tests = reach.fingerprint()
    reasons = equivalents()

    def decide(number: int, key: str) -> Verdict:
        start = time.monotonic()
        digest = copy.functions[key].digest
        verdict = memory.find(key, digest, tests)
        if verdict is None or options.repeat:
            killer = memory.killer(key)
            verdict = judge.first(key, killer)
            if not verdict.killed and not options.first:
                verdict = judge.judge(key, killer, key not in reasons)
            if verdict.killed or not quick:
                memory.keep(verdict, digest, tests)
        seconds = time.monotonic() - start
        print(
            f"{number}. {copy.functions[key]}: {verdict.text} "
            f"({seconds:.0f} s)",
            flush=True,
        )
        return verdict

    with contextlib.closing(judge):
        if options.jobs == 1:  # see Copy.own_page
            return [decide(*each) for each in enumerate(keys, 1)]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            return list(pool.map(decide, range(1, len(keys) + 1), keys))


def equivalents() -> dict[str, str]:
    """Return functions with undetectable mutations, and the reasons."""
    table = tomllib.loads(EQUIVALENT.read_text())
    return {row["key"]: row["reason"] for row in table.get("function", [])}


def revision() -> str:
    """Return git's name of the tree."""
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip()


def report(verdicts: list[Verdict], options: argparse.Namespace) -> int:
    """Print and record the outcome; return the number of survivors."""
    reasons = equivalents()
    killed = [v for v in verdicts if v.killed]
    explained = [v for v in verdicts if not v.killed and v.key in reasons]
    survivors = [v for v in verdicts if not v.killed and v.key not in reasons]
    head = (
        f"{len(killed)} killed, {len(survivors)} survived, "
        f"{len(explained)} equivalent"
    )
    print(head)
    for verdict in survivors:
        print(f"  {verdict.key}: {verdict.text}")
    for verdict in killed:
        if verdict.key in reasons:
            print(f"  {verdict.key}: killed, yet equivalent.toml has it")
    if options.record:
        where = f", {' '.join(options.only)}" if options.only else ""
        title = f"# Mutation of {revision()}, seed {options.seed}{where}"
        lines = [title, "", head, ""]
        lines += ["| function | verdict |", "|---|---|"]
        lines += [
            f"| `{v.key}` | "
            f"{f'equivalent: {reasons[v.key]}' if v in explained else v.text}"
            " |"
            for v in verdicts
        ]
        options.record.write_text("\n".join(lines) + "\n")
    return len(survivors)


def main() -> int:
    """Choose, judge, report; return the exit status."""
    options = read_arguments()
    if options.seed is None:
        options.seed = random.randrange(10**6)
    copy = Copy(options.work)
    copy.read()
    keys = choose(copy, options) if not options.uncalled else []
    if options.list:
        print("\n".join(str(copy.functions[key]) for key in keys))
        return 0
    copy.lock()
    copy.refresh()
    copy.build()
    reach = Reach(copy)
    if not options.known:
        reach.measure()
    for name in reach.failing():
        print(f"fails with nothing switched off: {name}")
    if options.uncalled:
        print("\n".join(str(copy.functions[key]) for key in reach.uncalled()))
        return 0
    memory = Memory(copy.folder / "verdicts.jsonl")
    verdicts = judge_all(keys, copy, reach, memory, options)
    return 1 if report(verdicts, options) else 0


if __name__ == "__main__":
    sys.exit(main())
