"""The thread that runs the functions passed to :meth:`Stream.add_callback`.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import threading

from pycuda import _driver

_lock = threading.Lock()
_thread: threading.Thread | None = None


def _run() -> None:
    while True:
        function, arguments = _driver._callback_next()
        try:
            function(*arguments)
        # report every exception, so that the thread continues
        except BaseException as error:
            threading.excepthook(
                threading.ExceptHookArgs(
                    (
                        type(error),
                        error,
                        error.__traceback__,
                        threading.current_thread(),
                    )
                )
            )
        del function, arguments


def start() -> None:
    """Start the thread unless it is running."""
    global _thread
    with _lock:
        if _thread is None or not _thread.is_alive():
            _thread = threading.Thread(
                target=_run, name="pycuda callbacks", daemon=True
            )
            _thread.start()
