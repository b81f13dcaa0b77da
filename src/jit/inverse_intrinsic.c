/* inverse_intrinsic.c - replaces a function of LLVM 19 that crashes.
 *
 * LLVM simplifies min(F(x, y, ...), G(x, y, ...)), where F and G are any two
 * intrinsics with equal operands. To do so, LLVM calls
 * getInverseMinMaxIntrinsic for one of the two. This function returns max for
 * min, but has no defined result for other intrinsics, such as fma: pycuda-jit
 * ended with a segmentation fault for fminf(fmaf(a, b, c), fminf(a, b)). The
 * linker's option --wrap (meson.build) makes LLVM call the function below
 * instead.
 *
 * SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <string.h>

#include <llvm-c/Core.h>

unsigned __real__ZN4llvm25getInverseMinMaxIntrinsicEj(unsigned intrinsic);
unsigned __wrap__ZN4llvm25getInverseMinMaxIntrinsicEj(unsigned intrinsic);

static const char *const extremes[] = {
    "llvm.smax",    "llvm.smin",    "llvm.umax",   "llvm.umin",
    "llvm.maximum", "llvm.minimum", "llvm.maxnum", "llvm.minnum"};

/* Returns the intrinsic for the opposite extreme: max for min, and min for
 * max. Returns 0 (no intrinsic) for intrinsics that compute no extreme. */
unsigned
__wrap__ZN4llvm25getInverseMinMaxIntrinsicEj(unsigned intrinsic)
{
    for (size_t i = 0; i < sizeof extremes / sizeof *extremes; i++) {
        if (intrinsic ==
            LLVMLookupIntrinsicID(extremes[i], strlen(extremes[i]))) {
            return __real__ZN4llvm25getInverseMinMaxIntrinsicEj(intrinsic);
        }
    }
    return 0;
}
