"""Each name of interface.txt, called with an error: exception and message.

`pycuda.compiler`, `pycuda.tools` and the small modules; tests/driver has a
file like this one for the driver.
"""

# SPDX-License-Identifier: MIT

import io
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pycuda import _pvt_struct, characterize, compiler, tools
from pycuda import driver as drv
from pycuda.compyte import array, dtypes

pytestmark = pytest.mark.usefixtures("context")

LIST = Path(__file__).parent / "interface.txt"
SOURCE = "__global__ void one(int *x) { *x = 1; }"
BROKEN = "this is no C"
TEXT = np.dtype("S3")
UNMAPPED = r"unable to map dtype '\|?S3'"
UNKNOWN = "unknown type 'nonsense'"
NO_TYPE = "data type 'nonsense' not understood"
NO_ATTRIBUTE = "object has no attribute"
BINARY = drv.jit_input_type.CUBIN


def devdata() -> Any:
    return tools.DeviceData(drv.Device(0))


def debug_pool() -> Any:
    return tools.DebugMemoryPool(interactive=False, logfile=io.StringIO())


Row = tuple[type[BaseException], str, Callable[[], Any]]
FAILED = "(?:nvrtc|clang) compilation of kernel.cu failed"

# fmt: off
COMPILER: dict[str, Row] = {
    "compile": (AssertionError, "target must be one of",
        lambda: compiler.compile(SOURCE, target="nonsense")),
    "compile_plain": (drv.CompileError, FAILED,
        lambda: compiler.compile_plain(BROKEN, [], False, "nvcc", None)),
    "preprocess_source": (drv.CompileError, "nowhere.h",
        lambda: compiler.preprocess_source(
            "#include <nowhere.h>", [], "nvcc")),
    "CudaModule._bind_module": (AttributeError, "module",
        lambda: compiler.CudaModule()._bind_module()),
    "CudaModule.get_function": (AttributeError, "module",
        lambda: compiler.CudaModule().get_function("one")),
    "SourceModule": (drv.CompileError, FAILED,
        lambda: compiler.SourceModule(BROKEN)),
    "SourceModule.get_function": (drv.LogicError, "not found - two",
        lambda: compiler.SourceModule(SOURCE).get_function("two")),
    "DynamicModule": (TypeError, "not iterable",
        lambda: compiler.DynamicModule(link_options=5)),
    "DynamicModule.add_source": (drv.CompileError, FAILED,
        lambda: compiler.DynamicModule().add_source(BROKEN)),
    "DynamicModule.add_data": (drv.Error, "cuLinkAddData failed",
        lambda: compiler.DynamicModule().add_data(b"no image", BINARY)),
    "DynamicModule.add_file": (drv.Error, "cuLinkAddFile failed",
        lambda: compiler.DynamicModule().add_file("/nonexistent", BINARY)),
    "DynamicModule.add_stdlib": ((OSError, RuntimeError), "librar",
        lambda: compiler.DynamicModule().add_stdlib("nothing")),
    "DynamicModule.link": (RuntimeError, r"link\(\) was called before",
        lambda: compiler.DynamicModule().add_source(
            SOURCE, ["-rdc=true"]).link().link()),
    "DynamicModule.get_function": (RuntimeError, r"call link\(\) before",
        lambda: compiler.DynamicModule().get_function("one")),
    "DynamicSourceModule": (drv.CompileError, FAILED,
        lambda: compiler.DynamicSourceModule(BROKEN)),
    "CompileError": (TypeError, "missing 1 required positional argument",
        lambda: drv.CompileError()),
    "PooledDeviceAllocation.free": (
        drv.LogicError, "pooled_device_allocation::free failed",
        lambda: twice(tools.DeviceMemoryPool().allocate(4).free)),
    "PooledHostAllocation.free": (
        drv.LogicError, "pooled_host_allocation::free failed",
        lambda: twice(tools.PageLockedMemoryPool().allocate(
            4, "u1").base.free)),
}

