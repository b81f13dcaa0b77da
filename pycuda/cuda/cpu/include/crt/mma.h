/* crt/mma.h - includes mma.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <mma.h>
