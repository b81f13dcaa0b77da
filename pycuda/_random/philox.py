"""Philox 4x32-10, the generator behind `pycuda.curandom.rand`.

Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC11).  Number i
is a function of the key, the sequence and i: the numbers depend neither on the
device nor on the shape of a launch.  Each kernel of
``templates/random/philox*`` is compiled when it is first needed.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import operator
from _thread import allocate_lock  # importing threading takes milliseconds
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from pycuda import _driver
from pycuda._context_cache import by_context
from pycuda._driver import ArrayBase
from pycuda._kernels import building
from pycuda._kernels.operations import c_type
from pycuda._random.distributions import Distributions, check_state
from pycuda.compiler import SourceModule

if TYPE_CHECKING:
    import pycuda.driver as drv


_BLOCK = 256
_MOST_BLOCKS = (1 << 31) - 1
# number of groups of four words per thread if threads run sequentially; must
# be equal to the number in the kernel's source
_SHARE_IN_TURN = 1024
_OPTIONS = ["--fmad=false", "-w"]
_MASK = 0xFFFFFFFF


class Kind(NamedTuple):
    """A kind of random numbers: class in the templates, and parameters.

    A parameter is its type in C and its character in a launch's format; None
    stands for the type of the result.
    """

    maker: str
    parameters: tuple[tuple[str | None, str], ...] = ()
    # elements per group of four words; 0: as many as fit in 16 bytes
    width: int = 0

    def elements(self, dtype: np.dtype) -> int:
        """Return the number of elements per group of four words."""
        return self.width or 16 // dtype.itemsize


_T = (None, "")
KINDS = {
    "random": Kind("Random<{}>"),
    "uniform": Kind("Uniform<{}>"),
    "between": Kind("Between<{}>", (_T, _T)),
    "normal": Kind("Normal<{}>", (_T, _T)),
    "lognormal": Kind("LogNormal<{}>", (_T, _T)),
    "exponential": Kind("Exponential<{}>", (_T,)),
    "bits32": Kind("Bits<{}, unsigned int>", (_T,), 4),
    "bits64": Kind("Bits<{}, Long>", (_T,), 2),
    "within32": Kind(
        "Within<{}, unsigned int>",
        (_T, ("unsigned int", "I"), ("unsigned int", "I")),
        4,
    ),
    "within64": Kind(
        "Within<{}, Long>", (_T, ("Long", "Q"), ("Long", "Q")), 2
    ),
    "small poisson": Kind(
        "SmallPoisson<{}>", (("double", "d"), ("double", "d")), 1
    ),
    "large poisson": Kind("LargePoisson<{}>", (("double", "d"),), 1),
    "poisson": Kind("EachPoisson<{}>", (("const double *", "P"),), 1),
    "gamma": Kind("Gamma<{}>", (("double", "d"), ("double", "d")), 1),
}


@by_context
def kernel(
    kind: str, dtype: np.dtype
) -> tuple[Any, int, tuple[Any, ...], int]:
    """Return (function, elements per group, threads, groups per thread)."""
    in_turn = building.runs_threads_in_turn()
    row, name = KINDS[kind], c_type(dtype)
    parts = ["random/philox_fill.cuh", "random/philox_draw.cuh"]
    if row.width == 1:
        parts.append("random/philox_reject.cuh")
    source = "".join(
        building.load_template(part).safe_substitute(in_turn=int(in_turn))
        for part in parts
    )
    source += building.load_template("random/philox.cu").substitute(
        type=name,
        maker=row.maker.format(name),
        parameters="".join(
            f", {kind or name} p{k}"
            for k, (kind, _) in enumerate(row.parameters)
        ),
        arguments=", ".join(f"p{k}" for k in range(len(row.parameters))),
    )
    module = SourceModule(source, options=_OPTIONS, no_extern_c=True)
    characters = "".join(c or dtype.char for _, c in row.parameters)
    function = module.get_function("draw").prepare(f"PQQIII{characters}")
    width = row.elements(dtype)
    if in_turn:
        return function, width, (1, 1, 1), _SHARE_IN_TURN
    turn = 2 if width > 1 and width * dtype.itemsize <= 16 else 1
    return function, width, (_BLOCK, 1, 1), turn * _BLOCK


def launch(
    plan: tuple[Any, int, tuple[Any, ...], int],
    out: Any,
    position: int,
    key: tuple[int, int],
    number: int,
    parameters: tuple[Any, ...] = (),
    stream: drv.Stream | None = None,
) -> None:
    """Fill the contiguous array `out` from a position of a sequence on.

    `plan` is a result of `kernel`.
    """
    n = out.size
    if not n:
        return
    function, width, threads, share = plan
    blocks = (n + position % 4 * width // 4 + width - 1) // width
    grid = -(-blocks // share)
    if grid > _MOST_BLOCKS:
        grid = _MOST_BLOCKS
    function.prepared_async_call(
        (grid, 1), threads, stream, out, n, position, key[0], key[1], number,
        *parameters,
    )  # fmt: skip


def drawn_key() -> tuple[int, int]:
    """Draw a key from NumPy's global generator (`numpy.random.seed`)."""
    draw = np.random.random_sample
    return int(draw() * 4294967296.0), int(draw() * 4294967296.0)


def _key_of(seed: Any) -> tuple[int, int]:
    if seed is None:
        return drawn_key()
    if isinstance(seed, np.random.SeedSequence):
        low, high = seed.generate_state(2, np.uint32)
        return int(low), int(high)
    if callable(seed):
        words = seed(2)
        if (
            not isinstance(words, ArrayBase)
            or words.dtype.kind not in "iu"
            or words.size != 2
        ):
            raise TypeError(
                "seed must be GPUArray of integers of right length: shape (2,)"
            )
        low, high = words.get().ravel()
        return int(low) & _MASK, int(high) & _MASK
    try:
        number = operator.index(seed)
    except TypeError:
        raise TypeError(
            "seed must be an integer, a numpy.random.SeedSequence or a "
            f"function that makes seeds, not {type(seed).__name__}"
        ) from None
    return _words_of(number, "seed")


