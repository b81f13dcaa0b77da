"""Ways to make NVRTC faster that do not change its images.

Called by `nvrtc` on GPUs.  Sources that do not need NVRTC's declarations of
textures and of the run time are compiled without them (``-minimal``).  The
same holds for this package's prelude.  When a process compiles the same
leading includes for the second time, they are precompiled, and the result is
used from the third time on: NVRTC can read such a file only in the process
that made it.  Milliseconds without and with this module on an H100, NVRTC
13.0: a small kernel 29 and 24, ``cuda_fp16.h`` 58 and 38,
``cooperative_groups.h`` 1100 and 183, ``curand_kernel.h`` 1120 and 300.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import contextlib
import os
import re
from _thread import allocate_lock  # importing threading takes time
from collections.abc import Iterator

from pycuda import _driver
from pycuda._compile import files, identity, includes
from pycuda._compile.source import without_comments

# First NVRTC version for which the options of this file are used. Older
# versions have these options, too, but were not measured.
_SINCE = 13
# Names that the option -minimal removes, and text that may introduce them.
_NEEDS_ALL = re.compile(r"cuda|tex|surf|<<<|MINIMAL|include")
# Names that prelude.h declares, similar names, and the operator ##, which may
# build such names.
_NEEDS_PRELUDE = re.compile(
    r"##|\bu_|_t\b|\bu(?:short|int|long)\b|\bstd\b|\bM_"
    r"|\w_(?:MAX|MIN|BIT|SUCCESS|FAILURE|SEC|H)\b"
    r"|\b(?:INFINITY|NAN|HUGE_|MAXFLOAT|FP_ILOGB|offsetof)"
)
_SPLICE = re.compile(r"\\\r?\n")
_MACRO_CHANGES = 47  # number of NVRTC's warning about changed macros
_FOLDER = "pycuda-precompiled-"


def _is_new() -> bool:
    return _driver._nvrtc_info()[1] >= _SINCE


def minimal(text: str, options: list[str]) -> list[str]:
    """Return the options with ``-minimal``, if the source permits it.

    Returns [] if the source names something that the option removes.  A source
    that does so undetected (macros can make names) fails to compile and is
    compiled again without the option.
    """
    prelude = f"--pre-include={includes.ours('prelude.h')}"
    named = [o for o in options if o.startswith("--pre-inc") and o != prelude]
    macros = [o for o in options if o.startswith("--define-macro=")]
    seen = "\n".join([_SPLICE.sub("", text), *macros])
    if named or _NEEDS_ALL.search(seen) or not _is_new():
        return []
    if not _NEEDS_PRELUDE.search(seen):
        # The source does not need the prelude. The prelude also suppresses a
        # warning, which an option now has to suppress.
        options = [o for o in options if o != prelude]
        options.append(f"--diag-suppress={_MACRO_CHANGES}")
    return ["-minimal", *options]


def leading_includes(text: str) -> str:
    """Return the directives that begin a source; "" without an include."""
    lines = []
    for line in without_comments(text).splitlines():
        bare = line.strip()
        if bare.startswith("#"):
            lines.append(bare)
        elif bare:
            break
    directives = "\n".join(lines)
    # A continued line or a directive #line, #if or #pragma ends the part of a
    # source that NVRTC can precompile.
    if "include" not in directives or re.search(
        r"\\$|^#\s*(line|if|pragma)", directives, re.MULTILINE
    ):
        return ""
    return directives


class Headers:
    """Precompiled headers of one process.

    A prefix is first compiled `ONCE`; then its file is in state `MAKING` until
    it is `MADE` or `REFUSED` (NVRTC's heap for these is limited).  While one
    thread makes a file, others compile as if there were none.
    """

    # maximum number of precompiled prefixes; each has a file of up to 110 MB
    MOST = 8
    ONCE, MAKING, MADE, REFUSED = range(4)

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._states: dict[str, int] = {}
        self._folder: str | None = None
        self._owner = 0  # id of the process that made the folder

    @contextlib.contextmanager
    def options(self, text: str, options: list[str]) -> Iterator[list[str]]:
        """Yield further options; the caller compiles inside the block."""
        prefix = leading_includes(text)
        if not prefix or not _is_new():
            yield []
            return
        key = identity.digest([files.encode(o) for o in (prefix, *options)], 8)
        with self._lock:
            found, state = self._step(key)
        try:
            yield found
        finally:
            if state == self.MAKING and found:
                with self._lock:
                    self._states[key] = self._outcome(key)

    def _outcome(self, key: str) -> int:
        folder = os.path.join(self._folder or "", key)
        with contextlib.suppress(OSError):
            if os.listdir(folder):
                return self.MADE
        return self.REFUSED

    def _step(self, key: str) -> tuple[list[str], int]:
        """Return options for a prefix, and its new state. Needs the lock."""
        state = self._states.get(key)
        if state is None:
            self._states[key] = self.ONCE
            return [], self.ONCE
        if state == self.ONCE:
            begun = sum(s != self.ONCE for s in self._states.values())
            if begun >= self.MOST or not self._have_folder():
                return [], self.ONCE
            self._states[key] = self.MAKING
        elif state != self.MADE or self._owner != os.getpid():
            return [], self.ONCE
        folder = os.path.join(self._folder or "", key)
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError:
            return [], self.ONCE
        words = ["-pch", f"-pch-dir={folder}", "-pch-messages=false"]
        return words, self._states[key]

    def _have_folder(self) -> bool:
        """Return whether this process has a folder, or could make one."""
        if self._folder is not None:
            return self._owner == os.getpid()
        import atexit
        import tempfile

        try:
            _sweep(tempfile.gettempdir())
            folder = tempfile.mkdtemp(prefix=_FOLDER)
        except OSError:
            return False
        try:
            _lock(folder)
        except OSError:
            _remove(folder)
            return False
        self._folder, self._owner = folder, os.getpid()
        atexit.register(self._end)
        return True

    def _end(self) -> None:
        if self._folder is not None and self._owner == os.getpid():
            _remove(self._folder)
            self._folder = None


def _lock(folder: str) -> None:
    """Lock a folder until the process ends."""
    import fcntl

    lock = os.open(
        os.path.join(folder, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
    )
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
    except OSError:
        os.close(lock)
        raise


def _remove(folder: str) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


def _sweep(root: str) -> None:
    """Remove the folders that ended processes have left behind."""
    import fcntl

    for name in os.listdir(root):
        if not name.startswith(_FOLDER):
            continue
        folder = os.path.join(root, name)
        with contextlib.suppress(OSError):
            # lstat, not stat: another user may have made a link to a folder
            # that belongs to this user.
            if os.lstat(folder).st_uid != os.getuid():
                continue
            with open(os.path.join(folder, "lock")) as stream:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _remove(folder)


headers = Headers()
