/* address.h - addresses of loads and stores, and alias tests.
 *
 * Used by join.c. The functions only read the module.
 *
 * SPDX-License-Identifier: MIT */
#ifndef JIT_OUTPUT_ADDRESS_H
#define JIT_OUTPUT_ADDRESS_H

#include "jit/jit.h"

enum { ADDRESS_TERMS = 6 };

/* base + factor * value + ... + offset, in bytes. */
struct jit_address {
    LLVMValueRef base;
    struct jit_term {
        LLVMValueRef value;
        int64_t factor;
    } terms[ADDRESS_TERMS];
    unsigned count;
    bool lost; /* there are more terms than fit */
    int64_t offset;
};

/* A load or store; `bytes` is its size. */
struct jit_access {
    LLVMValueRef at;
    bool is_store;
    int64_t bytes;
    struct jit_address address;
};

/* address.c: describes a load or store; returns false for other
 * instructions. */
bool jit_access_read(const struct jit *jit, LLVMValueRef at,
                     struct jit_access *access);
/* Returns the index of the instruction's address operand. */
unsigned jit_access_pointer(const struct jit_access *access);
/* Tests whether both have the same terms, so that only base and offset
 * differ. */
bool jit_address_like(const struct jit_address *a,
                      const struct jit_address *b);

/* alias.c: tests whether two accesses of one thread between two barriers may
 * overlap. The answer true is always safe. */
bool jit_accesses_overlap(const struct jit_access *a,
                          const struct jit_access *b);
/* Tests whether two bases may turn out equal after loops are unswitched and
 * redundant loads are eliminated. */
bool jit_bases_meet(LLVMValueRef one, LLVMValueRef other);

#endif
