"""Sources compiled by several threads in parallel."""

# SPDX-License-Identifier: MIT

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pycuda

# A front end that starts working after as many front ends as threads have
# started; without parallelism they would wait forever.
FRONT_END = """#!/bin/sh
case " $* " in
*" --version "* | *" -emit-pch "*) ;;
*)
    : > "$MEETING/$$"
    tries=0
    while [ "$(ls "$MEETING" | wc -l)" -lt 3 ]; do
        tries=$((tries + 1))
        [ $tries -lt 600 ] || { echo "nobody else came" >&2; exit 1; }
        sleep 0.05
    done ;;
esac
exec REAL "$@"
"""
PROGRAM = """
import threading
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule

SOURCE = "__global__ void f(int *x) { x[threadIdx.x] += NUMBER; }"
context, results, ticks = pycuda.autoinit.context, {}, 0

def work(number):
    context.push()
    module = SourceModule(SOURCE.replace("NUMBER", str(number)))
    data = np.zeros(4, np.int32)
    module.get_function("f")(drv.InOut(data), block=(4, 1, 1))
    results[number] = data.tolist()
    context.pop()

threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
for thread in threads:
    thread.start()
while any(thread.is_alive() for thread in threads):
    threads[0].join(0.001)
    ticks += 1
assert results == {n: [n] * 4 for n in range(3)}, results
assert ticks > 3, "the compilations held Python's lock"
"""


def real_front_end():
    zig = Path(pycuda.__file__).parents[1] / "ziglang" / "zig"
    if zig.exists():
        return f"'{zig}' clang"
    return shutil.which("clang-19") or pytest.skip("no clang is installed")


@pytest.mark.cpu
def test_compilations_run_beside_each_other(tmp_path):
    script = tmp_path / "clang-of-the-test"
    script.write_text(FRONT_END.replace("REAL", real_front_end()))
    script.chmod(0o755)
    (tmp_path / "meeting").mkdir()
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-P", "-c", PROGRAM],
        env={
            **os.environ,
            "PYCUDA_CLANG": str(script),
            "PYCUDA_CACHE_DIR": str(tmp_path / "cache"),
            "MEETING": str(tmp_path / "meeting"),
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(os.listdir(tmp_path / "meeting")) == 3
