"""Each name of interface.toml, called with an error: exception and message."""

# SPDX-License-Identifier: MIT

import builtins
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import wrong_calls

pytestmark = pytest.mark.usefixtures("context")

TABLE = tomllib.loads((Path(__file__).parent / "interface.toml").read_text())
ROWS = wrong_calls.FUNCTIONS | wrong_calls.METHODS


@pytest.fixture(scope="module")
def kit(context: Any) -> Iterator[Any]:
    import pycuda.driver

    yield wrong_calls.Kit(pycuda.driver)


def listed() -> Iterator[str]:
    """Return functions and methods of the interface."""
    yield from TABLE["functions"]
    for name, entry in TABLE["classes"].items():
        yield from (f"{name}.{method}" for method in entry.get("methods", {}))


def fields(kind: str) -> list[str]:
    """Return attributes of a class that may be set."""
    found = TABLE["classes"][kind].get("properties", [])
    return [text.partition("=")[0] for text in found if text.endswith("=rw")]


WITH_FIELDS = [kind for kind in TABLE["classes"] if fields(kind)]


@pytest.mark.parametrize("name", ROWS)
def test_wrong_call(kit: Any, name: str) -> None:
    error, text, call = ROWS[name]
    wanted = getattr(kit.drv, error, None) or getattr(builtins, error)
    with pytest.raises(wanted, match=text):
        call(kit)


def test_every_name_has_a_row() -> None:
    names = set(listed())
    assert names - set(ROWS) == wrong_calls.CANNOT_FAIL
    assert set(ROWS) <= names


@pytest.mark.parametrize("kind", WITH_FIELDS)
def test_fields(kit: Any, kind: str) -> None:
    """Fields hold their values independently of each other."""
    thing = getattr(kit.drv, kind)()
    names = fields(kind)
    values = {name: 3 + place for place, name in enumerate(names)}
    values |= {"format": 32, "num_channels": 2}
    for name in names:
        setattr(thing, name, values[name])
    for name in names:
        assert getattr(thing, name) == values[name], name
        wrong = TypeError, OverflowError
        for value in ("text", 1.5, -1, None):
            with pytest.raises(wrong, match=r"integer|address|negative"):
                setattr(thing, name, value)
        with pytest.raises((AttributeError, TypeError)):
            delattr(thing, name)
        assert getattr(thing, name) == values[name], name


@pytest.mark.parametrize("kind", ["Memcpy2D", "Memcpy3D", "Memcpy3DPeer"])
@pytest.mark.parametrize("name", ["set_dst_host", "set_dst_unified"])
def test_what_is_copied_to_must_be_writable(
    kit: Any, kind: str, name: str
) -> None:
    copy = getattr(kit.drv, kind)()
    with pytest.raises(BufferError, match="not writable"):
        getattr(copy, name)(b"constant")
    getattr(copy, name)(bytearray(8))
    getattr(copy, name.replace("dst", "src"))(b"constant")
