"""Deduction guides of a program's own templates need no __device__."""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda.compiler import SourceModule

# Without the guide, box(float) is a box<float>, and pair(a, b) is an error.
TEMPLATES = """
template <class T> struct box {
    T value;
    __device__ box(T given) : value(given) {}
};
template <class A, class B> struct pair { A a; B b; };
"""
KERNEL = """
extern "C" __global__ void kernel(int *results)
{
    box held(1.5f);
    pair both{1, 2.0};
    results[0] = sizeof(held);
    results[1] = sizeof(both);
}
"""
GUIDES = {
    "plain": "box(float) -> box<double>;",
    "explicit": "explicit box(float) -> box<double>;",
    "after a literal": "constexpr char c = '\\\"'; box(float)->box<double>;",
    "after a directive": "#define IT ( -> (\nbox(float) -> box<double>;",
    "after a number": "constexpr int n = 1'000; box(float) -> box<double>;",
    "in lines": "box\n(float) // -> box<int>;\n->\nbox /* ( */ <double\n>;",
    "of a template": """template <class T, int n = sizeof(decltype(T()))>
        box(T) -> box<pair<T, pair<T, int>>>;
        box(float) -> box<double>;""",
}


@pytest.fixture(autouse=True)
def in_context(context):
    """Make a context current, because all tests run kernels."""


def run(source, *options):
    words = ["-std=c++17", *options]
    module = SourceModule(source, no_extern_c=True, options=words)
    results = np.zeros(2, np.int32)
    module.get_function("kernel")(drv.Out(results), block=(1, 1, 1))
    return results.tolist()


@pytest.mark.parametrize("guide", GUIDES.values(), ids=GUIDES)
def test_guides_are_followed(guide):
    pair = "template <class A, class B> pair(A, B) -> pair<A, B>;"
    source = f"{TEMPLATES}{guide}\n{pair}{KERNEL}"
    assert run(source) == [8, 16]


@pytest.mark.cpu
@pytest.mark.parametrize("words", ["__device__", "__host__ __device__"])
def test_those_with_execution_spaces_are_followed_too(words):
    source = f"{TEMPLATES}{words} box(float) -> box<double>;"
    pair = "pair(int, double) -> pair<int, double>;"
    assert run(source + pair + KERNEL) == [8, 16]


@pytest.mark.parametrize(
    "text",
    [
        "// box(float) -> box<double>;",
        "/*\nbox(float) -> box<double>; */",
        'constexpr char t[] = R"x(\n; box(float) -> box<double>;)x";'
        "static_assert(sizeof(t) == 30);",
        "#define GUIDE ; box(float) -> box<double>;",
        "#if 0\n; box(float) -> box<double>;\n#endif",
    ],
)
def test_what_only_looks_like_a_guide_is_none(text):
    source = f"{TEMPLATES}pair(int, double) -> pair<int, double>;\n{text}"
    assert run(source + KERNEL) == [4, 16]


def test_members_behind_arrows_stay():
    source = """
    struct node { node *next; int number; };
    __device__ node *next(node *at) { return at->next; }
    struct maker { template <class T> static __device__ int make(); };
    template <class T> __device__ int maker::make() { return sizeof(T); }
    __device__ maker *make(int) { return nullptr; }
    extern "C" __global__ void kernel(int *results)
    {
        node last{nullptr, 7}, first{&last, 5};
        next(&first)->next < &last;
        int (*size)() = make(1)->make<double>;
        results[0] = next(&first)->number;
        results[1] = size();
    }
    """
    assert run(source, "-w") == [7, 8]


def test_lines_of_errors_stay():
    source = TEMPLATES + "\nbox(float)\n-> box<double>;\nundeclared;\n"
    line = source[: source.index("undeclared")].count("\n") + 1
    with pytest.raises(drv.CompileError, match=rf"\b{line}\b"):
        run(source + KERNEL)


@pytest.mark.parametrize("text", ["", "// ->", "->", '"->', "/* ->"])
def test_sources_without_tokens(text):
    with pytest.raises(drv.Error):
        run(text)
