"""500 saved random kernels (saved_kernels.py), on each device.

The expected output was computed once by the interpreters in NumPy: integers,
and floats with exact sums. A plain run takes a tenth of the kernels; to run
all of them on a GPU:

    PYCUDA_DEVICE=gpu pytest -n 16 -m "" tests/kernels/test_saved_kernels.py
"""

# SPDX-License-Identifier: MIT

import kernel_corpus
import numpy as np
import pytest
import saved_kernels
from kernel_corpus import SETTINGS

import pycuda.autoinit  # noqa: F401

GROUP = 10
KERNELS = saved_kernels.load()


def wrong(kernels: list[saved_kernels.Saved], setting) -> list[str]:
    module = kernel_corpus.compiled(kernels, setting)
    data = saved_kernels.input_numbers()
    found = [
        saved_kernels.wrong_at(
            kernel, kernel_corpus.output(module, kernel, data)
        )
        for kernel in kernels
    ]
    return [text for text in found if text]


def groups() -> list:
    """Return all groups on a GPU, and a tenth of them on the CPU device."""
    return [
        pytest.param(first, marks=[pytest.mark.gpu] if first % 30 else [])
        for first in range(0, len(KERNELS), GROUP)
    ]


@pytest.mark.sweep(most=3)
@pytest.mark.parametrize("first", groups())
def test_saved_kernels(first):
    assert not wrong(KERNELS[first : first + GROUP], SETTINGS[0])


def test_there_are_500():
    assert len(KERNELS) == 500
    assert len({kernel.text for kernel in KERNELS}) == 500
    kinds = {kernel.name.partition("_")[0] for kernel in KERNELS}
    assert kinds == set(saved_kernels.KINDS)


def test_what_is_wrong_is_seen():
    kernel = KERNELS[0]
    changed = np.zeros(kernel.numbers, np.uint32)
    assert saved_kernels.wrong_at(kernel, changed).startswith(kernel.name)
    changes = {"text": kernel.text.replace("+=", "-=")}
    other = saved_kernels.Saved(**{**vars(kernel), **changes})
    assert wrong([other], SETTINGS[0])
