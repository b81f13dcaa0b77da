"""The generator classes of `pycuda.curandom` that have states.

A generator has ``block_count * generators_per_block`` states, T on every
device.  State t generates elements t, t + T, ... of an array: results do not
depend on the device, nor on how kernels are launched.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import abc
import contextlib
import functools
import operator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

import pycuda.driver as _drv
import pycuda.gpuarray as _gpuarray
from pycuda import _driver
from pycuda._context_cache import by_context
from pycuda._driver import ArrayBase
from pycuda._kernels import building
from pycuda._random import sobol
from pycuda._random.distributions import check_state
from pycuda._random.filling import Filling
from pycuda.characterize import sizeof
from pycuda.compiler import SourceModule

if TYPE_CHECKING:
    import numpy.typing as npt


_REALS = (np.dtype(np.float32), np.dtype(np.float64))
_WORDS = (np.dtype(np.int32), np.dtype(np.uint32))
_LONGS = (np.dtype(np.int64), np.dtype(np.uint64))
# Number of blocks, and of threads per block: they fill a large GPU. A thread
# has one state, which is one dimension of a Sobol' sequence.
_BLOCKS = 256
_BLOCK = 64
_OPTIONS = ["--fmad=false", "-w"]


@by_context
def _module(fields: tuple[Any, ...]) -> Any:
    template = building.load_template("random/random.cu")
    source = template.substitute(dict(fields))
    return SourceModule(source, options=_OPTIONS, no_extern_c=True)


@by_context
def _state_bytes(state: str) -> int:
    return sizeof(state, "#include <pycuda-random/generators.h>")


def _default_seeds(count: int) -> Any:
    seeds = np.random.randint(0, 2**31 - 1, size=count).astype(np.int32)
    return _gpuarray.to_gpu(seeds)


def _mixed(number: int) -> int:
    """Permute 31-bit integers so that neighbours become far apart.

    Otherwise, MRG32k3a's sequences of neighbouring seeds would be similar.
    """
    mask = (1 << 31) - 1
    for factor in (0x2C1B3C6D, 0x297A2D39):
        number ^= number >> 15
        number = number * factor & mask
    return number ^ number >> 16


def _same_seeds(seed: Any) -> Any:
    """Return seeds that are equal in all states; the sequences differ."""
    try:
        number = operator.index(seed)
    except TypeError:
        raise TypeError(
            "seed must be GPUArray of integers of right length, made by a "
            f"function, or an integer, not {type(seed).__name__}"
        ) from None
    if not 0 <= number < 1 << 31:
        raise ValueError(f"seed must be in [0, 2**31), not {number}")
    word = np.int32(_mixed(number))
    return lambda count: _gpuarray.to_gpu(np.full(count, word))


class _Generator(Filling):
    """Base of the generators: states, kernels and distributions."""

    state_type: ClassVar[str]
    generator_bits: ClassVar[int] = 32
    has_box_muller: ClassVar[bool] = False
    _skips: ClassVar[tuple[str, ...]] = ("skipahead",)
    _seed_type: ClassVar[str] = "int"
    _prepare: ClassVar[str]
    _skip_word: ClassVar[str] = "unsigned long long"
    _offset_bits: ClassVar[int] = 64

    block_count: int = _BLOCKS
    generators_per_block: int = _BLOCK

    def __init__(self, seeds: Any, scrambles: Any, offset: int) -> None:
        self._compile()
        self._start(seeds, scrambles, self._checked_offset(offset))

    def _compile(self) -> None:
        self._in_turn = building.runs_threads_in_turn()
        bits = self.generator_bits
        scramble = "unsigned int" if bits == 32 else "unsigned long long"
        fields = {
            "state": self.state_type,
            "bits": bits,
            "in_turn": int(self._in_turn),
            "copied": int(self.has_box_muller),
            "block": self.generators_per_block,
            "threads": self._threads,
            "shift": bits - 32,
            "pairs": int(self.has_box_muller),
            "seed": self._seed_type,
            "scramble": scramble,
            "prepare": self._prepare,
            "word": self._skip_word,
            "skips": "\n".join(
                f"SKIP({name.replace('skipahead', 'skip_ahead')}, {name})"
                for name in self._skips
            ),
        }
        self.module: Any = _module(tuple(sorted(fields.items())))
        self.generators: dict[str, Any] = {
            name: self.module.get_function(name) for name in self._names()
        }
        self._prepare_kernel = self.module.get_function("prepare")

    def _checked_offset(self, offset: Any) -> int:
        offset = operator.index(offset)
        if not 0 <= offset < 1 << self._offset_bits:
            raise ValueError(
                f"offset must be in [0, 2**{self._offset_bits}), not {offset}"
            )
        return offset

    def _names(self) -> list[str]:
        reals = ["float", "double"]
        if self.has_box_muller:
            reals += ["float2", "double2"]
        names = ["uniform_int", "uniform_float", "uniform_double"]
        names += [f"normal_{real}" for real in reals]
        names += [f"normal_log_{real}" for real in reals]
        names += ["poisson_int", "poisson_inplace_int"]
        names += ["poisson_inplace_float", "poisson_inplace_double"]
        if self.generator_bits == 64:
            names.append("uniform_long")
        for skip in self._skips:
            name = skip.replace("skipahead", "skip_ahead")
            names += [name, f"{name}_array"]
        return names

    @property
    def _threads(self) -> int:
        return self.block_count * self.generators_per_block

    @functools.cached_property
    def state(self) -> Any:
        """The states on the device, one per thread."""
        size = self._threads * _state_bytes(self.state_type)
        memory = _drv.mem_alloc(size)
        _drv.memset_d8(memory, 0, size)
        return memory

    def _launch(
        self,
        kernel: Any,
        stream: Any,
        *arguments: Any,
        count: int | None = None,
    ) -> None:
        """Launch a kernel with all states, or as many as `count` needs."""
        blocks, threads = self.block_count, self.generators_per_block
        if count is not None:
            blocks = min(blocks, -(-count // threads))
            threads = 1 if self._in_turn else threads
        kernel(
            self.state, *arguments, grid=(blocks, 1), block=(threads, 1, 1),
            stream=stream,
        )  # fmt: skip

    def _seed_array(self, given: Any, make: Any, what: str) -> Any:
        """Return an array of seeds, one per thread, on the device."""
        seeds = make(self._threads) if callable(make) else given
        expected = self._seed_shape(what)
        kind = getattr(seeds, "dtype", np.dtype(object))
        if (
            not isinstance(seeds, ArrayBase)
            or kind.kind not in "iu"
            or kind.itemsize * 8 != self._seed_bits(what)
            or seeds.size != np.prod(expected)
            or not seeds.flags.c_contiguous
        ):
            raise TypeError(
                f"{what} must be GPUArray of integers of right length: "
                f"shape {expected}, {self._seed_bits(what)} bits"
            )
        return seeds

    def _seed_shape(self, what: str) -> tuple[int, ...]:
        return (self._threads,)

    def _seed_bits(self, what: str) -> int:
        return 32

    @abc.abstractmethod
    def _start(self, seeds: Any, scrambles: Any, offset: int) -> None:
        """Put the states at the start of their sequences."""

    # --- distributions ---------------------------------------------------

    def _fill(
        self,
        name: str,
        data: _gpuarray.GPUArray,
        stream: Any,
        *parameters: Any,
    ) -> None:
        if data.size == 0:
            return
        with (
            contextlib.nullcontext()
            if stream is None
            else _driver._as_stream(stream).use()
        ):
            count, target = data.size, data
            if count % 2 == 0 and f"{name}2" in self.generators:
                name, count = f"{name}2", count // 2
                if _driver._address_bits(data) % (2 * data.itemsize):
                    # `data` is not aligned for stores of pairs of elements
                    target = data.copy("C")
            if not target.flags.forc:
                target = data.copy("C")
            self._launch(
                self.generators[name], None, target, np.uint64(count),
                *parameters, count=count,
            )  # fmt: skip
            if target is not data:
                data[...] = target

    @staticmethod
    def _dtype(data: Any) -> np.dtype:
        if not isinstance(data, ArrayBase):
            raise TypeError(f"expected a GPUArray, not {type(data).__name__}")
        return data.dtype

    def _unsupported(self, what: str, dtype: npt.DTypeLike) -> Exception:
        return NotImplementedError(
            f"{type(self).__name__} makes no {what} numbers of {dtype}"
        )

    def fill_uniform(
        self, data: _gpuarray.GPUArray, stream: _drv.Stream | None = None
    ) -> None:
        """Fill with reals in (0, 1], or with integers of the full range.

        Parameters
        ----------
        data
            GPUArray of float32, float64, int32 or uint32; of int64 or uint64
            where the generator has 64 bits.
        stream
            Stream to run in.
        """
        names = dict.fromkeys(_WORDS, "uniform_int")
        names[_REALS[0]], names[_REALS[1]] = "uniform_float", "uniform_double"
        if self.generator_bits == 64:
            names |= dict.fromkeys(_LONGS, "uniform_long")
        if self._dtype(data) not in names:
            raise self._unsupported("uniform", data.dtype)
        bits = data
        if data.dtype.kind == "i":
            bits = data.view(np.dtype(f"u{data.dtype.itemsize}"))
        self._fill(names[data.dtype], bits, stream)

    def _real(self, what: str, data: Any) -> str:
        if self._dtype(data) not in _REALS:
            raise self._unsupported(what, data.dtype)
        return "float" if data.dtype == _REALS[0] else "double"

    def fill_normal(
        self, data: _gpuarray.GPUArray, stream: _drv.Stream | None = None
    ) -> None:
        """Fill a real array with normal numbers of mean 0, deviation 1."""
        self._fill(f"normal_{self._real('normal', data)}", data, stream)

    def fill_log_normal(
        self,
        data: Any,
        mean: float,
        stddev: float,
        stream: _drv.Stream | None = None,
    ) -> None:
        """Fill float32 or float64 with exponentials of normal numbers.

        `mean` and `stddev` are those of the normal numbers.
        """
        name = f"normal_log_{self._real('log-normal', data)}"
        kind = data.dtype.type
        self._fill(name, data, stream, kind(mean), kind(stddev))

    def fill_poisson(
        self,
        data: Any,
        lambda_value: float | None = None,
        stream: _drv.Stream | None = None,
    ) -> None:
        """Fill with Poisson numbers.

        Parameters
        ----------
        data
            GPUArray of uint32.  Without `lambda_value` also of float32 or
            float64; each element then holds the mean of the number that
            replaces it.
        lambda_value
            The mean.
        """
        names = {
            np.dtype(np.uint32): "poisson_inplace_int",
            _REALS[0]: "poisson_inplace_float",
            _REALS[1]: "poisson_inplace_double",
        }
        if lambda_value is not None:
            names = {np.dtype(np.uint32): "poisson_int"}
        if self._dtype(data) not in names:
            raise self._unsupported("Poisson", data.dtype)
        mean = np.float64(0 if lambda_value is None else lambda_value)
        self._fill(names[data.dtype], data, stream, mean)

    # --- skipping ----------------------------------------------------------

    def _skip(self, name: str, steps: int, stream: Any) -> None:
        steps, bits = operator.index(steps), self._skip_bits
        if not 0 <= steps < 1 << bits:
            raise ValueError(f"i must be in [0, 2**{bits}), not {steps}")
        self._launch(self.generators[name], stream, np.uint64(steps))

    @property
    def _skip_bits(self) -> int:
        return 32 if self._skip_word == "unsigned int" else 64

    def _skip_array(self, name: str, steps: Any, stream: Any) -> None:
        bits = self._skip_bits
        if (
            not isinstance(steps, ArrayBase)
            or steps.dtype != np.dtype(f"u{bits // 8}")
            or steps.size != self._threads
            or not steps.flags.c_contiguous
        ):
            raise TypeError(
                f"a GPUArray of {self._threads} uint{bits} is needed, "
                "one per generator"
            )
        self._launch(self.generators[f"{name}_array"], stream, steps)

    # --- keeping -----------------------------------------------------------

    @property
    def _saved_name(self) -> str:
        return self.state_type.removeprefix("curandState")

    def get_state(self) -> dict[str, Any]:
        """Return the complete state, for `set_state`.

        Waits for the device.  The entry "states" has a row of words for each
        state; it is the same on every device.
        """
        words = _state_bytes(self.state_type) // 4
        states = np.empty((self._threads, words), np.uint32)
        _drv.Context.synchronize()
        _drv.memcpy_dtoh(states, self.state)
        return {"generator": self._saved_name, "states": states}

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from a result of `get_state` of the same class.

        Raises
        ------
        ValueError
            If the states have another shape or dtype than this generator's.
        """
        check_state(state, self._saved_name, ("states",))
        words = _state_bytes(self.state_type) // 4
        states = np.ascontiguousarray(state["states"])
        if states.shape != (self._threads, words) or (
            states.dtype != np.uint32
        ):
            raise ValueError(
                f"states must be uint32 of shape {(self._threads, words)}, "
                f"not {states.dtype} of {states.shape}"
            )
        _drv.Context.synchronize()
        _drv.memcpy_htod(self.state, states)

    def __getstate__(self) -> dict[str, Any]:
        return self.get_state()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._compile()
        self.set_state(state)

    def call_skip_ahead(
        self, i: int, stream: _drv.Stream | None = None
    ) -> None:
        """Skip `i` numbers of each state's sequence."""
        self._skip("skip_ahead", i, stream)

    def call_skip_ahead_array(
        self, i: Any, stream: _drv.Stream | None = None
    ) -> None:
        """Skip ``i[t]`` numbers of the sequence of each state t."""
        self._skip_array("skip_ahead", i, stream)


