/* string.h - placeholder: the compiler and prelude.h define the names of C's
 * header.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../prelude.h"
