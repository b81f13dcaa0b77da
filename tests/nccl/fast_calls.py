"""Calls of communicators in C, compared with the Python methods.

Run as ``fast_calls.py [observe]``; prints each wrong check and exits with
their number. With ``observe``, the package observes the calls, as it does
where NCCL has no time limit.

SPDX-License-Identifier: MIT
"""

import inspect
import sys
import weakref
from pathlib import Path

import numpy as np
from ranks import ranks  # the folder of this file

import pycuda
import pycuda.driver as drv
from pycuda import gpuarray, nccl

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

drv.init()
SIZE = min(4, drv.Device.count())
PACKAGE = str(Path(pycuda.__file__).parent)
DTYPES = [
    np.dtype(name)
    for name in ("?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "q",
                 "Q", "f2", "f4", "f8", "g", "c8", "c16", ">i4", ">f8",
                 "M8[s]", "V3")
]  # fmt: skip
if ml_dtypes is not None:
    DTYPES += [np.dtype(ml_dtypes.bfloat16), np.dtype(ml_dtypes.float8_e5m2)]
OPS = ("sum", "prod", "max", "min", "avg", 0, 4, True)
REDUCTIONS = ("all_reduce", "reduce", "reduce_scatter")
#: Lengths of the first axis of the result, if each rank sends SIZE rows.
RESULTS = {
    "all_reduce": SIZE, "reduce": SIZE, "reduce_scatter": 1,
    "all_gather": SIZE * SIZE, "gather": SIZE * SIZE, "all_to_all": SIZE,
    "scatter": 1,
}  # fmt: skip


def in_python(name):
    """Return the Python method that has the fast path `name`."""
    return inspect.unwrap(getattr(nccl.Communicator, name))


def data(rank, dtype, shape=(SIZE, 3)):
    """Return an array of a rank: small numbers, whose sums are exact.

    In unsigned dtypes, the negative ones are the largest.
    """
    numbers = np.random.default_rng(rank).integers(-2, 3, shape, np.int8)
    if dtype.kind in "MV" and dtype.itemsize in (3, 8):
        return np.repeat(numbers, dtype.itemsize, -1).view(dtype)
    return numbers.astype(dtype)


def outcome(call, *arguments, **named):
    """Return the bytes of a result, or the class and text of an error."""
    try:
        result = call(*arguments, **named)
    except Exception as error:
        return type(error), str(error)
    if result is None:
        return None
    return result.dtype, result.shape, result.get().tobytes()


def frames(call):
    """Return the names of the package's Python functions in a call."""
    found = []

    def note(frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE):
            found.append(code.co_qualname if hasattr(code, "co_qualname")
                         else code.co_name)  # fmt: skip

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return found


def same(comm, name, *arguments, **named):
    """Compare a call in C with the same call in Python."""

    def new():
        return [gpuarray.to_gpu(a) if isinstance(a, np.ndarray) else a
                for a in arguments]  # fmt: skip

    actual = outcome(getattr(comm, name), *new(), **named)
    wanted = outcome(in_python(name), comm, *new(), **named)
    assert actual == wanted, (name, arguments, named, actual, wanted)
    return actual


def values(comm):
    for dtype in DTYPES:
        sent = data(comm.rank, dtype)
        for name in RESULTS:
            for op in OPS if name in REDUCTIONS else (None,):
                named = {} if op is None else {"op": op}
                if name in ("reduce", "gather", "scatter"):
                    named["root"] = SIZE - 1
                recv = np.zeros((RESULTS[name], 3), dtype)
                same(comm, name, sent, recv, **named)
                if name != "scatter":
                    same(comm, name, sent, **named)
        received = same(comm, "broadcast", sent, SIZE - 1)[2]
        np.testing.assert_array_equal(  # long doubles have unused bytes
            np.frombuffer(received, dtype), data(SIZE - 1, dtype).ravel()
        )


def shapes(comm):
    for shape in ((), (SIZE,), (2 * SIZE, 1, 2), (SIZE, 1, 2, 3, 1, 2), (0,)):
        sent = data(comm.rank, np.dtype("f4"), shape)
        for name in ("all_reduce", "all_gather", "reduce_scatter",
                     "all_to_all", "gather"):  # fmt: skip
            same(comm, name, sent)
        # an array of another shape and the same size
        same(comm, "all_gather", sent, np.zeros(sent.size * SIZE, "f4"))
    many = data(comm.rank, np.dtype("f4"), (1,) * 31)
    same(comm, "all_gather", many)


def in_place(comm):
    for name in ("all_reduce", "all_to_all"):
        array = gpuarray.to_gpu(data(comm.rank, np.dtype("i4")))
        before = array.get()
        assert getattr(comm, name)(array, array) is array
        got = array.get()
        array.set(before)
        in_python(name)(comm, array, recv=array)
        np.testing.assert_array_equal(got, array.get())


