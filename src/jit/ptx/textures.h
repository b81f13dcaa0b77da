/* textures.h - texture and surface instructions of PTX.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_PTX_TEXTURES_H
#define PYCUDA_JIT_PTX_TEXTURES_H

#include <stdbool.h>

struct ptx;
struct ptx_statement;

/* Build tex or tld4; suld, sust or sured; txq or suq. The texture or surface
 * is an object, whose handle is in a register of 64 bits. Return false on
 * failure. */
bool ptx_build_texture(struct ptx *ptx, const struct ptx_statement *statement);
bool ptx_build_surface(struct ptx *ptx, const struct ptx_statement *statement);
bool ptx_build_texture_query(struct ptx *ptx,
                             const struct ptx_statement *statement);

#endif
