/* state.c - the extension's process-wide state.
 *
 * extension_module.c and the setup functions fill it during import.
 *
 * SPDX-License-Identifier: MIT */
#include "core/state.h"

struct core_state core;
