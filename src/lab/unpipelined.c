/* The machine without a pipeline: F, D, E and W of one instruction, then those of the next. The lecture's
 * first question: how many cycles?
 *
 * Does not overlap anything. An instruction takes 3 cycles and its latency. */
#include "lab/machines.h"

static const struct lab_key keys[] = {LAB_LATENCY_KEYS(3, 1, 1)};

static void run_unpipelined(struct lab_run *r) {
    u32 pc = 0, t = 0, n = 0;
    while (pc < r->prog->code.n && r->prog->code.at[pc].op != LOP_HALT) {
        const struct lab_inst *in = &r->prog->code.at[pc];
        u32 lat = lab_latency(r, in);
        if (t + lat + 3 > r->max_cycles) {
            r->cut = true;
            break;
        }
        u32 row = lab_row(r, NULL, in->text, in->line);
        struct lab_effect e = lab_step(&r->st, in, LAB_VLEN_MAX);
        lab_arcs_of(r, row, in);
        lab_span(r, row, 'F', t + 1, t + 1, NULL);
        lab_span(r, row, 'D', t + 2, t + 2, NULL);
        lab_span(r, row, 'E', t + 3, t + 2 + lat, NULL);
        if (!e.fault) lab_span(r, row, 'W', t + 3 + lat, t + 3 + lat, NULL);
        t += lat + (e.fault ? 2 : 3);
        n++;
        pc = e.taken ? (u32)in->target : pc + 1;
        if (!e.fault) continue;
        lab_fault(r, in, e.fault, "; no younger instruction had begun");
        lab_answer(r, "younger_written", 0, "younger instructions that had written when the fault was raised");
        break;
    }
    r->cycles = t;
    lab_answer(r, "cycles", t, "cycles until the last W");
    lab_answer(r, "instructions", n, "instructions run");
    lab_pages_from_spans(r);
}

const struct lab_machine lab_unpipelined = {
    "unpipelined",  "one instruction at a time: F, D, E, W, then the next", keys, ARRAY_LEN(keys), lab_accepts_scalar,
    run_unpipelined};
