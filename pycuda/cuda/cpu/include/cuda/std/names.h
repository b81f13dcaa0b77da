/* names.h - what std has, cuda::std has too on the CPU device.
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
