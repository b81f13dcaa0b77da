/* curand.h - stand-in: for code of the host; kernels use curand_kernel.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
