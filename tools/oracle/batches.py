"""Queries one compiler about many entries in few compilations.

Entries with the same headers and options share a source, each after a separate
`#line`, so that an error identifies its entry.  The entries with errors are
removed and the rest is compiled again, until nothing is refused; a failure
that names no entry is bisected.

SPDX-License-Identifier: MIT
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

from compilers import Compiler, errors
from entries import Entry

Answers = dict[str, str]

BATCH = 250
TAKEN = "taken"
MARK = re.compile(r"\bentry_(\d+)\b")
# The integers of a `value` are read from the error that this type causes.
REPORT = re.compile(r"oracle_report<([-\d, uUlL]*)>")
REPORT_HEAD = """
template <long long...> struct oracle_report;
template <class T> struct oracle_type {};
"""


def text_of(number: int, entry: Entry) -> str:
    """Return one entry's part of a batch."""
    code = entry.code
    if entry.value:
        code += f"\n__device__ oracle_report<{entry.value}> report_$;"
    code = code.replace("$", str(number))
    return f'\n#line 1 "entry_{number}"\n{code}\n'


def source_of(batch: Sequence[tuple[int, Entry]], head: str) -> str:
    """Return the source for a batch, all of whose entries share headers."""
    includes = "".join(f"#include <{h}>\n" for h in batch[0][1].headers)
    return (
        includes
        + REPORT_HEAD
        + head
        + "".join(text_of(number, entry) for number, entry in batch)
    )


def attributed(log: str) -> Answers:
    """Return the parts of a log that belong to each entry, by number."""
    said: dict[str, str] = {}
    for file, message, whole in errors(log):
        match = MARK.search(file) or MARK.search(whole)
        if match is None:
            continue
        report = REPORT.search(whole)
        if report:
            values = re.sub(r"(?<=\d)[uUlL]+|\s", "", report[1])
            said.setdefault(match[1], f"= {values}")
        else:
            said.setdefault(match[1], f"refused: {message}")
    return said


class Judge:
    """A compiler's answers to entries."""

    def __init__(self, compiler: Compiler, head: str = "") -> None:
        self.compiler = compiler
        self.head = head
        self.compilations = 0

    def alone(self, entry: Entry) -> Answers:
        """Return the answer to an entry that is compiled alone."""
        self.compilations += 1
        fine, log = self.compiler.compile(entry.code, entry.options)
        if not fine and self.compiler.remedies:
            self.compilations += 1
            fine, log = self.compiler.compile(
                entry.code, entry.options, self.compiler.remedies
            )
        if fine:
            return {entry.key: TAKEN}
        found = errors(log)
        first = found[0][1] if found else log.strip()[:200]
        return {entry.key: f"refused: {first}"}

    def batch(self, batch: list[tuple[int, Entry]]) -> Answers:
        """Return the answers to entries with the same headers and options."""
        answers: Answers = {}
        while batch:
            self.compilations += 1
            fine, log = self.compiler.compile(
                source_of(batch, self.head),
                (*batch[0][1].options, *self.compiler.precompile),
                self.compiler.remedies,
            )
            if fine:
                break
            said = attributed(log)
            rest = [(n, entry) for n, entry in batch if str(n) not in said]
            for n, entry in batch:
                if str(n) in said:
                    answers[entry.key] = said[str(n)]
            if len(rest) == len(batch):
                return answers | self.halves(batch, log)
            batch = rest
        return answers | {entry.key: TAKEN for _, entry in batch}

    def halves(self, batch: list[tuple[int, Entry]], log: str) -> Answers:
        """Return the answers by bisection, if the log names no entry."""
        if len(batch) == 1:
            found = errors(log)
            first = found[0][1] if found else log.strip()[:200]
            return {batch[0][1].key: f"refused: {first}"}
        middle = len(batch) // 2
        return self.batch(batch[:middle]) | self.batch(batch[middle:])

    def ask(self, entries: Iterable[Entry], threads: int = 2) -> Answers:
        """Return all answers: `taken`, `refused: ...`, `= 1,2`."""
        groups = defaultdict(list)
        single = []
        for number, entry in enumerate(entries):
            if entry.alone:
                single.append(entry)
            else:
                groups[entry.headers, entry.options].append((number, entry))
        batches = [
            group[start : start + BATCH]
            for group in groups.values()
            for start in range(0, len(group), BATCH)
        ]
        answers: Answers = {}
        with ThreadPoolExecutor(threads) as pool:
            for part in pool.map(self.batch, batches):
                answers |= part
            for part in pool.map(self.alone, single):
                answers |= part
        return answers
