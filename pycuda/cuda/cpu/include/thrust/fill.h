/* fill.h - thrust's fills, which copy.h defines.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <thrust/copy.h>
