/* find.h - includes reduce.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <thrust/reduce.h>
