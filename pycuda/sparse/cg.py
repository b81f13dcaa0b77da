"""Conjugate gradients for Hermitian, positive definite operators.

The iteration's scalars stay on the device.  The size of the residual is copied
to the host asynchronously, so that neither the host nor the device waits for
the other.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

import pycuda.gpuarray as gpuarray
from pycuda.elementwise import ElementwiseKernel
from pycuda.sparse.inner import AsyncInnerProduct, inner_product
from pycuda.sparse.operator import IdentityOperator, OperatorBase

if TYPE_CHECKING:
    from pycuda.gpuarray import GPUArray

# number of iterations after which the residual is computed from its
# definition, which limits the accumulated rounding errors
_REAL_RESIDUAL_EVERY = 50
_CHECK_EVERY = 5  # iterations from one test of convergence to the next


class ConvergenceError(RuntimeError):
    """The residual is not small enough after all iterations."""


class CGStateContainer:
    """A conjugate gradient iteration, step by step.

    Parameters
    ----------
    operator : OperatorBase
        Hermitian and positive definite, with `shape` and `dtype`.
    precon : OperatorBase, optional
        Approximate inverse of `operator`; default: the identity.
    pagelocked_allocator : callable, optional
        As in `AsyncInnerProduct`.

    Attributes
    ----------
    x, residual, d : GPUArray
        The solution so far, its residual, and the search direction.
    delta : GPUArray
        0-d: inner product of the residual and the preconditioned residual.
    real_delta_calc_count : int
        How often the residual was computed from `x`.
    """

    def __init__(
        self,
        operator: OperatorBase,
        precon: OperatorBase | None = None,
        pagelocked_allocator: Callable[..., Any] | None = None,
    ) -> None:
        n, columns = operator.shape
        if n != columns:
            raise ValueError(
                f"expected a square operator, not shape {operator.shape}"
            )
        self.operator = operator
        self.precon: OperatorBase = precon or IdentityOperator(
            operator.dtype, n
        )
        if self.precon.shape != (n, n):
            raise ValueError(
                f"the preconditioner has shape {self.precon.shape}, the "
                f"operator {operator.shape}"
            )
        self.pagelocked_allocator = pagelocked_allocator

    @functools.cached_property
    def lc2(self) -> ElementwiseKernel:
        """Return the kernel of z = a x + b y for 0-d arrays a and b.

        It is called as ``lc2(z, a, x, b, y)``.
        """
        return ElementwiseKernel(
            "T *z, T *a, T *x, T *b, T *y",
            "z[i] = a[i] * x[i] + b[i] * y[i]",
            name="lc2",
        )

    @functools.cached_property
    def guarded_div(self) -> Callable[[GPUArray, GPUArray], GPUArray]:
        """Return the kernel of a / b for 0-d arrays, 0 where b is 0.

        It is called as ``guarded_div(a, b)``.
        """
        kernel = ElementwiseKernel(
            "T *a, T *b, T *z",
            "z[i] = b[i] == T(0) ? T(0) : a[i] / b[i]",
            name="guarded_div",
        )
        return lambda a, b: kernel(a, b, None)

    def _sum(self, x: GPUArray, factor: GPUArray, y: GPUArray) -> None:
        """Compute x += factor * y."""
        self.lc2(x, self._one, x, factor, y)

    def reset(self, rhs: GPUArray, x: GPUArray | None = None) -> None:
        """Restart for a right-hand side, from `x` or from 0.

        The iteration changes `x`.

        Raises
        ------
        ValueError
            If a vector has another shape or dtype than the operator.
        """
        n, dtype = self.operator.shape[0], self.operator.dtype
        for name, vector in (("rhs", rhs), ("x", x)):
            if vector is not None and (
                vector.shape != (n,) or vector.dtype != dtype
            ):
                raise ValueError(
                    f"{name} must have shape ({n},) and dtype {dtype}, not "
                    f"{vector.shape} and {vector.dtype}"
                )
        self.rhs = rhs
        self.x: GPUArray = gpuarray.zeros_like(rhs) if x is None else x
        self._one = gpuarray.ones((), dtype, rhs.allocator)
        self.real_delta_calc_count: int = 0
        self.iterations: int = 0
        self._compute_residual()
        preconditioned = self.precon(self.residual)
        self.d: GPUArray = preconditioned.copy()
        self.delta: GPUArray = inner_product(self.residual, preconditioned)

    def _compute_residual(self) -> None:
        self.residual: GPUArray = self.rhs - self.operator(self.x)
        self.real_delta_calc_count += 1

    def one_iteration(self, compute_real_residual: bool = False) -> None:
        """Run one iteration.

        Parameters
        ----------
        compute_real_residual
            Whether the residual is computed from `x` rather than updated.
        """
        image = self.operator(self.d)
        alpha = self.guarded_div(self.delta, inner_product(self.d, image))
        self._sum(self.x, alpha, self.d)
        if compute_real_residual:
            self._compute_residual()
        else:
            self._sum(self.residual, -alpha, image)
        preconditioned = self.precon(self.residual)
        before = self.delta
        self.delta = inner_product(self.residual, preconditioned)
        beta = self.guarded_div(self.delta, before)
        self.lc2(self.d, self._one, preconditioned, beta, self.d)
        self.iterations += 1

    def _size(self) -> AsyncInnerProduct:
        """Start to compute the squared norm of the residual."""
        return AsyncInnerProduct(
            self.residual, self.residual, self.pagelocked_allocator
        )

    def _has_converged(self, goal: float) -> bool:
        """Return whether the residual, computed from `x`, is small enough."""
        self._compute_residual()
        return self._is_below(self._size().wait(), goal)

    @staticmethod
    def _is_below(size: Any, goal: float) -> bool:
        """Return whether the squared norm `size` is below `goal`."""
        return bool(np.real(size) <= goal)

    def run(
        self,
        max_iterations: int | None = None,
        tol: float = 1e-7,
        debug_callback: Callable[..., Any] | None = None,
    ) -> GPUArray:
        """Iterate until the residual is small enough.

        The iteration ends when the norm of the residual is below `tol` times
        that of the right-hand side.

        Parameters
        ----------
        max_iterations
            Default: 10 times the number of unknowns, at least 100.
        tol
            Bound of the ratio of norms.
        debug_callback
            Called as ``(what, iterations, x, residual, d, delta)`` with
            "it" after each iteration and "end" at the end.

        Returns
        -------
        GPUArray
            The solution.

        Raises
        ------
        ConvergenceError
            After `max_iterations`, or if numbers are no longer finite.
        """
        if max_iterations is None:
            max_iterations = max(10 * self.operator.shape[0], 100)
        start = AsyncInnerProduct(
            self.rhs, self.rhs, self.pagelocked_allocator
        ).wait()
        goal = float(np.real(start)) * tol**2
        tell = debug_callback or (lambda *state: None)
        if self._is_below(self._size().wait(), goal):
            max_iterations = 0
            tell("end", self.iterations, *self._state())
            return self.x
        under_way: AsyncInnerProduct | None = None
        for step in range(1, max_iterations + 1):
            self.one_iteration(step % _REAL_RESIDUAL_EVERY == 0)
            tell("it", self.iterations, *self._state())
            size = None
            if step == max_iterations:
                size = self._size().wait()
            elif under_way is not None:
                # Wait if the device is further behind than that: the
                # iterations since then may be needless.
                is_late = step % _CHECK_EVERY == 0
                size = (
                    under_way.wait()
                    if is_late
                    else under_way.get_host_result()
                )
                if size is not None:
                    under_way = None
            elif step % _CHECK_EVERY == 0:
                under_way = self._size()
            if size is None:
                continue
            if not np.isfinite(size):
                break
            if self._is_below(size, goal):
                if self._has_converged(goal):
                    tell("end", self.iterations, *self._state())
                    return self.x
                self._restart()
        raise ConvergenceError(
            f"no convergence to {tol:g} in {self.iterations} iterations"
        )

    def _restart(self) -> None:
        """Restart in the direction of the residual just computed."""
        preconditioned = self.precon(self.residual)
        self.d = preconditioned.copy()
        self.delta = inner_product(self.residual, preconditioned)

    def _state(self) -> tuple[Any, ...]:
        return self.x, self.residual, self.d, self.delta


def solve_pkt_with_cg(
    pkt_spmv: Any,
    b: GPUArray,
    precon: OperatorBase | None = None,
    x: GPUArray | None = None,
    tol: float = 1e-7,
    max_iterations: int | None = None,
    debug: bool = False,
    pagelocked_allocator: Callable[..., Any] | None = None,
) -> tuple[GPUArray, int, int]:
    """Solve ``A x = b`` for a matrix in packets.

    Parameters
    ----------
    pkt_spmv : PacketedSpMV
        The matrix, Hermitian and positive definite.
    b : GPUArray
        The right-hand side, in the matrix's order.
    precon : OperatorBase, optional
        Preconditioner, in the operator's order.
    x : GPUArray, optional
        Start of the iteration, in the matrix's order; it is not changed.
    tol, max_iterations
        As in `CGStateContainer.run`.
    debug
        Whether the residual is printed every 50 iterations.
    pagelocked_allocator
        As in `AsyncInnerProduct`.

    Returns
    -------
    tuple
        The solution in the matrix's order, the number of iterations, and how
        often the residual was computed from the solution.

    Raises
    ------
    ConvergenceError
        After `max_iterations`, or if numbers are no longer finite.
    """
    state = CGStateContainer(pkt_spmv, precon, pagelocked_allocator)
    begin = None if x is None else pkt_spmv.permute(x)
    state.reset(pkt_spmv.permute(b), begin)
    solution = state.run(max_iterations, tol, _print if debug else None)
    return (
        pkt_spmv.unpermute(solution),
        state.iterations,
        state.real_delta_calc_count,
    )


def _print(what: str, iterations: int, x: Any, residual: Any, *_: Any) -> None:
    if what == "end" or iterations % _REAL_RESIDUAL_EVERY == 0:
        size = np.sqrt(np.abs(inner_product(residual, residual).get()))
        print(f"{what}: iteration {iterations}, residual {size:g}")
