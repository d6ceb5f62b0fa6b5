/* Out-of-order execution with precise state (L3, L4 of the lecture): a reorder buffer, or one of its
 * alternatives.
 *
 * rob         results wait in the buffer; the architectural file is written in order. Dropping younger
 *             entries costs nothing.
 * history     registers are written on completion, old values are kept in order; wrong ones are put back
 *             history.width a cycle.
 * future      a file written on completion beside the architectural one; a flush waits until its cause is
 *             the oldest, then copies in one cycle.
 * checkpoint  a copy of the registers every checkpoint.every instructions; an interval becomes
 *             architectural when all of it has completed. A flush goes back to the copy before it, one
 *             cycle, and runs the instructions between again, with a checkpoint at each (Hwu and Patt
 *             1987).
 *
 * Loads and stores (memory.order): conservative, a load waits until all older stores know their addresses;
 * aggressive, it does not, and a store that finds a younger load of its address done flushes it;
 * predicted, as aggressive, but a load waits for the stores of its store set (Chrysos and Emer 1998). A
 * store executes when address and data are there; they are not split. With memory.model = core loads and
 * stores go the way they go in the GPU core's windows (src/core/47_memorder.c), so that the two can be
 * compared: one unit starts them, one a cycle, from the load stations; a store starts when all before it is
 * done, and its address is known as soon as its operands are there.
 * With dispatch = in_order the machine is scoreboard.c's, with a reorder buffer. */
#include "lab/machines.h"

enum {
    KEY_ENTRIES = OO_KEYS,
    KEY_RETIRE,
    KEY_STAGES,
    KEY_DISPATCH,
    KEY_FORWARD,
    KEY_PRECISE,
    KEY_MEMORY,
    KEY_SSIT,
    KEY_LSFORWARD,
    KEY_PREDICT,
    KEY_BIMODAL,
    KEY_UNDO,
    KEY_EVERY,
    KEY_MODEL,
};
static const struct lab_key keys[] = {
    LAB_OOO_KEYS,
    {"rob.entries", NULL, 16, 1, 4096, "Instructions between rename and W."},
    {"retire.width", NULL, 1, 1, 16, "Instructions that may write in order in one cycle."},
    {"stages", "fdew|fderw", 0, 0, 0, "With R the result enters the buffer in a cycle of its own before W."},
    {"dispatch", "out_of_order|in_order", 0, 0, 0, "Whether an instruction may start before an older one."},
    {"forwarding", ON_OFF, 1, 0, 0, "With in_order: a result may be used before its W."},
    {"precise", "rob|history|future|checkpoint", 0, 0, 0, "How the state before a wrong instruction is found again."},
    {"memory.order", "conservative|aggressive|predicted", 0, 0, 0, "When a load may pass older stores."},
    {"memory.storesets", NULL, 64, 1, 4096, "Entries of the table of store sets, by instruction."},
    {"memory.forward", NULL, 1, 1, 1000, "Latency of a load that takes its value from a waiting store."},
    {"predict", "stall|not_taken|taken|bimodal", 0, 0, 0, "What fetch does after a branch."},
    {"bimodal.entries", NULL, 64, 1, 4096, "Two-bit counters of the bimodal predictor, by instruction."},
    {"history.width", NULL, 1, 1, 16, "Old values put back a cycle, with precise = history."},
    {"checkpoint.every", NULL, 4, 1, 64, "Instructions between checkpoints, with precise = checkpoint."},
    {"memory.model", "lecture|core", 0, 0, 0,
     "core: as in the GPU core: loads and stores share a unit and stations, and a store starts when all before it is done."},
};

static bool accepts(const struct lab_program *p, const i64 *key, struct diag *d) {
    if (key[KEY_PRECISE] == 3 && key[KEY_EVERY] > key[KEY_ENTRIES]) {
        diag_error(d, NULL, 0, 0,
                   "checkpoint.every (%lld) must not be larger than rob.entries (%lld): an interval must fit in the window",
                   (long long)key[KEY_EVERY], (long long)key[KEY_ENTRIES]);
        return false;
    }
    if (key[KEY_DISPATCH] && (key[KEY_PRECISE] || key[KEY_MEMORY] || key[KEY_PREDICT] || key[KEY_MODEL])) {
        diag_error(
            d, NULL, 0, 0,
            "dispatch = in_order goes with precise = rob, memory.order = conservative, memory.model = lecture and predict = "
            "stall");
        return false;
    }
    return lab_accepts_scalar(p, key, d);
}

static void run_rob(struct lab_run *r) {
    const i64 *k = r->key;
    if (k[KEY_DISPATCH]) {
        struct inorder how = {.forward = k[KEY_FORWARD],
                              .pipelined = k[OO_PIPELINED],
                              .reorder = true,
                              .r_stage = k[KEY_STAGES],
                              .entries = (u32)k[KEY_ENTRIES],
                              .retire_width = (u32)k[KEY_RETIRE]};
        lab_inorder(r, &how);
        return;
    }
    struct oo_how how = {.precise = (enum oo_precise)(OO_ROB + k[KEY_PRECISE]),
                         .memory = (enum oo_memory)(OO_MEM_CONSERVATIVE + k[KEY_MEMORY]),
                         .predict = (enum oo_predict)k[KEY_PREDICT],
                         .r_stage = k[KEY_STAGES],
                         .core_memory = k[KEY_MODEL],
                         .entries = (u32)k[KEY_ENTRIES],
                         .retire_width = (u32)k[KEY_RETIRE],
                         .ssit = (u32)k[KEY_SSIT],
                         .bimodal = (u32)k[KEY_BIMODAL],
                         .undo_width = (u32)k[KEY_UNDO],
                         .every = (u32)k[KEY_EVERY],
                         .forward_latency = (u32)k[KEY_LSFORWARD]};
    lab_ooo(r, &how);
}

const struct lab_machine lab_rob = {
    "rob",   "out-of-order execution with a reorder buffer or one of its alternatives; loads and stores disambiguated",
    keys,    ARRAY_LEN(keys),
    accepts, run_rob};
