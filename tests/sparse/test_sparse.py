"""Sparse products and conjugate gradients, against SciPy.

Sums of a row differ from SciPy's by their order only: a few units in the last
place of the sum of absolute values.
"""

# SPDX-License-Identifier: MIT

import warnings

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.tools import DeviceMemoryPool, PageLockedMemoryPool

sparse = pytest.importorskip("scipy.sparse")
with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from pycuda.sparse.cg import (
        CGStateContainer,
        ConvergenceError,
        solve_pkt_with_cg,
    )
    from pycuda.sparse.coordinate import CoordinateSpMV
    from pycuda.sparse.inner import AsyncInnerProduct
    from pycuda.sparse.operator import (
        DiagonalPreconditioner,
        IdentityOperator,
        OperatorBase,
    )
    from pycuda.sparse.packeted import PacketedSpMV
    from pycuda.sparse.pkt_build import build_pkt_data_structure

pytestmark = pytest.mark.usefixtures("context")
DTYPES = ["f4", "f8", "c8", "c16"]


def vector(n, dtype, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.normal(size=n)
    return x.astype(dtype)


def matrix(rows, columns, density, dtype, seed=0):
    made = sparse.random(
        rows, columns, density, random_state=seed, format="coo"
    )
    made.data = vector(made.nnz, dtype, seed)
    return made


def laplacian(side, dtype="f8"):
    """Return the Laplacian of a side x side grid, positive definite."""
    line = sparse.diags([-1, 2.1, -1], [-1, 0, 1], shape=(side, side))
    whole = sparse.kron(line, sparse.eye(side)) + sparse.kron(
        sparse.eye(side), line
    )
    return whole.tocsr().astype(dtype)


def close(got, mat, x, more=0):
    """Assert got = mat @ x + more, up to the order of sums."""
    exact = mat.astype("c16") @ x.astype("c16") + more
    size = abs(mat).astype("f8") @ abs(x).astype("f8") + abs(more)
    allowed = 64 * np.finfo(got.dtype).eps * size
    assert np.all(abs(got - exact) <= allowed)


def test_the_package_says_that_it_is_deprecated():
    import importlib

    import pycuda.sparse

    with pytest.warns(DeprecationWarning, match="pycuda.sparse is deprec"):
        importlib.reload(pycuda.sparse)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "rows, columns, density",
    [(1, 1, 1), (1, 900, 0.5), (700, 1, 0.1), (500, 300, 0.02),
     (300, 500, 0.3), (1000, 1000, 0.001)],
)  # fmt: skip
def test_coordinates(dtype, rows, columns, density):
    mat = matrix(rows, columns, density, dtype)
    spmv = CoordinateSpMV(mat, dtype)
    assert spmv.shape == (rows, columns)
    assert isinstance(spmv, OperatorBase)
    x = vector(columns, dtype, 1)
    y = spmv(gpuarray.to_gpu(x))
    assert y.dtype == dtype
    close(y.get(), mat, x)
    repeated = spmv(gpuarray.to_gpu(np.repeat(x, 2))[::2], y)
    assert repeated is y
    close(y.get(), mat, x, mat.astype("c16") @ x)


def test_coordinates_of_one_place_are_added():
    mat = sparse.coo_matrix(
        ([1.0, 2, 4, 8], ([1, 1, 0, 1], [2, 2, 0, 1])), shape=(3, 4)
    )
    y = CoordinateSpMV(mat, "f8")(gpuarray.to_gpu(np.array([1.0, 10, 100, 0])))
    assert y.get().tolist() == [4, 380, 0]


@pytest.mark.parametrize("spmv", [CoordinateSpMV, PacketedSpMV])
@pytest.mark.parametrize("n", [0, 3])
def test_without_entries(spmv, n):
    arguments = (True, "f4") if spmv is PacketedSpMV else ("f4",)
    made = spmv(sparse.coo_matrix((n, n)), *arguments)
    assert made(gpuarray.zeros(n, "f4")).get().tolist() == [0] * n


