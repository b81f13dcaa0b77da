"""Every combination of format, shape, filter and address mode of a texture.

`CASES` lists them, `run` samples one on the current device, and `expected`
computes the same by the formulas of the CUDA programming guide (appendix
Texture Fetching) in NumPy, with an H100's behavior where the guide is silent.
test_textures.py uses the cases; on a GPU they record the results of its
texture unit.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

import pycuda.driver as cuda
from pycuda.compiler import SourceModule

#: dtype of a texel's channel; whether fetches return normalized floats.
KINDS = {
    "u8": (np.uint8, False),
    "u8n": (np.uint8, True),
    "i8": (np.int8, False),
    "i8n": (np.int8, True),
    "u16": (np.uint16, False),
    "u16n": (np.uint16, True),
    "i16": (np.int16, False),
    "i16n": (np.int16, True),
    "u32": (np.uint32, False),
    "i32": (np.int32, False),
    "half": (np.float16, False),
    "float": (np.float32, False),
}
#: (number of filtered dimensions, layers, the call)
SHAPES = {
    "1D": (1, 0, "tex1D<T>(t, x)"),
    "2D": (2, 0, "tex2D<T>(t, x, y)"),
    "3D": (3, 0, "tex3D<T>(t, x, y, z)"),
    "1DLayered": (1, 3, "tex1DLayered<T>(t, x, l)"),
    "2DLayered": (2, 3, "tex2DLayered<T>(t, x, y, l)"),
    "Cubemap": (2, 6, "texCubemap<T>(t, x, y, z)"),
    "CubemapLayered": (2, 12, "texCubemapLayered<T>(t, x, y, z, l)"),
}
ADDRESSES = [
    (False, "CLAMP"),
    (False, "BORDER"),
    (True, "WRAP"),
    (True, "CLAMP"),
    (True, "MIRROR"),
    (True, "BORDER"),
]
EXTENT = (8, 4, 4)
SIDE = 4
POINTS = 24
BORDER = (0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class Case:
    """One texture with its sampling modes."""

    kind: str
    shape: str
    channels: int
    linear: bool
    normalized: bool
    address: str

    @property
    def name(self) -> str:
        """The name of the case in reports and in the recorded file."""
        parts = [self.kind, self.shape, str(self.channels)]
        parts.append("linear" if self.linear else "point")
        parts.append("normalized" if self.normalized else "texels")
        return "-".join([*parts, self.address])

    @property
    def cube(self) -> bool:
        return self.shape.startswith("Cubemap")

    @property
    def integers(self) -> bool:
        dtype, normalised = KINDS[self.kind]
        return np.issubdtype(dtype, np.integer) and not normalised

    @property
    def word(self) -> np.dtype:
        """The type of a fetch's result: float32, int32 or uint32."""
        if not self.integers:
            return np.dtype(np.float32)
        unsigned = np.issubdtype(KINDS[self.kind][0], np.unsignedinteger)
        return np.dtype(np.uint32 if unsigned else np.int32)

    @property
    def extent(self) -> tuple[int, ...]:
        if self.cube:
            return (SIDE, SIDE)
        return EXTENT[: SHAPES[self.shape][0]]

    @property
    def random(self) -> np.random.Generator:
        # Python's hash() differs from run to run.
        return np.random.default_rng(list(self.name.encode()))


def _cases() -> list[Case]:
    made = []
    for kind, (dtype, normalised) in KINDS.items():
        integers = np.issubdtype(dtype, np.integer) and not normalised
        for shape in SHAPES:
            rows = [(True, "CLAMP")] if shape.startswith("Cube") else ADDRESSES
            for linear in (False,) if integers else (False, True):
                for normalized, address in rows:
                    channels = (1, 2, 4)[len(made) % 3]
                    made.append(
                        Case(
                            kind, shape, channels, linear, normalized, address
                        )
                    )
    return made


CASES = _cases()


def texels(case: Case) -> np.ndarray:
    """Return texels of shape (slices, height, width, channels)."""
    dtype, _ = KINDS[case.kind]
    dimensions, layers, _ = SHAPES[case.shape]
    width, height, depth = (*case.extent, 1, 1)[:3]
    shape = (max(layers, depth), height, width, case.channels)
    if np.issubdtype(dtype, np.integer):
        limits = np.iinfo(dtype)
        return case.random.integers(
            limits.min, limits.max, shape, dtype, endpoint=True
        )
    return case.random.standard_normal(shape).astype(dtype)


