"""What tools/mutate.py makes of functions, and how it judges."""

# SPDX-License-Identifier: MIT

import importlib.util
import sys
from pathlib import Path

import pytest

PATH = Path(__file__).resolve().parents[2] / "tools" / "mutate.py"


@pytest.fixture(scope="module")
def mutate():
    spec = importlib.util.spec_from_file_location("mutate", PATH)
    module = importlib.util.module_from_spec(spec)
    sys.modules["mutate"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["mutate"]


PYTHON = '''
def count(x) -> int:
    """Text."""
    y = x
    return y


def empty() -> None:
    """Only a text."""


def three() -> int:
    return 3


class C:
    @property
    def name(self) -> str:
        return self._name

    def walk(self) -> Iterator[int]:
        for i in self.items:
            yield i

    def close(self) -> None:
        self.items.clear()
        self.items = None
'''


def test_python(mutate):
    found = mutate.python_mutants("a.py", PYTHON)
    bodies = {}
    for mutant in found:
        scope = {"Iterator": list}
        exec(mutant.text, scope)
        bodies[mutant.name] = scope
    assert list(bodies) == ["count", "name", "walk", "close"]
    assert bodies["count"]["count"](5) == 0
    assert bodies["count"]["count"].__doc__ == "Text."
    assert bodies["name"]["C"]().name == ""
    assert list(bodies["walk"]["C"]().walk()) == []
    assert bodies["close"]["C"]().close() is None
    assert found[0].line == 2
    assert str(found[0]) == "a.py:2 count"
    assert found[1].text.count("return y") == 1, "others are left alone"


C = """
static PyObject *
size_get(PyObject *op, void *unused)
{
    (void)unused;
    return PyLong_FromLong(3);
}

static void
nothing(int a)
{
    (void)a;
}

bool
is_even(int n)
{
    if (n < 0) {
        n = -n;
    }
    return n % 2 == 0;
}

static const char *
name(void)
{
    return "x";
}

CPU_API CUresult
cuThing(int a,
        int b)
{
    return thing(a, b);
}
"""


def test_c(mutate):
    found = {m.name: m for m in mutate.c_mutants("a.c", C)}
    assert list(found) == ["size_get", "is_even", "cuThing"]
    assert "{\n    Py_RETURN_NONE;\n}" in found["size_get"].text
    assert "is_even(int n)\n{\n    return 0;\n}" in found["is_even"].text
    assert "int b)\n{\n    return 0;\n}" in found["cuThing"].text
    assert found["cuThing"].line == 31
    assert "thing(a, b)" in found["is_even"].text


@pytest.mark.parametrize(
    ("kind", "default"),
    [
        ("static void", ""),
        ("void", ""),
        ("static void CALLBACK", ""),
        ("void *", "return NULL;"),
        ("const char *", "return NULL;"),
        ("PyObject *", "Py_RETURN_NONE;"),
        ("static PyObject **", "return NULL;"),
        ("static inline unsigned", "return 0;"),
        ("static const struct range", "return (struct range){0};"),
        ("LLVMValueRef", "return 0;"),
    ],
)
def test_defaults_of_c(mutate, kind, default):
    assert mutate.c_default(kind) == default


@pytest.mark.skipif(
    not (PATH.parents[1] / ".git").exists(), reason="no git checkout"
)
def test_the_package(mutate):
    found = mutate.all_mutants([])
    assert len(found) > 1000
    assert {m.path.split("/")[0] for m in found} == {"pycuda", "src"}
    assert all(mutate.related(m.path) for m in found)
    folders = {p.name for p in (PATH.parents[1] / "tests").iterdir()}
    for _, names in mutate.RELATED:
        assert set(names) <= folders
    some = mutate.all_mutants(["pycuda/tools.py"])
    assert {m.path for m in some} == {"pycuda/tools.py"}


class Copy:
    """A tree whose tests notice one function alone."""

    def __init__(self, folder):
        self.tree = folder
        self.ran = []
        self.sound = True

    def passes(self, failure):
        return self.sound

    def build(self):
        text = (self.tree / "a.py").read_text()
        return "error" if "broken" in text else ""

    def tests_fail(self, paths):
        self.ran.append(paths)
        text = (self.tree / "a.py").read_text()
        noticed = "noticed" in text
        if "endless" in text:
            return "the tests did not end within --limit"
        return "tests/x.py::test" if noticed else ""


@pytest.mark.parametrize(
    ("text", "verdict", "runs"),
    [
        ("noticed", "killed by tests/x.py::test", 1),
        ("broken", "does not build", 0),
        ("other", "SURVIVED", 1),
        ("endless", "undecided: the tests did not end within --limit", 1),
    ],
)
def test_the_verdict(mutate, tmp_path, text, verdict, runs):
    (tmp_path / "a.py").write_text("original")
    copy = Copy(tmp_path)
    mutant = mutate.Mutant("a.py", "f", 1, text)
    assert mutate.judge(copy, mutant, ["array", "driver"]) == verdict
    assert (tmp_path / "a.py").read_text() == "original"
    assert copy.ran == [["tests/array", "tests/driver"]] * runs
    copy.sound = False
    if text == "noticed":
        verdict = "undecided: tests/x.py::test fails without it too"
    assert mutate.judge(copy, mutant, ["array", "driver"]) == verdict
