"""When a source is compiled with CCCL's headers, and how they are found."""

# SPDX-License-Identifier: MIT

import os

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda._compile import cccl
from pycuda.compiler import SourceModule, compile

pytestmark = pytest.mark.usefixtures("context")

needs_cccl = pytest.mark.skipif(
    cccl.folder() is None, reason=f"CCCL is not installed: {cccl.INSTALL}"
)
SUM = """
__global__ void kernel(int *x)
{
    using Reduce = cub::BlockReduce<int, 64>;
    __shared__ Reduce::TempStorage storage;
    int sum = Reduce(storage).Sum(x[threadIdx.x]);
    if (threadIdx.x == 0) {
        x[0] = sum + ADDED;
    }
}
"""


def total(head: str, added: int = 0, **settings: object) -> int:
    """Run `SUM` after the lines `head`, for 64 ones."""
    source = SUM.replace("ADDED", str(added))
    module = SourceModule(head + source, cache_dir=False, **settings)
    x = np.ones(64, "i4")
    module.get_function("kernel")(drv.InOut(x), block=(64, 1, 1))
    return int(x[0])


@pytest.fixture
def absent(monkeypatch, tmp_path):
    monkeypatch.setenv(cccl.VARIABLE, str(tmp_path))


@pytest.fixture
def folder(monkeypatch, tmp_path):
    monkeypatch.setenv("PYCUDA_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / "front"


@needs_cccl
@pytest.mark.parametrize("name", ["block/block_reduce", "cub"])
@pytest.mark.parametrize(
    "head", ["#include <cub/{}.cuh>\n", "// CUB\n\n#include <cub/{}.cuh>\n"]
)
def test_leading_includes_stay_outside_extern_c(head, name):
    assert total(head.format(name)) == 64


@needs_cccl
def test_a_header_of_the_user_includes_cub(tmp_path):
    header = "#pragma once\n#include <cub/block/block_reduce.cuh>\n"
    (tmp_path / "own.h").write_text(header)
    found = total(
        '#include "own.h"\nextern "C"',
        no_extern_c=True,
        include_dirs=[str(tmp_path)],
    )
    assert found == 64


@needs_cccl
@pytest.mark.cpu
def test_sources_that_begin_with_cub_share_a_precompiled_header(folder):
    head = "#include <cub/block/block_reduce.cuh>\n"
    assert total(head, 1) == 65
    made = sorted(os.listdir(folder))
    assert len(made) == 2  # the language's and CUB's
    assert total(head, 2) == 66
    assert total(head, 3, options=["-DOTHER=1"]) == 67
    assert sorted(os.listdir(folder)) == made
    # A macro that CUB tests.
    assert total(head, 4, options=["-DCUB_OWN=1"]) == 68
    assert sorted(os.listdir(folder)) == made


@needs_cccl
def test_device_wide_algorithms_name_those_of_the_package():
    source = """#include <cub/cub.cuh>
__global__ void kernel(int *x) { cub::DeviceReduce::Sum(0, 0, x, x, 1); }
"""
    with pytest.raises(drv.CompileError, match="ReductionKernel"):
        SourceModule(source)


LIBRARY = """#include <cub/block/block_reduce.cuh>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/functional>
#include <cuda/pipeline>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/expected>
#include <cuda/std/inplace_vector>
#include <cuda/std/mdspan>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/variant>
#include <thrust/complex.h>
#include <thrust/functional.h>
#include <thrust/tuple.h>
__global__ void kernel(float *x)
{
    __shared__ float shared[64];
    int i = threadIdx.x;
    shared[i] = x[i];
    __syncthreads();
    cuda::std::inplace_vector<float, 4> values;
    values.push_back(shared[63 - i]);
    cuda::std::complex<float> z(values[0], 1.0f);
    cuda::std::variant<int, float> v = cuda::std::norm(z);
    cuda::atomic_ref<float, cuda::thread_scope_device> count(x[64]);
    count.fetch_add(1.0f);
    x[i] = cuda::std::get<float>(v);
}
"""


@needs_cccl
def test_headers_of_libcu():
    x = np.arange(65, dtype="f4")
    x[64] = 0
    module = SourceModule(LIBRARY)
    module.get_function("kernel")(drv.InOut(x), block=(64, 1, 1))
    assert x.tolist() == [(63 - i) ** 2 + 1 for i in range(64)] + [64]


BARRIER = """#include <cub/block/block_reduce.cuh>
#include <cuda/barrier>
__global__ void kernel(float *x)
{
    using Barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ Barrier barrier;
    __shared__ float shared[64];
    int i = threadIdx.x;
    if (i == 0) {
        init(&barrier, blockDim.x);
    }
    __syncthreads();
    shared[i] = x[i];
    barrier.arrive_and_wait();
    x[i] = shared[63 - i];
}
"""


@needs_cccl
def test_barriers_of_libcu():
    x = np.arange(64, dtype="f4")
    module = SourceModule(BARRIER)
    module.get_function("kernel")(drv.InOut(x), block=(64, 1, 1))
    assert x.tolist() == list(range(63, -1, -1))


OWN = """#include <cuda/std/complex>
#include <thrust/complex.h>
#if defined(CCCL_VERSION) || defined(_CCCL_VERSION)
#error "CCCL is in use"
#endif
__global__ void kernel(cuda::std::complex<float> *z) { *z *= *z; }
"""


@pytest.mark.cpu
def test_sources_without_cub_use_the_headers_of_the_package():
    compile(OWN, no_extern_c=True, cache_dir=False)


@pytest.mark.cpu
def test_headers_of_the_package_need_no_cccl(absent):
    compile(OWN, no_extern_c=True, cache_dir=False)
    compile("#include <cub/cub.cuh>\n__global__ void kernel() {}")


@pytest.mark.cpu
@pytest.mark.parametrize(
    "source",
    [
        "#include <cub/block/block_reduce.cuh>\n" + SUM,
        "#include <cub/block/block_other.cuh>\n",
        "#include <cuda/std/inplace_vector>\n",
    ],
)
def test_the_error_without_cccl_names_the_command(absent, source):
    with pytest.raises(drv.CompileError, match=cccl.INSTALL) as caught:
        compile(source, cache_dir=False)
    assert f'"{cccl.INSTALL}"' in caught.value.stderr  # the library's note


@needs_cccl
def test_a_folder_of_the_user(monkeypatch, absent):
    monkeypatch.delenv(cccl.VARIABLE)
    own = cccl.folder()
    monkeypatch.setenv(cccl.VARIABLE, "/nowhere")
    head = "#include <cub/block/block_reduce.cuh>\n"
    assert total(head, include_dirs=[own]) == 64


@needs_cccl
def test_the_version_is_part_of_the_cache_key(monkeypatch):
    names = ["<cub/cub.cuh>"]
    found = cccl.identity(names)
    assert cccl.version(cccl.folder()).encode() in found
    assert cccl.identity(["<stdio.h>"]) == b""
    monkeypatch.setenv(cccl.VARIABLE, "/nowhere")
    assert cccl.identity(names) != found
