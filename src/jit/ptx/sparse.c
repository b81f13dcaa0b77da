/* sparse.c - the sparse factor of PTX's mma.sp.
 *
 * Half of the elements of A are zero, and registers hold the others. A row of
 * A consists of chunks of four units, of which two are stored. A unit is an
 * element of 8 or 16 bits, half an element of 32 bits, or a pair of elements
 * of 4 bits. The metadata contain the index in its chunk, 2 bits, of each
 * stored unit.
 *
 * A register of A corresponds to two registers of B, with the same elements of
 * K: those with twice its linear index (register, then lane of the group). The
 * metadata select the elements of these two registers that A's register is
 * multiplied by.
 *
 * A register of A has two units of 16 bits, and so 4 bits of metadata; or four
 * of 8 bits, and 8 bits of metadata. Four registers of a row, one in each lane
 * of the group, are a block: 16 or 32 bits. With 16 bits, a lane's metadata
 * are a block of row g, and in the upper half one of row g + 8. With 32 bits,
 * a lane has a block of row g, and the next lane one of row g + 8. The
 * selector tells which lanes of the group have metadata.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/ptx/products.h"
#include "jit/ptx/ptx.h"
#include "jit/ptx/warp.h"

enum { GROUP = PTX_GROUP_LANES };

static bool
has_wide_units(const struct ptx_product *product)
{
    return product->a->bits >= 16;
}

bool
ptx_sparsity_read(const struct ptx_product *product, unsigned blocks,
                  struct ptx_sparsity *sparsity)
{
    struct ptx *ptx = product->ptx;
    const struct ptx_operand *metadata = &product->statement->operands[4];
    const struct ptx_operand *selector = &product->statement->operands[5];
    struct ptx_type type = {'b', 32};
    unsigned lanes = has_wide_units(product) ? blocks : 2 * blocks;
    if (metadata->kind != PTX_REGISTER || selector->kind != PTX_INTEGER ||
        selector->bits >= GROUP / lanes) {
        return ptx_fail(ptx,
                        "'mma' needs a register with metadata and a selector "
                        "from 0 to %u",
                        GROUP / lanes - 1);
    }
    LLVMValueRef own = ptx_read(ptx, metadata, type, false);
    if (!own) {
        return false;
    }
    unsigned first = (unsigned)selector->bits * lanes;
    for (unsigned i = 0; i < lanes; i++) {
        sparsity->lanes[i] =
            ptx_shuffle(ptx, IMAGE_SHUFFLE_IDX, own,
                        jit_constant(ptx->jit, first + i), GROUP);
    }
    return true;
}

/* Extracts the unit of `bits` bits whose index in the chunk is in the 2 lowest
 * bits of `index`. */
static LLVMValueRef
select_unit(LLVMBuilderRef builder, LLVMValueRef chunk, LLVMValueRef index,
            unsigned bits)
{
    LLVMTypeRef type = LLVMTypeOf(chunk);
    index = LLVMBuildAnd(builder, index, LLVMConstInt(type, 3, 0), "");
    index = LLVMBuildMul(builder, index, LLVMConstInt(type, bits, 0), "");
    chunk = LLVMBuildLShr(builder, chunk, index, "");
    return LLVMBuildAnd(builder, chunk,
                        LLVMConstInt(type, (1u << bits) - 1, 0), "");
}

LLVMValueRef
ptx_sparsity_select(const struct ptx_product *product,
                    const struct ptx_sparsity *sparsity, unsigned half,
                    unsigned index, const LLVMValueRef b[2])
{
    struct jit *jit = product->ptx->jit;
    LLVMBuilderRef builder = jit->builder;
    LLVMTypeRef i64 = jit->i64;
    bool wide = has_wide_units(product);
    unsigned block = index / GROUP, bits = wide ? 16 : 8;
    unsigned first = (wide ? 4 : 8) * (index % GROUP) + (wide ? 16 * half : 0);
    LLVMValueRef metadata = sparsity->lanes[wide ? block : 2 * block + half];
    LLVMValueRef both = LLVMBuildZExt(builder, b[1], i64, "");
    LLVMValueRef selected = LLVMConstInt(i64, 0, 0);
    metadata = LLVMBuildZExt(builder, metadata, i64, "");
    both = LLVMBuildShl(builder, both, LLVMConstInt(i64, 32, 0), "");
    both =
        LLVMBuildOr(builder, both, LLVMBuildZExt(builder, b[0], i64, ""), "");
    for (unsigned unit = 0; unit < 32 / bits; unit++) {
        /* Two units of 8 bits are from the chunk in b[0], two from b[1]. */
        unsigned chunk = wide ? 0 : 32 * (unit / 2);
        LLVMValueRef from =
            LLVMBuildLShr(builder, both, LLVMConstInt(i64, chunk, 0), "");
        LLVMValueRef at = LLVMConstInt(i64, first + 2 * unit, 0);
        from = select_unit(builder, from,
                           LLVMBuildLShr(builder, metadata, at, ""), bits);
        at = LLVMConstInt(i64, bits * unit, 0);
        selected = LLVMBuildOr(builder, selected,
                               LLVMBuildShl(builder, from, at, ""), "");
    }
    return LLVMBuildTrunc(builder, selected, jit->i32, "");
}
