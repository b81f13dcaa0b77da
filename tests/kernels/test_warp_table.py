"""Warp functions give an H100's results in every case of `warp_cases`.

The table is data/warps_h100.txt.xz, which `tools/record_warps.py` wrote. If
the H100 hung, the CPU device reports a launch failure; if it ended with an
error, the CPU device ends with the same one.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import lzma
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from nvidia_headers import skip_without
from warp_cases import CASES, Case, encode, run, sources

import pycuda.driver as cuda
from pycuda.compiler import SourceModule

TABLE = Path(__file__).parent / "data" / "warps_h100.txt.xz"
MODULES = list(sources())
HEADERS = {"half": "cuda_fp16.h", "groups": "cooperative_groups.h"}
#: Ways in which the CPU device runs kernels.
WAYS = {
    "warps": {},
    "fibers": {"PYCUDA_CPU_WARPS": "0"},
    "plain": {"PYCUDA_CPU_WARPS": "0", "PYCUDA_CPU_REGIONS": "0"},
}


@cache
def table() -> dict[str, str]:
    """Return the H100's results by the name of the case."""
    with lzma.open(TABLE, "rt") as file:
        return dict(line.rstrip("\n").split(" = ", 1) for line in file)


NOT_NAMED = "error: cuCtxSynchronize failed: an illegal instruction"
HANGS = "error: cuCtxSynchronize failed: unspecified launch failure"


def is_error(answer: str) -> bool:
    return answer.startswith(("hang", "error"))


def agrees(told: str, right: str) -> bool:
    """Return whether an answer equals the H100's answer or error."""
    if not is_error(right):
        return told == right
    return told.startswith(HANGS if right.startswith("hang") else right)


def is_past_its_mask(case: Case) -> bool:
    """Return whether lanes call an operation past their masks.

    Their masks, read from memory, do not include them, and other lanes made
    the call before them with the same masks. An H100 does not check the mask
    again in that case; the CPU device reports an error.
    """
    return (
        case.shape == "again"
        and case.mask == "here"
        and case.operation.group != "active"
    )


class Runner:
    """Runs cases of one module; an error costs a context."""

    def __init__(self, module: str) -> None:
        self.source = sources()[module]
        self.context: cuda.Context | None = None

    def close(self) -> None:
        if self.context:
            self.context.pop()
            self.context.detach()
        self.context = None

    def answer(self, case: Case) -> str:
        if not self.context:
            self.context = cuda.Device(0).make_context()
            self.module = SourceModule(self.source, no_extern_c=True)
        try:
            return run(case, self.module.get_function(case.kernel))
        except cuda.Error as error:
            self.close()
            return f"error: {error}"


@pytest.fixture
def runner(module: str) -> Iterator[Runner]:
    cuda.init()
    runner = Runner(module)
    yield runner
    runner.close()


def differences(runner: Runner, module: str) -> list[str]:
    """Return the cases whose answers differ from the H100's."""
    gpu = os.environ.get("PYCUDA_DEVICE") == "gpu"
    found = []
    for case in CASES:
        if case.operation.module != module:
            continue
        right = table()[case.name]
        if gpu and is_error(right):
            continue  # the case would hang
        told = runner.answer(case)
        if is_past_its_mask(case) and not gpu:
            right = NOT_NAMED
        if not agrees(told, right):
            found.append(f"{case.name}: {told}, and it should be {right}")
    return found


@pytest.mark.cpu
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("module", MODULES)
def test_as_on_an_h100(
    runner: Runner, module: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in WAYS[way].items():
        monkeypatch.setenv(name, value)
    found = differences(runner, module)
    assert not found, f"{len(found)} differ:\n" + "\n".join(found[:20])


@pytest.mark.gpu
@pytest.mark.parametrize("module", MODULES)
def test_the_gpu_is_as_recorded(
    runner: Runner, module: str, device: str
) -> None:
    if cuda.Device(0).compute_capability() != (9, 0):
        pytest.skip("the table is of compute capability 9.0")
    if module in HEADERS:
        skip_without(HEADERS[module], device)
    found = differences(runner, module)
    assert not found, f"{len(found)} differ:\n" + "\n".join(found[:20])


def test_every_case_was_recorded() -> None:
    names = [case.name for case in CASES]
    assert len(names) == len(set(names))
    assert set(names) == set(table())


def test_texts_of_results() -> None:
    import numpy as np

    case = next(c for c in CASES if c.name.startswith("straight_down_int 8x1"))
    row = np.array([2, 3, 4, 5, 0, 0, 0xA5A5A5A5A5A5A5A5, 200], np.uint64)
    assert encode(row, case) == "#1..4 0*2 - c8"
