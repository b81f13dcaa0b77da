/* common_functions.h - stand-in: kernels have it all without.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
