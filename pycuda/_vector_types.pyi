"""Types of `vec`, whose attributes are made at run time from a table.

Only type checkers read this file; a test compares it with the module.

SPDX-License-Identifier: MIT
"""

from typing import Any

import numpy as np
import numpy.typing as npt

NAMES: dict[str, np.dtype[Any]]

_Vector = npt.NDArray[np.void]
_Value = float | np.number[Any] | np.bool_ | npt.NDArray[Any]

class vec:
    char1: np.dtype[np.void]
    char2: np.dtype[np.void]
    char3: np.dtype[np.void]
    char4: np.dtype[np.void]
    uchar1: np.dtype[np.void]
    uchar2: np.dtype[np.void]
    uchar3: np.dtype[np.void]
    uchar4: np.dtype[np.void]
    short1: np.dtype[np.void]
    short2: np.dtype[np.void]
    short3: np.dtype[np.void]
    short4: np.dtype[np.void]
    ushort1: np.dtype[np.void]
    ushort2: np.dtype[np.void]
    ushort3: np.dtype[np.void]
    ushort4: np.dtype[np.void]
    int1: np.dtype[np.void]
    int2: np.dtype[np.void]
    int3: np.dtype[np.void]
    int4: np.dtype[np.void]
    uint1: np.dtype[np.void]
    uint2: np.dtype[np.void]
    uint3: np.dtype[np.void]
    uint4: np.dtype[np.void]
    long1: np.dtype[np.void]
    long2: np.dtype[np.void]
    long3: np.dtype[np.void]
    long4: np.dtype[np.void]
    ulong1: np.dtype[np.void]
    ulong2: np.dtype[np.void]
    ulong3: np.dtype[np.void]
    ulong4: np.dtype[np.void]
    longlong1: np.dtype[np.void]
    longlong2: np.dtype[np.void]
    ulonglong1: np.dtype[np.void]
    ulonglong2: np.dtype[np.void]
    float1: np.dtype[np.void]
    float2: np.dtype[np.void]
    float3: np.dtype[np.void]
    float4: np.dtype[np.void]
    double1: np.dtype[np.void]
    double2: np.dtype[np.void]
    @staticmethod
    def make_char1(x: _Value) -> _Vector: ...
    @staticmethod
    def make_char2(x: _Value, y: _Value) -> _Vector: ...
    @staticmethod
    def make_char3(x: _Value, y: _Value, z: _Value) -> _Vector: ...
    @staticmethod
    def make_char4(x: _Value, y: _Value, z: _Value, w: _Value) -> _Vector: ...
    @staticmethod
    def make_uchar1(x: _Value) -> _Vector: ...
    @staticmethod
    def make_uchar2(x: _Value, y: _Value) -> _Vector: ...
    @staticmethod
    def make_uchar3(x: _Value, y: _Value, z: _Value) -> _Vector: ...
    @staticmethod
    def make_uchar4(x: _Value, y: _Value, z: _Value, w: _Value) -> _Vector: ...
    @staticmethod
    def make_short1(x: _Value) -> _Vector: ...
    @staticmethod
    def make_short2(x: _Value, y: _Value) -> _Vector: ...
    @staticmethod
    def make_short3(x: _Value, y: _Value, z: _Value) -> _Vector: ...
    @staticmethod
    def make_short4(x: _Value, y: _Value, z: _Value, w: _Value) -> _Vector: ...
    @staticmethod
    def make_ushort1(x: _Value) -> _Vector: ...
    @staticmethod
    def make_ushort2(x: _Value, y: _Value) -> _Vector: ...
    @staticmethod
    def make_ushort3(x: _Value, y: _Value, z: _Value) -> _Vector: ...
    @staticmethod
    def make_ushort4(
        x: _Value, y: _Value, z: _Value, w: _Value
    ) -> _Vector: ...
    @staticmethod
    def make_int1(x: _Value) -> _Vector: ...
    @staticmethod
    def make_int2(x: _Value, y: _Value) -> _Vector: ...
    @staticmethod
    def make_int3(x: _Value, y: _Value, z: _Value) -> _Vector: ...
    @staticmethod
    def make_int4(x: _Value, y: _Value, z: _Value, w: _Value) -> _Vector: ...
    @staticmethod
    def make_uint1(x: _Value) -> _Vector: ...
    @staticmethod
    def make_uint2(x: _Value, y: _Value) -> _Vector: ...
    @staticmethod
    def make_uint3(x: _Value, y: _Value, z: _Value) -> _Vector: ...
    @staticmethod
    def make_uint4(x: _Value, y: _Value, z: _Value, w: _Value) -> _Vector: ...
    @staticmethod
    def make_long1(x: _Value) -> _Vector: ...
    @staticmethod
    def make_long2(x: _Value, y: _Value) -> _Vector: ...
    @staticmethod
    def make_long3(x: _Value, y: _Value, z: _Value) -> _Vector: ...
    @staticmethod
    def make_long4(x: _Value, y: _Value, z: _Value, w: _Value) -> _Vector: ...
    @staticmethod
    def make_ulong1(x: _Value) -> _Vector: ...
    @staticmethod
    def make_ulong2(x: _Value, y: _Value) -> _Vector: ...
    @staticmethod
    def make_ulong3(x: _Value, y: _Value, z: _Value) -> _Vector: ...
    @staticmethod
    def make_ulong4(x: _Value, y: _Value, z: _Value, w: _Value) -> _Vector: ...
    @staticmethod
    def make_longlong1(x: _Value) -> _Vector: ...
    @staticmethod
    def make_longlong2(x: _Value, y: _Value) -> _Vector: ...
    @staticmethod
    def make_ulonglong1(x: _Value) -> _Vector: ...
    @staticmethod
    def make_ulonglong2(x: _Value, y: _Value) -> _Vector: ...
    @staticmethod
    def make_float1(x: _Value) -> _Vector: ...
    @staticmethod
    def make_float2(x: _Value, y: _Value) -> _Vector: ...
    @staticmethod
    def make_float3(x: _Value, y: _Value, z: _Value) -> _Vector: ...
    @staticmethod
    def make_float4(x: _Value, y: _Value, z: _Value, w: _Value) -> _Vector: ...
    @staticmethod
    def make_double1(x: _Value) -> _Vector: ...
    @staticmethod
    def make_double2(x: _Value, y: _Value) -> _Vector: ...
