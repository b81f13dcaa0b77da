/* sys/types.h - stand-in: the device's compiler and prelude.h have these names.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../prelude.h"
