/* Packed arithmetic in 64-bit registers (MMX, the lecture's chroma key): one instruction, eight bytes.
 *
 * In-order, one instruction a cycle; it waits until its operands are there. Does not model two pipes, or
 * memory beyond a latency. Byte 0 is the lowest. */
#include "lab/machines.h"

static const struct lab_key keys[] = {LAB_LATENCY_KEYS(3, 1, 1)};

static bool accepts(const struct lab_program *p, const i64 *key, struct diag *d) {
    (void)key;
    for (u32 i = 0; i < p->code.n; i++) {
        const struct lab_inst *in = &p->code.at[i];
        u8 regs[12];
        u32 n = lab_reads(in, regs);
        n += lab_writes(in, regs + n);
        bool other = lab_is_vector(in) || in->op == LOP_BRQ || in->op == LOP_SETVL;
        for (u32 k = 0; k < n; k++) other |= regs[k] == REG_AEQ || regs[k] == REG_EAQ || regs[k] == REG_TID;
        if (other) {
            diag_error(d, p->file, in->line, in->col, "%s with these operands is not for simd; vector, dae or simt run it",
                       lab_ops[in->op].name);
            return false;
        }
    }
    if (p->code.n == 0) diag_error(d, p->file, 0, 0, "no instruction in this file");
    return p->code.n != 0;
}

static void page(struct lab_run *r, u32 cycle, const struct lab_inst *in, u32 row) {
    if (!lab_page(r, cycle)) return;
    lab_head(r, "packed registers", "reg|b7|b6|b5|b4|b3|b2|b1|b0");
    for (u32 i = 0; i < 8; i++) {
        const u8 *b = (const u8 *)&r->st.reg[REG_MM + i];
        lab_cells(r, "MM%u|%02x|%02x|%02x|%02x|%02x|%02x|%02x|%02x", i, b[7], b[6], b[5], b[4], b[3], b[2], b[1], b[0]);
    }
    lab_note(r, "last issued: %s %s", r->rows.at[row].name, in->text);
}

static void run_simd(struct lab_run *r) {
    u64 ready[LAB_REGS] = {0}, next = 1, end = 0, packed = 0;
    u32 pc = 0, n = 0;
    while (pc < r->prog->code.n && r->prog->code.at[pc].op != LOP_HALT) {
        const struct lab_inst *in = &r->prog->code.at[pc];
        u8 regs[8];
        u64 t = next, lat = lab_latency(r, in);
        u32 k = lab_reads(in, regs);
        for (u32 i = 0; i < k; i++) t = MAX(t, ready[regs[i]]);
        k = lab_writes(in, regs);
        for (u32 i = 0; i < k; i++) t = MAX(t, ready[regs[i]]); /* results of one register stay in order */
        if (t + lat > r->max_cycles) {
            r->cut = true;
            break;
        }
        u32 row = lab_row(r, NULL, in->text, in->line);
        lab_arcs_of(r, row, in);
        lab_span(r, row, 'E', t, t + lat - 1, NULL);
        end = MAX(end, t + lat - 1);
        struct lab_effect e = lab_step(&r->st, in, LAB_VLEN_MAX);
        n++;
        packed += lab_is_packed(in);
        for (u32 i = 0; i < k; i++) ready[regs[i]] = t + lat;
        next = lab_is_branch(in) ? t + lat : t + 1;
        page(r, (u32)t, in, row);
        if (e.fault) {
            lab_fault(r, in, e.fault, "");
            break;
        }
        pc = e.taken ? (u32)in->target : pc + 1;
    }
    r->cycles = (u32)end;
    lab_answer(r, "cycles", (i64)end, "cycles until the last result");
    lab_answer(r, "instructions", n, "instructions run");
    lab_answer(r, "packed", (i64)packed, "of them packed: 64 bits at a time");
    lab_pages_from_spans(r);
}

const struct lab_machine lab_simd = {
    "simd", "packed arithmetic of 8, 16 or 32 bits in 64-bit registers", keys, ARRAY_LEN(keys), accepts, run_simd};
