"""Public names of cuda::std, cuda and thrust in the shipped headers.

`library.txt` has the names: the identifiers in libcu++'s and Thrust's headers
that NVRTC knows in a namespace after including the headers of that name, as
``python tools/oracle library`` finds out.

SPDX-License-Identifier: MIT
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from entries import Entry

NAMES = Path(__file__).resolve().parents[1] / "library.txt"
OPTIONS = ("--fdevice-syntax-only",)
STANDARD = tuple(
    f"cuda/std/{name}"
    for name in (
        "array", "atomic", "barrier", "bit", "ccomplex", "cfloat", "climits",
        "cmath", "complex", "concepts", "cstddef", "cstdint", "cstdlib",
        "cstring", "ctime", "functional", "initializer_list", "iterator",
        "latch", "limits", "mdspan", "memory", "numbers", "numeric",
        "optional", "ratio", "semaphore", "span", "tuple", "type_traits",
        "utility", "version",
    )
)  # fmt: skip
# A namespace, its headers, and the folders with the identifiers to look up.
NAMESPACES = {
    "cuda::std": (STANDARD, ("cuda/std",)),
    "cuda": (
        ("cuda/atomic", "cuda/barrier", "cuda/pipeline"),
        ("cuda/__atomic", "cuda/__barrier", "cuda/__memcpy_async",
         "cuda/atomic", "cuda/barrier", "cuda/pipeline"),
    ),
    "thrust": (
        ("thrust/complex.h",),
        ("thrust/complex.h", "thrust/detail/complex"),
    ),
}  # fmt: skip
# Folders of cuda/std with headers that are not shipped.
ABSENT = re.compile(
    r"__(chrono|exception|format|memory_resource|random|ranges|thread|"
    r"expected|variant|charconv|string|mutex|fwd|execution|"
    r"new|cccl|internal|host_stdlib|condition_variable|linalg|stop_token)/"
)

# Streams, which libcu++ declares for its host code and does not define.
STREAMS = re.compile(
    r"::(w?(basic_)?[io]*f?(string)?(stream|streambuf|filebuf|stringbuf|ios)"
    r"(buf)?|.*buf_iterator|ios_base|streamoff|w?(string|file)buf)$"
)


def probe(namespace: str, name: str) -> Entry:
    """Return an entry: whether a namespace has a name."""
    headers, _ = NAMESPACES[namespace]
    code = f"namespace oracle_$ {{ using {namespace}::{name}; }}"
    return Entry(
        "library", f"{namespace}::{name}", code, headers, options=OPTIONS
    )


def entries() -> Iterator[Entry]:
    """Yield an entry for each line of the file."""
    for line in NAMES.read_text().split():
        namespace, _, name = line.rpartition("::")
        yield probe(namespace, name)


def texts(include: Path, folder: str) -> Iterator[str]:
    """Yield the headers of a folder, or one header, without comments."""
    path = include / folder
    for file in [path] if path.is_file() else sorted(path.rglob("*")):
        if file.is_file() and not ABSENT.search(str(file)):
            text = file.read_text(errors="replace")
            yield re.sub(r"//.*|/\*[\s\S]*?\*/", "", text)


def candidates(include: Path) -> Iterable[tuple[str, str]]:
    """Return (namespace, identifier) of all names that may be public."""
    for namespace, (_, folders) in NAMESPACES.items():
        words: set[str] = set()
        for folder in folders:
            for text in texts(include, folder):
                words.update(re.findall(r"\b[a-z]\w{1,50}\b", text))
        yield from ((namespace, word) for word in sorted(words))
