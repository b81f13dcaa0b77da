"""Modules and the linker: images, names, logs, files."""

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("context")

SOURCE = """
__device__ int counter = 3;
__constant__ float table[4];
__global__ void count(int *out) { out[0] = counter; }
__global__ void look(float *out) { out[threadIdx.x] = table[threadIdx.x]; }
"""


@pytest.fixture(scope="module")
def image(context: Any) -> bytes:
    from pycuda.compiler import compile

    return compile(SOURCE)


def counted(drv: Any, module: Any) -> int:
    out = drv.to_device(np.zeros(1, np.int32))
    module.get_function("count")(out, block=(1, 1, 1))
    return int(drv.from_device(out, 1, np.int32)[0])


def test_module_from_buffer(drv: Any, image: bytes, tmp_path: Path) -> None:
    for given in (image, bytearray(image), memoryview(image)):
        assert counted(drv, drv.module_from_buffer(given)) == 3
    path = tmp_path / "module.bin"
    path.write_bytes(image)
    assert counted(drv, drv.module_from_file(str(path))) == 3
    with pytest.raises(drv.RuntimeError, match="cuModuleLoad failed: file n"):
        drv.module_from_file(filename=str(tmp_path / "none.bin"))
    with pytest.raises(TypeError):
        drv.module_from_buffer("text")


def test_options_and_handler(drv: Any, image: bytes) -> None:
    told: list[Any] = []
    module = drv.module_from_buffer(
        image,
        options=[(drv.jit_option.OPTIMIZATION_LEVEL, 2)],
        message_handler=lambda *values: told.append(values),
    )
    assert counted(drv, module) == 3
    assert len(told) == 1 and told[0][0] is True
    assert all(isinstance(text, str) for text in told[0][1:])


def test_globals(drv: Any, image: bytes) -> None:
    module = drv.module_from_buffer(image)
    address, size = module.get_global("counter")
    assert size == 4
    drv.memcpy_htod(address, np.int32(9))
    assert counted(drv, module) == 9
    assert counted(drv, drv.module_from_buffer(image)) == 3  # its own variable
    table, size = module.get_global("table")
    assert size == 16
    drv.memcpy_htod(table, np.arange(4, dtype=np.float32))
    out = drv.mem_alloc(16)
    module.get_function("look")(out, block=(4, 1, 1))
    assert drv.from_device(out, 4, np.float32).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "method", ["get_function", "get_global", "get_texref", "get_surfref"]
)
def test_names_that_are_not_there(drv: Any, image: bytes, method: str) -> None:
    module = drv.module_from_buffer(image)
    with pytest.raises(drv.LogicError, match="named symbol not found"):
        getattr(module, method)("nowhere")
    with pytest.raises(TypeError):
        getattr(module, method)(5)


def test_functions_keep_their_module(drv: Any, image: bytes) -> None:
    import gc

    function = drv.module_from_buffer(image).get_function("count")
    gc.collect()
    out = drv.to_device(np.zeros(1, np.int32))
    function(out, block=(1, 1, 1))
    assert drv.from_device(out, 1, np.int32)[0] == 3
    assert function.__name__ == "count"


@pytest.mark.cpu  # NVIDIA's driver has messages of its own
def test_images_that_are_cut_off_or_damaged(drv: Any, image: bytes) -> None:
    for length in [1, 7, 8, 9, 100, *range(111, len(image), 97)]:
        with pytest.raises(drv.LogicError, match="the image is truncated"):
            drv.module_from_buffer(image[:length])
    for place in range(0, len(image), 61):
        damaged = bytearray(image)
        damaged[place] ^= 0x55
        with pytest.raises(drv.LogicError, match="cuModuleLoadDataEx failed"):
            drv.module_from_buffer(bytes(damaged))
    assert counted(drv, drv.module_from_buffer(image + b"more")) == 3


@pytest.mark.parametrize("bad", [b"", b"no image", b"\x7fELF" + bytes(100)])
def test_bad_images(drv: Any, bad: bytes) -> None:
    with pytest.raises(drv.Error, match="cuModuleLoadData"):
        drv.module_from_buffer(bad)


@pytest.fixture(scope="module")
def relocatable(context: Any) -> bytes:
    from pycuda.compiler import compile

    return compile(SOURCE, options=["-rdc=true"])


def test_link(drv: Any, relocatable: bytes, tmp_path: Path) -> None:
    told: list[Any] = []
    linker = drv.Linker(lambda *values: told.append(values))
    linker.add_data(relocatable, drv.jit_input_type.CUBIN, name="first")
    module = linker.link_module()
    assert counted(drv, module) == 3
    assert told and told[-1][0] is True
    path = tmp_path / "part.bin"
    path.write_bytes(relocatable)
    for repeated in (
        lambda: linker.add_data(relocatable, drv.jit_input_type.CUBIN),
        lambda: linker.add_file(str(path), drv.jit_input_type.CUBIN),
        linker.link_module,
    ):
        with pytest.raises(drv.LogicError, match="was called before"):
            repeated()
    linker = drv.Linker()
    linker.add_file(str(path), drv.jit_input_type.CUBIN)
    assert counted(drv, linker.link_module()) == 3


def test_link_errors(drv: Any, image: bytes, tmp_path: Path) -> None:
    told: list[Any] = []
    linker = drv.Linker(lambda *values: told.append(values), None, True)
    with pytest.raises(drv.Error, match="cuLinkAddData"):
        linker.add_data(b"no image", drv.jit_input_type.CUBIN)
    assert told and told[0][0] is False
    with pytest.raises(drv.RuntimeError, match="-rdc=true"):
        drv.Linker().add_data(image, drv.jit_input_type.CUBIN)
    with pytest.raises(drv.Error, match="cuLinkAddFile"):
        drv.Linker().add_file(str(tmp_path / "none"), drv.jit_input_type.CUBIN)
    with pytest.raises(TypeError):
        drv.Linker(message_handler=None)
    with pytest.raises(TypeError):
        drv.Linker().add_data("text", drv.jit_input_type.CUBIN)


@pytest.mark.parametrize("number", [3, 4, 5, 6])
def test_options_of_log_buffers(drv: Any, image: bytes, number: int) -> None:
    options = [(number, 1)]
    with pytest.raises(ValueError, match=f"{number}.*message_handler"):
        drv.module_from_buffer(image, options=options)
    with pytest.raises(ValueError, match="message_handler"):
        drv.Linker(None, options)


@pytest.mark.cpu  # NVIDIA's linker accepts nothing after an error
def test_logs_are_of_their_call(drv: Any, relocatable: bytes) -> None:
    told: list[Any] = []
    linker = drv.Linker(lambda *values: told.append(values))
    with pytest.raises(drv.LogicError, match="(not|nor) an image"):
        linker.add_data(b"no image", drv.jit_input_type.CUBIN)
    linker.add_data(relocatable, drv.jit_input_type.CUBIN)
    assert counted(drv, linker.link_module()) == 3
    assert told[0][2] and told[-1] == (True, "", "")


@pytest.mark.gpu
def test_an_image_of_the_cpu_device_says_so(drv: Any) -> None:
    """Programs that store their images next to them may be moved."""
    head = struct.pack("<QIIQ", 0x474D495543590C, 4, 1, 256)
    with pytest.raises(drv.Error, match="image for the CPU device"):
        drv.module_from_buffer(head.ljust(256, b"\0"))
