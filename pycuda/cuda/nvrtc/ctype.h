/* ctype.h - stand-in: for code of the host.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
