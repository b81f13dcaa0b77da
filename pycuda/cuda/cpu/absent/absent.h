/* absent.h - replaces each header of cub and thrust that the CPU device lacks.
 *
 * The include alone is not an error; using a name of the header is, and
 * pycuda/_compile/nvrtc.py explains the error to the user.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../std/host_headers.h"

extern "C++" {
namespace cub
{
}
namespace thrust
{
}
}
