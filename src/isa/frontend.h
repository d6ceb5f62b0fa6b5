/* frontend: what makes kernels of a program's bytes. One struct for each kind of program; src/front has the
 * table of them.
 *
 * A front end reads bytes into a form of its own, gives the program's variables places in device memory, and
 * makes struct kernel of any kernel in it for a machine. Everything after that knows struct inst only. It
 * owns what `load` returns and the allocations it made with OWNER_MODULE; the kernels it makes belong to the
 * arena it is given. It keeps no state of its own: programs of several front ends, and several of one, live
 * side by side in a context.
 *
 * Bytes are not trusted: each function answers any input with messages (place, what was found, what would be
 * legal). */
#ifndef HEDDLE_FRONTEND_H
#define HEDDLE_FRONTEND_H

#include "isa/isa.h"

struct memory; /* func/func.h */
struct config; /* config/config.h */

struct frontend {
    const char *name;
    const char *doc;     /* what it reads, and how such a file is told from others */
    const char *endings; /* of file names, space-separated, without the dot */
    /* The kernel that is the whole program, which needs nobody to say what to launch: it runs on all cores
     * of a machine, by default of this one. NULL: kernels are launched. */
    const char *alone, *machine;
    /* The bytes are this front end's, whatever the file is called */
    bool (*recognise)(const u8 *bytes, size_t n);
    /* The program, its variables placed in mem; NULL with errors in dg. The bytes need not outlive the
     * call. */
    void *(*load)(const char *file, const u8 *bytes, size_t n, struct memory *mem, struct diag *dg);
    void (*free)(void *program, struct memory *mem);
    u32 (*kernels)(const void *program);
    const char *(*kernel_name)(const void *program, u32 i);
    /* Kernel i for a machine (NULL: without time), or NULL with errors in dg. */
    struct kernel *(*lower)(void *program, u32 i, const struct config *machine, struct arena *arena, struct diag *dg);
    /* Machines that answer the same number get the same kernels: nothing has to be lowered again */
    u64 (*variant)(const struct config *machine);
    /* Address and size of a variable by name; false when there is none */
    bool (*symbol)(const void *program, const char *name, u64 *address, u64 *size_b);
    /* A program of OpenCL C source for a machine, or NULL with errors in dg (free it); NULL: it cannot */
    char *(*build)(const char *source, const struct config *machine, size_t *len, struct diag *dg);
};

#endif
