/* transform.h - thrust's maps, which copy.h defines.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <thrust/copy.h>
