"""Commands and displays for notebooks: ``%load_ext pycuda.jupyter``.

=========================  ===================================================
``%%cuda [OPTION...]``     compile the cell; its kernels become variables
``%cuda_check [NAME...]``  select kernel checks on the CPU device
``%cuda_reset``            make a new context, for example after a fault
``%cuda_info``             report on the installation and the devices
=========================  ===================================================

The extension needs IPython, which loads it; no other module imports it.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

from pycuda.jupyter._session import Session

_sessions: list[Session] = []


def load_ipython_extension(shell: Any) -> None:
    """Add the commands and displays to an IPython shell."""
    if all(session.shell is not shell for session in _sessions):
        session = Session(shell)
        session.open()
        _sessions.append(session)


def unload_ipython_extension(shell: Any) -> None:
    """Remove what `load_ipython_extension` added."""
    for session in [s for s in _sessions if s.shell is shell]:
        session.close()
        _sessions.remove(session)
