/* names.h - makes the names of std available in cuda::std on the CPU device.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C++" {
namespace cuda
{
namespace std
{
using namespace ::std;
}
}
}
