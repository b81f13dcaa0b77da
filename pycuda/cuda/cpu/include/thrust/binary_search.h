/* binary_search.h - thrust's binary searches, which reduce.h defines.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <thrust/reduce.h>
