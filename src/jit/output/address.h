/* address.h - what is known of the addresses of loads and stores.
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
    bool lost; /* there are more terms */
    int64_t offset;
};

/* Of the instruction, a load or a store. */
struct jit_access {
    LLVMValueRef at;
    bool is_store;
    int64_t bytes;
    struct jit_address address;
};

/* address.c: false if the instruction is neither. */
bool jit_access_read(const struct jit *jit, LLVMValueRef at,
                     struct jit_access *access);
/* The operand of a load or a store that is its address. */
unsigned jit_access_pointer(const struct jit_access *access);
/* Are the two a known number of bytes apart? */
bool jit_address_like(const struct jit_address *a,
                      const struct jit_address *b);

/* alias.c: may the accesses be to the same memory, those of one thread
 * between two of its meetings with others? */
bool jit_accesses_overlap(const struct jit_access *a,
                          const struct jit_access *b);
/* May two bases be seen to be the same once loops are unswitched, and loads
 * that nothing is between any more are one? */
bool jit_bases_meet(LLVMValueRef one, LLVMValueRef other);

#endif
