/* crt/mma.h - a part of mma.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <mma.h>
