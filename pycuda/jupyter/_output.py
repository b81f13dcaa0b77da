"""Output of kernels, in the cell that launched them and in order.

A kernel's printf writes to the process's standard output; a notebook sends the
text of Python's print in messages.  During a cell, pipes take the place of the
process's outputs.  The text in the pipes is passed on before each write of
Python, at the end of the cell, and otherwise by a thread.  The pipes stay open
between cells for child processes, which keep them.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import codecs
import ctypes
import fcntl
import os
import select
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

# Maximum number of bytes that a pipe holds until they are passed on.
_PIPE_BYTES = 1 << 20
_CHUNK = 1 << 16
_c_library = ctypes.CDLL(None)


class _Redirect:
    """One descriptor of the process, and the stream that shows its text.

    Parameters
    ----------
    descriptor
        1 or 2.
    stream
        Python's stream for this output.
    keep
        Returns whether to show a line; None shows all.
    """

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
        self._rest = ""
        # id of the process that reads the pipes; its forked children do not
        self._process = -1
        self._saved = -1
        self._source, self._target = os.pipe2(os.O_CLOEXEC)
        if hasattr(fcntl, "F_SETPIPE_SZ"):  # on Linux
            with suppress(OSError):  # beyond the user's limit
                fcntl.fcntl(self._target, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        self._poll = select.poll()
        self._poll.register(self._source, select.POLLIN)
        threading.Thread(target=self._pass_on, daemon=True).start()

    def open(self) -> None:
        """Begin to redirect."""
        self._process = os.getpid()
        _c_library.fflush(None)
        self._saved = os.dup(self._descriptor)
        os.dup2(self._target, self._descriptor)
        self._stream.write = self._write_after
        self._stream.flush = self._flush_after

    def close(self) -> None:
        """Pass the rest on; restore the descriptor and the stream."""
        with self._lock:
            self.drain(is_last=True)
            os.dup2(self._saved, self._descriptor)
            os.close(self._saved)
            for name in ("write", "flush"):
                self._stream.__dict__.pop(name, None)

    def end(self) -> None:
        """End the thread, as soon as no child process has the pipe."""
        os.close(self._target)

    def _write_after(self, text: str) -> Any:
        self.drain()
        return self._write(text)

    def _flush_after(self) -> Any:
        self.drain()
        return self._flush()

    def _pass_on(self) -> None:
        """In a thread, pass on the pipe's text until all writers end."""
        poll = select.poll()
        poll.register(self._source, select.POLLIN)
        while poll.poll()[0][1] & select.POLLIN:
            with self._lock:
                self._take()
        os.close(self._source)

    def drain(self, is_last: bool = False) -> None:
        """Pass on the text that the process has written so far.

        A forked child does nothing: a thread that it does not have may hold
        the lock, and the text in the pipes is its parent's.
        """
        if os.getpid() != self._process:
            return
        with self._lock:
            _c_library.fflush(None)
            self._take(is_last)

    def _take(self, is_last: bool = False) -> None:
        while any(event & select.POLLIN for _, event in self._poll.poll(0)):
            data = os.read(self._source, _CHUNK)
            self._rest += self._decoder.decode(data)
        shown, self._rest = self._split(is_last)
        if shown:
            self._write(shown)

    def _split(self, is_last: bool) -> tuple[str, str]:
        """Return the text to show now, and the text to look at later."""
        if self._keep is None or not self._rest:
            return self._rest, ""
        lines = self._rest.splitlines(keepends=True)
        # Keep an incomplete line: whether a line is shown is decided when the
        # line is complete.
        complete = is_last or lines[-1].endswith("\n")
        rest = "" if complete else lines.pop()
        return "".join(filter(self._keep, lines)), rest


class CellOutput:
    """Redirects the outputs of the process while cells run.

    Nothing is redirected outside a notebook, where Python's outputs are the
    process's.  Calls of `open` and `close` may be nested, as cells are that
    run other cells.

    Parameters
    ----------
    keep_error
        Returns whether to show a line on the standard error output.
    """

    def __init__(self, keep_error: Callable[[str], bool]) -> None:
        self._keep_error = keep_error
        self._redirects: list[_Redirect] | None = None
        self._depth = 0

    def open(self) -> None:
        """Begin to redirect."""
        self._depth += 1
        if self._redirects is None:
            self._redirects = [
                _Redirect(descriptor, stream, keep)
                for descriptor, stream, keep in (
                    (1, sys.stdout, None),
                    (2, sys.stderr, self._keep_error),
                )
                if type(stream).__module__.startswith("ipykernel.")
            ]
        if self._depth == 1:
            for redirect in self._redirects:
                redirect.open()

    def drain(self) -> None:
        """Pass on the text that the process has written so far."""
        for redirect in self._redirects or ():
            redirect.drain(is_last=True)

    def close(self) -> None:
        """Pass the rest on, and end the redirection."""
        # The depth is 0 at the end of the cell that loaded the extension.
        if self._depth == 0:
            return
        self._depth -= 1
        if self._depth == 0:
            for redirect in self._redirects or ():
                redirect.close()

    def end(self) -> None:
        """Close the pipes."""
        while self._depth:
            self.close()
        for redirect in self._redirects or ():
            redirect.end()
        self._redirects = None
