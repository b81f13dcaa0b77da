/* reverse.h - thrust's reversals, which copy.h defines.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <thrust/copy.h>
