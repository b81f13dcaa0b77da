/* count.h - thrust's counts, which reduce.h defines.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <thrust/reduce.h>
