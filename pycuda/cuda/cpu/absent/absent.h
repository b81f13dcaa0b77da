/* absent.h - stands for each header of cub and thrust.
 *
 * An include alone is no error; what a kernel uses of them is, and
 * pycuda/_compile/nvrtc.py says why.
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
