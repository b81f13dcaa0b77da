"""Runs cells in a real kernel of IPython, as a notebook does."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Result:
    """The outputs of a cell."""

    def __init__(self, cell: Any) -> None:
        self.count = cell.execution_count
        self.outputs = cell.outputs
        errors = [o for o in self.outputs if o.output_type == "error"]
        self.errors = [f"{o.ename}: {o.evalue}" for o in errors]
        self.traceback = "\n".join(
            _COLOUR.sub("", line) for o in errors for line in o.traceback
        )
        self.data = [
            o.data
            for o in self.outputs
            if o.output_type in ("display_data", "execute_result")
        ]

    def text(self, name: str = "stdout") -> str:
        """Return what the cell wrote to a stream."""
        return "".join(
            o.text
            for o in self.outputs
            if o.output_type == "stream" and o.name == name
        )


class Notebook:
    """A running kernel.

    Parameters
    ----------
    folder
        A folder for files that cells make.
    """

    def __init__(self, client: NotebookClient, folder: Path) -> None:
        self._client = client
        self._folder = folder

    def run(self, source: str) -> Result:
        """Run a cell and return its outputs."""
        cell = nbformat.v4.new_code_cell(source)
        self._client.nb.cells.append(cell)
        self._client.execute_cell(cell, len(self._client.nb.cells) - 1)
        return Result(cell)

    def run_and_stop(self, source: str) -> Result:
        """Run a cell that replaces MARK by a name; stop when it exists.

        The cell makes the file MARK just before it waits for ever.
        """
        mark = self._folder / f"mark-{len(self._client.nb.cells)}"
        pid = int(self.run("import os; print(os.getpid())").text())

        def stop() -> None:
            end = time.monotonic() + 30
            while not mark.exists() and time.monotonic() < end:
                time.sleep(0.05)
            time.sleep(0.3)  # the cell begins to wait
            os.kill(pid, 2)  # as the button Stop does

        stopper = threading.Thread(target=stop)
        stopper.start()
        try:
            return self.run(source.replace("MARK", repr(str(mark))))
        finally:
            stopper.join()


@contextmanager
def notebook(folder: Path) -> Iterator[Notebook]:
    """Start a kernel, load the extension, and end the kernel."""
    nb = nbformat.v4.new_notebook()
    client = NotebookClient(
        nb, timeout=60, allow_errors=True, kernel_name="python3"
    )
    with client.setup_kernel(cwd=str(folder)):
        made = Notebook(client, folder)
        loaded = made.run(
            "import warnings; warnings.simplefilter('ignore')\n"
            "import numpy as np\n"
            "import pycuda.driver as drv\n"
            "from pycuda import gpuarray\n"
            "%load_ext pycuda.jupyter"
        )
        assert loaded.outputs == []
        yield made
