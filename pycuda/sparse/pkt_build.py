"""Cuts a sparse matrix into packets of rows that share columns."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt


class Packets(NamedTuple):
    """A matrix in packets; row and column numbers are permuted ones.

    Packet p has the rows ``starts[p]`` up to ``starts[p + 1]``.  Entries in
    columns of the same packet have 16-bit columns, counted from its first row;
    entry k of the packet's row i is at index ``bases[p] + k * rows + i`` of
    `columns` and `values`, for k below ``lengths[row]``.  The other entries
    are stored row by row, from index ``rest_starts[row]`` on.
    """

    starts: np.ndarray  # int64, length: number of packets + 1
    bases: np.ndarray  # int64, length: number of packets
    lengths: np.ndarray  # uint16, length: number of rows
    columns: np.ndarray  # uint16
    values: np.ndarray
    rest_starts: np.ndarray  # int64, length: number of rows + 1
    rest_columns: np.ndarray  # int64
    rest_values: np.ndarray


def _ranks(rows: np.ndarray) -> np.ndarray:
    """Return the index of each entry within its row; entries are sorted."""
    if len(rows) == 0:
        return np.zeros(0, np.int64)
    first = np.concatenate([[True], rows[1:] != rows[:-1]])
    at = np.nonzero(first)[0]
    return np.arange(len(rows)) - np.repeat(
        at, np.diff(np.append(at, len(rows)))
    )


def _widths(starts: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the capacity, in entries per row, of each packet.

    Rows that are far longer than the others store the excess in the rest.
    """
    widths = np.zeros(len(starts) - 1, np.int64)
    for packet in range(len(widths)):
        own = counts[starts[packet] : starts[packet + 1]]
        most = int(own.max())
        widths[packet] = min(most, int(4 * own.mean()) + 8)
    return widths


def build_pkt_data_structure(
    mat: Any, starts: np.ndarray, dtype: npt.DTypeLike
) -> Packets:
    """Lay out a square matrix, already permuted, in packets.

    Parameters
    ----------
    mat
        A matrix of `scipy.sparse`; entries with the same row and column are
        added.
    starts : ndarray of int64, shape (packets + 1,)
        First row of each packet, of at most 65536 rows, and the end.
    dtype
        Dtype of the values.
    """
    found = mat.tocsr().copy()
    found.sum_duplicates()
    found.sort_indices()
    found = found.tocoo()
    n = found.shape[0]
    starts = np.asarray(starts, np.int64)
    if n and (np.diff(starts).max() > 1 << 16 or np.diff(starts).min() < 1):
        raise ValueError("a packet has 1 to 65536 rows")
    rows = np.asarray(found.row, np.int64)
    columns = np.asarray(found.col, np.int64)
    values = np.asarray(found.data).astype(dtype)
    packet = np.searchsorted(starts, rows, "right") - 1
    inside = (starts[packet] <= columns) & (columns < starts[packet + 1])
    ranks = np.zeros(len(rows), np.int64)
    ranks[inside] = _ranks(rows[inside])
    widths = _widths(starts, np.bincount(rows[inside], minlength=n))
    inside &= ranks < widths[packet]
    sizes = widths * np.diff(starts)
    bases = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    at = (
        bases[packet] + ranks * np.diff(starts)[packet] + rows - starts[packet]
    )[inside]
    room = int(bases[-1])
    own_columns = np.zeros(room, np.uint16)
    own_values = np.zeros(room, dtype)
    own_columns[at] = (columns - starts[packet])[inside]
    own_values[at] = values[inside]
    rest = np.bincount(rows[~inside], minlength=n)
    return Packets(
        starts,
        bases[:-1],
        np.bincount(rows[inside], minlength=n).astype(np.uint16),
        own_columns,
        own_values,
        np.concatenate([[0], np.cumsum(rest)]).astype(np.int64),
        columns[~inside],
        values[~inside],
    )
