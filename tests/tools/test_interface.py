"""Presence and signatures of the names that interface.txt lists."""

# SPDX-License-Identifier: MIT

import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

LIST = Path(__file__).parent / "interface.txt"


def entries() -> Iterator[tuple[str, str]]:
    """Yield (module, line) for each line of the list."""
    module = ""
    for line in LIST.read_text().splitlines():
        if line.startswith("["):
            module = line.strip("[]")
        elif line and not line.startswith("#"):
            yield module, line


def wanted(line: str) -> list[inspect.Parameter]:
    """Return a line's parameters, as in ``f(a, b=1)``, without `self`."""
    scope: dict = {}
    exec(f"def f({line.partition('(')[2].rstrip(')')}): pass", scope)
    parameters = inspect.signature(scope["f"]).parameters.values()
    return [p for p in parameters if p.name != "self"]


def complaints(found: object, line: str) -> list[str]:
    """Return differences between the signature of `found` and the line."""
    given = list(inspect.signature(found).parameters.values())
    given = [p for p in given if p.name != "self"]
    listed = wanted(line)
    wrong = [
        f"{want.name}={want.default} is {have.name}={have.default}"
        for want, have in zip(listed, given, strict=False)
        if want.name != have.name or not same_default(want, have)
    ]
    if len(given) < len(listed):
        wrong.append(f"only {len(given)} parameters")
    more = given[len(listed) :]
    return wrong + [
        f"{p.name} has no default"
        for p in more
        if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD
    ]


def same_default(want: inspect.Parameter, have: inspect.Parameter) -> bool:
    """Compare defaults; an additional default is allowed."""
    return want.default is want.empty or want.default == have.default


@pytest.mark.parametrize(
    ("module", "line"),
    list(entries()),
    ids=lambda text: text.partition("(")[0],
)
def test_listed(module, line):
    found = importlib.import_module(module)
    for name in line.partition("(")[0].split("."):
        found = getattr(found, name)
    if "(" in line:
        assert complaints(found, line) == []


def test_a_difference_is_seen():
    def function(a, c=1):
        """For the test."""

    assert complaints(function, "f(a, c=1)") == []
    assert complaints(function, "f(a)") == []
    assert complaints(function, "f(a, b=1)")
    assert complaints(function, "f(a, c=2)")
    assert complaints(function, "f(a, c=1, d=2)")
    assert complaints(lambda a, b: a, "f(a)")


def test_every_name_of_all_is_there():
    for module in dict.fromkeys(module for module, _ in entries()):
        loaded = importlib.import_module(module)
        missing = [
            name
            for name in getattr(loaded, "__all__", ())
            if not hasattr(loaded, name)
        ]
        assert missing == [], module
