"""Processes end with contexts, graphs and pools of all kinds still alive."""

# SPDX-License-Identifier: MIT

import contextlib
import io
import subprocess
import sys

import contexts_at_exit
import pytest

PROGRAM = contexts_at_exit.__file__
HANGS = """
import faulthandler, signal, time
faulthandler.register(signal.SIGUSR1)
def hang():
    time.sleep(60)
print(time.time(), "context 0: make_context", flush=True)
hang()
"""


def check(processes: int, seconds: int, contexts: int) -> str:
    done = subprocess.run(
        [sys.executable, str(PROGRAM), *map(str, (processes, seconds))]
        + [str(contexts)],
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_some_processes() -> None:
    check(2, 10, 12)


@pytest.mark.gpu
@pytest.mark.slow
@pytest.mark.alone
def test_many_processes_on_one_gpu() -> None:
    print(check(8, 15, 40))


@pytest.mark.cpu
@pytest.mark.slow
def test_many_processes_on_the_cpu_device() -> None:
    print(check(6, 15, 40))


def test_a_process_that_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the step and the line at which it hangs."""
    monkeypatch.setattr(contexts_at_exit, "STEP_SECONDS", 0.7)
    monkeypatch.setattr(contexts_at_exit, "END_SECONDS", 0.6)
    monkeypatch.setattr(contexts_at_exit, "WORKER", HANGS)
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        failed = contexts_at_exit.main(1, 0, 1)
    assert failed == 1
    assert "before: context 0: make_context" in output.getvalue()
    assert "in hang\n" in output.getvalue()
