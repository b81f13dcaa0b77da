"""PyCUDA's driver interface, name by name, after interface.toml.

The tests check presence, kinds, parameters and enum values; other files test
behavior. They also compare the types in `_driver.pyi` with the module.
"""

import ast
import inspect
import pickle
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
TABLE = tomllib.loads((HERE / "interface.toml").read_text())
STUB = HERE.parents[1] / "pycuda" / "_driver.pyi"

pytestmark = pytest.mark.usefixtures("context")


def parameters(text: str) -> list[str]:
    """Return the parameters in the table's string as a list."""
    text = text.removeprefix("static")
    return [part.strip() for part in text.split(",") if part.strip()]


def keywords(text: str) -> list[str]:
    """Return the parameters that may be passed by name."""
    return [
        part.partition("=")[0]
        for part in parameters(text)
        if part[0] not in "/*"
    ]


def required(text: str) -> int:
    """Return the number of required arguments."""
    return sum(
        "=" not in part and not part.endswith("?") and part[0] != "*"
        for part in parameters(text)
    )


def methods() -> Iterator[tuple[str, str, str]]:
    for name, entry in TABLE["classes"].items():
        for method, text in entry.get("methods", {}).items():
            yield name, method, text


@pytest.mark.parametrize("name", TABLE["functions"])
def test_function(drv: Any, name: str) -> None:
    """The function exists and has PyCUDA's parameter names."""
    function = getattr(drv, name)
    text = TABLE["functions"][name]
    if inspect.isfunction(function):
        found = inspect.signature(function).parameters.values()
        given = [
            p.name if p.default is p.empty else f"{p.name}={p.default!r}"
            for p in found
        ]
        assert given == parameters(text)
        return
    assert callable(function)
    check_call(function, text)


def check_call(function: Any, text: str) -> None:
    """A missing, surplus or unknown argument raises a TypeError."""
    names, need = keywords(text), required(text)
    if need:
        with pytest.raises(TypeError):
            function()
    with pytest.raises(TypeError):
        function(*[object()] * (len(parameters(text)) + 1))
    with pytest.raises(TypeError):
        function(*[object()] * need, no_such_parameter=1)
    if names:
        try:
            function(**{name: object() for name in names})
        except TypeError as error:
            assert "keyword" not in str(error), error
        except Exception as error:
            assert "cu" in str(error), error


@pytest.mark.parametrize(("owner", "method", "text"), list(methods()))
def test_method(drv: Any, owner: str, method: str, text: str) -> None:
    kind = getattr(drv, owner)
    assert callable(getattr(kind, method))
    if text.startswith("static"):
        assert isinstance(inspect.getattr_static(kind, method), staticmethod)


@pytest.mark.parametrize("name", TABLE["classes"])
def test_class(drv: Any, name: str) -> None:
    kind, entry = getattr(drv, name), TABLE["classes"][name]
    assert inspect.isclass(kind)
    assert kind.__module__ == "pycuda._driver"
    if "base" in entry:
        assert issubclass(kind, getattr(drv, entry["base"]))
    for field in entry.get("properties", []):
        member, _, writable = field.partition("=")
        found = inspect.getattr_static(kind, member)
        assert inspect.isdatadescriptor(found), member
        if writable:
            assert hasattr(found, "__set__"), member


@pytest.mark.parametrize(
    "name",
    [
        "Context",
        "Module",
        "Function",
        "DeviceAllocation",
        "PagelockedHostAllocation",
        "AlignedHostAllocation",
        "HostPointer",
        "ManagedAllocation",
        "RegisteredHostMemory",
        "PooledDeviceAllocation",
        "PooledHostAllocation",
        "SurfaceReference",
        "host_alloc_flags",
        "mem_host_register_flags",
        "array3d_flags",
    ],
)
def test_what_cannot_be_made(drv: Any, name: str) -> None:
    with pytest.raises(RuntimeError, match="cannot be instantiated"):
        getattr(drv, name)()


@pytest.mark.parametrize("name", TABLE["exceptions"])
def test_exception(drv: Any, name: str) -> None:
    kind, base = getattr(drv, name), TABLE["exceptions"][name]
    wanted = Exception if base == "Exception" else getattr(drv, base)
    assert kind.__bases__ == (wanted,)


