"""Progress bars: on terminals only, with tqdm or without."""

# SPDX-License-Identifier: MIT

import io
import os
import pty
import subprocess
import sys
import types

import pytest

from pycuda import _progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def work(monkeypatch, stream):
    monkeypatch.setattr(sys, "stderr", stream)
    with _progress.Progress(4, "steps") as progress:
        for name in ("one", "two", "three", "four"):
            progress.begin(name)
            progress.step()
        progress.clear()
    return stream.getvalue()


def test_nothing_without_a_terminal(monkeypatch):
    assert work(monkeypatch, io.StringIO()) == ""


def test_a_line_without_tqdm(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    text = work(monkeypatch, Terminal())
    lines = text.split("\r")
    assert lines[0] == ""
    assert lines[1].startswith(f"steps [{'':30}] 0/4    0 s  one")
    assert lines[4].startswith(f"steps [{'#' * 22:30}] 3/4    0 s  four")
    assert all(len(line) <= 78 for line in lines)
    assert lines[-1] == "" and lines[-2].strip() == ""
    assert "\n" not in text


def test_tqdm_draws_if_it_is_there(monkeypatch):
    calls = []

    class Bar:
        def __init__(self, **keywords):
            calls.append(keywords)

        def __getattr__(self, name):
            return lambda *arguments: calls.append((name, *arguments))

    module = types.ModuleType("tqdm")
    module.tqdm = Bar
    monkeypatch.setitem(sys.modules, "tqdm", module)
    assert work(monkeypatch, Terminal()) == ""
    assert calls[0] == {"total": 4, "desc": "steps", "leave": False}
    assert calls[1:3] == [("set_postfix_str", "one"), ("update",)]
    assert calls.count(("update",)) == 4
    assert ("close",) in calls


def test_the_bar_ends_with_an_exception(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with pytest.raises(KeyError), _progress.Progress(2, "steps") as progress:
        progress.begin("one")
        raise KeyError
    assert stream.getvalue().endswith(f"\r{'':78}\r")


@pytest.mark.cpu
def test_grading_on_a_terminal(tmp_path):
    """The results are the same text; the bar is on the terminal only."""
    command = [sys.executable, "-P", "-m", "pycuda.course", "grade"]
    command.append(str(tmp_path))  # empty: each exercise is wrong at once
    host, terminal = pty.openpty()
    try:
        done = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=terminal,
            text=True,
            timeout=120,
        )
        shown = os.read(host, 1 << 16).decode()
    finally:
        os.close(host)
        os.close(terminal)
    plain = subprocess.run(
        command, capture_output=True, text=True, timeout=120
    )
    assert done.stdout == plain.stdout
    assert "grading" in shown
    assert "grading" not in plain.stderr
