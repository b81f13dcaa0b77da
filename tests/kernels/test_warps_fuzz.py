"""Random kernels with warp operations: by warps against fibers, and both
against an interpreter in NumPy (warp_generator.py).
"""

import pytest
import test_regions_fuzz as regions
from warp_generator import WarpGenerator


def check(first: int, folder, monkeypatch) -> None:
    regions.check_group(
        first, folder, monkeypatch, WarpGenerator, "PYCUDA_CPU_WARPS"
    )


@pytest.mark.parametrize("first", range(0, 40, regions.GROUP))
def test_random_warp_kernels(first, tmp_path, monkeypatch):
    check(first, tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(5000, 5500, regions.GROUP))
def test_many_random_warp_kernels(first, tmp_path, monkeypatch):
    check(first, tmp_path, monkeypatch)
