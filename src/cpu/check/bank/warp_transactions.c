/* warp_transactions.c - counts the memory transactions of a warp's request.
 *
 * The rules are those of GPUs since compute capability 5.0. Shared memory has
 * 32 banks of 4 bytes. Lanes that access the same word share a transaction;
 * different words of one bank need a transaction each. Requests of 8 bytes per
 * lane are served for 16 lanes at a time, those of 16 bytes for 8 lanes at a
 * time. Global memory is read and written in sectors of 32 bytes.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdint.h>

#include "cpu/check/bank/warp_accesses.h"

enum { BANKS = 32, WORD = 4, SECTOR = 32, MAX_BYTES = 16 };

/* Returns the size of the largest access of the request, at least 4 bytes. */
static unsigned
request_width(const struct cpu_check_request *request)
{
    unsigned width = WORD;

    for (unsigned i = 0; i < CPU_WARP; i++) {
        if (request->lanes >> i & 1 && request->bytes[i] > width) {
            width = request->bytes[i];
        }
    }
    return width;
}

/* Returns the number of transactions for the lanes [first, last) of a request
 * of shared memory; 0 if none of these lanes makes an access. */
static unsigned
lanes_transactions(const struct cpu_check_request *request, unsigned first,
                   unsigned last, bool atomic)
{
    /* Words found so far, and the number of words in each bank. The lanes
     * [first, last) access at most BANKS words, or twice as many if the
     * addresses are not aligned. */
    uintptr_t words[2 * BANKS];
    unsigned count = 0, most = 0;
    uint8_t in_bank[BANKS] = {0};

    for (unsigned i = first; i < last; i++) {
        if (!(request->lanes >> i & 1)) {
            continue;
        }
        uintptr_t word = request->addresses[i] / WORD;
        uintptr_t end = (request->addresses[i] + request->bytes[i] - 1) / WORD;
        for (; word <= end && count < 2 * BANKS; word++) {
            unsigned k = 0;
            while (k < count && (atomic || words[k] != word)) {
                k++;
            }
            if (k < count) {
                continue;
            }
            words[count++] = word;
            unsigned n = ++in_bank[word % BANKS];
            most = n > most ? n : most;
        }
    }
    return most;
}

static void
shared_count(const struct cpu_check_request *request, bool atomic,
             unsigned *transactions, unsigned *ideal)
{
    unsigned width = request_width(request);
    unsigned group = width <= 4 ? 32 : width <= 8 ? 16 : 8;

    for (unsigned first = 0; first < CPU_WARP; first += group) {
        unsigned n = lanes_transactions(request, first, first + group, atomic);
        *transactions += n;
        *ideal += n != 0;
    }
}

static void
global_count(const struct cpu_check_request *request, unsigned *transactions,
             unsigned *ideal)
{
    /* Numbers of the accessed sectors, and for each sector the set of accessed
     * bytes. An access of MAX_BYTES bytes is in at most two sectors. */
    uintptr_t sectors[2 * CPU_WARP];
    uint32_t masks[2 * CPU_WARP];
    unsigned count = 0, bytes = 0;

    for (unsigned i = 0; i < CPU_WARP; i++) {
        if (!(request->lanes >> i & 1)) {
            continue;
        }
        for (unsigned b = 0; b < request->bytes[i]; b++) {
            uintptr_t at = request->addresses[i] + b;
            unsigned k = count;
            while (k > 0 && sectors[k - 1] != at / SECTOR) {
                k--;
            }
            if (k == 0) {
                sectors[count] = at / SECTOR;
                masks[count] = 0;
                k = ++count;
            }
            masks[k - 1] |= 1u << at % SECTOR;
        }
    }
    for (unsigned k = 0; k < count; k++) {
        bytes += (unsigned)__builtin_popcount(masks[k]);
    }
    *transactions += count;
    *ideal += (bytes + SECTOR - 1) / SECTOR;
}

void
cpu_check_request_count(const struct cpu_check_request *request, bool shared,
                        bool atomic, struct cpu_check_counts *counts)
{
    unsigned transactions = 0, ideal = 0;

    if (!request->lanes) {
        return;
    }
    if (shared) {
        shared_count(request, atomic, &transactions, &ideal);
    } else {
        global_count(request, &transactions, &ideal);
    }
    counts->requests++;
    counts->transactions += transactions;
    counts->ideal += ideal;
    if (transactions / ideal > counts->worst) {
        counts->worst = transactions / ideal;
    }
}