TOOLS: dict[str, Row] = {
    "Argument": (TypeError, NO_TYPE, lambda: tools.Argument("nonsense", "x")),
    "ScalarArg": (TypeError, NO_TYPE,
        lambda: tools.ScalarArg("nonsense", "x")),
    "ScalarArg.declarator": (ValueError, UNMAPPED,
        lambda: tools.ScalarArg(TEXT, "x").declarator()),
    "VectorArg": (TypeError, NO_TYPE,
        lambda: tools.VectorArg("nonsense", "x")),
    "VectorArg.declarator": (ValueError, UNMAPPED,
        lambda: tools.VectorArg(TEXT, "x").declarator()),
    "DebugMemoryPool": (TypeError, "interactively",
        lambda: tools.DebugMemoryPool(interactively=True)),
    "DebugMemoryPool.allocate": (TypeError, "interpreted as an integer",
        lambda: debug_pool().allocate("4")),
    "DeviceData": (AttributeError, NO_ATTRIBUTE,
        lambda: tools.DeviceData(5)),
    "DeviceData.align_bytes": (ValueError, "no alignment .* word size 5",
        lambda: devdata().align_bytes(5)),
    "DeviceData.align": (ValueError, "no alignment .* word size 3",
        lambda: devdata().align(5, word_size=3)),
    "DeviceData.align_words": (ValueError, "no alignment .* word size 5",
        lambda: devdata().align_words(5)),
    "DeviceData.align_dtype": (ValueError, "no alignment .* word size 5",
        lambda: devdata().align_dtype(5, 5)),
    "DeviceData.coalesce": (TypeError, "str",
        lambda: devdata().coalesce("16")),
    "DeviceData.make_valid_tex_channel_count": (
        ValueError, "could not find texture channel count",
        lambda: tools.DeviceData.make_valid_tex_channel_count(5)),
    "DeviceMemoryPool.allocate": (TypeError, "interpreted as an integer",
        lambda: tools.DeviceMemoryPool().allocate("4")),
    "DeviceMemoryPool.bin_number": (OverflowError, "negative",
        lambda: tools.DeviceMemoryPool().bin_number(-1)),
    "DeviceMemoryPool.alloc_size": (ValueError, "bin 5000 is beyond",
        lambda: tools.DeviceMemoryPool().alloc_size(5000)),
    "OccupancyRecord": (ValueError, "one thread at least, not 0",
        lambda: tools.OccupancyRecord(devdata(), 0)),
    "PageLockedMemoryPool.allocate": (TypeError, NO_TYPE,
        lambda: tools.PageLockedMemoryPool().allocate(4, "nonsense")),
    "PageLockedMemoryPool.bin_number": (OverflowError, "negative",
        lambda: tools.PageLockedMemoryPool().bin_number(-1)),
    "PageLockedMemoryPool.alloc_size": (ValueError, "bin 5000 is beyond",
        lambda: tools.PageLockedMemoryPool().alloc_size(5000)),
    "base_dtype_to_ctype": (ValueError, UNMAPPED,
        lambda: tools.base_dtype_to_ctype(TEXT)),
    "bitlog2": (ValueError, "invalid literal", lambda: tools.bitlog2("x")),
    "context_dependent_memoize": (TypeError, "unhashable type: 'list'",
        lambda: tools.context_dependent_memoize(len)([])),
    "dtype_to_ctype": (ValueError, UNMAPPED,
        lambda: tools.dtype_to_ctype(TEXT)),
    "get_arg_type": (ValueError, UNKNOWN,
        lambda: tools.get_arg_type("nonsense *x")),
    "get_default_device": (drv.LogicError, "cuDeviceGet failed",
        lambda: tools.get_default_device(1000)),
    "get_or_register_dtype": (RuntimeError, "'int' already registered to dif",
        lambda: tools.get_or_register_dtype("int", np.float32)),
    "make_default_context": (TypeError, "not callable",
        lambda: tools.make_default_context(5)),
    "mark_cuda_test": (TypeError, "not callable",
        lambda: tools.mark_cuda_test(5)()),
    "parse_c_arg": (ValueError, "couldn't parse C declarator 'nonsense'",
        lambda: tools.parse_c_arg("nonsense")),
    "register_dtype": (RuntimeError, "is already registered",
        lambda: tools.register_dtype(np.float32, "float")),
}

