"""The audit of wheels by tools/wheels: no result is not a good result."""

# SPDX-License-Identifier: MIT

import sys
from pathlib import Path

import pytest
from wheel_parts import checking

WHEEL = Path("pycuda_c-1.0-py3-none-any.whl")


@pytest.fixture
def audit(tmp_path, monkeypatch):
    """Return a function that audits with a program of this text."""

    def run(code):
        program = tmp_path / "auditwheel"
        program.write_text(f"#!{sys.executable}\n{code}\n")
        program.chmod(0o755)
        return checking._auditwheel(WHEEL)

    monkeypatch.setenv("PATH", str(tmp_path))
    return run


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("print('platform tag: \"manylinux_2_17_x86_64\"')", None),
        (
            "print('platform tag: \"manylinux_2_99_x86_64\"')",
            'platform tag: "manylinux_2_99_x86_64"',
        ),
        ("raise SystemExit('broken')", "broken"),
        ("raise SystemExit(3)", "no output, exit status 3"),
        ("", "no output, exit status 0"),
    ],
)
def test_what_auditwheel_says(audit, code, problem):
    assert audit(code) == problem


def test_no_auditwheel(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert checking._auditwheel(WHEEL) is None
    said = capsys.readouterr().out
    assert "auditwheel is not on PATH" in said and WHEEL.name in said