class _Pseudo(_Generator):
    """Base of the pseudorandom generators, which start from a seed."""

    has_box_muller = True
    _skips = ("skipahead", "skipahead_sequence")
    _prepare = "curand_init(seeds[t], t, offset, states + t);"

    def __init__(self, seed_getter: Any = None, offset: int = 0) -> None:
        if seed_getter is None:
            seed_getter = _default_seeds
        elif not callable(seed_getter):
            seed_getter = _same_seeds(seed_getter)
        super().__init__(seed_getter, None, offset)

    def _start(self, seeds: Any, scrambles: Any, offset: int) -> None:
        array = self._seed_array(seeds, seeds, "seed")
        self._launch(
            self._prepare_kernel, None, array, np.uint64(0),
            np.uint64(offset),
        )  # fmt: skip

    def call_skip_ahead_sequence(
        self, i: int, stream: _drv.Stream | None = None
    ) -> None:
        """Skip `i` sequences."""
        self._skip("skip_ahead_sequence", i, stream)

    def call_skip_ahead_sequence_array(
        self, i: Any, stream: _drv.Stream | None = None
    ) -> None:
        """Skip ``i[t]`` sequences for each state t."""
        self._skip_array("skip_ahead_sequence", i, stream)


class XORWOWRandomNumberGenerator(_Pseudo):
    """Marsaglia's XORWOW generator; a sequence has 2**67 numbers.

    Parameters
    ----------
    seed_getter
        A function that takes the number of states and returns a GPUArray of
        that number of int32, one seed for each state.  Or the seed of all
        states, an integer in [0, 2**31); their sequences then differ.
        Default: drawn from `numpy.random`.
    offset
        Number of elements to skip at the start of each sequence.
    """

    state_type = "curandStateXORWOW"


