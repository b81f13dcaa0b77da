"""Mutations of functions by tools/mutate.py, and its verdicts."""

# SPDX-License-Identifier: MIT

import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import mutate
import pytest
from mutation import copy as copy_module
from mutation import page, ready, switches
from mutation.copy import NO_END, Copy
from mutation.reach import Reach

import pycuda

pytestmark = pytest.mark.no_sanitizer  # Python alone

ROOT = Path(__file__).resolve().parents[2]

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

    @name.setter
    def name(self, value) -> None:
        self._name = value

    def walk(self) -> Iterator[int]:
        for i in self.items:
            yield i

    def walker(self) -> Iterator[int]:
        return (i for i in self.items)

    def close(self) -> None:
        @staticmethod
        def inner():
            yield self.items.clear()

        list(inner())
'''


def numbered():
    """Return numbers for keys, and their table."""
    table = {}
    return table, lambda key: table.setdefault(key, len(table) + 1)


def test_python(monkeypatch):
    table, number = numbered()
    made = switches.switch("pycuda/a.py", PYTHON, number)
    names = [each.key.partition(":")[2] for each in made.functions]
    assert names == [
        "count", "C.name", "C.name#2", "C.walk", "C.walker", "C.close",
        "C.close.inner",
    ]  # fmt: skip
    off = set()
    asked = SimpleNamespace(off=lambda n: names[n - 1] in off)
    monkeypatch.setitem(sys.modules, "pycuda_mutation", asked)
    scope = {"Iterator": list}
    exec(made.text, scope)
    one = scope["C"]()
    one.name, one.items = "x", [1, 2]
    assert (scope["count"](5), one.name) == (5, "x")
    assert list(one.walk()) == list(one.walker()) == [1, 2]
    off |= {*names}
    one.name = "y"
    assert (scope["count"](5), one.name, one._name) == (0, "", "x")
    assert list(one.walk()) == list(one.walker()) == []
    assert scope["count"].__doc__ == "Text."
    assert one.close() is None and one.items == [1, 2]
    off.remove("C.close")
    assert one.close() is None and one.items == [1, 2]
    off.clear()
    one.close()
    assert one.items == []
    assert str(made.functions[0]) == "pycuda/a.py:2 count"
    assert len(set(table.values())) == len(table) == 7


def test_a_digest_follows_the_text():
    _, number = numbered()
    made = switches.switch("pycuda/a.py", PYTHON, number)
    other = switches.switch(
        "pycuda/a.py", PYTHON.replace("y = x", "y = -x"), number
    )
    changed = [
        old.key
        for old, new in zip(made.functions, other.functions, strict=True)
        if old.digest != new.digest
    ]
    assert changed == ["pycuda/a.py:count"]


C = """
#include <stdbool.h>
typedef struct size_st { int n; } SIZE;
#define CPU_API

static void
nothing(int a)
{
    (void)a;
}

static int
four(void)
{
    return 4;
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
name(int *calls)
{
    *calls += 1;
    return "x";
}

CPU_API SIZE
cuThing(int a,
        int b)
{
    return (SIZE){a + b};
}

static void
both(int *calls)
{
    name(calls);
}

int
main(int argc, char **argv)
{
    int calls = 0;
    nothing(argc + argv[0][0]);
    both(&calls);
    return is_even(2) + 2 * cuThing(2, 2).n + (name(&calls) ? 16 : 0) +
           8 * calls + (four() == 4 ? 64 : 0);
}
"""


@pytest.mark.parametrize("told", [False, True])
def test_c(told, tmp_path, monkeypatch, compiler):
    """Compile a C function, and disable one function after the other.

    The page is the compiled-in one, or the one that a variable names.
    """
    table, number = numbered()
    made = switches.switch("src/a.c", C, number)
    names = [each.key.partition(":")[2] for each in made.functions]
    assert names == ["is_even", "name", "cuThing", "both", "main"]
    source, program = tmp_path / "a.c", tmp_path / "a"
    source.write_text(made.text)
    sheet = tmp_path / "page"
    view = page.make_page(sheet)
    header = ROOT / "tools" / "mutation" / "switch.h"
    known = tmp_path / "none" if told else sheet
    if told:
        monkeypatch.setenv("PYCUDA_MUTATION_PAGE", str(sheet))
    else:
        monkeypatch.delenv("PYCUDA_MUTATION_PAGE", raising=False)
    subprocess.run(
        ["cc", f'-DMUTATION_PAGE="{known}"', "-I", header.parent, source,
         "-o", program],
        check=True,
    )  # fmt: skip

    def outcome(off):
        page.switch_off(view, number(f"src/a.c:{off}") if off else 0)
        return subprocess.run([program], check=False).returncode

    assert outcome(None) == 1 + 8 + 16 + 16 + 64
    assert page.take_called(view) == sorted(table.values())
    assert page.take_called(view) == []
    assert outcome("is_even") == 8 + 16 + 16 + 64
    assert outcome("cuThing") == 1 + 16 + 16 + 64
    assert outcome("name") == 1 + 8 + 64
    page.take_called(view)
    assert outcome("both") == 1 + 8 + 16 + 8 + 64
    assert outcome("main") == 0
    assert number("src/a.c:main") in page.take_called(view)


@pytest.mark.parametrize(
    ("kind", "default"),
    [
        ("static void", "return;"),
        ("static void CALLBACK", "return;"),
        ("void *", "return NULL;"),
        ("const char *", "return NULL;"),
        ("PyObject *", "Py_RETURN_NONE;"),
        ("static PyObject **", "return NULL;"),
        ("static inline unsigned", "return 0;"),
        ("CPU_API CUresult", "return (CUresult){0};"),
        ("static const struct range", "return (struct range){0};"),
    ],
)
def test_defaults_of_c(kind, default):
    assert switches.c_default(kind) == default


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="no git checkout")
def test_the_package(tmp_path):
    copy = Copy(tmp_path / "work")
    copy.read()
    assert len(copy.functions) > 1000
    assert {key.split("/")[0] for key in copy.functions} == {"pycuda", "src"}
    assert not (tmp_path / "work").exists(), "reading writes nothing"
    for key, reason in mutate.equivalents().items():
        assert key in copy.functions and len(reason) > 20


def test_one_process_a_folder(tmp_path):
    first, second = Copy(tmp_path / "work"), Copy(tmp_path / "work")
    first.lock()
    with pytest.raises(SystemExit, match="another process works in"):
        second.lock()
    first.held.close()
    second.lock()
    second.held.close()


def test_compilers_get_a_cache_without_kernels(tmp_path):
    copy = Copy(tmp_path / "work")
    for name in ("front/header.pch", "kernels/one.image"):
        file = copy.folder / "cache" / "pycuda-c" / name
        file.parent.mkdir(parents=True)
        file.write_bytes(b"x")
    for keeps, there in ((True, ["header.pch"]), (False, [])):
        folder = tmp_path / f"scratch{keeps}"
        folder.mkdir()
        fresh = copy._fresh_cache(str(folder), keeps)
        assert [f.name for f in fresh.rglob("*") if f.is_file()] == there


# Three functions, and tests as (file, name, outcome, functions called).
NUMBERS = {"a.py:f": 1, "a.py:g": 2, "b.py:h": 3, "a.py:new": 4}
TESTS = [
    ("tests/x.py", "tests/x.py::wide", "passed", [1, 2]),
    ("tests/x.py", "tests/x.py::failing", "failed", [1]),
    ("tests/y.py", "tests/y.py::narrow", "passed", [1]),
    ("tests/y.py", "tests/y.py::other", "passed", []),
    ("tests/gone.py", "tests/gone.py::old", "passed", [1, 3]),
]


class FakeCopy:
    """Tests that fail as `verdicts` requires, by the disabled function."""

    def __init__(self, folder, verdicts):
        self.folder = folder
        self.numbers = NUMBERS
        self.functions = dict.fromkeys(NUMBERS)
        self.verdicts = verdicts
        self.ran = []
        self.by_imports = []  # functions that no later test calls
        self.tree = folder / "tree"
        (self.tree / "tests").mkdir(parents=True, exist_ok=True)
        lines = []
        for file in ("tests/x.py", "tests/y.py", "tests/gone.py"):
            if "gone" not in file:
                (self.tree / file).touch()
            tests = [(t[1], t[2], 0.1, t[3]) for t in TESTS if t[0] == file]
            lines.append({"file": file, "digest": "", "tests": tests})
        text = "\n".join(json.dumps(line) for line in lines)
        (folder / "calls.jsonl").write_text(text)

    def run_tests(self, files, off="", tests=None, calls=None, limit=0):
        names = [name.partition("::")[2] for name in tests]
        self.ran.append((off, names))
        assert set(files) == {name.partition("::")[0] for name in tests}
        failing = self.verdicts.get(off, ())
        for test in tests:
            if test.partition("::")[2] in failing:
                return test
        return NO_END if NO_END in failing else ""


class FakeReady:
    """The same tests, in a process that has imported them."""

    def __init__(self, copy):
        self.copy = copy

    def failure(self, tests, off=""):
        files = {test.file for test in tests}
        return self.copy.run_tests(files, off, [test.name for test in tests])

    def has_called(self, key):
        called = any(off == key for off, _ in self.copy.ran)
        return called and key not in self.copy.by_imports

    def close(self):
        self.copy = None


@pytest.fixture(autouse=True)
def processes(monkeypatch):
    """Record processes that have imported the tests, without starting any."""
    begun = []

    def begin(copy):
        begun.append(FakeReady(copy))
        return begun[-1]

    monkeypatch.setattr(mutate.Judge, "begin", staticmethod(begin))
    return begun


def judged(tmp_path, verdicts, key="a.py:f", calling=False, killer=""):
    copy = FakeCopy(tmp_path, verdicts)
    judge = mutate.Judge(copy, Reach(copy), calling)
    return judge.judge(key, killer), copy.ran


def test_the_most_particular_tests_come_first(tmp_path):
    verdict, ran = judged(tmp_path, {"a.py:f": ["narrow", "wide"]})
    assert verdict.killed
    assert verdict.text == "killed by tests/y.py::narrow"
    assert ran == [("a.py:f", ["narrow", "wide"]), ("", ["narrow"])]


def test_a_survivor_met_every_test_of_the_files(tmp_path):
    verdict, ran = judged(tmp_path, {})
    assert not verdict.killed
    assert verdict.text == "SURVIVED: 3 tests, 2 call it"
    assert ran == [("a.py:f", ["narrow", "wide"]), ("a.py:f", ["other"])]


def test_another_test_of_the_file_may_notice(tmp_path):
    verdict, _ = judged(tmp_path, {"a.py:f": ["other"]})
    assert verdict.text == "killed by tests/y.py::other"
    verdict, ran = judged(tmp_path, {"a.py:f": ["other"]}, calling=True)
    assert not verdict.killed and len(ran) == 1


def test_the_killer_of_the_last_time_comes_first(tmp_path):
    killer = "tests/y.py::other"
    verdicts = {"a.py:f": ["other", "wide"]}
    verdict, ran = judged(tmp_path, verdicts, killer=killer)
    assert verdict.text == f"killed by {killer}"
    assert ran == [("a.py:f", ["other"]), ("", ["other"])]
    verdict, ran = judged(tmp_path, {"a.py:f": ["wide"]}, killer=killer)
    assert verdict.text == "killed by tests/x.py::wide", "it fails no more"
    assert ran[:2] == [("a.py:f", ["other"]), ("a.py:f", ["narrow", "wide"])]


def test_what_fails_anyway_kills_nothing(tmp_path):
    verdicts = {"a.py:f": ["narrow"], "": ["narrow"]}
    verdict, ran = judged(tmp_path, verdicts)
    assert not verdict.killed
    assert ran[1] == ("", ["narrow"])
    assert ran[2] == ("a.py:f", ["wide"])


def test_what_fails_after_others_anyway_kills_nothing(tmp_path):
    class Entangled(FakeCopy):
        def run_tests(self, files, off="", tests=None, calls=None, limit=0):
            failure = super().run_tests(files, off, tests)
            wide = "tests/x.py::wide"
            return wide if wide in tests[1:] else failure

    copy = Entangled(tmp_path, {})
    verdict = mutate.Judge(copy, Reach(copy), True).judge("a.py:f")
    assert not verdict.killed
    assert copy.ran[1] == ("", ["narrow", "wide"])


def test_no_end_is_a_failure(tmp_path):
    verdict, _ = judged(tmp_path, {"a.py:f": [NO_END]})
    assert verdict.text == f"killed by {NO_END}"


def test_where_no_test_runs_nothing_is_killed(tmp_path):
    class Broken(FakeCopy):
        def run_tests(self, files, off="", tests=None, calls=None, limit=0):
            return "exit status 126"

    copy = Broken(tmp_path, {})
    with pytest.raises(SystemExit, match="does not run: exit status 126"):
        mutate.Judge(copy, Reach(copy), False).judge("a.py:f")
    (copy.tree / "tests" / "test_new.py").touch()
    known = (copy.folder / "calls.jsonl").read_text()
    with pytest.raises(SystemExit, match="does not run: exit status 126"):
        Reach(copy).measure()
    assert (copy.folder / "calls.jsonl").read_text() == known


def test_what_nothing_calls_survives(tmp_path):
    verdict, ran = judged(tmp_path, {}, "b.py:h")
    assert verdict.text == "SURVIVED: no test calls it"
    assert ran == []
    copy = FakeCopy(tmp_path, {})
    assert Reach(copy).uncalled() == ["b.py:h", "a.py:new"]
    assert Reach(copy).failing() == ["tests/x.py::failing"]


def test_a_function_that_came_later_has_the_tests_beside_it(tmp_path):
    verdict, ran = judged(tmp_path, {"a.py:new": ["wide"]}, "a.py:new")
    assert verdict.text == "killed by tests/x.py::wide"
    assert ran[0] == ("a.py:new", ["narrow", "wide"])


def test_what_is_remembered(tmp_path):
    path = tmp_path / "verdicts"
    memory = mutate.Memory(path)
    killed = mutate.Verdict("f", "killed by x")
    survived = mutate.Verdict("g", "SURVIVED: 3 tests")
    memory.keep(killed, "text", "tests")
    memory.keep(survived, "text", "tests")
    repeated = mutate.Memory(path)
    assert repeated.find("f", "text", "tests") == killed
    assert repeated.find("f", "text", "other tests") == killed
    assert repeated.find("f", "other text", "tests") is None
    assert repeated.find("g", "text", "tests") == survived
    assert repeated.find("g", "text", "other tests") is None
    assert repeated.find("h", "text", "tests") is None
    assert repeated.killer("f") == "x"
    assert repeated.killer("g") == repeated.killer("h") == ""


def met_first(tmp_path, verdicts, key="a.py:f", killer=""):
    copy = FakeCopy(tmp_path, verdicts)
    judge = mutate.Judge(copy, Reach(copy), False)
    return judge.first(key, killer), copy.ran


def test_the_first_tests_kill_where_they_pass_with_nothing_off(tmp_path):
    verdict, ran = met_first(tmp_path, {"a.py:f": ["wide"]})
    assert verdict.text == "killed by tests/x.py::wide"
    assert ran == [("a.py:f", ["narrow", "wide"]), ("", ["narrow", "wide"])]
    verdict, ran = met_first(tmp_path, {"a.py:f": ["narrow"], "": ["narrow"]})
    assert not verdict.killed
    assert ran[2:] == [("a.py:f", ["wide"])]
    verdict, ran = met_first(tmp_path, {"a.py:f": [NO_END]})
    assert verdict.text == f"killed by {NO_END}"
    verdict, ran = met_first(tmp_path, {"a.py:f": [NO_END], "": [NO_END]})
    assert not verdict.killed and len(ran) == 2
    verdict, ran = met_first(tmp_path, {}, "b.py:h")
    assert not verdict.killed and ran == []


def test_what_imports_call_is_left_to_other_processes(tmp_path, monkeypatch):
    monkeypatch.setattr(mutate, "SECONDS", (0.1, 40))
    copy = FakeCopy(tmp_path, {"a.py:f": ["wide"]})
    judge = mutate.Judge(copy, Reach(copy), False)
    copy.by_imports = ["a.py:f"]
    assert not judge.first("a.py:f").killed
    assert copy.ran == [("a.py:f", ["narrow"])]
    copy.by_imports = []
    assert judge.first("a.py:f").text == "killed by tests/x.py::wide"
    assert [off for off, _ in copy.ran[1:]] == ["a.py:f", "a.py:f", ""]


def test_the_last_killer_is_the_first_test(tmp_path):
    killer = "tests/y.py::other"
    verdict, ran = met_first(tmp_path, {"a.py:f": ["other"]}, killer=killer)
    assert verdict.text == f"killed by {killer}"
    assert ran == [("a.py:f", ["other", "narrow", "wide"]), ("", ["other"])]


def test_first_tests_are_as_many_as_are_affordable():
    each = [
        ready.Test(name, "passed", seconds, frozenset())
        for name, seconds in (("a", 30.0), ("b", 9.0), ("c", 2.0))
    ]
    assert ready.affordable(each, 40) == each[:2]
    assert ready.affordable(each[1:], 40) == each[1:]
    assert ready.affordable(each, 1) == each[:1], "one at least"
    assert ready.affordable([], 1) == []


REAL = """
import os, signal, time

import pycuda.autoinit
import pycuda.driver as cuda

def test_computes():
    memory = cuda.mem_alloc(4)
    cuda.memset_d32(memory, 7, 1)
    assert cuda.from_device(memory, (1,), "i4").tolist() == [7]
    assert pycuda.autoinit.context.get_device() == cuda.Device(0)

def test_fails():
    assert os.environ["XDG_CACHE_HOME"] == "another folder"

def test_ends():
    os.kill(os.getpid(), signal.SIGABRT)

def test_hangs():
    time.sleep(1000)

def test_is_off():
    import pycuda_mutation
    assert not pycuda_mutation.off(3)
"""


@pytest.mark.cpu
def test_a_process_that_has_read_the_tests(tmp_path, monkeypatch):
    copy = Copy(tmp_path)
    for name in ("site", "tree/tests", "cache"):
        (tmp_path / name).mkdir(parents=True)
    for name, there in copy_module.INSTALLED:
        source = ROOT / "tools" / "mutation" / name
        (copy.site / there).write_text(source.read_text())
    package = Path(pycuda.__file__).parent
    (copy.site / "pycuda").symlink_to(package)
    (copy.tree / "tests" / "test_real.py").write_text(REAL)
    copy.numbers = {"a.py:f": 3}
    monkeypatch.setattr(ready, "LEAST_SECONDS", 2)
    process = ready.Ready(copy)

    def first_failure(*names, off=""):
        tests = [
            ready.Test(f"tests/test_real.py::test_{name}", "passed", 0, {})
            for name in names
        ]
        return process.failure(tests, off).rpartition("test_")[2]

    try:
        assert process.tests == "5 tests"
        for _ in range(2):  # a child's result does not influence the next one
            assert first_failure("computes", "is_off") == ""
            assert first_failure("computes", "fails", "ends") == "fails"
            assert first_failure("ends", "fails") == "ends"
            assert first_failure("computes", "hangs") == "hangs"
            process.has_called("a.py:f")
            assert first_failure("computes") == ""
            assert not process.has_called("a.py:f")
            assert first_failure("is_off", off="a.py:f") == "is_off"
            assert process.has_called("a.py:f")
        assert list(tmp_path.glob("tmp*")) == [], "no scratch is left"
    finally:
        process.close()
    assert process.process.returncode == 0


OPTIONS = {"known": False, "calling": False, "first": False, "jobs": 1}


@pytest.mark.parametrize("repeated", [False, True])
def test_all_are_judged_anew_when_that_is_asked_for(tmp_path, repeated):
    copy = FakeCopy(tmp_path, {})
    copy.functions = {"a.py:f": SimpleNamespace(digest="text")}
    memory = mutate.Memory(tmp_path / "verdicts")
    killed = mutate.Verdict("a.py:f", "killed by tests/x.py::wide")
    memory.keep(killed, "text", "tests")
    options = SimpleNamespace(**OPTIONS, repeat=repeated)
    (verdict,) = mutate.judge_all(
        ["a.py:f"], copy, Reach(copy), memory, options
    )
    assert verdict.killed is not repeated
    assert bool(copy.ran) is repeated


def test_what_is_explained_meets_few_tests(tmp_path, monkeypatch):
    copy = FakeCopy(tmp_path, {"a.py:f": ["other"]})
    copy.functions = {"a.py:f": SimpleNamespace(digest="text")}
    monkeypatch.setattr(mutate, "equivalents", lambda: {"a.py:f": "a cache"})
    memory = mutate.Memory(tmp_path / "verdicts")
    options = SimpleNamespace(**OPTIONS, repeat=False)
    (verdict,) = mutate.judge_all(
        ["a.py:f"], copy, Reach(copy), memory, options
    )
    assert not verdict.killed
    assert copy.ran == [("a.py:f", ["narrow", "wide"])] * 2


def test_the_report(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(mutate, "equivalents", lambda: {"g": "a cache"})
    record = tmp_path / "record.md"
    options = SimpleNamespace(seed=3, only=["src"], record=record)
    verdicts = [
        mutate.Verdict("f", "killed by x"),
        mutate.Verdict("g", "SURVIVED: 1 tests"),
        mutate.Verdict("h", "SURVIVED: 2 tests"),
    ]
    assert mutate.report(verdicts, options) == 1
    printed = capsys.readouterr().out
    assert "1 killed, 1 survived, 1 equivalent" in printed
    assert "h: SURVIVED" in printed and "g: SURVIVED" not in printed
    text = record.read_text()
    assert "seed 3, src" in text
    assert "| `g` | equivalent: a cache |" in text


@pytest.mark.parametrize("jobs", [1, 3])
def test_functions_side_by_side(tmp_path, jobs, processes):
    keys = list(NUMBERS)
    copy = FakeCopy(tmp_path, {"a.py:f": ["narrow"], "a.py:g": ["wide"]})
    copy.functions = {key: SimpleNamespace(digest="text") for key in keys}
    memory = mutate.Memory(tmp_path / "verdicts")
    options = SimpleNamespace(**OPTIONS | {"jobs": jobs}, repeat=False)
    verdicts = mutate.judge_all(keys, copy, Reach(copy), memory, options)
    assert [verdict.key for verdict in verdicts] == keys
    assert [v.key for v in verdicts if v.killed] == ["a.py:f", "a.py:g"]
    assert 1 <= len(processes) <= jobs
    assert all(process.copy is None for process in processes), "all closed"


def test_what_the_first_tests_leave_open_is_not_remembered(tmp_path):
    copy = FakeCopy(tmp_path, {"a.py:f": ["narrow"]})
    keys = ["a.py:f", "a.py:g"]
    copy.functions = {key: SimpleNamespace(digest="text") for key in keys}
    memory = mutate.Memory(tmp_path / "verdicts")
    options = SimpleNamespace(**OPTIONS | {"first": True}, repeat=False)
    verdicts = mutate.judge_all(keys, copy, Reach(copy), memory, options)
    assert [verdict.killed for verdict in verdicts] == [True, False]
    assert list(mutate.Memory(memory.path).known) == ["a.py:f"]
    assert [off for off, _ in copy.ran] == ["a.py:f", "", "a.py:g"]


def test_each_thread_has_its_page(tmp_path):
    copy = Copy(tmp_path)
    copy.site.mkdir()
    both = threading.Barrier(2)

    def ask(_):
        both.wait(10)
        return copy.own_page(), copy.own_page()

    with ThreadPoolExecutor(2) as pool:
        (first, repeated), (second, _) = pool.map(ask, range(2))
    assert first == repeated
    assert first.stat().st_size == page.BYTES
    assert len({first, second, copy.own_page()}) == 3
    assert copy.own_page() == copy.site / "pycuda_mutation.page"
