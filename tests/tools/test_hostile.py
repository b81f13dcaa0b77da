"""Arguments of every kind raise an exception at worst."""

# SPDX-License-Identifier: MIT

import builtins
import random
import warnings

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import compiler, tools
from pycuda.compyte import array, dtypes

pytestmark = pytest.mark.usefixtures("context")

VALUES = [
    None, 0, 1, -1, 2**40, 2**70, -(2**70), 1.5, float("nan"), "", "x",
    "float *x", b"abc", b"\xff\0", [], [1], ["-w"], [None], (), ("-DX",), {},
    {"a": 1}, object(), np.int64(3), np.float32(2), np.zeros(3),
    np.dtype("f4"), "f4", int, True, "\0", "\udcff", "a" * 5000, range(3),
    "__global__ void f() {}", '#include "/dev/null"\n', "/*", '"', 'R"(',
    "#include </proc/self/mem>\n", '#include "/"\n', "#include X\n",
    'extern "C" {', "}", "%s%n", ["-I/dev/zero"], ["-include", "/dev/null"],
    ["-optf", "/dev/null"], ["-I\0"], ["-D\0"], ["\udcff"], "\u00fc",
]  # fmt: skip
SETTINGS = (
    "options", "no_extern_c", "arch", "code", "include_dirs", "target",
    "name_expressions",
)  # fmt: skip
EXPECTED = (
    TypeError, ValueError, KeyError, OverflowError, AssertionError, OSError,
    builtins.RuntimeError, builtins.MemoryError, drv.Error,
)  # fmt: skip


def functions():
    """Return the functions to call with the values above."""
    pool, host = tools.DeviceMemoryPool(), tools.PageLockedMemoryPool()
    return [
        tools.bitlog2, tools.dtype_to_ctype, tools.parse_c_arg,
        tools.get_arg_type, dtypes.DTypeRegistry().get_or_register_dtype,
        tools.ScalarArg, tools.VectorArg, tools.PageLockedAllocator,
        tools.PageLockedMemoryPool, pool.bin_number, pool.alloc_size,
        host.bin_number, host.alloc_size, host.allocate,
        tools.match_dtype_to_c_struct, array.c_contiguous_strides,
        array.equal_strides, compiler.DynamicModule,
        lambda *a: pool.allocate(*a).free(),
        lambda *a: str(drv.CompileError(*a)),
        lambda *a: compiler.DynamicModule().add_data(*a),
        lambda *a: compiler.DynamicModule().add_source(*a),
        lambda *a: compiler.DynamicModule().add_stdlib(*a),
    ]  # fmt: skip


def hostile_calls(seed, count):
    """Call at random; return exceptions that a user does not expect."""
    chance = random.Random(seed)
    called, wrong = functions(), []
    before = repr(VALUES)
    for _ in range(count):
        if chance.random() < 0.1:
            function = chance.choice([compiler.compile, compiler.SourceModule])
            arguments = [chance.choice(VALUES)]
            names = chance.sample(SETTINGS, chance.randrange(3))
            settings = {name: chance.choice(VALUES) for name in names}
            settings["cache_dir"] = False
        else:
            function = chance.choice(called)
            number = chance.randrange(4)
            arguments = [chance.choice(VALUES) for _ in range(number)]
            settings = {}
        try:
            function(*arguments, **settings)
        except EXPECTED:
            pass
        except Exception as error:
            wrong.append((function, arguments, settings, error))
    if repr(VALUES) != before:
        wrong.append("an argument was changed")
    return wrong


def test_hostile_arguments():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert hostile_calls(1, 600) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 6))
def test_many_hostile_arguments(seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert hostile_calls(seed, 2500) == []


def test_names_of_types():
    registry = dtypes.DTypeRegistry()
    for names in ((), [], [3], [None, "x"]):
        with pytest.raises(ValueError, match="names of a C type"):
            registry.get_or_register_dtype(names, np.int32)


def test_architectures_are_strings():
    for setting in ("arch", "code"):
        with pytest.raises(TypeError, match=f"{setting} must be a string"):
            compiler.compile("", **{setting: 90})
