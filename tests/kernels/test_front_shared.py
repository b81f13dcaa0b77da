"""Shared variables with non-trivial constructors: no constructor runs."""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.driver as cuda
from pycuda.compiler import SourceModule

pytestmark = [
    pytest.mark.usefixtures("context"),
    # NVRTC's wording for it.
    pytest.mark.filterwarnings("ignore:(?s).*dynamic initialization"),
]

HEAD = """
template <class T> struct pair_of {
    T x, y;
    __device__ pair_of(T x = 1, T y = 2) : x(x), y(y) {}
};
struct counted {
    int count = 7;
    int other[3] = {1, 2, 3};
};
struct shape {
    int side;
    __device__ virtual int area() const { return side * side; }
};
"""


def run(body, head="", shape=(32,), **options):
    source = (
        f'{HEAD}{head}\nextern "C" __global__ void kernel(int *out)'
        f"{{ int t = threadIdx.x; {body} }}"
    )
    module = SourceModule(source, no_extern_c=True, **options)
    out = np.zeros(shape, np.int32)
    module.get_function("kernel")(cuda.InOut(out), block=(32, 1, 1))
    return out


T = np.arange(32)


@pytest.mark.parametrize(
    "declared",
    [
        "__shared__ pair_of<int> s[32];",
        "static __shared__ pair_of<int> s[32];",
        "__shared__\n    pair_of<int>\n    s [ 32 ] ;",
        "__shared__ __align__(16) pair_of<int> s[4 * (5 + 3)];",
    ],
)
def test_arrays(declared):
    got = run(
        declared + "s[t] = pair_of<int>(t, 3); __syncthreads();"
        "out[t] = s[31 - t].x * s[t].y + sizeof(s) * 1000;"
    )
    assert np.array_equal(got, (31 - T) * 3 + 256000)


def test_several_statements_and_scopes():
    got = run(
        """
        __shared__ pair_of<float> rows[32][2]; int before = 1;
        for (int turn = 0; turn < 2; turn++) {
            __shared__ counted one; __shared__ int plain[32];
            if (t == 0) { one.count = turn; one.other[2] = 5; }
            plain[t] = t;
            rows[t][turn].y = t + turn;
            __syncthreads();
            out[t] += one.count * 100 + one.other[2] + plain[31 - t];
            out[t] += (int)rows[31 - t][turn].y * 1000 + before;
            __syncthreads();
        }
        """
    )
    r = 31 - T
    assert np.array_equal(got, 100 + 12 + 2 * r + 1000 * (2 * r + 1))


def test_virtual_functions():
    got = run(
        "__shared__ shape s; if (t == 0) { new (&s) shape; s.side = 6; }"
        "__syncthreads(); out[t] = s.area();"
    )
    assert (got == 36).all()


LAMBDA = """
    __shared__ pair_of<int> s[32];
    auto at = [%s](int i) { return s[i].x; };
    s[t].x = t + 5;
    __syncthreads();
    out[t] = at(31 - t);
"""


def test_lambdas_see_the_variable():
    assert np.array_equal(run(LAMBDA % "&"), 36 - T)


@pytest.mark.cpu
@pytest.mark.parametrize("capture", ["=", " = ", "=, &out"])
def test_no_lambda_copies_the_variable(capture):
    with pytest.raises(cuda.CompileError, match="is not supported"):
        run(LAMBDA % capture)


def test_each_instance_of_a_template_has_its_own():
    """Instances have separate variables, even if these have the same type."""
    head = """
    template <int Which, class T> __device__ pair_of<T> *place()
    {
        __shared__ pair_of<T> s[32];
        return s;
    }
    """
    got = run(
        """
        pair_of<int> *a = place<1, int>(), *b = place<2, int>();
        pair_of<float> *c = place<1, float>();
        a[t].x = t; b[t].x = 2 * t; c[t].x = 3 * t;
        __syncthreads();
        int i = 31 - t;
        out[t] = a[i].x + 100 * b[i].x + 10000 * (int)c[i].x;
        out[t] += place<1, int>() == a ? 0 : 1;
        """,
        head,
    )
    assert np.array_equal(got, (31 - T) * 30201)


def test_under_name_expressions():
    source = (
        HEAD + "template <class T> __global__ void turn(T *x) {"
        "__shared__ pair_of<T> s[32]; s[threadIdx.x].x = x[threadIdx.x];"
        "__syncthreads(); x[threadIdx.x] = s[31 - threadIdx.x].x; }"
    )
    names = ["turn<float>", "turn<double>"]
    module = SourceModule(source, name_expressions=names)
    for name, dtype in zip(names, "fd", strict=True):
        x = np.arange(32, dtype=dtype)
        module.get_function(name)(cuda.InOut(x), block=(32, 1, 1))
        assert np.array_equal(x, np.arange(32)[::-1])


@pytest.mark.cpu
@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("\n__shared__ pair_of<int> a[2], b[3];", 16),
        ("\n\n__shared__ pair_of<int> s[2]; none();", 17),
    ],
)
def test_what_is_not_understood_is_said_as_it_was(body, line):
    with pytest.raises(cuda.CompileError) as error:
        run(body)
    said = error.value.stderr
    assert f"kernel.cu:{line}:" in said and "__pycuda" not in said
    assert "initialization is not supported for __shared__" in said
