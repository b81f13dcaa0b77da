/* cooperative_groups.h - wrapper that allows the include inside extern "C".
 *
 * SPDX-License-Identifier: MIT */
#pragma once
extern "C++" {
#include_next <cooperative_groups.h>
}
