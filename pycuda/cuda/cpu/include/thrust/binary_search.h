/* binary_search.h - see reduce.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <thrust/reduce.h>