def test_data_and_flags(drv: Any) -> None:
    for name, value in TABLE["data"].items():
        assert getattr(drv, name) == value
    for holder, members in TABLE["flags"].items():
        for name, value in members.items():
            assert getattr(getattr(drv, holder), name) == value
    assert getattr(drv.array3d_flags, "2DARRAY") == 1
    assert drv.HostAllocation is drv.PagelockedHostAllocation
    assert drv.ManagedAllocationOrStub is drv.ManagedAllocation


@pytest.mark.parametrize("name", TABLE["enums"])
def test_enum(drv: Any, name: str) -> None:
    kind, rows = getattr(drv, name), TABLE["enums"][name]
    assert issubclass(kind, int) and kind.__module__ == "pycuda._driver"
    for member, value in rows.items():
        found = getattr(kind, member)
        assert found == value and hash(found) == hash(value)
        assert type(found) is kind
        assert str(found) == member == found.name
        assert repr(found) == f"pycuda._driver.{name}.{member}"
        assert kind.names[member] is found
        assert kind.values[value] == found and kind(value) == value
        assert pickle.loads(pickle.dumps(found)) == found
        assert type(found | 64) is int
    more = set(kind.names) - set(rows)
    assert not more or name == "device_attribute"
    assert kind(12345) == 12345 and kind(12345).name is None


def test_attributes_newer_than_pycuda(drv: Any) -> None:
    device = drv.Device(0)
    assert device.cooperative_launch in (0, 1)
    assert device.cluster_launch in (0, 1)
    found = device.get_attributes()
    assert found[drv.device_attribute.WARP_SIZE] == 32
    assert len(found) >= 102


# -- the stub


def stub() -> ast.Module:
    if not STUB.is_file():
        pytest.skip("the sources are not here")
    return ast.parse(STUB.read_text())


def test_stub_names_what_there_is() -> None:
    from pycuda import _driver

    for node in stub().body:
        if isinstance(node, ast.FunctionDef):
            assert callable(getattr(_driver, node.name)), node.name
        if not isinstance(node, ast.ClassDef) or node.name.startswith("_"):
            continue
        kind = getattr(_driver, node.name)
        for item in node.body:
            name = (
                item.name
                if isinstance(item, ast.FunctionDef)
                else item.target.id
                if isinstance(item, ast.AnnAssign)
                and isinstance(item.target, ast.Name)
                else None
            )
            # Instances and lower-case attributes define these themselves.
            if name not in (None, "__getattr__", "get_attributes"):
                assert hasattr(kind, name), f"{node.name}.{name}"


def public_members(kind: type) -> set[str]:
    return {
        name
        for name in vars(kind)
        if not name.startswith("_") and name not in ("names", "values")
    }


def test_stub_is_complete() -> None:
    """The stub has every public name of the module and every public method."""
    from pycuda import _driver

    classes: dict[str, ast.ClassDef] = {}
    known: set[str] = set()
    for node in stub().body:
        if isinstance(node, ast.ClassDef):
            classes[node.name] = node
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            known.add(node.name)

    def members(name: str) -> set[str]:
        node = classes[name]
        found = set()
        for item in node.body:
            if isinstance(item, ast.FunctionDef):
                found.add(item.name)
            elif isinstance(item, ast.AnnAssign):
                assert isinstance(item.target, ast.Name)
                found.add(item.target.id)
        for base in node.bases:
            if isinstance(base, ast.Name) and base.id in classes:
                found |= members(base.id)
        return found

    # Base classes from src/array, which its Python classes describe.
    inner = {
        "ArrayBase", "ElementwiseBase", "PlannedMethod", "FastUfunc",
        "FastCall", "FastCollective",
    }  # fmt: skip
    public = {name for name in dir(_driver) if not name.startswith("_")}
    assert public - known - inner == set()
    for name in sorted(public - inner):
        kind = getattr(_driver, name)
        if inspect.isclass(kind) and not issubclass(kind, Exception):
            missing = public_members(kind) - members(name)
            assert missing - {"2DARRAY"} == set(), name
