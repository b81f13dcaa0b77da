"""Communicators of pycuda.nccl: values, mistakes, processes."""

# SPDX-License-Identifier: MIT

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import pycuda.driver as drv

HERE = Path(__file__).parent


def start(program, *arguments, devices=4, **more):
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    environment["PYTHONPATH"] = os.pathsep.join(
        [str(HERE), *(p for p in sys.path if p)]
    )
    environment["PYCUDA_CPU_DEVICES"] = str(devices)
    return subprocess.Popen(
        [sys.executable, "-P", "-W", "ignore", str(HERE / program),
         *map(str, arguments)],
        env=environment | more, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


def test_values_in_threads():
    said, _ = (process := start("calls.py")).communicate(timeout=200)
    assert process.returncode == 0, said
    assert re.search(r"(\d+) checks, 0 wrong", said)[1] >= "16"


@pytest.mark.parametrize("arguments", [(), ("observe",)])
def test_calls_in_c_equal_those_in_python(arguments):
    process = start("fast_calls.py", *arguments)
    said, _ = process.communicate(timeout=200)
    assert (process.returncode, said) == (0, "12 checks, 0 wrong\n")


@pytest.mark.cpu
def test_mistakes_are_diagnosed_within_5_s():
    process = start("mistakes.py", devices=3)
    said, _ = process.communicate(timeout=200)
    assert process.returncode == 0, said
    assert said == "52 mistakes, 0 not diagnosed\n"


@pytest.mark.cpu
def test_the_maker_of_an_id_keeps_no_descriptor():
    process = start("descriptors.py", devices=1)
    said, _ = process.communicate(timeout=100)
    assert (process.returncode, said) == (0, 4 * "end\n")


@pytest.mark.cpu
def test_communicators_with_several_ids():
    process = start("several_ids.py", devices=3)
    said, _ = process.communicate(timeout=100)
    assert (process.returncode, said) == (0, "end\n")


@pytest.mark.cpu
def test_waits_are_interrupted():
    process = start("interrupts.py", devices=9)
    said, _ = process.communicate(timeout=200)
    assert (process.returncode, said) == (0, "end\n")


@pytest.mark.cpu
@pytest.mark.parametrize(
    "arguments",
    ["10**20, 0", "2**31, 0", "1, 10**20", "1, None", "'1', 0",
     "1, 0, timeout=10**400", "1, 0, timeout=[]", "1, 0, timeout=-1"],
)  # fmt: skip
def test_arguments_are_named(arguments):
    from pycuda import nccl

    size, rank, *more = arguments.split(", ")
    word = "timeout" if more else "(size|rank)"
    with pytest.raises((TypeError, ValueError), match=rf"\b{word}\b"):
        eval(
            f"nccl.Communicator({size}, {rank}, b'', {', '.join(more)})",
            {"nccl": nccl},
        )


@pytest.mark.cpu
def test_8_processes(tmp_path):
    started = [
        start("process.py", r, 8, tmp_path / "id", devices=8) for r in range(8)
    ]
    said = [p.communicate(timeout=200)[0] for p in started]
    assert [p.returncode for p in started] == [0] * 8, said


@pytest.mark.cpu
def test_a_killed_process_is_named(tmp_path):
    started = [
        start("process.py", r, 3, tmp_path / "id", "die", devices=3)
        for r in range(3)
    ]
    said = [started[r].communicate(timeout=100)[0] for r in (2, 0, 1)]
    assert started[2].returncode == -9
    for text in said[1:]:
        found = re.search(
            r"after (\S+) s: .*process of rank 2 \((\d+)\)", text
        )
        assert found and float(found[1]) < 5, text
        assert int(found[2]) == started[2].pid


PROGRAM = """
import pycuda.driver as drv
from pycuda import nccl
drv.init()
context = drv.Device(0).{make}
{push}
try:
    comm = nccl.Communicator({arguments})
except Exception as error:
    print(type(error).__name__, error)
drv.Context.pop()
"""


@pytest.mark.parametrize(
    ("make", "arguments", "text"),
    [
        ("make_context()", "1, 0, nccl.unique_id()",
         "LogicError NCCL works in the primary context"),
        ("retain_primary_context()", "1, 0, b'x' * 12",
         "ValueError an id of NCCL has 128 bytes, not 12"),
        ("retain_primary_context()", "2, 2, nccl.unique_id()",
         "ValueError rank 2 is not from 0 to 1"),
        ("retain_primary_context()", "1, 0, nccl.unique_id(), timeout=0",
         "ValueError timeout must be positive"),
    ],
)  # fmt: skip
def test_wrong_communicators(make, arguments, text, tmp_path):
    push = "context.push()" if "retain" in make else ""
    (tmp_path / "wrong.py").write_text(
        PROGRAM.format(make=make, push=push, arguments=arguments)
    )
    process = start(tmp_path / "wrong.py")
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0 and said.startswith(text), said


@pytest.mark.cpu
def test_a_missing_rank_at_the_start(tmp_path):
    begin = time.monotonic()
    process = start("process.py", 0, 2, tmp_path / "id",
                    PYCUDA_NCCL_TIMEOUT="1")  # fmt: skip
    said, _ = process.communicate(timeout=60)
    assert "only 1 of 2 ranks have created the communicator" in said
    assert time.monotonic() - begin < 10


@pytest.mark.cpu
def test_calls_are_observed_where_the_library_has_no_limit():
    said, _ = (process := start("watch.py", devices=2)).communicate(timeout=60)
    assert process.returncode == 0, said
    found = re.match(
        r"after (\S+) s: rank 0 of 2 on device 0: call 504, all_reduce of 8 "
        r"elements of 4 bytes, is not complete after 1 s",
        said,
    )
    assert found and float(found[1]) < 5, said


def build_locked_driver(folder):
    """Return the environment for the driver of locked_waits.c."""
    sys.path.insert(0, str(HERE.parent / "driver"))
    try:
        import drivers
    finally:
        sys.path.pop(0)
    return {"PYCUDA_CPU_LIBRARY": str(drivers.build(HERE / "locked_waits.c",
                                                    folder))}  # fmt: skip


@pytest.mark.cpu
@pytest.mark.no_sanitizer
@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_stuck_operations_where_the_driver_holds_a_lock(tmp_path):
    process = start("stuck.py", devices=2, **build_locked_driver(tmp_path))
    said, _ = process.communicate(timeout=200)
    assert process.returncode == 0 and said.endswith("\n0 wrong\n"), said


@pytest.mark.gpu
@pytest.mark.alone  # measures seconds, and stuck kernels occupy both GPUs
def test_stuck_operations_of_gpus():
    if drv.Device.count() < 2:
        pytest.skip("needs two GPUs")
    said, _ = (process := start("stuck.py")).communicate(timeout=200)
    assert process.returncode == 0 and said.endswith("\n0 wrong\n"), said
