"""The reference of error messages: each mistake raises its message."""

# SPDX-License-Identifier: MIT

import builtins
import importlib.util
import re
import struct
import warnings
from pathlib import Path

import numpy as np
import pytest

import pycuda.debug
import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule

ROOT = Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location(
    "error_page", ROOT / "tools/site/error_page.py"
)
error_page = importlib.util.module_from_spec(spec)
spec.loader.exec_module(error_page)
TABLE = error_page.table()

SOURCE = """
__global__ void k(float *x, int n)
{
    if (threadIdx.x < n)
        x[threadIdx.x] += 1;
}
"""
MODULES = {"": builtins, "driver": cuda, "struct": struct}
# The texts of other compilers and of a GPU's driver differ.
CPU_ONLY = (
    "error: expected ';'",
    "use of undeclared identifier",
    "no matching function for call to",
    "bytes, but the device memory ends after",
)

pytestmark = pytest.mark.usefixtures("context")


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, marks=[pytest.mark.cpu] * (row["text"] in CPU_ONLY))
        for row in TABLE["message"]
    ],
    ids=lambda row: row["text"],
)
def test_a_mistake_raises_its_message(row):
    host = np.zeros(8, np.float32)
    names = {
        "k": SourceModule(SOURCE).get_function("k"),
        "SOURCE": SOURCE,
        "SourceModule": SourceModule,
        "host": host,
        "a": gpuarray.to_gpu(host),
        "n": np.int32(8),
        "np": np,
        "cuda": cuda,
        "gpuarray": gpuarray,
        "pycuda": pycuda,
    }
    module, _, kind = row["raised"].rpartition(".")
    kind = getattr(MODULES[module], kind)
    pattern = ".*".join(map(re.escape, row["text"].split("...")))
    with warnings.catch_warnings(), pytest.raises(kind) as caught:
        warnings.simplefilter("ignore")
        exec(row["mistake"], names)
    assert re.search(pattern, str(caught.value), re.DOTALL)


def test_each_code_of_the_driver_has_a_row():
    codes = [row["code"] for row in TABLE["code"]]
    assert len(codes) == len(set(codes))
    assert set(codes) == set(error_page.driver_texts())
    assert len(codes) > 90