def arrow(n, dtype):
    """Return a matrix with a diagonal, a full row and a full column."""
    mat = sparse.lil_matrix((n, n), dtype=dtype)
    mat.setdiag(vector(n, dtype, 1))
    mat[n // 2, :] = vector(n, dtype, 2)
    mat[:, n // 3] = vector(n, dtype, 3)[:, None]
    return mat


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "make",
    [
        lambda dtype: laplacian(40, dtype),
        lambda dtype: matrix(700, 700, 0.02, dtype),
        lambda dtype: matrix(130, 130, 0.6, dtype),
        lambda dtype: arrow(900, dtype),
        lambda dtype: sparse.eye(1, dtype=dtype),
    ],
)
def test_packets(make, dtype):
    mat = make(dtype)
    n = mat.shape[0]
    spmv = PacketedSpMV(mat, False, dtype)
    x = vector(n, dtype, 4)
    there = spmv.permute(gpuarray.to_gpu(x))
    assert sorted(there.get(), key=repr) == sorted(x, key=repr)
    assert np.array_equal(spmv.unpermute(there).get(), x)
    y = spmv(there)
    close(spmv.unpermute(y).get(), mat.tocsr(), x)
    first = spmv.unpermute(y).get().copy()
    assert spmv(there, y) is y
    close(spmv.unpermute(y).get(), mat.tocsr(), x, first)


def test_infinities_stay_in_their_rows():
    """The padding of a packet is not multiplied by zero."""
    x = np.ones(900, "f8")
    x[[5, 777]] = np.inf
    mat = abs(arrow(900, "f8")).tocsr()
    spmv = PacketedSpMV(mat, False, "f8")
    y = spmv.unpermute(spmv(spmv.permute(gpuarray.to_gpu(x)))).get()
    want = mat @ x
    assert np.array_equal(np.isinf(y), np.isinf(want))
    assert not np.isnan(y).any()


def test_packets_hold_every_entry_once():
    mat = arrow(900, "f8").tocsr() + laplacian(30)
    starts = np.array([0, 200, 201, 900])
    packets = build_pkt_data_structure(mat, starts, "f4")
    assert packets.values.dtype == np.float32
    own = packets.lengths.astype(int).sum()
    assert own + len(packets.rest_values) == mat.nnz
    assert packets.columns.dtype == np.uint16
    assert len(packets.rest_starts) == 901
    made = np.zeros((900, 900))
    for p in range(3):
        first, rows = starts[p], starts[p + 1] - starts[p]
        for i in range(rows):
            for k in range(packets.lengths[first + i]):
                at = packets.bases[p] + k * rows + i
                column = first + packets.columns[at]
                made[first + i, column] += packets.values[at]
    for row in range(900):
        for k in range(*packets.rest_starts[row : row + 2]):
            made[row, packets.rest_columns[k]] += packets.rest_values[k]
    np.testing.assert_allclose(made, mat.toarray().astype("f4"))
    with pytest.raises(ValueError, match="1 to 65536 rows"):
        build_pkt_data_structure(mat, np.array([0, 0, 900]), "f4")


def test_wrong_vectors():
    spmv = CoordinateSpMV(sparse.eye(4, 5), "f4")
    with pytest.raises(ValueError, match=r"x must have shape \(5,\)"):
        spmv(gpuarray.zeros(4, "f4"))
    with pytest.raises(TypeError, match="x must have dtype float32"):
        spmv(gpuarray.zeros(5, "f8"))
    with pytest.raises(TypeError, match="x must be a GPUArray"):
        spmv(np.zeros(5, "f4"))
    with pytest.raises(ValueError, match=r"y must have shape \(4,\)"):
        spmv(gpuarray.zeros(5, "f4"), gpuarray.zeros(5, "f4"))
    with pytest.raises(ValueError, match="y must be contiguous"):
        spmv(gpuarray.zeros(5, "f4"), gpuarray.zeros(8, "f4")[::2])
    with pytest.raises(ValueError, match="square"):
        PacketedSpMV(sparse.eye(4, 5), False, "f4")
    with pytest.raises(ValueError, match="a vector of 4"):
        PacketedSpMV(sparse.eye(4), True, "f4").permute(
            gpuarray.zeros(5, "f4")
        )
    with pytest.raises(ValueError, match="square operator"):
        CGStateContainer(spmv)
    with pytest.raises(ValueError, match="one axis"):
        DiagonalPreconditioner(gpuarray.zeros((2, 2), "f4"))
    with pytest.raises(TypeError, match="abstract"):
        OperatorBase()


def test_inner_products():
    a, b = vector(3000, "c16", 1), vector(3000, "c16", 2)
    product = AsyncInnerProduct(gpuarray.to_gpu(a), gpuarray.to_gpu(b))
    drv.Context.synchronize()
    assert product.get_host_result() == pytest.approx(np.vdot(a, b))
    assert product.wait() == product.get_host_result()
    sizes = []
    pool = PageLockedMemoryPool()

    def allocate(shape, dtype):
        sizes.append(shape)
        return pool.allocate(shape, dtype)

    ones = gpuarray.ones(50, "f4")
    assert AsyncInnerProduct(ones, ones, allocate).wait() == 50
    assert sizes == [(1,)]


@pytest.mark.parametrize("dtype", ["f8", "c16", "f4"])
@pytest.mark.parametrize("preconditioned", [False, True])
def test_conjugate_gradients(dtype, preconditioned):
    mat = laplacian(30, dtype)
    if dtype == "c16":
        upper = 0.2j * sparse.triu(mat, 1)
        mat = (mat + upper + upper.conj().T).tocsr()
    scale = sparse.diags(10.0 ** np.linspace(-1, 1, mat.shape[0]))
    mat = (scale @ mat @ scale).tocsr().astype(dtype)
    spmv = PacketedSpMV(mat, True, dtype)
    b = vector(mat.shape[0], dtype)
    precon = None
    if preconditioned:
        diagonal = gpuarray.to_gpu(mat.diagonal().astype(dtype))
        precon = DiagonalPreconditioner(spmv.permute(diagonal))
        assert precon.shape == mat.shape
    tol = 1e-4 if dtype == "f4" else 1e-9
    x, iterations, residuals = solve_pkt_with_cg(
        spmv, gpuarray.to_gpu(b), precon, tol=tol,
        pagelocked_allocator=PageLockedMemoryPool().allocate,
    )  # fmt: skip
    left = np.linalg.norm(mat @ x.get() - b) / np.linalg.norm(b)
    assert left <= 2 * tol
    assert 1 <= residuals < iterations
    if preconditioned and dtype == "f8":
        assert iterations < 200
        plain = solve_pkt_with_cg(spmv, gpuarray.to_gpu(b), tol=tol)
        assert plain[1] > 2 * iterations


def test_where_to_begin(capsys):
    mat = laplacian(20)
    spmv = PacketedSpMV(mat, True, "f8")
    b = vector(400, "f8")
    solution = gpuarray.to_gpu(np.linalg.solve(mat.toarray(), b))
    stored = solution.get()
    x, iterations, residuals = solve_pkt_with_cg(
        spmv, gpuarray.to_gpu(b), x=solution, debug=True
    )
    assert iterations == 0
    assert residuals == 1
    assert np.array_equal(x.get(), stored)
    assert "end: iteration 0" in capsys.readouterr().out
    zero = solve_pkt_with_cg(spmv, gpuarray.zeros(400, "f8"))
    assert zero[1] == 0
    assert not zero[0].get().any()


def test_steps_of_the_iteration():
    mat = laplacian(15)
    spmv = CoordinateSpMV(mat, "f8")
    state = CGStateContainer(spmv)
    b = vector(225, "f8")
    pool = DeviceMemoryPool()
    state.reset(gpuarray.to_gpu(b, pool.allocate))
    sizes = [np.linalg.norm(state.residual.get())]
    for step in range(20):
        state.one_iteration(compute_real_residual=step == 10)
        sizes.append(np.linalg.norm(state.residual.get()))
        left = b - mat @ state.x.get()
        np.testing.assert_allclose(state.residual.get(), left, atol=1e-12)
    assert sizes[-1] < sizes[0] / 100
    assert state.real_delta_calc_count == 2
    zero = gpuarray.zeros((), "f8")
    assert float(state.guarded_div(state.delta, zero).get()) == 0
    seen = []
    state.reset(gpuarray.to_gpu(b))
    state.run(tol=1e-6, debug_callback=lambda *a: seen.append(a[:2]))
    assert seen[-1] == ("end", state.iterations)
    assert seen[0] == ("it", 1)
    with pytest.raises(ValueError, match="rhs must have shape"):
        state.reset(gpuarray.zeros(3, "f8"))
    with pytest.raises(ValueError, match="preconditioner has shape"):
        CGStateContainer(spmv, IdentityOperator("f8", 3))


def test_a_residual_that_was_not_the_real_one():
    """The iteration restarts from the real residual and converges.

    Every 10 iterations the norm of the residual of 5 iterations before is
    known, however late the device is; 4 iterations would be enough.
    """
    mat = sparse.diags(np.repeat([1.0, 2, 3, 4], 16)).tocsr()
    state = CGStateContainer(CoordinateSpMV(mat, "f8"))
    b = vector(64, "f8")
    there = gpuarray.to_gpu(b)

    def disturb(what, iterations, x, *others):
        if (what, iterations) == ("it", 2):
            x += there

    state.reset(there)
    x = state.run(tol=1e-8, debug_callback=disturb)
    np.testing.assert_allclose(mat @ x.get(), b, atol=1e-7)
    assert state.iterations <= 20


@pytest.mark.parametrize("n", [400, 1600])
def test_no_convergence(n):
    mat = laplacian(int(n**0.5))
    spmv = PacketedSpMV(mat, True, "f8")
    b = gpuarray.to_gpu(vector(n, "f8"))
    with pytest.raises(ConvergenceError, match="in 3 iterations"):
        solve_pkt_with_cg(spmv, b, max_iterations=3)
    bad = b.copy()
    bad[5] = np.nan
    with pytest.raises(ConvergenceError):
        solve_pkt_with_cg(spmv, bad, max_iterations=200)
