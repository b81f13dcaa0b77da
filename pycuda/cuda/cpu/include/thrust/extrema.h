/* extrema.h - thrust's minima and maxima, which reduce.h defines.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <thrust/reduce.h>
