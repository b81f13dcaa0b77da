/* sequence.h - thrust's sequences, which copy.h defines.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <thrust/copy.h>
