"""Reports of kernel checks: source line, variable, thread and remedy."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable
from html import escape
from typing import Any

_VARIABLE = "PYCUDA_CPU_CHECK_REPORT"
#: Beginning of each line on stderr that is replaced by a report.
PREFIX = "PYCUDA_CPU_CHECK: "

_EXCERPT = r" *\d* *\| .*"


def is_excerpt(line: str) -> bool:
    """Return whether a line may be the source line or caret of a report."""
    return re.fullmatch(_EXCERPT, line.rstrip("\n")) is not None


def without_report(text: str, message: str) -> str:
    """Return an error's text without the report that is shown elsewhere.

    Source lines may follow the report's `message`.
    """
    report = rf": {re.escape(message)}(\n{_EXCERPT})*\n?"
    found = re.search(report, text)
    if found is None:
        return text
    rest = text[found.end() :]
    return f"{text[: found.start()]} (the report is above){rest}"


class CheckReport:
    """One report of a kernel check.

    Parameters
    ----------
    data : dict
        The report as JSON (docs/checks.md).
    line_of : function
        Returns the text of a line of a source file, or ''.
    rename : function
        Replaces names of temporary files by those of cells.
    """

    def __init__(
        self,
        data: dict[str, Any],
        line_of: Callable[[str, int], str],
        rename: Callable[[str], str],
    ) -> None:
        self.data = data
        self._line_of = line_of
        self._rename = rename

    @property
    def message(self) -> str:
        """The report on one line, without its source location."""
        text = self.data["message"]
        at = f"{self._location(self.data)}: "
        return self._rename(text.removeprefix(at))

    @property
    def remedy(self) -> str:
        """The change to make in the program; '' if none is known."""
        return self._rename(self.data.get("remedy", ""))

    @staticmethod
    def _location(site: dict[str, Any]) -> str:
        column = f":{site['column']}" if site["column"] else ""
        return f"{site['file']}:{site['line']}{column}"

    def _place(self, site: dict[str, Any]) -> str:
        """Return the location with the name of a cell, if it is in one."""
        return self._rename(self._location(site))

    def _quote(self, site: dict[str, Any]) -> list[str]:
        """Return the source line of a site, and a caret below its column."""
        line = site.get("source") or self._line_of(site["file"], site["line"])
        if not line:
            return []
        # reports about Python code and about streams have no column
        if not site["column"]:
            return [line]
        column = max(site["column"] - 1, 0)
        indent = "".join(c if c == "\t" else " " for c in line[:column])
        return [line, f"{indent}^"]

    def _facts(self) -> list[tuple[str, str]]:
        """Return the rows of the report: names and texts."""
        data = self.data
        if data["check"] == "streams":
            return self._stream_facts()
        rows = [
            (
                "thread",
                f"{tuple(data['thread'])} of block {tuple(data['block'])}, "
                f"kernel {data['kernel']}",
            )
        ]
        if data.get("object"):
            rows.append(("variable", data["object"]))
        other = data.get("other")
        if other:
            rows.append(
                (
                    "other access",
                    f"{other['access']} at {self._place(other)} by thread "
                    f"{tuple(other['thread'])} of block "
                    f"{tuple(other['block'])}",
                )
            )
        if self.remedy:
            rows.append(("remedy", self.remedy))
        return rows

    def _stream_facts(self) -> list[tuple[str, str]]:
        """Return the rows of a report of the check ``streams``."""
        rows = [
            (
                name,
                f"{site['operation']} in {site['stream']} {site['access']} "
                f"the memory ({self._place(site)})",
            )
            for name, site in (
                ("operation", self.data),
                ("other operation", self.data["other"]),
            )
        ]
        return [*rows, ("remedy", self.remedy)]

    def __repr__(self) -> str:
        """Return the report as text."""
        lines = [f"{self._place(self.data)}: {self.message}"]
        lines += self._quote(self.data)
        lines += [f"  {name}: {text}" for name, text in self._facts()]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the report as HTML."""
        quote = escape("\n".join(self._quote(self.data)))
        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(name)}</th>"
            f"<td style='text-align:left'>{escape(text)}</td></tr>"
            for name, text in self._facts()
        )
        return (
            "<div style='border-left:4px solid #c62828;padding-left:.8em'>"
            f"<b>{escape(self._place(self.data))}</b>: "
            f"{escape(self.message)}<pre>{quote}</pre>"
            f"<table>{rows}</table></div>"
        )


class Reports:
    """The file to which the checks append their reports."""

    def __init__(self) -> None:
        self._path: str | None = None
        self._own: str | None = None
        self._read = 0

    @property
    def is_open(self) -> bool:
        """Whether reports are read from the file."""
        return self._path is not None

    def open(self) -> None:
        """Begin to read reports, from the user's file if one is named."""
        if self._path is not None:
            return
        path = os.environ.get(_VARIABLE)
        if not path:
            handle, path = tempfile.mkstemp(
                prefix="pycuda-checks-", suffix=".json"
            )
            os.close(handle)
            self._own = path
            os.environ[_VARIABLE] = path
        self._path = path
        self._read = os.path.getsize(path) if os.path.exists(path) else 0

    def take(self) -> list[dict[str, Any]]:
        """Return the reports that were written since the last call."""
        if self._path is None or not os.path.exists(self._path):
            return []
        with open(self._path, "rb") as file:
            file.seek(self._read)
            text = file.read()
        complete = text[: text.rfind(b"\n") + 1]
        self._read += len(complete)
        # Bytes are split into lines, since a str is also split at U+2028.
        lines = complete.splitlines()
        return [json.loads(line.decode("utf-8", "replace")) for line in lines]

    def close(self) -> None:
        """Stop reading, and remove the file if it is temporary."""
        if self._own is not None:
            if os.environ.get(_VARIABLE) == self._own:
                del os.environ[_VARIABLE]
            if os.path.exists(self._own):
                os.unlink(self._own)
        self._path = self._own = None
