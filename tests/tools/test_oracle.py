"""tools/oracle: sources that one compiler accepts and the other rejects.

The whole comparison needs NVRTC 13.0, but no GPU; it is skipped without NVRTC.
"""

# SPDX-License-Identifier: MIT

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ORACLE = ROOT / "tools" / "oracle"


@pytest.fixture(scope="module")
def oracle():
    sys.path.insert(0, str(ORACLE))
    try:
        names = ("batches", "entries", "known", "compilers")
        yield {name: importlib.import_module(name) for name in names}
    finally:
        sys.path.remove(str(ORACLE))


class Pretender:
    """A compiler that rejects the words `bad` and `worse`, two at a time.

    For `worse` it reports no location.
    """

    remedies = ()
    precompile = ()

    def compile(self, source, options=(), remedies=()):
        file, log = "", ""
        for line in source.splitlines():
            if line.startswith("#line"):
                file = line.split('"')[1]
            if re.search(r"\bbad\b", line) and log.count("error") < 2:
                log += f"{file}(1): error: bad word\n"
        if not log and "worse" in source:
            log = "error: something\n"
        return not log, log


def test_each_entry_gets_its_own_answer(oracle):
    entries = [
        oracle["entries"].Entry("feed", f"{word}{i}", word)
        for i in range(7)
        for word in ("good", "bad", "worse")
    ]
    judge = oracle["batches"].Judge(Pretender())
    answers = judge.ask(entries)
    expected = {
        "good": "taken",
        "bad": "refused: bad word",
        "worse": "refused: something",
    }
    assert answers == {
        e.key: expected[e.name.rstrip("0123456")] for e in entries
    }


def test_values_are_read_from_either_compiler(oracle):
    attributed = oracle["batches"].attributed
    theirs = 'entry_7(1): error: incomplete type "oracle_report<1, -2LL>" ...'
    ours = "entry_7:1:2: error: undefined template 'oracle_report<1, -2>'\n"
    assert attributed(theirs) == attributed(ours) == {"7": "= 1,-2"}
    wrong = "entry_3:1:2: error: no member in 'oracle_report<sizeof(x)>'\n"
    assert attributed(wrong)["3"].startswith("refused: no member")


def test_known_differences_are_all_there_is(oracle, monkeypatch, capsys):
    known = oracle["known"]
    rows = [
        ("f/a", "taken", "refused: x"),
        ("f/b", "refused: y", "taken"),
        ("f/c", "= 1", "= 2"),
        ("f/d", "refused: y", "refused: x"),
    ]
    found = known.differences(rows)
    assert [d.direction for d in found] == [
        "refused here",
        "taken here",
        "value",
    ]
    table = [
        {"direction": "refused here", "entries": ["f/a*"], "reason": "-"},
        {"direction": "taken here", "entries": ["f/b"], "reason": "-"},
        {"direction": "value", "entries": ["f/c"], "reason": "-"},
    ]
    monkeypatch.setattr(known, "reasons", lambda: table)
    asked = {row[0] for row in rows}
    assert known.check(found, asked) == 0
    assert known.check(found[:2], asked) == 1
    assert "no longer a difference: value: f/c" in capsys.readouterr().out
    table.pop()
    assert known.check(found, asked) == 1
    assert "not in known.toml: value: f/c" in capsys.readouterr().out


def test_sections_of_a_file(oracle, tmp_path):
    (tmp_path / "a.cu").write_text(
        "// a remark\n//: one -arch=sm_60\nint x;\n//:two\nint y;\n"
    )
    one, two = oracle["entries"].sections(tmp_path / "a.cu", "feed")
    assert one.key == "feed/a/one" and one.options == ("-arch=sm_60",)
    assert one.code == '#line 3 "a.cu"\nint x;\n'
    assert two.key == "feed/a/two" and '#line 5 "a.cu"' in two.code


def test_reasons_are_in_the_docs(oracle):
    """The page gives the reason for each difference."""
    page = (ROOT / "docs" / "cpu-device.md").read_text()
    words = " ".join(page.split())
    for row in oracle["known"].reasons():
        assert row["reason"] in words, row["reason"]


FEEDS = sorted(
    path.stem
    for path in (
        *(ORACLE / "names").glob("[!_]*.py"),
        *(path for path in (ROOT / "tests" / "oracle").iterdir()),
    )
)


@pytest.mark.cpu
@pytest.mark.slow
@pytest.mark.no_sanitizer
@pytest.mark.timeout(900)
@pytest.mark.parametrize("feed", FEEDS)
def test_the_differences_are_those_that_are_known(oracle, feed):
    if oracle["compilers"].nvidia() is None:
        pytest.skip("NVRTC 13.0 is not installed (tools/oracle --install)")
    run = subprocess.run(
        [sys.executable, str(ORACLE), "--check", "--feed", feed],
        capture_output=True,
        text=True,
        cwd="/",
    )
    assert run.returncode == 0, run.stdout + run.stderr
