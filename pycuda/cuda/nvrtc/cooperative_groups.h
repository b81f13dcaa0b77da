/* cooperative_groups.h - lets the header of this name be included inside extern "C".
 *
 * SPDX-License-Identifier: MIT */
#pragma once
extern "C++" {
#include_next <cooperative_groups.h>
}