class MRG32k3aRandomNumberGenerator(_Pseudo):
    """L'Ecuyer's MRG32k3a; sequences of 2**127, subsequences of 2**76.

    The parameters are those of `XORWOWRandomNumberGenerator`.
    """

    state_type = "curandStateMRG32k3a"
    _skips = ("skipahead", "skipahead_sequence", "skipahead_subsequence")

    def call_skip_ahead_subsequence(
        self, i: int, stream: _drv.Stream | None = None
    ) -> None:
        """Skip `i` subsequences."""
        self._skip("skip_ahead_subsequence", i, stream)

    def call_skip_ahead_subsequence_array(
        self, i: Any, stream: _drv.Stream | None = None
    ) -> None:
        """Skip ``i[t]`` subsequences for each state t."""
        self._skip_array("skip_ahead_subsequence", i, stream)


class _Sobol(_Generator):
    """Base of the Sobol' generators; each state is one dimension."""

    _vectors: ClassVar[Any]
    _scrambled: ClassVar[bool] = False
    _offset_bits: ClassVar[int] = 32

    def __init__(
        self, dir_vector: Any = None, scramble_vector: Any = None,
        offset: int = 0,
    ) -> None:  # fmt: skip
        super().__init__(dir_vector, scramble_vector, offset)

    def _seed_shape(self, what: str) -> tuple[int, ...]:
        if what == "scramble":
            return (self._threads,)
        return (self._threads, self.generator_bits)

    def _seed_bits(self, what: str) -> int:
        return self.generator_bits

    def _start(self, seeds: Any, scrambles: Any, offset: int) -> None:
        if seeds is None:
            seeds = generate_direction_vectors(self._threads, self._vectors)
        array = self._seed_array(seeds, None, "seed")
        extra: Any = np.uint64(0)
        if self._scrambled:
            if scrambles is None:
                scrambles = _scramble_constants(
                    self._threads, self.generator_bits
                )
            extra = self._seed_array(scrambles, None, "scramble")
        self._launch(
            self._prepare_kernel, None, array, extra, np.uint64(offset)
        )