def no_frames(comm):
    stream = drv.Stream()
    a = gpuarray.zeros((SIZE, 3), np.float32)
    b = gpuarray.zeros((SIZE, SIZE, 3), np.float32)
    part = gpuarray.zeros((1, 3), np.float32)
    root = SIZE - 1

    def messages():
        with nccl.group():
            comm.send(a, (comm.rank + 1) % SIZE)
            comm.recv(b[0], peer=(comm.rank - 1) % SIZE)

    calls = {
        "all_reduce": lambda: comm.all_reduce(a),
        "all_reduce, recv": lambda: comm.all_reduce(a, a, "max"),
        "all_reduce, named": lambda: comm.all_reduce(send=a, op="min"),
        "all_reduce, stream": lambda: comm.all_reduce(a, stream=stream),
        "reduce": lambda: comm.reduce(a, root=root),
        "broadcast": lambda: comm.broadcast(a),
        "all_gather": lambda: comm.all_gather(a),
        "all_gather, recv": lambda: comm.all_gather(a, b),
        "gather": lambda: comm.gather(a, None, root),
        "reduce_scatter": lambda: comm.reduce_scatter(a, op="avg"),
        "all_to_all": lambda: comm.all_to_all(a, None),
        "scatter": lambda: comm.scatter(a, part),
        "messages": messages,
    }
    for name, call in calls.items():
        call()
        assert frames(call) == [], (name, frames(call))
        drv.Context.synchronize()
    # a call that C declines, as a check of the check
    assert "_exchange" in str(frames(lambda: comm.all_reduce(a[:, ::-1])))


def errors(comm):
    class Other:
        __cuda_array_interface__ = None

    f4 = np.dtype("f4")
    sent, odd = data(0, f4), data(0, f4, (SIZE + 1, 5))
    cases = [
        ("all_reduce",), ("all_reduce", sent, None, "sum", None, 1),
        ("all_reduce", 3), ("all_reduce", None), ("all_reduce", Other()),
        ("all_reduce", sent, 5), ("all_reduce", sent, odd),
        ("all_reduce", sent, sent.astype("f8")),
        ("all_reduce", sent, None, "mean"), ("all_reduce", sent, None, -1),
        ("all_reduce", sent, None, 2**31), ("all_reduce", sent, None, 1.0),
        ("all_reduce", sent, None, "sum", 7),
        ("all_reduce", data(0, np.dtype("c8")), None, "max"),
        ("all_reduce", data(0, np.dtype("i2"))),
        ("reduce", sent, None, "sum", SIZE), ("reduce", sent, None, "sum", -1),
        ("reduce", sent, None, "sum", None),
        ("reduce", sent, None, "sum", "0"),
        ("broadcast", sent, 2**70), ("broadcast", 1), ("broadcast",),
        ("scatter", None, None, (comm.rank + 1) % SIZE),
        ("send", sent), ("send", sent, SIZE), ("send", None, 0),
        ("recv", 1, 0), ("recv", sent, 0.0), ("recv",),
    ]  # fmt: skip
    if SIZE > 1:
        cases += [
            ("reduce_scatter", odd), ("all_to_all", odd),
            ("scatter", odd, None, comm.rank),
            ("gather", sent, sent, comm.rank), ("all_gather", sent, sent),
        ]  # fmt: skip
    for name, *arguments in cases:
        found = same(comm, name, *arguments)
        assert issubclass(found[0], Exception), (name, arguments, found)
    for named in ({"recv": None, "other": 1}, {"send": None}, {"Op": "sum"}):
        found = same(comm, "all_reduce", sent, **named)
        assert found[0] is TypeError, (named, found)
    assert outcome(nccl.group, 1) == outcome(inspect.unwrap(nccl.group), 1)


def groups(comm):
    """Calls in C and in Python in one group, also of arrays in two layouts."""
    after, before = (comm.rank + 1) % SIZE, (comm.rank - 1) % SIZE
    sent = [gpuarray.to_gpu(data(comm.rank, np.dtype("f4")) + k)
            for k in range(3)]  # fmt: skip
    recv = [gpuarray.zeros((SIZE, 3), np.float32) for _ in range(2)]
    other = gpuarray.zeros((3, SIZE), np.float32)
    with nccl.group():
        comm.send(sent[0], after)
        with nccl.group():
            in_python("send")(comm, sent[1], after)
            in_python("recv")(comm, recv[0], before)
        comm.send(sent[2], after)
        comm.recv(recv[1], before)
        comm.recv(other.T, before)
        assert not other.get().any()
    for k, array in enumerate((*recv, other.T)):
        np.testing.assert_array_equal(
            array.get(), data(before, np.dtype("f4")) + np.float32(k)
        )


