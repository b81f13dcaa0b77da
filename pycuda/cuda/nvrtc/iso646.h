/* iso646.h - placeholder: `and`, `or` and the others are keywords of C++.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
