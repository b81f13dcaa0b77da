"""The table of tuning parameters for GPUs."""

# SPDX-License-Identifier: MIT

import sys
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

from pycuda import elementwise, gpuarray
from pycuda._kernels import building, sorting, tuning
from pycuda._kernels.tuning import TABLE, forced, tuned
from pycuda.elementwise import ElementwiseKernel

pytestmark = pytest.mark.usefixtures("context")

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def test_each_entry_can_be_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, str(BENCHMARKS)])
    import bandwidth
    import tune

    known = {*bandwidth.ROWS, *tune.SORTS}
    for name, entry in TABLE.items():
        assert entry.value in entry.candidates, name
        assert len(entry.candidates) > 1, name
        assert entry.rows and set(entry.rows) <= known, name


def test_a_capability_may_have_its_own_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = "row_waves"
    capability = tuple(
        building.device_attribute(f"COMPUTE_CAPABILITY_{part}")
        for part in ("MAJOR", "MINOR")
    )
    for at, expected in ((capability, 7), ((1, 0), TABLE[name].value)):
        entry = TABLE[name]._replace(others=MappingProxyType({at: 7}))
        monkeypatch.setattr(tuning, "TABLE", {**TABLE, name: entry})
        assert tuned(name) == expected
        monkeypatch.undo()


def test_forced_values_reach_the_kernels(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(elementwise, "_several_pay", lambda: True)
    monkeypatch.setattr(elementwise, "_SEVERAL_FROM", 2048)
    x = gpuarray.to_gpu(np.arange(9000, dtype=np.int32))
    for several in (1, 2, 8):
        kernel = ElementwiseKernel("int *x, int *z", "z[i] = 2 * x[i]")
        z = gpuarray.zeros_like(x)
        with forced("elementwise_several", several):
            for _ in range(2):
                kernel(x, z)
                np.testing.assert_array_equal(z.get(), 2 * np.arange(9000))
                z.fill(0)
    assert tuned("elementwise_several") == TABLE["elementwise_several"].value
    with (
        pytest.raises(KeyError, match="'rows' is not tuned; there are"),
        forced("rows", 1),
    ):
        pass


@pytest.mark.parametrize("char", "bhfdFD")
@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("wide", [False, True])
def test_tiles_of_sorts(char: str, ordered: bool, wide: bool) -> None:
    """Tiles fit shared memory, and are neither few nor empty if possible."""
    sort = sorting.Sort(np.dtype(char), ordered, wide)
    bytes_of = max(sort.dtype.itemsize, 8 if wide else 4)
    tiles = []
    for rows, n in ((1, 1 << 24), (1, 1 << 20), (1, 7000), (1000, 9000)):
        shape = sorting.tile_shape(sort, rows, n, 132)
        tiles.append(shape.threads * shape.items)
        ranks = shape.threads // 32 * sorting.DIGITS * 4
        bases = sorting.DIGITS * (8 if wide else 4)
        assert ranks + tiles[-1] * bytes_of + bases + 256 <= 48 << 10
        assert shape.threads >= sorting.DIGITS
        assert shape.threads * shape.blocks <= 2048
    largest, middle, small, rows_of = tiles
    assert largest >= middle >= small
    assert (1 << 20) / middle > 132
    assert 9000 / rows_of / -(-9000 // rows_of) > 0.75
