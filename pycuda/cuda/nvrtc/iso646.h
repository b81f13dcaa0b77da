/* iso646.h - stand-in: `and`, `or` and the others are words of C++ itself.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
