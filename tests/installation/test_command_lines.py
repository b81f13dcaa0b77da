"""Command lines whose output cannot be written, and hostile metadata."""

# SPDX-License-Identifier: MIT

import os
import subprocess
import sys
from importlib import metadata

import pytest

from pycuda._installation import distributions

COMMANDS = [
    ("pycuda.course", "solution", "01"),
    pytest.param(("pycuda.cpu", "--stub-dir"), marks=pytest.mark.cpu),
    ("pycuda.compiler", "--help"),
    ("pycuda", "--help"),
]
NAMES = ["course", "cpu", "compiler", "pycuda"]


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", COMMANDS, ids=NAMES)
def test_a_reader_that_has_ended(words, unbuffered):
    variables = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    command = [sys.executable, "-P", "-W", "ignore", "-m", *words]
    source, target = os.pipe()
    os.close(source)
    with os.fdopen(target, "wb") as closed:
        done = subprocess.run(
            command, stdout=closed, stderr=subprocess.PIPE, env=variables
        )
    assert done.stderr == b""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
@pytest.mark.parametrize("words", COMMANDS[:2], ids=NAMES[:2])
def test_a_full_disk(words):
    command = [sys.executable, "-P", "-W", "ignore", "-m", *words]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        f"{words[0]}: [Errno 28] No space left on device"
    ]


def plant(kind, path):
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "loop":
        path.symlink_to(path)
    elif kind == "bytes":
        path.write_bytes(b"\xff\xfe")


@pytest.mark.parametrize("kind", ["pipe", "folder", "loop", "bytes", "none"])
def test_hostile_metadata(kind, tmp_path):
    folder = tmp_path / "pycuda-1.dist-info"
    folder.mkdir()
    for name in ("INSTALLER", "METADATA"):
        plant(kind, folder / name)
    found = metadata.PathDistribution(folder)
    assert not distributions.is_provided(found)
    assert distributions.version(found) == "unknown"
