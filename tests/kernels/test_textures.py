"""Sampling of every format, shape, filter and address mode.

The reference is the CUDA programming guide's formulae in NumPy
(texture_cases.py), and on the CPU device also what an H100 gave.
"""

from pathlib import Path

import numpy as np
import pytest
import texture_cases as cases

import pycuda.autoinit  # noqa: F401

RECORDED = Path(__file__).parent / "data" / "textures_h100.npz"


def spread(case: cases.Case) -> float:
    """How far apart two texels of a case may lie."""
    values = cases._fetched(case, cases.texels(case))
    return float(values.max() - values.min()) + 1


def compare(case, found, wanted, step) -> str:
    """What is wrong, or an empty text.

    Without a filter, integers are equal and floats one rounding apart. A
    linear filter's results are compared closely where the coordinate is exact
    in 8 bits of fraction; elsewhere the weights may be one step of 1/256
    apart if `step` says so.
    """
    if case.integers:
        wrong = found.astype(np.int64) != wanted
    else:
        size = spread(case)
        allowed = np.full(found.shape, 2e-7 * size)
        if case.linear:
            # A GPU filters normalised integers with 16 bits.
            allowed[:] = size * (2e-5 if cases.KINDS[case.kind][1] else 1e-5)
        if case.linear and step:
            allowed[cases.POINTS // 2 :] += size * 3 / 256
        wrong = np.abs(found - wanted) > allowed
    if not wrong.any():
        return ""
    i = int(np.argwhere(wrong)[0][0])
    where, layer = cases.points(case)
    return (
        f"{case.name} at {where[:, i].tolist()}, layer {layer[i]}: "
        f"{found[i].tolist()}, not {wanted[i].tolist()}"
    )


@pytest.mark.parametrize("shape", cases.SHAPES)
@pytest.mark.parametrize("kind", cases.KINDS)
def test_sampling(kind, shape, device):
    problems = []
    for case in cases.CASES:
        if case.kind == kind and case.shape == shape:
            found = cases.run(case)
            problems.append(
                compare(case, found, cases.expected(case), device == "gpu")
            )
    assert problems, "no case of this kind"
    assert not any(problems), "\n".join(filter(None, problems))


@pytest.mark.cpu
@pytest.mark.skipif(not RECORDED.exists(), reason="nothing was recorded")
@pytest.mark.parametrize("kind", cases.KINDS)
def test_sampling_as_an_h100_does_it(kind):
    problems = []
    with np.load(RECORDED) as file:
        recorded = cases.unpack(file["words"])
    for case in cases.CASES:
        if case.kind == kind:
            wanted = recorded[case.name].astype(
                np.int64 if case.integers else np.float64
            )
            problems.append(compare(case, cases.run(case), wanted, False))
    assert problems
    assert not any(problems), "\n".join(filter(None, problems))
