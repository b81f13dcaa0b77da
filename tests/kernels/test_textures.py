"""Sampling in every format, shape, filter and address mode.

The reference is the CUDA programming guide's formulas in NumPy
(texture_cases.py), and on the CPU device also results of an H100.
"""

from pathlib import Path

import numpy as np
import pytest
import texture_cases as cases

import pycuda.autoinit  # noqa: F401

RECORDED = Path(__file__).parent / "data" / "textures_h100.npz"


def spread(case: cases.Case) -> float:
    """Return the largest difference between two texels of a case."""
    values = cases._fetched(case, cases.texels(case))
    return float(values.max() - values.min()) + 1


def compare(case, found, wanted) -> str:
    """Return the deviations from the guide's formulas, or an empty text.

    Without a filter, integers are equal and floats differ by one rounding. A
    filter's weights are rounded to 8 bits, and products of them a second time.
    """
    if case.integers:
        wrong = found.astype(np.int64) != wanted
    else:
        allowed = spread(case) * (3 / 256 if case.linear else 2e-7)
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
def test_sampling(kind, shape):
    problems = []
    for case in cases.CASES:
        if case.kind == kind and case.shape == shape:
            found = cases.run(case)
            problems.append(compare(case, found, cases.expected(case)))
    assert problems, "no case of this kind"
    assert not any(problems), "\n".join(filter(None, problems))


#: Largest difference between a filtered result and an H100's: one rounding of
#: float, of 16 bits (to which the GPU first widens signed bytes), or of half.
FILTER_STEPS = {
    "float": 3e-7,
    "half": 2.0**-10,
    "i8n": 1.01 / 32767,
    "u8n": 1e-7,
    "u16n": 1e-7,
    "i16n": 1e-7,
}


@pytest.mark.cpu
@pytest.mark.skipif(not RECORDED.exists(), reason="nothing was recorded")
@pytest.mark.parametrize("kind", cases.KINDS)
def test_sampling_as_an_h100_does_it(kind):
    outliers, count = 0, 0
    with np.load(RECORDED) as file:
        recorded = cases.unpack(file["words"])
    for case in cases.CASES:
        if case.kind != kind:
            continue
        found, wanted = cases.run(case), recorded[case.name]
        count += 1
        if not case.linear:
            assert (
                np.array_equal(found, wanted)
                or (np.abs(found - wanted) <= np.spacing(np.abs(wanted))).all()
            ), case.name
            continue
        far = np.abs(found.astype(float) - wanted)
        assert far.max() <= spread(case) * 3 / 256, case.name
        scale = np.maximum(1, np.abs(wanted))
        outliers += int((far > FILTER_STEPS[kind] * scale).any(1).sum())
    assert count >= 32, "every case of this kind"
    # Ties of weights in three dimensions, at about 770 points.
    assert outliers <= 4, f"{outliers} points differ"
