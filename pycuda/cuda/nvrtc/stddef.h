/* stddef.h - placeholder: the compiler and prelude.h define these names.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../prelude.h"
