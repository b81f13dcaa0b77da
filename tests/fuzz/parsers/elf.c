/* elf.c - fuzz target: the loader of the machine code in images.
 *
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "cpu/arch/arch.h"
#include "cpu/module/image.h"

/* Loads the same code twice, so that both are in the debugger's list; the
 * first one is removed from the list's end, the second one as its only entry.
 * */
static void
loaded_use(struct cpu_code *code, const char *bytes, size_t size)
{
    static const char *const names[] = {"k", "__pycuda_kernel_k", "table", ""};
    struct cpu_code repeated;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *at = cpu_code_find(code, names[i], 1);
        FUZZ_REQUIRE(!at || cpu_image_contains(at));
    }
    FUZZ_REQUIRE(cpu_image_contains_code(code->memory) ==
                 (code->code_bytes > 0));
    FUZZ_REQUIRE(!cpu_image_contains_code(code->memory + code->code_bytes));
    FUZZ_REQUIRE(!cpu_code_load(&repeated, bytes, size, NULL, NULL, 0));
    cpu_code_unload(code);
    cpu_code_unload(&repeated);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cpu_code code;
    char error[128] = "", *bytes = fuzz_copy(data, size, false);

    FUZZ_REQUIRE(cpu_arch_runs(cpu_arch_target()) && !cpu_arch_runs(""));
    if (cpu_code_load(&code, bytes, size, NULL, error, sizeof error)) {
        FUZZ_REQUIRE(*error && !code.memory && !code.sections);
    } else {
        loaded_use(&code, bytes, size);
    }
    free(bytes);
    return 0;
}