def references(comm):
    """A group keeps the arrays of its calls until its end."""
    after, before = (comm.rank + 1) % SIZE, (comm.rank - 1) % SIZE
    results = []
    for method in (comm.all_reduce, in_python("all_reduce").__get__(comm)):
        with nccl.group():
            with nccl.group():
                array = gpuarray.to_gpu(np.full(1000, 3, np.float32))
                dead = [weakref.ref(array)]
                comm.send(array, after)
                array = gpuarray.zeros(1000, np.float32)
                dead.append(weakref.ref(array))
                comm.recv(array, before)
                array = gpuarray.to_gpu(np.ones(1000, np.float32))
                dead.append(weakref.ref(array))
                results.append(method(array))
                del array
            assert all(each() is not None for each in dead)
        assert all(each() is None for each in dead)
    for result in results:
        np.testing.assert_array_equal(result.get(), np.full(1000, SIZE))

    @nccl.group()
    def decorated():
        return comm.all_reduce(results[0])

    assert (decorated().get() == SIZE * SIZE).all()


def failed_groups(comm):
    array = gpuarray.zeros(SIZE, np.float32)
    try:
        with nccl.group():
            comm.all_reduce(array)
            raise KeyError("in the group")
    except KeyError as error:
        assert error.args == ("in the group",)
    manager = nccl.group()
    try:
        manager.__exit__(None, None, None)
    except drv.LogicError as error:
        assert "no open group" in str(error)
    else:
        raise AssertionError("a group that is not open was closed")
    assert (comm.all_reduce(array + 1).get() == SIZE).all()


def interface(comm):
    for name in (*RESULTS, "broadcast", "send", "recv"):
        method = getattr(nccl.Communicator, name)
        python = in_python(name)
        assert inspect.signature(method) == inspect.signature(python)
        assert method.__doc__ and method.__doc__ == python.__doc__
        assert method.__qualname__ == f"Communicator.{name}"
    assert str(inspect.signature(nccl.group)).startswith("() ->")

    class Counted(nccl.Communicator):
        calls = 0

        def all_reduce(self, *arguments, **named):
            Counted.calls += 1
            return super().all_reduce(*arguments, **named)

    comm.__class__ = Counted
    try:
        ones = gpuarray.to_gpu(np.ones(3, np.float32))
        assert (comm.all_reduce(ones).get() == SIZE).all()
        assert Counted.calls >= 1
    finally:
        comm.__class__ = nccl.Communicator
    drv.Context.synchronize()


def contexts(comm):
    """Calls in another context and without one; streams of other packages."""

    class Foreign:
        def __init__(self, stream):
            self.stream = stream

        def __cuda_stream__(self):
            return 0, self.stream.handle

    mine = data(comm.rank, np.dtype("f4"))
    own = drv.Stream()
    for stream in (own, Foreign(own)):
        assert same(comm, "all_reduce", mine, stream=stream)[1] == (SIZE, 3)
        same(comm, "broadcast", mine, 0, stream)
    if SIZE > 1:
        number = (comm.rank + 1) % SIZE
        with drv.Device(number).retain_primary_context():
            found = same(comm, "all_reduce", mine)
        assert found[0] is drv.LogicError, found
        assert f"a context of device {number} is current" in found[1]
        with drv.Device(number).retain_primary_context():
            other = drv.Stream()
        for stream in (other, Foreign(other)):
            found = same(comm, "all_reduce", mine, stream=stream)
            assert found[0] is drv.LogicError, found
            assert (
                f"the stream belongs to another context, of device {number}"
                in found[1]
            )
    array = gpuarray.to_gpu(mine)
    drv.Context.pop()
    try:
        found = same(comm, "all_reduce", array)
    finally:
        drv.Device(comm.rank).retain_primary_context().push()
    assert found[0] is drv.LogicError, found


def counts(comm):
    """References are dropped after a call, a group and an error."""
    a = gpuarray.zeros((SIZE, 3), np.float32)
    b = gpuarray.zeros((SIZE, SIZE, 3), np.float32)
    part = gpuarray.zeros((1, 3), np.float32)
    held = [a, b, part, comm, comm._capsule]

    def calls():
        comm.all_reduce(a)
        comm.all_reduce(a, a)
        comm.all_gather(a, recv=b)
        comm.scatter(a, part)
        with nccl.group():
            comm.all_reduce(a, a)
            comm.send(a, comm.rank)
            comm.recv(b[0], comm.rank)
        outcome(comm.all_reduce, a, None, "mean")
        outcome(comm.all_reduce, a, part[0])

    calls()
    before = [sys.getrefcount(each) for each in held]
    for _ in range(50):
        calls()
    drv.Context.synchronize()
    after = [sys.getrefcount(each) for each in held]
    assert before == after, (before, after)


def ended(comm):
    array = gpuarray.zeros(3, np.float32)
    comm.destroy()
    found = same(comm, "all_reduce", array)
    assert found[0] is drv.LogicError and "destroyed" in found[1], found


CHECKS = (
    values, shapes, in_place, no_frames, errors, groups, references,
    failed_groups, interface, contexts, counts, ended,
)  # fmt: skip


def main():
    nccl._OBSERVE = sys.argv[1:] == ["observe"]
    with ranks(SIZE) as group:
        failed = group.count_wrong(CHECKS)
    print(f"{len(CHECKS)} checks, {failed} wrong")
    return failed


if __name__ == "__main__":
    sys.exit(main())
