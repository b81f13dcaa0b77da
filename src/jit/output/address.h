/* address.h - addresses of loads and stores, and alias tests.
 *
 * Used by join.c. The functions only read the module.
 *
 * SPDX-License-Identifier: MIT */
#ifndef JIT_OUTPUT_ADDRESS_H
#define JIT_OUTPUT_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

struct jit;

enum { ADDRESS_TERMS = 6 };

/* An address: base + factor * value + ... + offset. `terms` has `count` terms
 * factor * value. Factors and offset are in bytes. */
struct jit_address {
    LLVMValueRef base;
    struct jit_term {
        LLVMValueRef value;
        int64_t factor;
    } terms[ADDRESS_TERMS];
    unsigned count;
    bool lost; /* true: the address has more terms than `terms` can hold */
    int64_t offset;
};

/* A load or store: the instruction `at`, its address, and the number of bytes
 * that it accesses. */
struct jit_access {
    LLVMValueRef at;
    bool is_store;
    int64_t bytes;
    struct jit_address address;
};

/* address.c: describes a load or store. Returns false for other
 * instructions. */
bool jit_access_read(const struct jit *jit, LLVMValueRef at,
                     struct jit_access *access);
/* Returns the index of the instruction's address operand. */
unsigned jit_access_pointer(const struct jit_access *access);
/* Tests whether both addresses have the same terms (factor * value). If so,
 * they can differ only in base and offset. */
bool jit_address_like(const struct jit_address *a,
                      const struct jit_address *b);

/* alias.c: tests whether two accesses that one thread makes between two
 * barriers may overlap. Returns true in case of doubt. */
bool jit_accesses_overlap(const struct jit_access *a,
                          const struct jit_access *b);
/* Tests whether LLVM may give the two base addresses the same value when it
 * unswitches loops and eliminates redundant loads. */
bool jit_bases_meet(LLVMValueRef one, LLVMValueRef other);

#endif