SMALL: dict[str, Row] = {
    "sizeof": (drv.CompileError, FAILED,
        lambda: characterize.sizeof("int", preamble="#error no")),
    "ArrayFlags": (AttributeError, NO_ATTRIBUTE,
        lambda: array.ArrayFlags(5)),
    "bound": (AttributeError, NO_ATTRIBUTE, lambda: array.bound(5)),
    "c_contiguous_strides": (TypeError, "not iterable|not reversible|object",
        lambda: array.c_contiguous_strides(4, 5)),
    "f_contiguous_strides": (TypeError, "not iterable",
        lambda: array.f_contiguous_strides(4, 5)),
    "equal_strides": (TypeError, "not iterable|object",
        lambda: array.equal_strides(5, (1,), (3,))),
    "get_common_dtype": (TypeError, NO_TYPE,
        lambda: array.get_common_dtype("nonsense", 1, True)),
    "is_c_contiguous_strides": (TypeError, "'int' object",
        lambda: array.is_c_contiguous_strides((1,), 4, 5)),
    "is_f_contiguous_strides": (TypeError, "'int' object",
        lambda: array.is_f_contiguous_strides((1,), 4, 5)),
    "may_share_memory": (AttributeError, NO_ATTRIBUTE,
        lambda: array.may_share_memory(1, 2)),
    "DTypeRegistry.dtype_to_ctype": (ValueError, "unable to map dtype",
        lambda: dtypes.DTypeRegistry().dtype_to_ctype(np.dtype("f4"))),
    "DTypeRegistry.get_or_register_dtype": (KeyError, "nonsense",
        lambda: dtypes.DTypeRegistry().get_or_register_dtype("nonsense")),
    "fill_registry_with_c99_complex_types": (AttributeError, NO_ATTRIBUTE,
        lambda: dtypes.fill_registry_with_c99_complex_types(5)),
    "fill_registry_with_c99_stdint_types": (AttributeError, NO_ATTRIBUTE,
        lambda: dtypes.fill_registry_with_c99_stdint_types(5)),
    "fill_registry_with_c_types": (AttributeError, NO_ATTRIBUTE,
        lambda: dtypes.fill_registry_with_c_types(5, False)),
    "fill_registry_with_opencl_c_types": (AttributeError, NO_ATTRIBUTE,
        lambda: dtypes.fill_registry_with_opencl_c_types(5)),
    "parse_c_arg_backend": (ValueError, "couldn't parse C declarator 'x'",
        lambda: dtypes.parse_c_arg_backend("x", None, None)),
    "calcsize": (_pvt_struct.error, "bad char in struct format",
        lambda: _pvt_struct.calcsize("!")),
    "pack": (_pvt_struct.error, "not an integer",
        lambda: _pvt_struct.pack("i", "x")),
    "pack_into": (_pvt_struct.error, "a buffer of at least 4 bytes",
        lambda: _pvt_struct.pack_into("i", bytearray(2), 0, 1)),
    "unpack": (_pvt_struct.error, "a buffer of 4 bytes",
        lambda: _pvt_struct.unpack("i", b"12")),
    "unpack_from": (_pvt_struct.error, "a buffer of at least 4 bytes",
        lambda: _pvt_struct.unpack_from("i", b"12", 0)),
}
# fmt: on
ROWS = COMPILER | TOOLS | SMALL

# Calls without possible errors: no arguments, or any value is valid.
_CANNOT_FAIL = """
get_nvcc_version CudaModule CudaModule._check_arch
clear_context_caches init_cuda_context_fixture
DeviceMemoryPool.free_held DeviceMemoryPool.stop_holding
PageLockedMemoryPool.free_held PageLockedMemoryPool.stop_holding
has_double_support has_stack platform_bits DTypeRegistry main
"""
# Data, classes without arguments, and properties.
_NO_CALLS = """
VERSION VERSION_STATUS VERSION_TEXT DEFAULT_NVCC_FLAGS
PooledDeviceAllocation PooledHostAllocation ScalarArg.struct_char
VectorArg.struct_char context_dependent_memoized_functions as_strided
DTYPE_TO_NAME NAME_TO_DTYPE TYPE_REGISTRY TypeNameNotKnown CLUDA_PREAMBLE
Struct error DeviceMemoryPool PageLockedAllocator PageLockedMemoryPool
DeviceMemoryPool.held_blocks DeviceMemoryPool.active_blocks
DeviceMemoryPool.managed_bytes DeviceMemoryPool.active_bytes
PageLockedMemoryPool.held_blocks PageLockedMemoryPool.active_blocks
PageLockedMemoryPool.managed_bytes PageLockedMemoryPool.active_bytes
"""


def twice(call: Callable[[], Any]) -> None:
    call()
    call()


def listed() -> Iterator[str]:
    """Return names in the list, without arguments."""
    for line in LIST.read_text().splitlines():
        if line and line[0] not in "#[":
            yield line.partition("(")[0]


@pytest.mark.parametrize("name", ROWS)
def test_wrong_call(name: str) -> None:
    error, text, call = ROWS[name]
    if name == "preprocess_source" and shutil.which("nvcc") is None:
        error, text = FileNotFoundError, "needs nvcc"
    elif name == "preprocess_source" and shutil.which("gcc") is None:
        pytest.skip("nvcc needs a C compiler")
    with pytest.raises(error, match=text):
        call()


def test_every_name_has_a_row() -> None:
    free = set(_CANNOT_FAIL.split()) | set(_NO_CALLS.split())
    assert set(listed()) - set(ROWS) == free
    assert set(ROWS) - set(listed()) == set()
