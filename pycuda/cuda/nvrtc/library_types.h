/* library_types.h - stand-in: kernels have it all without.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
