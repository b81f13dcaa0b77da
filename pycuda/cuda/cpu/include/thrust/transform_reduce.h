/* transform_reduce.h - thrust's transformed reductions, which reduce.h
 * defines.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <thrust/reduce.h>
