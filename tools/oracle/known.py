"""The list of known differences.

`known.toml` has a table for each reason: `reason`, `direction` (one of
`refused here`, `taken here`, `value`) and `entries`, patterns of `fnmatch`.

SPDX-License-Identifier: MIT
"""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

KNOWN = Path(__file__).resolve().parent / "known.toml"


@dataclass(frozen=True)
class Difference:
    """An entry to which the two compilers give different answers."""

    key: str
    theirs: str
    ours: str

    @property
    def direction(self) -> str:
        """`refused here`, `taken here`, or `value`."""
        if self.ours.startswith("refused"):
            return "refused here"
        if self.theirs.startswith("refused"):
            return "taken here"
        return "value"

    @property
    def said(self) -> str:
        """Return the compilers' answers as a short text."""
        return {
            "refused here": self.ours.removeprefix("refused: "),
            "taken here": "NVRTC: " + self.theirs.removeprefix("refused: "),
            "value": f"NVRTC {self.theirs}, here {self.ours}",
        }[self.direction]

    def __str__(self) -> str:
        return f"{self.direction}: {self.key}: {self.said}"


def summary(found: list[Difference]) -> list[str]:
    """Return a line per difference; those of one function share a line."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for one in found:
        name, _, call = one.key.partition("(")
        key = (one.direction, name, one.said)
        groups.setdefault(key, []).append("(" + call if call else "")
    return [
        f"{direction}: {name}{' '.join(calls[:4])}"
        + (f" and {len(calls) - 4} more" if len(calls) > 4 else "")
        + f": {said}"
        for (direction, name, said), calls in groups.items()
    ]


def differences(rows: Iterable[tuple[str, str, str]]) -> list[Difference]:
    """Return the rows (key, NVRTC's answer, ours) with different answers."""
    return [
        Difference(key, theirs, ours)
        for key, theirs, ours in rows
        if theirs != ours
        and not (theirs.startswith("refused") and ours.startswith("refused"))
    ]


def reasons() -> list[dict]:
    """Return the tables of `known.toml`."""
    return tomllib.loads(KNOWN.read_text()).get("difference", [])


def check(found: list[Difference], asked: set[str]) -> int:
    """Print differences without a reason, and reasons without a difference.

    Returns 1 if there is one of either.
    """
    table = reasons()
    wrong = 0
    used = set()
    for difference in found:
        rows = [
            (i, pattern)
            for i, row in enumerate(table)
            if row["direction"] == difference.direction
            for pattern in row["entries"]
            if fnmatchcase(difference.key, pattern)
        ]
        used.update(rows)
        if not rows:
            print(f"not in known.toml: {difference}")
            wrong += 1
    for i, row in enumerate(table):
        for pattern in row["entries"]:
            was_asked = any(fnmatchcase(key, pattern) for key in asked)
            if was_asked and (i, pattern) not in used:
                print(f"no longer a difference: {row['direction']}: {pattern}")
                wrong += 1
    return int(wrong > 0)
