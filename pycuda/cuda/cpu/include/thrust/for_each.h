/* for_each.h - thrust's for_each, which copy.h defines.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <thrust/copy.h>
