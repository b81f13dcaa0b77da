/* assert.h - placeholder: the compiler provides assert; NDEBUG has its usual
 * effect.
 *
 * SPDX-License-Identifier: MIT */
#ifdef NDEBUG
#undef assert
#define assert(expression) ((void)0)
#endif
