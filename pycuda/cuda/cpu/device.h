/* device.h - CUDA C++ of the CPU device, included before every kernel source.
 *
 * The front end (src/cpu/nvrtc/frontend.c) precompiles it. It uses no file of
 * a CUDA toolkit: the headers that it includes, one per subject, declare
 * everything on top of the runtime functions of src/image/abi.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C++" {
#include "qualifiers.h"
#include "predefined.h"
#include "target.h"
#include "vectors.h"
#include "runtime.h"
#include "geometry.h"
#include "synchronise.h"
#include "warp.h"
#include "atomics.h"
#include "clusters.h"
#include "casts.h"
#include "integers.h"
#include "simd.h"
#include "lanes.h"
#include "math_library.h"
#include "math_parts.h"
#include "math_float.h"
#include "math_float_trig.h"
#include "math_float_parts.h"
#include "math_double.h"
#include "math_double_trig.h"
#include "math_double_more.h"
#include "math_to_long.h"
#include "math_bessel.h"
#include "math_bessel_i.h"
#include "math_extra.h"
#include "math_overloads.h"
#include "math_fast.h"
#include "math_rounding.h"
#include "memory.h"
#include "nv_atomics.h"
#include "output.h"
#include "textures.h"
#include "surfaces.h"
#include "api_flags.h"
#include "api_codes.h"
#include "api_enums.h"
#include "api_types.h"
#include "rounding_modes.h"
#include "graphs.h"
}
/* NVRTC provides the contents of the following headers without an include. */
#include "../std/initializer_list"
#include "../std/move.h"
