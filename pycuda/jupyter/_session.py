"""The extension in one shell: its commands, and its actions around cells."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import atexit
import os
import shlex
import sys
import types
from importlib import import_module
from typing import Any

import pycuda.driver as drv
from pycuda import debug
from pycuda._installation import distributions, doctor
from pycuda.jupyter import _contexts, _display
from pycuda.jupyter._cells import Cell
from pycuda.jupyter._output import CellOutput
from pycuda.jupyter._reports import (
    PREFIX,
    CheckReport,
    Reports,
    is_excerpt,
    without_report,
)
from pycuda.jupyter._tracebacks import HiddenFrames

_HINT = (
    "The context of the device has failed, and its arrays are lost. "
    "%cuda_reset makes a new one on the CPU device; "
    "on a GPU, restart the notebook's kernel."
)

_NO_RESET = (
    "A kernel failed in this process, and the GPU's driver makes no new "
    "context in it: restart the notebook's kernel."
)


def _split_options(line: str) -> list[str]:
    """Return the options on a line, split as a shell does."""
    try:
        return shlex.split(line)
    except ValueError as error:
        usage: Any = import_module("IPython.core.error").UsageError
        raise usage(f"%%cuda: options {line!r}: {error}") from None


class Session:
    """Commands and actions that the extension has added to a shell."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self._cells: dict[str, Cell] = {}  # name of a kernel -> its cell
        self._sources: dict[str, Cell] = {}  # name of a cell -> the cell
        self._reports = Reports()
        self._in_report = False  # whether stderr's last line is of a report
        self._output = CellOutput(self._is_shown)
        self._waiter = _contexts.Waiter()
        self._shown: list[str] = []  # messages of the cell's reports
        self._frames = HiddenFrames(shell, self._show_reports, self._shorten)
        self._magics = {
            "cuda": ("cell", self.cuda),
            "cuda_check": ("line", self.cuda_check),
            "cuda_reset": ("line", self.cuda_reset),
            "cuda_info": ("line", self.cuda_info),
        }

    def open(self) -> None:
        """Add commands, displays and actions to the shell."""
        for name, (kind, function) in self._magics.items():
            self.shell.register_magic_function(function, kind, name)
        _display.open_formats(self.shell)
        self._frames.open()
        self.shell.events.register("pre_run_cell", self._before_cell)
        self.shell.events.register("post_run_cell", self._after_cell)
        atexit.register(self._reports.close)
        if os.environ.get("PYCUDA_CPU_CHECK"):
            self._reports.open()

    def close(self) -> None:
        """Remove what `open` has added."""
        self.shell.events.unregister("pre_run_cell", self._before_cell)
        self.shell.events.unregister("post_run_cell", self._after_cell)
        for name, (kind, _) in self._magics.items():
            self.shell.magics_manager.magics[kind].pop(name, None)
        self._output.end()
        self._frames.close()
        self._reports.close()
        atexit.unregister(self._reports.close)
        _display.close_formats(self.shell)

    # ---- commands ----

    def cuda(self, line: str, cell: str) -> None:
        """Compile the cell as CUDA C; each kernel becomes a variable.

        ``%%cuda [OPTION...]``: the options are those of the compiler, such as
        ``-use_fast_math`` or ``-DN=32``.  Templates become variables too:
        ``scale["float"]`` is a kernel.
        """
        _contexts.ensure()
        name = self._running_cell()
        made = Cell(cell, name, _split_options(line))
        self._sources[name] = made
        made.compile()
        if not made.kernels:
            print(f"{name} has no __global__ function", file=sys.stderr)
        self._publish(made)

    def _running_cell(self) -> str:
        """Return the name of the running cell, such as ``In[3]``.

        Versions of IPython increase the cell counter at different times, so
        the number is the one that the shell has recorded for the cell's file.
        """
        numbers = getattr(self.shell.compile, "_filename_map", {})
        frame: types.FrameType | None = sys._getframe()
        while frame is not None:
            if frame.f_code.co_filename in numbers:
                return f"In[{numbers[frame.f_code.co_filename]}]"
            frame = frame.f_back
        return f"In[{self.shell.execution_count}]"

    def _publish(self, made: Cell) -> None:
        for name, kernel in made.kernels.items():
            self.shell.user_ns[name] = kernel
            self._cells[name] = made

    def _recompile(self) -> None:
        """Compile the cells again whose kernels are still variables."""
        current = {
            id(cell): cell
            for name, cell in self._cells.items()
            if self.shell.user_ns.get(name) is cell.kernels.get(name)
        }
        unchanged = {
            name
            for name, cell in self._cells.items()
            if self.shell.user_ns.get(name) is cell.kernels.get(name)
        }
        for cell in current.values():
            cell.compile()
            for name, kernel in cell.kernels.items():
                if name in unchanged and self._cells[name] is cell:
                    self.shell.user_ns[name] = kernel

    def cuda_check(self, line: str) -> None:
        """Select kernel checks: ``%cuda_check memory race sync init``.

        ``%cuda_check off`` selects none; without names, the command prints
        the selection.  The kernels of ``%%cuda`` cells are compiled again.
        """
        names = line.replace(",", " ").split()
        if names:
            chosen = debug.check([] if names == ["off"] else names)
            if chosen:
                self._reports.open()
            if drv.Context.get_current() is not None:
                self._recompile()
        selected = os.environ.get("PYCUDA_CPU_CHECK", "")
        print(f"kernel checks: {selected.replace(',', ' ') or 'off'}")

    def cuda_reset(self, line: str) -> None:
        """Make a new context, for example after a fault of a kernel.

        Arrays of the old context are lost.  The kernels of ``%%cuda`` cells
        are compiled again.  The driver of a GPU makes no new context in a
        process where a kernel has failed.
        """
        try:
            device = _contexts.replace()
        except drv.Error:
            if self._waiter.has_ever_failed:
                print(_NO_RESET, file=sys.stderr)
            raise
        self._recompile()
        print(f"new context on {device.name()}")

    def cuda_info(self, line: str) -> None:
        """Report on the installation: ``python -m pycuda doctor``."""
        own = distributions.find(distributions.OWN)
        print(doctor.as_text(doctor.examine(own.version if own else "")))

    # ---- calls before and after each cell ----

    def _is_shown(self, line: str) -> bool:
        if not self._reports.is_open:
            return True
        starts = line.startswith(PREFIX)
        self._in_report = starts or (self._in_report and is_excerpt(line))
        return not self._in_report

    def _before_cell(self, info: Any) -> None:
        self._shown.clear()
        self._output.open()

    def _after_cell(self, result: Any) -> None:
        """Wait for the cell's kernels; show reports, and the first error."""
        error = self._waiter.wait()
        self._output.close()
        self._show_reports()
        if error is None:
            return
        text = self._shorten(str(error))
        if result is not None and result.success:
            result.error_in_exec = type(error)(text)
            name = type(error).__name__
            self.shell._showtraceback(
                type(error), result.error_in_exec, [f"{name}: {text}"]
            )
        if self._waiter.has_failed:
            print(_HINT, file=sys.stderr)

    def _show_reports(self) -> None:
        """Show the reports since the last call."""
        found = self._reports.take()
        if found:
            display: Any = import_module("IPython.display").display
            for data in found:
                remedy = data.get("remedy")
                text = data["message"] + (f"; {remedy}" if remedy else "")
                self._shown.append(text)
                display(CheckReport(data, self._line_of, self._rename))

    def _shorten(self, text: str) -> str:
        """Leave out the reports that were shown; rename cells' files."""
        for message in self._shown:
            text = without_report(text, message)
        return self._rename(text)

    def _line_of(self, file: str, number: int) -> str:
        cell = self._sources.get(file)
        return cell.line(number) if cell is not None else ""

    def _rename(self, text: str) -> str:
        """Replace names of the temporary files of cells by ``In[3]``."""
        known = getattr(self.shell.compile, "_filename_map", {})
        for file, number in known.items():
            text = text.replace(file, f"In[{number}]")
        return text
