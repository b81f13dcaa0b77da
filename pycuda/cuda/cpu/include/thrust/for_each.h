/* for_each.h - includes copy.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <thrust/copy.h>