def points(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """Return (3, POINTS) float32 coordinates and POINTS layers.

    The first half are multiples of 1/16 of a texel, edges included, which are
    exact in 8 bits of fraction; the rest are random.
    """
    random = case.random
    layer = random.integers(-1, 4, POINTS).astype(np.int32)
    if case.cube:
        direction = random.uniform(-1, 1, (3, POINTS)).astype(np.float32)
        # In the first half, one axis is 1 and the others are multiples of
        # 1/32.
        half = POINTS // 2
        exact = random.integers(-31, 32, (3, half)) / np.float32(32)
        exact[random.integers(0, 3, half), np.arange(half)] = random.choice(
            [-1, 1], half
        )
        direction[:, :half] = exact
        return direction, random.integers(0, 2, POINTS).astype(np.int32)
    extent = np.array((*case.extent, 1, 1)[:3])[:, None]
    low, high = -2 * extent, 3 * extent
    exact = random.integers(16 * low, 16 * high + 1, (3, POINTS)) / 16
    free = random.uniform(low, high, (3, POINTS))
    chosen = np.where(np.arange(POINTS) < POINTS // 2, exact, free)
    if case.normalized:
        chosen = chosen / extent
    return chosen.astype(np.float32), layer


def array_of(case: Case, flags: int = 0) -> cuda.Array:
    """Return a CUDA array with the case's texels."""
    return fill_array(texels(case), case.shape, flags)


def fill_array(data: np.ndarray, shape: str, flags: int = 0) -> cuda.Array:
    """Copy `data` (slices, height, width, channels) to a CUDA array."""
    slices, height, width, channels = data.shape
    dimensions, layers, _ = SHAPES[shape]
    descriptor = cuda.ArrayDescriptor3D()
    descriptor.width = width
    descriptor.height = 0 if dimensions == 1 else height
    descriptor.depth = slices if layers or dimensions == 3 else 0
    descriptor.format = cuda.dtype_to_array_format(data.dtype)
    descriptor.num_channels = channels
    descriptor.flags = flags
    if "Layered" in shape:
        descriptor.flags |= cuda.array3d_flags.ARRAY3D_LAYERED
    if "Cubemap" in shape:
        descriptor.flags |= cuda.array3d_flags.CUBEMAP
    array = cuda.Array(descriptor)
    copy = cuda.Memcpy3D()
    copy.set_src_host(data)
    copy.set_dst_array(array)
    copy.width_in_bytes = copy.src_pitch = width * channels * data.itemsize
    copy.src_height = copy.height = height
    copy.depth = slices
    copy()
    return array


def texture_of(case: Case) -> cuda.TextureObject:
    """Create the case's texture."""
    return cuda.TextureObject(
        array_of(case),
        address_mode=getattr(cuda.address_mode, case.address),
        filter_mode=cuda.filter_mode.LINEAR
        if case.linear
        else cuda.filter_mode.POINT,
        normalized_coordinates=case.normalized,
        normalized_float=KINDS[case.kind][1],
        border_color=None if case.integers else BORDER,
    )


@cache
def kernels() -> SourceModule:
    """Compile one kernel for each shape and result type."""
    parts = []
    for shape, (_, _, call) in SHAPES.items():
        for word in ("float", "int", "uint"):
            for channels in (1, 2, 4):
                T = word + (str(channels) if channels > 1 else "")
                T = "unsigned int" if T == "uint" else T
                parts.append(
                    f"__global__ void k{shape}_{word}_{channels}("
                    f"{T} *o, cudaTextureObject_t t, const float *p,"
                    " const int *layers, int n)"
                    "{ int i = threadIdx.x; if (i < n) {"
                    "float x = p[i], y = p[n + i], z = p[2 * n + i];"
                    "int l = layers[i]; (void)y; (void)z; (void)l;"
                    f"o[i] = {call.replace('T>', T + '>')}; }} }}"
                )
    return SourceModule("\n".join(parts))


def run(case: Case) -> np.ndarray:
    """Fetch the texels: (POINTS, channels), float32, int32 or uint32."""
    name = {"f": "float", "i": "int", "u": "uint"}[case.word.kind]
    function = kernels().get_function(f"k{case.shape}_{name}_{case.channels}")
    where, layer = points(case)
    out = np.empty((POINTS, case.channels), case.word)
    texture = texture_of(case)
    function(
        cuda.Out(out),
        texture,
        cuda.In(where),
        cuda.In(layer),
        np.int32(POINTS),
        block=(32, 1, 1),
    )
    return out


def pack(results: list[np.ndarray]) -> np.ndarray:
    """Pack the results of all `CASES` into one array of words."""
    return np.concatenate(
        [result.view(np.uint32).ravel() for result in results]
    )


def unpack(words: np.ndarray) -> dict[str, np.ndarray]:
    """Return results by name, in the form that `run` returns."""
    results, first = {}, 0
    for case in CASES:
        count = POINTS * case.channels
        part = words[first : first + count].reshape(POINTS, case.channels)
        results[case.name] = part.view(case.word)
        first += count
    return results


# -- the guide's formulas


def _fetched(case: Case, data: np.ndarray) -> np.ndarray:
    """Return the unfiltered result of a fetch of each texel."""
    dtype, normalised = KINDS[case.kind]
    if case.integers:
        return data.astype(np.int64)
    if not normalised:
        return data.astype(np.float64)
    return np.maximum(data / np.float64(np.iinfo(dtype).max), -1)


def _border(case: Case) -> np.ndarray:
    """Return the border color in the texel format, ties rounded down."""
    dtype, normalised = KINDS[case.kind]
    color = np.array(BORDER[: case.channels])
    if case.integers:
        return np.zeros(case.channels, np.int64)
    if normalised:
        most = np.iinfo(dtype).max
        return np.ceil(color * most - 0.5) / most
    return color.astype(dtype).astype(np.float64)


def _fold(case: Case, x: np.ndarray, n: int) -> np.ndarray:
    """Apply the address mode to a coordinate in texels, except mirroring."""
    x = x.astype(np.float64)
    if not case.normalized:
        return x
    if case.address == "WRAP":
        x = x - np.floor(x)
    return x * n


def _index(case: Case, i: np.ndarray, n: int) -> np.ndarray:
    """Return the index of a texel, -1 for the border."""
    if case.address == "BORDER":
        return np.where((i < 0) | (i >= n), -1, i)
    if case.address == "WRAP":
        return i % n
    if case.address == "MIRROR":
        i = i % (2 * n)
        return np.where(i < n, i, 2 * n - 1 - i)
    return np.clip(i, 0, n - 1)


def _cube(direction: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (face, (s, t) in [0, 1]) of directions, by the guide's table."""
    x, y, z = direction.astype(np.float64)
    ax, ay, az = np.abs(direction)
    rows = [  # face, s, t, m
        (0, -z, -y, x),
        (1, z, -y, -x),
        (2, x, z, y),
        (3, x, -z, -y),
        (4, x, -y, z),
        (5, -x, -y, -z),
    ]
    face = np.where(
        (ax >= ay) & (ax >= az),
        np.where(x > 0, 0, 1),
        np.where(ay >= az, np.where(y > 0, 2, 3), np.where(z > 0, 4, 5)),
    )
    place = np.zeros((2, len(face)))
    for number, s, t, m in rows:
        here = face == number
        place[0, here] = (s / np.where(here, m, 1) + 1)[here] / 2
        place[1, here] = (t / np.where(here, m, 1) + 1)[here] / 2
    return face, place


def expected(case: Case) -> np.ndarray:
    """Return the expected result of `run`, as int64 or float64."""
    values = _fetched(case, texels(case))
    where, layer = points(case)
    dimensions, layers, _ = SHAPES[case.shape]
    slices = np.zeros(POINTS, int)
    if case.cube:
        face, where = _cube(where)
        slices = face + (6 * layer if "Layered" in case.shape else 0)
    elif layers:
        # The layer is unsigned: a negative one selects the last.
        slices = np.where(layer < 0, layers - 1, np.minimum(layer, layers - 1))
    axes = []  # (index, weight) of the one or two texels along each axis
    for axis, n in enumerate(case.extent):
        x = _fold(case, where[axis], n)
        if not case.linear:
            axes.append([(_index(case, np.floor(x).astype(int), n), 1)])
            continue
        low = np.floor(x - 0.5).astype(int)
        weight = np.floor((x - 0.5 - low) * 256 + 0.5) / 256
        axes.append(
            [
                (_index(case, low, n), 1 - weight),
                (_index(case, low + 1, n), weight),
            ]
        )
    axes += [[(np.zeros(POINTS, int), 1)]] * (3 - len(axes))
    border = _border(case)
    total = np.zeros((POINTS, case.channels), values.dtype)
    for i, a in axes[0]:
        for j, b in axes[1]:
            for k, c in axes[2]:
                outside = (i < 0) | (j < 0) | (k < 0)
                depth = k if dimensions == 3 else slices
                texel = np.where(outside[:, None], border, values[depth, j, i])
                total = (
                    total
                    + texel
                    * np.broadcast_to(a * b * c, POINTS).astype(values.dtype)[
                        :, None
                    ]
                )
    if case.shape == "1D" and case.linear and case.address == "BORDER":
        # The texture unit treats a 1D texture as the top edge of a 2D row.
        total = (total + border) / 2
    return total
