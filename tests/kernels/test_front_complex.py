"""pycuda-complex.hpp against NumPy's complex numbers."""

import numpy as np
import pytest

import pycuda.driver as cuda
from pycuda.compiler import SourceModule, compile

pytestmark = pytest.mark.usefixtures("context")

FUNCTIONS = [
    "sqrt",
    "exp",
    "log",
    "log10",
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "tanh",
]
BINARY = {
    "a + b": np.add,
    "a - b": np.subtract,
    "a * b": np.multiply,
    "a / b": np.divide,
    "pow(a, b)": np.power,
    "conj(a) - -b": lambda a, b: a.conj() + b,
    "polar(abs(a), arg(b))": lambda a, b: abs(a) * np.exp(1j * np.angle(b)),
    "C(norm(a), real(b) + imag(b))": lambda a, b: (
        abs(a) ** 2 + 1j * (b.real + b.imag)
    ),
    "a * b.real() + b.imag()": lambda a, b: a * b.real + b.imag,
    "a.real() / b - a.imag()": lambda a, b: a.real / b - a.imag,
    "pow(a, 3)": lambda a, b: a**3,
    "C(a == b, a != b)": lambda a, b: (a == b) + 1j * (a != b),
}
TYPES = {"float": np.complex64, "double": np.complex128}
TOLERANCE = {"float": 2e-5, "double": 1e-13}


def _numbers(dtype):
    rng = np.random.default_rng(1)
    parts = rng.uniform(-3, 3, (2, 2, 999))
    a, b = parts[:, 0] + 1j * parts[:, 1]
    return a.astype(dtype), b.astype(dtype)


def _evaluate(expression, real, a, b):
    module = SourceModule(
        f"""
        #include <pycuda-complex.hpp>
        using namespace pycuda;
        typedef pycuda::complex<{real}> C;
        __global__ void kernel(C *out, const C *in_a, const C *in_b, int n)
        {{
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) {{
                C a = in_a[i], b = in_b[i];
                out[i] = {expression};
            }}
        }}
        """
    )
    out = np.empty_like(a)
    module.get_function("kernel")(
        cuda.Out(out),
        cuda.In(a),
        cuda.In(b),
        np.int32(a.size),
        block=(128, 1, 1),
        grid=((a.size + 127) // 128, 1),
    )
    return out


@pytest.mark.sweep(most=20)
@pytest.mark.parametrize("real", TYPES)
@pytest.mark.parametrize("expression", [*BINARY, *FUNCTIONS])
def test_value(expression, real):
    a, b = _numbers(TYPES[real])
    exact = [a.astype(np.complex128), b.astype(np.complex128)]
    if expression in BINARY:
        got = _evaluate(expression, real, a, b)
        want = BINARY[expression](*exact)
    else:
        got = _evaluate(f"{expression}(a)", real, a, b)
        want = getattr(np, expression)(exact[0])
    error = abs(got - want) / np.maximum(abs(want), 1)
    assert error.max() < TOLERANCE[real] * 10


def test_division_does_not_overflow():
    a = np.array([1e30 + 1e30j], np.complex64)
    assert _evaluate("a / b", "float", a, a)[0] == 1


def test_root_of_zero_and_of_negatives():
    a = np.array([0, -4, -4 - 0.5j, 3e-20], np.complex64)
    got = _evaluate("sqrt(a)", "float", a, a)
    assert np.allclose(got, np.sqrt(a), rtol=1e-6)


def test_tanh_saturates():
    a = np.array([300 + 1j, -300 - 1j], np.complex64)
    assert _evaluate("tanh(a)", "float", a, a).tolist() == [1, -1]


def test_layout_and_start():
    module = SourceModule(
        """
        #include <pycuda-complex.hpp>
        __global__ void kernel(int *out)
        {
            typedef pycuda::complex<float> C;
            typedef pycuda::complex<double> Z;
            C zero;
            out[0] = sizeof(C);
            out[1] = sizeof(Z);
            out[2] = alignof(C);
            out[3] = alignof(Z);
            out[4] = zero == C(0, 0);
        }
        """
    )
    out = np.empty(5, np.int32)
    module.get_function("kernel")(cuda.Out(out), block=(1, 1, 1))
    assert out.tolist() == [8, 16, 4, 8, 1]


@pytest.mark.filterwarnings("ignore:.*dynamic initialization")
@pytest.mark.filterwarnings("ignore:The CUDA compiler succeeded")
def test_shared_arrays():
    module = SourceModule(
        """
        #include <pycuda-complex.hpp>
        typedef pycuda::complex<float> C;
        __global__ void kernel(C *x)
        {
            __shared__ C turned[64];
            C sum;
            turned[threadIdx.x] = x[threadIdx.x];
            __syncthreads();
            for (int i = 0; i < 64; i++) { sum += turned[i]; }
            x[threadIdx.x] = turned[63 - threadIdx.x] + sum;
        }
        """
    )
    x = (np.arange(64) - 1j * np.arange(64)).astype(np.complex64)
    want = x[::-1] + x.sum()
    module.get_function("kernel")(cuda.InOut(x), block=(64, 1, 1))
    assert np.array_equal(x, want)


STRICT = {
    "z * 2.f": True,
    "C(z *= 2)": True,
    "C(z += w)": True,
    "pow(z, 2)": True,
    "z * 2": False,
    "2 * z": False,
    "z * 2.0": False,
    "z + 1": False,
    "C(z == 1)": False,
    "C(z + w)": False,
}


@pytest.mark.parametrize("expression", STRICT)
def test_types_are_strict(expression):
    source = (
        "#include <pycuda-complex.hpp>\n"
        "typedef pycuda::complex<float> C;\n"
        "__global__ void kernel(C *o, pycuda::complex<double> w)\n"
        f"{{ C z = o[0]; o[1] = {expression}; }}"
    )
    if STRICT[expression]:
        assert compile(source)
    else:
        with pytest.raises(cuda.CompileError):
            compile(source)


def test_volatile_operands():
    """Reductions use volatile operands in their last warp."""
    module = SourceModule(
        """
        #include <pycuda-complex.hpp>
        typedef pycuda::complex<double> Z;
        __global__ void kernel(volatile Z *z)
        {
            z[0] = z[1] + z[2];
            z[3] = z[1] * z[2];
            Z copy = z[1];
            z[4] = copy;
            z[5] = 3.0;
        }
        """
    )
    z = np.array([0, 1 + 2j, 3 - 1j, 0, 0, 0])
    module.get_function("kernel")(cuda.InOut(z), block=(1, 1, 1))
    assert z.tolist() == [4 + 1j, 1 + 2j, 3 - 1j, 5 + 5j, 1 + 2j, 3]
