/* Tomasulo's algorithm (L2 of the lecture): register alias table, reservation stations, tags, common data
 * buses; exceptions are imprecise.
 *
 * The engine is ooo.c's. Loads wait until every older store has written memory, stores until every older
 * access is done: there is no buffer that could take a store back. Branches are not predicted for the same
 * reason. */
#include "lab/machines.h"

static const struct lab_key keys[] = {LAB_OOO_KEYS};

static void run_tomasulo(struct lab_run *r) {
    struct oo_how how = {.precise = OO_IMPRECISE,
                         .memory = OO_MEM_ORDER,
                         .predict = OO_STALL,
                         .entries = UINT32_MAX,
                         .retire_width = UINT32_MAX,
                         .forward_latency = 1};
    lab_ooo(r, &how);
}

const struct lab_machine lab_tomasulo = {"tomasulo",
                                         "renaming, reservation stations and common data buses; imprecise exceptions",
                                         keys,
                                         ARRAY_LEN(keys),
                                         lab_accepts_scalar,
                                         run_tomasulo};
