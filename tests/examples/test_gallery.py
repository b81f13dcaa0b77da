"""The programs of the gallery run on every device, without their pictures."""

# SPDX-License-Identifier: MIT

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location(
    "gallery_times", ROOT / "tools/site/gallery_times.py"
)
gallery_times = importlib.util.module_from_spec(spec)
spec.loader.exec_module(gallery_times)
PROGRAMS = gallery_times.programs()


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(
            path,
            marks=[pytest.mark.cpu]
            * (path.stem in gallery_times.WITHOUT_TIME),
        )
        for path in PROGRAMS
    ],
    ids=lambda path: path.stem,
)
def test_a_program_of_the_gallery_runs(path):
    done = gallery_times.run(path)
    assert done.returncode == 0, done.stderr
    assert ("time: " in done.stdout) == (
        path.stem not in gallery_times.WITHOUT_TIME
    )


def test_programs_are_short_and_suggest_changes():
    assert len(PROGRAMS) >= 12
    for path in PROGRAMS:
        text = path.read_text()
        assert text.count("\n") < 100, path
        assert "# Try this" in text, path


@pytest.mark.cpu
def test_each_check_finds_another_error():
    done = gallery_times.run(ROOT / "examples/gallery/plot_checks.py")
    parts = done.stdout.split("=== ")[1:]
    assert [part.split("\n")[0] for part in parts] == [
        "no check",
        "memory",
        "race",
        "sync",
        "init",
    ]
    for part, said in zip(
        parts,
        [
            "no report",
            "out of bounds",
            "data race",
            "barrier in divergent code",
            "never written",
        ],
        strict=True,
    ):
        assert said in part
    assert parts[-1].rstrip().endswith("1000.0, and should be 1000")
