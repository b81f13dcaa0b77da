"""Calls that NumPy rejects, rejected here by the same class of error.

A row is an expression of `m`, which is numpy or pycuda.gpuarray, and of arrays
of that module.
"""

# SPDX-License-Identifier: MIT

import warnings

import numpy as np
import pytest

from pycuda import gpuarray

pytestmark = pytest.mark.usefixtures("context")

HOST = {
    "a": np.arange(12, dtype=np.float32).reshape(3, 4),
    "i": np.arange(12).reshape(3, 4),
    "b": np.arange(12).reshape(3, 4) % 2 == 0,
    "c": np.ones((3, 4), complex),
    "v": np.arange(4.0),
    "w": np.arange(5.0),
    "z": np.array(3.0),
    "e": np.zeros((0, 3)),
    "out4": np.empty(4, np.float32),
    "int4": np.empty(4, int),
    "out5": np.empty(5),
    "out34": np.empty((3, 4), np.float32),
}
REDUCTIONS = ["sum", "prod", "mean", "var", "std", "min", "max", "any",
              "all", "argmin", "argmax", "cumsum", "cumprod",
              "count_nonzero"]  # fmt: skip
OF_AXES = ["sort", "argsort", "unique", "flip", "squeeze", "unstack", "diff"]

ROWS = [
    *(f"m.{name}(a, axis={axis})" for name in REDUCTIONS
      for axis in ("2", "-3", "1.5", "'0'", "(0, 5)", "(0, 0)")),
    *(f"m.{name}(z, axis=1)" for name in REDUCTIONS),
    *(f"m.{name}(a, nonsense=1)" for name in REDUCTIONS),
    *(f"m.{name}()" for name in REDUCTIONS),
    *(f"m.{name}(a, axis=0, out=out5)" for name in REDUCTIONS[:-1]),
    *(f"m.{name}(a, axis=0, out='no')" for name in REDUCTIONS[:-1]),
    *(f"a.{name}(axis=7)" for name in REDUCTIONS[:-1]),
    *(f"m.{name}(e, axis=0)" for name in ("min", "max", "argmin", "argmax")),
    *(f"m.{name}(i, axis=0, out=out4)" for name in ("argmin", "argmax")),
    *(f"m.{name}(a, axis={axis})" for name in OF_AXES
      for axis in ("5", "-4", "1.5", "'0'")),
    *(f"m.{name}(a, {how})" for name in ("sort", "argsort")
      for how in ("kind='no'", "kind='stable', stable=True", "order='f'")),
    *(f"m.{name}([])" for name in ("concatenate", "stack", "vstack",
      "hstack", "dstack", "column_stack")),
    *(f"m.{name}(3)" for name in ("concatenate", "stack", "vstack")),
    # --- joins and splits
    "m.concatenate([a, v])",
    "m.concatenate([a, e])",
    "m.concatenate([z, z])",
    "m.concatenate([a], axis=3)",
    "m.concatenate([a], axis='0')",
    "m.concatenate([a], axis=1.0)",
    "m.concatenate(None)",
    "m.concatenate([a, a], out=out34)",
    "m.concatenate([v], out=int4)",
    "m.concatenate([a], out=out34, dtype='f4')",
    "m.concatenate([a], dtype='i4')",
    "m.concatenate([a], dtype='i4', casting='none such')",
    "m.stack([a, v])",
    "m.stack([a], axis=4)",
    "m.hstack([a, v])",
    "m.append(a, v, axis=0)",
    "m.append(a, a, axis=3)",
    "m.split(a, 2)",
    "m.split(a, -1)",
    "m.split(a, 1, axis=3)",
    "m.split(a, 'a')",
    "m.array_split(a, 0)",
    "m.array_split(a, 1, axis=3)",
    "m.hsplit(z, 1)",
    "m.vsplit(v, 1)",
    # --- positions
    "m.roll(a, 1, axis=3)",
    "m.roll(a, (1, 2, 3), axis=(0, 1))",
    "m.roll(a, 1, axis='0')",
    "m.roll(a)",
    "m.repeat(a, -1)",
    "m.repeat(a, [1, 2], axis=0)",
    "m.repeat(a, 2, axis=3)",
    "m.tile(a, -1)",
    "m.tile(a, 1.5)",
    "m.transpose(a, (0, 0))",
    "m.transpose(a, (0, 1, 2))",
    "m.transpose(a, (0, 5))",
    "a.transpose((0, -3))",
    "m.swapaxes(a, 0, 5)",
    "m.moveaxis(a, 0, 5)",
    "m.moveaxis(a, (0, 1), 0)",
    "m.moveaxis(a, (0, 0), (0, 1))",
    "m.matrix_transpose(v)",
    "m.squeeze(a, 0)",
    "m.squeeze(a[None], (0, 0))",
    "a.squeeze(5)",
    "m.expand_dims(a, (0, 0))",
    "m.expand_dims(a, 4)",
    "m.broadcast_to(a, (5, 5))",
    "m.broadcast_to(a, (4,))",
    "m.broadcast_to(a, (-1, 4))",
    "m.broadcast_arrays(v, w)",
    "m.reshape(a, (5, 5))",
    "m.reshape(a, (-1, -1))",
    "m.reshape(a, 'a')",
    "m.reshape(a, (4, 3), order='Q')",
    "a.reshape(4.0, 3)",
    "m.diagonal(v)",
    "m.diagonal(a, 0, 1, 1)",
    "m.diagonal(a, 0, 0, 3)",
    "m.diag(a[None])",
    "m.trace(v)",
    "m.fliplr(v)",
    "m.flipud(z)",
    "m.triu(a, 'a')",
    "m.tril(a, None)",
    # --- indices
    "m.take(a, [0], axis=3)",
    "m.take(a, [100])",
    "m.take(a, [4], axis=1)",
    "m.take(a, [0], mode='no')",
    "m.take(e, [0])",
    "m.take_along_axis(a, i[0], axis=0)",
    "m.take_along_axis(a, a, axis=0)",
    "m.take_along_axis(a, i, axis=3)",
    "m.choose(i * 0, [i], mode='no')",
    "m.put(v, [9], 1)",
    "m.put(v, [0], 1, mode='no')",
    "m.nonzero(z)",
    "m.searchsorted(v, v, side='no')",
    "m.searchsorted(a, v)",
    "m.searchsorted(v, v, sorter=v)",
    "m.searchsorted(v, v, sorter=i[0][:2])",
    "m.isin(v, v, kind='no')",
    "a[5]",
    "a[0, 0, 0]",
    "a['x']",
    "a[1.5]",
    "a[..., ...]",
    "a[[9]]",
    "a[b[:2]]",
    "a[v]",
    "a[[0, 1], [0, 1, 2]]",
    "a[::0]",
    "a.__setitem__(0, w)",
    "a.__setitem__(0, 'a')",
    "a.__setitem__([0, 1], w)",
    "a.__setitem__(9, 0)",
    "a.__setitem__(b, w)",
    "a.__delitem__(0)",
    "a.take([99])",
    "a.item()",
    "a.item(100)",
    "a.item(1, 2, 3)",
    # --- arithmetic
    "m.matmul(a, a)",
    "m.matmul(a, z)",
    "m.matmul(a, a.T, out=out34)",
    "m.matmul(a, 'a')",
    "a @ a",
    "a @ z",
    "m.vecdot(v, w)",
    "m.vecdot(v, v, axis=2)",
    "m.inner(v, w)",
    "m.tensordot(a, a, 1)",
    "m.tensordot(a, a, ((0,), (5,)))",
    "m.tensordot(a, a, ((0, 1), (0,)))",
    "m.where(b, v, w)",
    "m.clip(v, w, 1)",
    "m.clip(v, 'a', 'b')",
    "m.diff(v, -1)",
    "m.diff(z)",
    "m.diff(a, prepend=v)",
    "v + w",
    "v + 'a'",
    "v + None",
    "v.__iadd__(w)",
    "v.__iadd__(a)",
    "i.__iadd__(1.5)",
    "i.__itruediv__(2)",
    "v & v",
    "~v",
    "v << 1",
    "-b",
    "b - b",
    "m.floor(c)",
    "c % 2",
    "c // 2",
    "i ** -1",
    "i.astype('i1') + 300",
    "m.add(v, v, out=out5)",
    "m.add(v, v, out=int4)",
    "m.sin(v, out=int4)",
    "m.sin()",
    "m.maximum(v)",
    "m.maximum(v, w)",
    # --- errors of Python's protocols
    "bool(a)",
    "int(a)",
    "float(a)",
    "complex(a)",
    "[0][v]",
    "len(z)",
    "hash(a)",
    # --- new arrays and other types
    "m.linspace(0, 1, -1)",
    "m.linspace(0, 1, 1.5)",
    "m.linspace('a', 1, 5)",
    "m.eye(-1)",
    "m.full((-1,), 0)",
    "m.full(3, 'a', 'f4')",
    "m.zeros((-1,), 'f4')",
    "m.zeros(3, 'nonsense')",
    "m.empty_like()",
    "m.meshgrid(v, indexing='no')",
    "a[:, :3].view('f8')",
    "a.astype('nonsense')",
    "a.astype()",
    "a.copy('Q')",
    "a.fill([1, 2])",
    "a.fill('a')",
    "a.fill()",
]  # fmt: skip
KINDS = (
    np.exceptions.AxisError, IndexError, ValueError, TypeError, OverflowError,
)  # fmt: skip


@pytest.fixture(scope="module")
def arrays():
    return {name: gpuarray.to_gpu(host) for name, host in HOST.items()}


def refusal(row, module, names):
    """Return the exception of a call."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = eval(row, {"m": module}, dict(names))
            if isinstance(result, gpuarray.GPUArray):
                result.get()  # errors found by kernels are reported here
        except Exception as error:
            return error
    return None


@pytest.mark.parametrize("row", ROWS)
def test_refusals(row, context, arrays):
    hosts = {name: host.copy() for name, host in HOST.items()}
    theirs = refusal(row, np, hosts)
    assert theirs is not None
    ours = refusal(row, gpuarray, arrays)
    kind = next(kind for kind in KINDS if isinstance(theirs, kind))
    assert isinstance(ours, kind), f"{ours!r}, numpy: {theirs!r}"
    assert str(ours)
