"""Command line of `pycuda.cpu`: run a program, explain kernels."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import argparse
import json
import os
import sys

from pycuda import cpu
from pycuda._command_line import run
from pycuda.cpu import _explain as _explain_module

# Options of `explain` that select another output -> their help texts.
_FORMS = {
    "--json": "for programs",
    "--ir": "the code itself, as LLVM's intermediate representation",
    "--asm": "the code itself, as the processor's instructions",
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pycuda.cpu",
        description="Give programs that use the CUDA driver API and NVRTC "
        "the CPU device instead of a GPU.",
    )
    parser.add_argument(
        "--stub-dir",
        action="store_true",
        help="print the folder with libcuda.so.1 and libnvrtc.so.13, to be "
        "put on LD_LIBRARY_PATH",
    )
    parser.add_argument(
        "--pkgconfig-dir",
        action="store_true",
        help="print the folder of pycuda-cpu.pc, to be put on PKG_CONFIG_PATH",
    )
    actions = parser.add_subparsers(dest="action", metavar="run|explain")
    run = actions.add_parser("run", help="run a program")
    run.add_argument("program", help="a program, or a Python file")
    run.add_argument("arguments", nargs=argparse.REMAINDER)
    explain = actions.add_parser(
        "explain", help="tell how the CPU device runs the kernels of a file"
    )
    explain.add_argument(
        "source",
        help="a file of CUDA C++ or PTX, or "
        "a Python file that has kernels as texts",
    )
    for option, text in _FORMS.items():
        explain.add_argument(option, action="store_true", help=text)
    explain.add_argument(
        "options", nargs=argparse.REMAINDER, help="compiler options"
    )
    return parser


def _explain(given: argparse.Namespace) -> int:
    options = [o for o in given.options if o not in _FORMS]
    forms = [
        option
        for option in _FORMS
        if getattr(given, option[2:]) or option in given.options
    ]
    if len(forms) > 1:
        print(f"{' and '.join(forms)}: one of them", file=sys.stderr)
        return 2
    form = forms[0] if forms else ""
    os.environ["PYCUDA_DEVICE"] = "cpu"  # on machines with a GPU, too
    try:
        if form in ("--ir", "--asm"):
            print(_explain_module.code(given.source, form[2:], options))
            return 0
        told = _explain_module.explain(given.source, options)
    except _explain_module.CompileError as error:
        print(error, file=sys.stderr)
        return 1
    if form:
        print(json.dumps(told, indent=1))
    else:
        print(_explain_module.text(told))
    return 0


def main(words: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = _parser()
    given = parser.parse_args(words)
    if given.stub_dir:
        print(cpu.stub_dir())
        return 0
    if given.pkgconfig_dir:
        print(cpu.library().parent / "pkgconfig")
        return 0
    if given.action == "explain":
        return _explain(given)
    if given.action != "run":
        parser.print_usage(sys.stderr)
        return 2
    command = cpu.command([given.program, *given.arguments])
    os.execvpe(command[0], command, cpu.environment())


if __name__ == "__main__":
    sys.exit(run("pycuda.cpu", main))