class Sobol32RandomNumberGenerator(_Sobol):
    """Sobol' sequences of 32 bits; each state is one dimension.

    Parameters
    ----------
    dir_vector
        Result of `generate_direction_vectors`, with one row for each state.
    offset
        Number of points to skip at the start of each sequence.
    """

    state_type = "curandStateSobol32"
    _seed_type = "curandDirectionVectors32_t"
    _skip_word = "unsigned int"
    _prepare = (
        "(void)scrambles; curand_init((unsigned int *)seeds[t], "
        "(unsigned int)offset, states + t);"
    )
    _vectors = _drv.direction_vector_set.VECTOR_32

    def __init__(self, dir_vector: Any = None, offset: int = 0) -> None:
        super().__init__(dir_vector, None, offset)


class ScrambledSobol32RandomNumberGenerator(_Sobol):
    """Scrambled Sobol' sequences of 32 bits.

    Parameters
    ----------
    dir_vector, offset
        As for `Sobol32RandomNumberGenerator`.
    scramble_vector
        Result of `generate_scramble_constants32`, with one word for each
        state.
    """

    state_type = "curandStateScrambledSobol32"
    _seed_type = "curandDirectionVectors32_t"
    _skip_word = "unsigned int"
    _scrambled = True
    _prepare = (
        "curand_init((unsigned int *)seeds[t], scrambles[t], "
        "(unsigned int)offset, states + t);"
    )
    _vectors = _drv.direction_vector_set.SCRAMBLED_VECTOR_32


