"""Shortens the compiler's lists of overloaded functions.

If no function fits a call, clang lists all functions of the name, with the
macros in the package's headers that declare them: 45 lines for `atomicAdd`.
`shorten` replaces such a list by one note with the types that fit.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field

from pycuda._compile import includes

_HEAD = re.compile(
    r"(?P<path>[^\s:][^:\n]*):(?P<line>\d+):(?P<column>\d+): "
    r"(?P<kind>fatal error|error|warning|note|remark): (?P<text>.*)"
)
_CALL = re.compile(
    r"(?:no matching function for|call to deleted function|.*\bis ambiguous)"
)
_CALLED = re.compile(r"call to (?:deleted function )?'([^']+)'")
_ALSO_KNOWN = r"(?: \(aka '[^']+'\))?"
_CONVERSION = re.compile(
    rf"no known conversion from '([^']+)'{_ALSO_KNOWN} to '([^']+)'"
    rf"{_ALSO_KNOWN} for (\d+\w\w) argument"
)
_COUNT = re.compile(
    r"requires ((?:at least |at most )?\d+) arguments?, "
    r"but (\d+) (?:was|were) provided"
)


@dataclass
class _Message:
    """One message of the compiler, and the notes that belong to it."""

    lines: list[str]
    path: str = ""
    place: str = ""
    kind: str = ""
    text: str = ""
    notes: list[_Message] = field(default_factory=list)

    def is_own(self) -> bool:
        """Return whether the message is about a header of this package."""
        folder = os.path.join(includes.package_dir(), "cuda", "")
        return self.path.startswith(folder)


def _messages(log: str) -> list[_Message]:
    """Split a log into messages; text without a head has none of its own."""
    found: list[_Message] = []
    for line in log.split("\n"):
        head = _HEAD.match(line)
        if head is None:
            if not found:
                found.append(_Message([]))
            last = found[-1]
            (last.notes[-1] if last.notes else last).lines.append(line)
            continue
        place = f"{head['path']}:{head['line']}:{head['column']}"
        message = _Message(
            [line], head["path"], place, head["kind"], head["text"]
        )
        if message.kind == "note" and found:
            found[-1].notes.append(message)
        else:
            found.append(message)
    return found


def _listed(names: list[str]) -> str:
    return ", ".join(dict.fromkeys(names))


def _remedy(given: str, fitting: list[str]) -> str:
    if f"{given} *" in fitting:
        return "; & takes the address of a variable"
    if given.endswith("*") and given[:-1].rstrip() in fitting:
        return "; * reads the value at an address"
    if given.endswith("*") and f"unsigned {given}" in fitting:
        return f"; it can be cast: (unsigned {given})"
    return ""


def _summary(name: str, candidates: list[_Message]) -> str:
    """Return what the functions `candidates` take, in one sentence."""
    fitting: dict[tuple[str, str], list[str]] = {}
    counts: list[str] = []
    given_count = ""
    for candidate in candidates:
        conversion = _CONVERSION.search(candidate.text)
        count = _COUNT.search(candidate.text)
        if conversion:
            given, wanted, which = conversion.groups()
            fitting.setdefault((which, given), []).append(wanted)
        elif count:
            counts.append(count[1])
            given_count = count[2]
    parts = [
        f"the {which} argument of {name} was given '{given}' but can be "
        f"{_listed(wanted)}{_remedy(given, wanted)}"
        for (which, given), wanted in fitting.items()
    ]
    if counts and not parts:
        parts.append(
            f"{name} takes {_listed(counts)} arguments, not {given_count}"
        )
    if any("explicitly deleted" in one.text for one in candidates):
        return (
            f"{name} has no form for these types: convert the arguments to "
            "signed integers or floating-point numbers"
        )
    if not parts:
        parts.append(
            f"{len(candidates)} functions of this name fit: convert the "
            "arguments to the types of one of them"
        )
    return "; ".join(parts)


def shorten(log: str) -> str:
    """Return `log` with one note for each list of the package's functions.

    Notes about functions of the program stay.
    """
    lines: list[str] = []
    for message in _messages(log):
        lines += message.lines
        candidates = [
            note
            for note in message.notes
            if note.is_own() and note.text.startswith("candidate")
        ]
        called = _CALLED.search(message.text)
        if len(candidates) < 2 or not called or not _CALL.match(message.text):
            for note in message.notes:
                lines += note.lines
            continue
        summary = _summary(called[1], candidates)
        lines.append(f"{message.place}: note: {summary}")
        for note in message.notes:
            if not note.is_own():
                lines += note.lines
    return "\n".join(lines)
