"""Output of kernels, in the cell that launched them and in order.

A kernel's printf writes to the process's standard output, a notebook's print
to a message of its own.  During a cell, files take the place of the process's
outputs.  What is written there is passed on before each write of Python, ten
times a second, and at the end of the cell.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import codecs
import ctypes
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

_POLL_SECONDS = 0.1
_CHUNK = 1 << 16
_c_library = ctypes.CDLL(None)


class _Redirect:
    """One descriptor of the process, and the stream that shows its text."""

    def __init__(
        self,
        descriptor: int,
        stream: Any,
        keep: Callable[[str], bool] | None = None,
    ) -> None:
        self._descriptor = descriptor
        self._stream = stream
        self._keep = keep
        self._lock = threading.RLock()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._write = stream.write
        self._flush = stream.flush
        self._read = 0
        self._rest = ""
        _c_library.fflush(None)
        self._saved = os.dup(descriptor)
        self._file = os.memfd_create("pycuda-cell", os.MFD_CLOEXEC)
        os.dup2(self._file, descriptor)
        stream.write = self._write_after
        stream.flush = self._flush_after

    def _write_after(self, text: str) -> Any:
        self.drain()
        return self._write(text)

    def _flush_after(self) -> Any:
        self.drain()
        return self._flush()

    def drain(self, is_last: bool = False) -> None:
        """Pass on what the process has written since the last call."""
        with self._lock:
            _c_library.fflush(None)
            while data := os.pread(self._file, _CHUNK, self._read):
                self._read += len(data)
                self._rest += self._decoder.decode(data)
            if not self._rest:
                return
            shown, self._rest = self._split(is_last)
            if shown:
                self._write(shown)

    def _split(self, is_last: bool) -> tuple[str, str]:
        """Return the text to show now, and the text to look at later."""
        if self._keep is None:
            return self._rest, ""
        lines = self._rest.splitlines(keepends=True)
        # An incomplete line may turn out to be one that is left out.
        complete = is_last or lines[-1].endswith("\n")
        rest = "" if complete else lines.pop()
        return "".join(filter(self._keep, lines)), rest

    def close(self) -> None:
        """Give the descriptor and the stream back."""
        with self._lock:
            self.drain(is_last=True)
            os.dup2(self._saved, self._descriptor)
            os.close(self._saved)
            os.close(self._file)
            for name in ("write", "flush"):
                self._stream.__dict__.pop(name, None)


class CellOutput:
    """Redirects the outputs of the process while a cell runs."""

    def __init__(self, keep_error: Callable[[str], bool]) -> None:
        self._keep_error = keep_error
        self._redirects: list[_Redirect] = []
        self._end = threading.Event()
        self._poller: threading.Thread | None = None

    def open(self) -> None:
        """Begin to redirect, if Python's outputs are not the process's."""
        for descriptor, stream, keep in (
            (1, sys.stdout, None),
            (2, sys.stderr, self._keep_error),
        ):
            if type(stream).__module__.startswith("ipykernel."):
                self._redirects.append(_Redirect(descriptor, stream, keep))
        if self._redirects:
            self._end.clear()
            self._poller = threading.Thread(target=self._poll, daemon=True)
            self._poller.start()

    def _poll(self) -> None:
        while not self._end.wait(_POLL_SECONDS):
            for redirect in self._redirects:
                redirect.drain()

    def close(self) -> None:
        """Pass the rest on, and end the redirection."""
        self._end.set()
        if self._poller is not None:
            self._poller.join()
            self._poller = None
        while self._redirects:
            self._redirects.pop().close()