class Sobol64RandomNumberGenerator(_Sobol):
    """Sobol' sequences of 64 bits; see `Sobol32RandomNumberGenerator`."""

    state_type = "curandStateSobol64"
    generator_bits = 64
    _seed_type = "curandDirectionVectors64_t"
    _prepare = (
        "(void)scrambles; curand_init((unsigned long long *)seeds[t], "
        "(unsigned int)offset, states + t);"
    )
    _vectors = _drv.direction_vector_set.VECTOR_64

    def __init__(self, dir_vector: Any = None, offset: int = 0) -> None:
        super().__init__(dir_vector, None, offset)


class ScrambledSobol64RandomNumberGenerator(_Sobol):
    """Scrambled Sobol' sequences of 64 bits.

    The parameters are those of `ScrambledSobol32RandomNumberGenerator`.
    """

    state_type = "curandStateScrambledSobol64"
    generator_bits = 64
    _seed_type = "curandDirectionVectors64_t"
    _scrambled = True
    _prepare = (
        "curand_init((unsigned long long *)seeds[t], scrambles[t], "
        "(unsigned int)offset, states + t);"
    )
    _vectors = _drv.direction_vector_set.SCRAMBLED_VECTOR_64


def generate_direction_vectors(count: int, direction: Any = None) -> Any:
    """Return the direction vectors of the first `count` dimensions.

    Parameters
    ----------
    direction
        Member of `direction_vector_set`; default VECTOR_32.

    Returns
    -------
    GPUArray
        Shape (count, 32) of uint32, or (count, 64) of uint64.  Beyond 20000
        dimensions the table repeats.

    Raises
    ------
    TypeError
        If `direction` is no `direction_vector_set`.
    """
    kinds = _drv.direction_vector_set
    direction = kinds.VECTOR_32 if direction is None else direction
    tables = {
        kinds.VECTOR_32: (sobol.direction_vectors, 32),
        kinds.VECTOR_64: (sobol.direction_vectors, 64),
        kinds.SCRAMBLED_VECTOR_32: (sobol.scrambled_vectors, 32),
        kinds.SCRAMBLED_VECTOR_64: (sobol.scrambled_vectors, 64),
    }
    if direction not in tables:
        raise TypeError(
            f"direction must be a direction_vector_set, not {direction!r}"
        )
    make, bits = tables[direction]
    table = make(bits)
    return _gpuarray.to_gpu(table[np.arange(count) % sobol.DIMENSIONS])


def _scramble_constants(count: int, bits: int) -> Any:
    return _gpuarray.to_gpu(sobol.scramble_constants(count, bits))


def generate_scramble_constants32(count: int) -> Any:
    """Return `count` uint32 scramble constants as a GPUArray."""
    return _scramble_constants(count, 32)


def generate_scramble_constants64(count: int) -> Any:
    """Return `count` uint64 scramble constants as a GPUArray."""
    return _scramble_constants(count, 64)
