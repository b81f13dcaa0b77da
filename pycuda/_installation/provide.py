"""Metadata by which packages that require `pycuda` find it installed.

`write` makes a distribution `pycuda` that has no files except metadata, and
requires this one. pip, `importlib.metadata` and `pkg_resources` read it; ``pip
uninstall pycuda`` removes it, as `remove` does.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
from importlib import metadata
from pathlib import Path

from pycuda._installation import distributions

_VERSION = re.compile(r"\d+(\.\d+)*((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?")


class ProvideError(Exception):
    """The metadata cannot be written or removed; the text says why."""


def _metadata_text(version: str, own: metadata.Distribution | None) -> str:
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {distributions.ORIGINAL}",
        f"Version: {version}",
        f"Summary: Provided by {distributions.OWN}, whose package has the "
        "same import name",
    ]
    # Require pycuda-c only if it has metadata: pip would report a requirement
    # without metadata as missing.
    if own is not None:
        lines.append(f"Requires-Dist: {distributions.OWN}")
    return "\n".join(lines) + "\n"


def _record(folder: Path, name: str) -> str:
    """Return the RECORD of a metadata folder, so that pip can remove it.

    Parameters
    ----------
    folder
        The folder with the other files.
    name
        Name that the folder will have.
    """
    lines = []
    for path in sorted(folder.iterdir()):
        content = path.read_bytes()
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest())
        text = digest.rstrip(b"=").decode()
        lines.append(f"{name}/{path.name},sha256={text},{len(content)}\n")
    return "".join([*lines, f"{name}/RECORD,,\n"])


def _refuse_original() -> None:
    for original in distributions.find_originals():
        location = original.locate_file("")
        raise ProvideError(
            "the original distribution 'pycuda' "
            f"{distributions.version(original)} is "
            f"installed in {location}; remove it first: python -m pip "
            "uninstall pycuda (then reinstall this package, whose files it "
            "may have replaced: python -m pip install --force-reinstall "
            "--no-deps pycuda-c)"
        )


def write(default_version: str, version: str | None = None) -> Path:
    """Write the metadata next to the package; return their folder.

    Former metadata are removed once the new ones are complete.

    Parameters
    ----------
    default_version
        Version of this package.
    version
        Version of PyCUDA to claim, for packages that require a certain one.

    Raises
    ------
    ProvideError
        If the original is installed, or the folder cannot be written.
    """
    claimed = version or default_version
    if not _VERSION.fullmatch(claimed):
        raise ProvideError(
            f"{claimed!r} is not a version; expected numbers such as 2025.1"
        )
    _refuse_original()
    site = distributions.package_folder().parent
    folder = site / f"{distributions.ORIGINAL}-{claimed}.dist-info"
    fresh = site / f".{folder.name}.{os.getpid()}"
    try:
        _fill(fresh, folder.name, claimed)
        remove()
        fresh.rename(folder)
    except OSError as error:
        raise ProvideError(
            f"cannot write to {site} ({error.strerror}); run this as the "
            "user who installed the package"
        ) from None
    finally:
        # After a failure, remove the incomplete folder. After a success the
        # folder has another name, and this call does nothing.
        shutil.rmtree(fresh, ignore_errors=True)
    return folder


def _fill(fresh: Path, name: str, version: str) -> None:
    """Make a folder with metadata that will be called `name`."""
    own = distributions.find(distributions.OWN)
    fresh.mkdir()
    (fresh / "METADATA").write_text(_metadata_text(version, own))
    (fresh / "INSTALLER").write_text(distributions.MARK + "\n")
    (fresh / "RECORD").write_text(_record(fresh, name))


def remove() -> list[Path]:
    """Remove metadata that `write` made; return their former folders.

    Raises
    ------
    ProvideError
        If a folder cannot be removed.
    """
    removed = []
    site = distributions.package_folder().parent
    for folder in site.glob(f"{distributions.ORIGINAL}-*.dist-info"):
        if distributions.is_provided(metadata.PathDistribution(folder)):
            try:
                shutil.rmtree(folder)
            except OSError as error:
                raise ProvideError(
                    f"cannot remove {folder} ({error.strerror})"
                ) from None
            removed.append(folder)
    return removed
