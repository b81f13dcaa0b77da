/* scan.h - thrust's prefix sums, which reduce.h defines.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <thrust/reduce.h>
