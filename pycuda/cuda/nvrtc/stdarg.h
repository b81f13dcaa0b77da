/* stdarg.h - placeholder for a header that only host code uses.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
