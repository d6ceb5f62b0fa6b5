/* What the machines of the laboratory share: latency keys in the same places of every table, the in-order
 * and the out-of-order engine. */
#ifndef HEDDLE_LAB_MACHINES_H
#define HEDDLE_LAB_MACHINES_H

#include "lab/lab.h"

#include <stdlib.h>
#include <string.h>

/* key[LAB_ADD] .. key[LAB_BRANCH]: cycles in E */
#define LAB_LATENCY_KEYS(load, store, branch)                                                                                    \
    {"add.latency", NULL, 4, 1, 1000, "Cycles of an addition, subtraction or comparison."},                                      \
        {"mul.latency", NULL, 6, 1, 1000, "Cycles of a multiplication."},                                                        \
        {"div.latency", NULL, 12, 1, 1000, "Cycles of a division."},                                                             \
        {"move.latency", NULL, 1, 1, 1000, "Cycles of moves, shifts and bitwise instructions."},                                 \
        {"load.latency", NULL, load, 1, 1000, "Cycles of a load."},                                                              \
        {"store.latency", NULL, store, 1, 1000, "Cycles of a store."},                                                           \
        {"branch.latency", NULL, branch, 1, 1000, "Cycles until a branch knows where it goes."}
#define ON_OFF "off|on"

static inline u32 lab_latency(const struct lab_run *r, const struct lab_inst *in) { return (u32)r->key[lab_ops[in->op].unit]; }

/* --- scoreboard.c: in-order dispatch */
struct inorder {
    bool forward, pipelined, reorder, r_stage;
    u32 entries, retire_width; /* reorder */
};
void lab_inorder(struct lab_run *r, const struct inorder *how);

/* --- ooo.c: the keys that both out-of-order machines have, after the latencies */
enum {
    OO_STATIONS = LAB_UNITS, /* LAB_UNITS keys */
    OO_WIDTH = 2 * LAB_UNITS,
    OO_UNITS,
    OO_PIPELINED,
    OO_BUSES,
    OO_BROADCAST,
    OO_ISSUE,
    OO_KEYS
};
#define LAB_STATION_KEY(unit, n) {unit ".stations", NULL, n, 1, 64, "Reservation stations before the " unit " units."}
#define LAB_OOO_KEYS                                                                                                             \
    LAB_LATENCY_KEYS(3, 1, 1), LAB_STATION_KEY("add", 4), LAB_STATION_KEY("mul", 4), LAB_STATION_KEY("div", 4),                  \
        LAB_STATION_KEY("move", 4), LAB_STATION_KEY("load", 4), LAB_STATION_KEY("store", 4), LAB_STATION_KEY("branch", 4),       \
        {"width", NULL, 1, 1, 8, "Instructions fetched and renamed a cycle."}, {"units", NULL, 1, 1, 8, "Units of each kind."},  \
        {"pipelined", ON_OFF, 1, 0, 0, "Units start an instruction every cycle."},                                               \
        {"buses", NULL, 0, 0, 8, "Common data buses for all units; 0: every unit has its own."},                                 \
        {"broadcast", "last_e|write", 0, 0, 0, "When a result is broadcast: in its last cycle in E, or in the cycle after it."}, \
        {"issue.width", NULL, 0, 0, 64, "Instructions that may start in a cycle; 0: as many as the units take."}
enum oo_precise { OO_IMPRECISE, OO_ROB, OO_HISTORY, OO_FUTURE, OO_CHECKPOINT };
enum oo_memory { OO_MEM_ORDER, OO_MEM_CONSERVATIVE, OO_MEM_AGGRESSIVE, OO_MEM_PREDICTED };
enum oo_predict { OO_STALL, OO_NOT_TAKEN, OO_TAKEN, OO_BIMODAL };
struct oo_how {
    enum oo_precise precise;
    enum oo_memory memory;
    enum oo_predict predict;
    bool r_stage, core_memory;
    u32 entries, retire_width, ssit, bimodal, undo_width, every, forward_latency;
};
void lab_ooo(struct lab_run *r, const struct oo_how *how);
/* Pages from spans alone: which row is in which stage */
void lab_pages_from_spans(struct lab_run *r);

#endif
