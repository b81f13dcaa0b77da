"""Random modules on the device, compared with the interpreter."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from module_generator import INPUT, WORDS, make_module
from ptx_interpreter import Machine
from ptx_program import Program

import pycuda.driver as drv

BLOCKS = 2


def expected(text: str, threads: int, data: np.ndarray) -> np.ndarray:
    """Return the output of the interpreter, in words."""
    out = bytearray(4 * WORDS * BLOCKS * threads)
    Machine(Program(text), BLOCKS, threads).launch(
        "k", [out, bytearray(data.tobytes())]
    )
    return np.frombuffer(out, dtype=np.uint32)


def output(text: str, threads: int, data: np.ndarray) -> np.ndarray:
    """Return the output of the device, in words."""
    out = np.zeros(WORDS * BLOCKS * threads, dtype=np.uint32)
    module = drv.module_from_buffer(text.encode())
    module.get_function("k")(
        drv.InOut(out), drv.In(data), block=(threads, 1, 1), grid=(BLOCKS, 1)
    )
    return out


def comparable(words: np.ndarray) -> np.ndarray:
    """Return the words in rows of threads; all NaNs of floats are equal."""
    rows = words.reshape(-1, WORDS).copy()
    floats = rows[:, 32:40]  # the other words from 40 on are of doubles
    floats[np.isnan(floats.view(np.float32))] = 0x7FFFFFFF
    doubles = rows[:, 40:46].copy().view(np.float64)
    doubles[np.isnan(doubles)] = np.nan
    rows[:, 40:46] = doubles.view(np.uint32)
    return rows


def differences(seeds: range) -> Iterator[str]:
    """Yield a text for each random module with a wrong result."""
    data = np.random.default_rng(1).integers(
        0, 1 << 32, INPUT, dtype=np.uint32
    )
    for seed in seeds:
        text, threads = make_module(seed)
        got = comparable(output(text, threads, data))
        right = comparable(expected(text, threads, data))
        for thread, word in np.argwhere(got != right)[:1]:
            yield (
                f"module {seed}, thread {thread}, word {word}: wrote"
                f" {got[thread, word]:#x}, not {right[thread, word]:#x}"
            )
