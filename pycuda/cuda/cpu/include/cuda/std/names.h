/* names.h - makes the names of std available in cuda::std on the CPU device,
 * and those of later standards, which cuda::std has in every standard.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C++" {
namespace std
{
namespace __pycuda_backports
{
}
}
namespace cuda
{
namespace std
{
using namespace ::std;
using namespace ::std::__pycuda_backports;
}
}
}