def _words_of(number: Any, what: str) -> tuple[int, int]:
    number = operator.index(number)
    if not 0 <= number < 1 << 64:
        raise ValueError(f"{what} must be in [0, 2**64), not {number}")
    return number & _MASK, number >> 32


def _integer_of(array: Any, stream: drv.Stream | None) -> int:
    """Return the integer that a GPUArray of one integer holds."""
    if (
        not isinstance(array, ArrayBase)
        or array.size != 1
        or array.dtype.kind not in "iu"
    ):
        raise TypeError("a GPUArray of 1 integer is needed")
    return int(array.get(stream=stream).ravel()[0])


class PhiloxRandomNumberGenerator(Distributions):
    """Philox 4x32-10: the same numbers on every device.

    Parameters
    ----------
    seed_getter
        An integer in [0, 2**64), a `numpy.random.SeedSequence`, or a function,
        as for the other generators: it is called with 2 and returns a GPUArray
        of two int32.  Default: drawn from `numpy.random`.
    offset
        Number of 32-bit words to skip at the start of the sequence.
    sequence
        Index of the sequence: a seed has 2**32 sequences of 2**64 words.

    Notes
    -----
    A number of 32 bits is made from one word of the sequence, a number of 64
    bits from two, and a Poisson or gamma number from four.  Therefore n + m
    numbers are the same, whether drawn by one call or by two, of n and of m.
    The methods are safe to call from several threads.
    """

    state_type: ClassVar[str] = "curandStatePhilox4_32_10"
    generator_bits: ClassVar[int] = 32
    has_box_muller: ClassVar[bool] = True
    block_count: ClassVar[int] = 1
    generators_per_block: ClassVar[int] = 1

    def __init__(
        self, seed_getter: Any = None, offset: int = 0, *, sequence: int = 0
    ) -> None:
        self._lock = allocate_lock()
        self._key = _key_of(seed_getter)
        self._number = self._checked_number(sequence)
        _words_of(offset, "offset")
        self._position = operator.index(offset)

    @staticmethod
    def _checked_number(number: Any) -> int:
        number = operator.index(number)
        if not 0 <= number <= _MASK:
            raise ValueError(f"sequence must be in [0, 2**32), not {number}")
        return number

    # --- drawing -----------------------------------------------------------

    def _reserve(self, words: int, each: int) -> int:
        """Reserve words of the sequence; return the position of the first."""
        with self._lock:
            position = -(-self._position // each) * each
            if position + words > 1 << 64:
                raise ValueError("the 2**64 words of a sequence are used up")
            self._position = position + words
            return position

    def _draw(
        self, kind: str, out: Any, parameters: tuple[Any, ...], stream: Any
    ) -> None:
        if stream is not None:
            with _driver._as_stream(stream).use():
                self._draw(kind, out, parameters, None)
            return
        plan = kernel(kind, out.dtype)
        each = 4 // plan[1]
        position = self._reserve(out.size * each, each)
        target = out if out.flags.c_contiguous else out.copy("C")
        launch(plan, target, position, self._key, self._number, parameters)
        if target is not out:
            out[...] = target

    # --- places ------------------------------------------------------------

    def call_skip_ahead(
        self, i: int, stream: drv.Stream | None = None
    ) -> None:
        """Skip `i` words of the sequence."""
        _words_of(i, "i")
        self._reserve(operator.index(i), 1)

    def call_skip_ahead_array(
        self, i: Any, stream: drv.Stream | None = None
    ) -> None:
        """Run `call_skip_ahead` for a GPUArray of one integer."""
        self.call_skip_ahead(_integer_of(i, stream))

    def call_skip_ahead_sequence(
        self, i: int, stream: drv.Stream | None = None
    ) -> None:
        """Skip `i` sequences, and keep the position within the sequence."""
        with self._lock:
            self._number = self._checked_number(
                self._number + operator.index(i)
            )

    def call_skip_ahead_sequence_array(
        self, i: Any, stream: drv.Stream | None = None
    ) -> None:
        """Run `call_skip_ahead_sequence` for a GPUArray of one integer."""
        self.call_skip_ahead_sequence(_integer_of(i, stream))

    def get_state(self) -> dict[str, Any]:
        """Return the complete state, for `set_state`."""
        with self._lock:
            return {
                "generator": "Philox4x32-10",
                "seed": self._key[1] << 32 | self._key[0],
                "sequence": self._number,
                "position": self._position,
            }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from a result of `get_state`.

        Raises
        ------
        ValueError
            If the position is not in [0, 2**64].
        """
        check_state(state, "Philox4x32-10", ("seed", "sequence", "position"))
        key = _words_of(state["seed"], "seed")
        number = self._checked_number(state["sequence"])
        position = operator.index(state["position"])
        if not 0 <= position <= 1 << 64:
            raise ValueError(f"position must be in [0, 2**64], not {position}")
        with self._lock:
            self._key, self._number = key, number
            self._position = position

    def __getstate__(self) -> dict[str, Any]:
        return self.get_state()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._lock = allocate_lock()
        self.set_state(state)

    def __repr__(self) -> str:
        state = self.get_state()
        return (
            f"PhiloxRandomNumberGenerator({state['seed']}, "
            f"{state['position']}, sequence={state['sequence']})"
        )
