"""``python -m pycuda doctor``: a report about this installation."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import dataclasses
import json
import textwrap
from collections.abc import Callable
from typing import Any

from pycuda._installation import checks
from pycuda._installation.checks import Check, State

_NAME_WIDTH = 15
_STATUS_WIDTH = 9
# the line below the fix of an optional feature
_OPTIONAL = "(optional: no action is needed if you do not use this)"


def _run(check: Callable[[State], Check], state: State) -> Check:
    """Run a check; an exception of its own is an error of the report."""
    try:
        return check(state)
    except Exception as error:
        name = check.__name__.removeprefix("check_")
        text = f"this check failed: {type(error).__name__}: {error}"
        return Check(name, checks.ERROR, text)


def examine(version: str) -> list[Check]:
    """Run the checks; those of the devices only if the package is intact."""
    state = State(version)
    found = [_run(check, state) for check in checks.FIRST]
    if state.intact:
        found += [_run(check, state) for check in checks.LATER]
        works = state.gpu or state.cpu
    else:
        works = None
    if not works and all(c.status != checks.ERROR for c in found):
        found.append(Check("devices", checks.ERROR, "no device can be used"))
    return found


def has_errors(found: list[Check]) -> bool:
    """Return whether something does not work."""
    return any(check.status == checks.ERROR for check in found)


def as_json(found: list[Check]) -> str:
    """Return the report for programs: ``{"ok": ..., "checks": [...]}``."""
    report: dict[str, Any] = {
        "ok": not has_errors(found),
        "checks": [dataclasses.asdict(check) for check in found],
    }
    return json.dumps(report, indent=1)


def as_text(found: list[Check]) -> str:
    """Return the report as one page."""
    indent = " " * (_NAME_WIDTH + _STATUS_WIDTH)
    lines = []
    for check in found:
        head = f"{check.name:{_NAME_WIDTH}}{check.status:{_STATUS_WIDTH}}"
        body = textwrap.indent(check.text, indent).lstrip()
        lines.append(head + body)
        if check.fix is not None:
            lines.append(f"{indent}fix: {check.fix}")
            if check.status == checks.NOTE:
                lines.append(f"{indent}{_OPTIONAL}")
    count = sum(check.status == checks.ERROR for check in found)
    lines.append("")
    lines.append(
        f"{count} error{'s' if count != 1 else ''}"
        if count
        else "This installation works."
    )
    return "\n".join(lines)
